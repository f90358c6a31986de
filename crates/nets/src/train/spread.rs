use std::ops::Range;

use rayon::prelude::*;

/// Work whose results are added up is cut into so many parts, whatever the number of threads, so that this is
/// always done in the same order.
const PARTS: usize = 8;

/// Does `work` for every part of `data`, which consists of units of that size: with the part's units, given as a
/// range, and the part itself. All threads of the pool share the parts, if `is_shared`; results are in
/// order.
pub(crate) fn spread<T: Send>(
    is_shared: bool,
    mut data: &mut [f32],
    unit: usize,
    work: impl Fn(Range<usize>, &mut [f32]) -> T + Sync,
) -> Vec<T> {
    let count = data.len() / unit;
    let mut parts = Vec::with_capacity(PARTS);
    for part in 0..PARTS {
        let range = part * count / PARTS..(part + 1) * count / PARTS;
        let (taken, rest) = data.split_at_mut(range.len() * unit);
        parts.push((range, taken));
        data = rest;
    }
    let work = |(range, part)| work(range, part);
    match is_shared {
        true => parts.into_par_iter().with_max_len(1).map(work).collect(),
        false => parts.into_iter().map(work).collect(),
    }
}

/// Fills `outputs`, so many numbers at a time, from as many times so many `inputs`. All threads of the pool share
/// that, if `is_shared`.
pub(crate) fn fill(
    is_shared: bool,
    (outputs, taken): (&mut [f32], usize),
    (inputs, needed): (&[f32], usize),
    work: impl Fn(&[f32], &mut [f32]) + Sync,
) {
    match is_shared {
        true => {
            let pieces = outputs.par_chunks_mut(taken).zip(inputs.par_chunks(needed));
            pieces.for_each(|(output, input)| work(input, output));
        }
        false => {
            let pieces = outputs.chunks_mut(taken).zip(inputs.chunks(needed));
            pieces.for_each(|(output, input)| work(input, output));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_comes_once_and_in_order() {
        for is_shared in [false, true] {
            for count in [0, 1, 7, 8, 1000] {
                let mut data = vec![0.0; 3 * count];
                let ranges = spread(is_shared, &mut data, 3, |range, part| {
                    part.iter_mut().zip(3 * range.start..).for_each(|(to, at)| *to = at as f32);
                    range.collect::<Vec<_>>()
                });
                assert_eq!(ranges.concat(), (0..count).collect::<Vec<_>>());
                assert!(data.iter().zip(0..).all(|(value, at)| *value == at as f32));
            }
        }
    }

    #[test]
    fn all_is_filled() {
        for is_shared in [false, true] {
            let (mut outputs, inputs) =
                (vec![0.0; 10], (0..20).map(|n| n as f32).collect::<Vec<_>>());
            fill(is_shared, (&mut outputs, 3), (&inputs, 6), |input, output| {
                output.iter_mut().zip(input.chunks(2)).for_each(|(to, two)| *to = two[1]);
            });
            assert_eq!(outputs, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0]);
        }
    }
}
