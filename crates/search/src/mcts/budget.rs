//! Iterations and deadline of one search, from its limits.

use std::time::Instant;

use tablero_core::{Limits, TimeManager, TimePolicy};

use super::DEFAULT_ITERATIONS;

/// Iterations and deadline of one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    pub(crate) iterations: u64,
    pub(crate) deadline: Option<Instant>,
}

impl Budget {
    /// The budget of a search that starts now. With a clock, a forced move is played at once.
    pub(crate) fn new(limits: &Limits, forced: bool) -> Self {
        let time = TimeManager::new(limits, &TimePolicy::default());
        // Depth does not limit a best-first search, but a caller that sets one expects it to end.
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

    /// One thread's share of the iterations.
    pub(crate) fn iterations_for(&self, thread: usize, threads: usize) -> u64 {
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
    fn a_clock_is_divided_over_moves_and_forced_moves_take_none() {
        let one_move = time(&clock(60), false).expect("a bound");
        assert!((1_000..=3_000).contains(&one_move), "{one_move}");
        assert_eq!(time(&clock(60), true), Some(0));
    }

    #[test]
    fn the_tighter_limit_applies() {
        let second = Duration::from_secs(1);
        let limits = Limits { time: Some(second), nodes: Some(7), ..clock(60) };
        assert!(time(&limits, false).is_some_and(|time| (900..1_000).contains(&time)));
        assert_eq!(Budget::new(&limits, false).iterations, 7);
        assert_eq!(time(&Limits::default(), false), None);
    }

    #[test]
    fn a_depth_limit_alone_still_terminates() {
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
                (0..3).map(|thread| budget.iterations_for(thread, 3)).sum::<u64>(),
                iterations
            );
        }
    }
}
