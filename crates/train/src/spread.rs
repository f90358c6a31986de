use std::ops::Range;

use rayon::prelude::*;

/// Work is cut into so many parts, whatever the number of threads, so that sums are always added up in
/// the same order.
const PARTS: usize = 8;

/// Does `work` for every part of `count` things, given as a range, on this pool's threads or, if that is not
/// worth it, on this one alone; gives the results in order.
pub(crate) fn spread<T: Send>(
    is_shared: bool,
    count: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let range = |part: usize| part * count / PARTS..(part + 1) * count / PARTS;
    match is_shared {
        true => (0..PARTS).into_par_iter().with_max_len(1).map(|part| work(range(part))).collect(),
        false => (0..PARTS).map(|part| work(range(part))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_comes_once_and_in_order() {
        for is_shared in [false, true] {
            for count in [0, 1, 7, 8, 1000] {
                let ranges = spread(is_shared, count, |range| range.collect::<Vec<_>>());
                assert_eq!(ranges.concat(), (0..count).collect::<Vec<_>>());
            }
        }
    }
}
