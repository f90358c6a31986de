use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Work is cut into so many parts, whatever the number of threads, so that sums are always added up in
/// the same order.
const PARTS: usize = 8;

/// Does `work` for every part of `count` things, given as a range, on so many threads; gives the results
/// in order.
pub(crate) fn spread<T: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(std::ops::Range<usize>) -> T + Sync,
) -> Vec<T> {
    let range = |part: usize| part * count / PARTS..(part + 1) * count / PARTS;
    let threads = threads.clamp(1, PARTS);
    if threads == 1 {
        return (0..PARTS).map(|part| work(range(part))).collect();
    }
    let results: Vec<Mutex<Option<T>>> = (0..PARTS).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        while let part @ 0..PARTS = next.fetch_add(1, Ordering::Relaxed) {
            let result = work(range(part));
            if let Ok(mut place) = results[part].lock() {
                *place = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    results.into_iter().filter_map(|place| place.into_inner().ok().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_comes_once_and_in_order() {
        for threads in [1, 2, 20] {
            for count in [0, 1, 7, 8, 1000] {
                let ranges = spread(threads, count, |range| range.collect::<Vec<_>>());
                assert_eq!(ranges.concat(), (0..count).collect::<Vec<_>>());
            }
        }
    }
}
