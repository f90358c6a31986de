//! From limits to what one decision may take.

use std::time::Instant;

use tablero_core::{Limits, TimeManager, TimePolicy};

use super::DEFAULT_ITERATIONS;

/// What one decision may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    pub(crate) iterations: u64,
    pub(crate) deadline: Option<Instant>,
}

impl Budget {
    /// What `limits` allow a decision that begins now. With a clock, a forced move is not thought about.
    pub(crate) fn new(limits: &Limits, forced: bool) -> Self {
        let time = TimeManager::new(limits, &TimePolicy::default());
        // A depth means nothing to a tree that grows unevenly, but whoever sets it wants an end.
        let only_depth = limits.depth.is_some() && limits.nodes.is_none() && !time.is_timed();
        let otherwise = if only_depth { DEFAULT_ITERATIONS } else { u64::MAX };
        Self {
            iterations: limits.nodes.unwrap_or(otherwise),
            deadline: if forced && limits.clock.is_some() {
                Some(Instant::now())
            } else {
                time.deadline()
            },
        }
    }

    /// The part of the iterations that falls to one of `threads`.
    pub(crate) fn iterations_of(&self, thread: usize, threads: usize) -> u64 {
        let (thread, threads) = (thread as u64, threads as u64);
        self.iterations / threads + u64::from(thread < self.iterations % threads)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tablero_core::Clock;

    use super::*;

    fn clock(seconds: u64) -> Limits {
        let left = Duration::from_secs(seconds);
        let clock = Clock { left, increment: Duration::ZERO, moves_to_go: Some(20) };
        Limits { clock: Some(clock), ..Limits::default() }
    }

    fn time(limits: &Limits, forced: bool) -> Option<u128> {
        let deadline = Budget::new(limits, forced).deadline?;
        Some((deadline.saturating_duration_since(Instant::now())).as_millis())
    }

    #[test]
    fn a_clock_is_shared_out_and_not_wasted() {
        let one_move = time(&clock(60), false).expect("a bound");
        assert!((1_000..=3_000).contains(&one_move), "{one_move}");
        assert_eq!(time(&clock(60), true), Some(0));
    }

    #[test]
    fn the_tighter_bound_counts() {
        let second = Duration::from_secs(1);
        let limits = Limits { time: Some(second), nodes: Some(7), ..clock(60) };
        assert!(time(&limits, false).is_some_and(|time| (900..1_000).contains(&time)));
        assert_eq!(Budget::new(&limits, false).iterations, 7);
        assert_eq!(time(&Limits::default(), false), None);
    }

    #[test]
    fn a_depth_alone_still_ends() {
        let limits = Limits { depth: Some(3), ..Limits::default() };
        let iterations = |limits: &Limits| Budget::new(limits, false).iterations;
        assert_eq!(iterations(&limits), DEFAULT_ITERATIONS);
        assert_eq!(iterations(&Limits { nodes: Some(9), ..limits }), 9);
        assert_eq!(iterations(&Limits::default()), u64::MAX);
    }

    #[test]
    fn threads_share_all_iterations() {
        for iterations in [0, 1, 5, 1000, u64::MAX] {
            let budget = Budget { iterations, deadline: None };
            assert_eq!(
                (0..3).map(|thread| budget.iterations_of(thread, 3)).sum::<u64>(),
                iterations
            );
        }
    }
}
