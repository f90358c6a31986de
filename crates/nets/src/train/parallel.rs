use std::ops::Range;

use rayon::prelude::*;

/// Work whose results are summed is split into this many chunks for any number of threads, so that the sum
/// is always in the same order and training is bit-for-bit reproducible.
const CHUNKS: usize = 8;

/// Calls `work` for every chunk of `data`, a list of units of `unit` floats, with the chunk's units and the
/// chunk itself; on the thread pool if `is_parallel`. Results are in order.
pub(crate) fn map_chunks<T: Send>(
    is_parallel: bool,
    mut data: &mut [f32],
    unit: usize,
    work: impl Fn(Range<usize>, &mut [f32]) -> T + Sync,
) -> Vec<T> {
    let count = data.len() / unit;
    let mut chunks = Vec::with_capacity(CHUNKS);
    for chunk in 0..CHUNKS {
        let range = chunk * count / CHUNKS..(chunk + 1) * count / CHUNKS;
        let (head, rest) = data.split_at_mut(range.len() * unit);
        chunks.push((range, head));
        data = rest;
    }
    let work = |(range, chunk)| work(range, chunk);
    match is_parallel {
        true => chunks.into_par_iter().with_max_len(1).map(work).collect(),
        false => chunks.into_iter().map(work).collect(),
    }
}

/// Fills `outputs` block by block from blocks of `inputs`, on the thread pool if `is_parallel`. Each slice
/// comes with its block size.
pub(crate) fn fill_blocks(
    is_parallel: bool,
    (outputs, output_block): (&mut [f32], usize),
    (inputs, input_block): (&[f32], usize),
    work: impl Fn(&[f32], &mut [f32]) + Sync,
) {
    match is_parallel {
        true => {
            let pieces = outputs.par_chunks_mut(output_block).zip(inputs.par_chunks(input_block));
            pieces.for_each(|(output, input)| work(input, output));
        }
        false => {
            let pieces = outputs.chunks_mut(output_block).zip(inputs.chunks(input_block));
            pieces.for_each(|(output, input)| work(input, output));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_is_mapped_once_and_in_order() {
        for is_parallel in [false, true] {
            for count in [0, 1, 7, 8, 1000] {
                let mut data = vec![0.0; 3 * count];
                let ranges = map_chunks(is_parallel, &mut data, 3, |range, chunk| {
                    chunk.iter_mut().zip(3 * range.start..).for_each(|(to, at)| *to = at as f32);
                    range.collect::<Vec<_>>()
                });
                assert_eq!(ranges.concat(), (0..count).collect::<Vec<_>>());
                assert!(data.iter().zip(0..).all(|(value, at)| *value == at as f32));
            }
        }
    }

    #[test]
    fn every_block_is_filled() {
        for is_parallel in [false, true] {
            let (mut outputs, inputs) =
                (vec![0.0; 10], (0..20).map(|n| n as f32).collect::<Vec<_>>());
            fill_blocks(is_parallel, (&mut outputs, 3), (&inputs, 6), |input, output| {
                output.iter_mut().zip(input.chunks(2)).for_each(|(to, two)| *to = two[1]);
            });
            assert_eq!(outputs, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0]);
        }
    }
}
