//! How long to think.

use std::time::{Duration, Instant};

use tablero_core::{Clock, Limits};

/// The bounds of one decision, as the search keeps them.
#[derive(Debug)]
pub(crate) struct Budget {
    start: Instant,
    /// No new iteration is worth starting after this.
    soft: Option<Duration>,
    /// The search breaks off.
    hard: Option<Duration>,
    pub(crate) nodes: u64,
    pub(crate) depth: u32,
}

/// A clock without a number of moves to go is shared out as if so many were left.
const MOVES_LEFT: u32 = 35;
/// Time that passes between the search's end and the clock's stop: other processes, pipes.
const LAG: Duration = Duration::from_millis(50);

impl Budget {
    /// What `limits` allow, from now on, to a search that cannot look deeper than `depth`.
    pub(crate) fn new(limits: &Limits, depth: u32) -> Self {
        let for_move = limits.time.map(|time| time - LAG.min(time / 10) / 5);
        let (soft, hard) = match limits.clock.map(share) {
            Some((soft, hard)) => (Some(soft), Some(hard)),
            None => (None, None),
        };
        Self {
            start: Instant::now(),
            soft,
            hard: [hard, for_move].into_iter().flatten().min(),
            nodes: limits.nodes.unwrap_or(u64::MAX),
            depth: limits.depth.unwrap_or(depth).clamp(1, depth),
        }
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether time bounds the decision.
    pub(crate) const fn is_timed(&self) -> bool {
        self.hard.is_some()
    }

    /// Whether the search must break off.
    pub(crate) fn is_spent(&self, elapsed: Duration) -> bool {
        self.hard.is_some_and(|hard| elapsed >= hard)
    }

    /// Whether not to start another iteration, the best move having been the same for so many.
    pub(crate) fn is_enough(&self, elapsed: Duration, stable: u32) -> bool {
        let percent = match stable {
            0 => 140,
            1 | 2 => 100,
            _ => 70,
        };
        self.soft.is_some_and(|soft| elapsed >= soft * percent / 100)
    }
}

/// When to be content, and when to break off.
pub(crate) fn share(clock: Clock) -> (Duration, Duration) {
    let usable = clock.left - LAG.min(clock.left / 5);
    let moves = clock.moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
    // The last move before more time comes may take almost all, any other only a part.
    let most = if moves == 1 { usable * 4 / 5 } else { usable * 2 / 5 };
    let even = usable / moves + clock.increment * 3 / 4;
    (even.min(most), (even * 4).min(most))
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn never_more_than_the_clock_has() {
        let mut rng = Rng::seeded(1);
        for _ in 0..10_000 {
            let clock = Clock {
                left: Duration::from_millis(rng.bits() >> (40 + rng.below(24))),
                increment: Duration::from_millis(rng.below(20_000)),
                moves_to_go: (rng.below(2) == 1).then(|| rng.below(50) as u32),
            };
            let (soft, hard) = share(clock);
            assert!(soft <= hard && hard <= clock.left * 4 / 5, "{clock:?}");
        }
    }

    #[test]
    fn the_tighter_bound_holds() {
        let clock =
            Clock { left: Duration::from_secs(100), increment: Duration::ZERO, moves_to_go: None };
        let limits = Limits {
            time: Some(Duration::from_millis(100)),
            clock: Some(clock),
            ..Limits::default()
        };
        let budget = Budget::new(&limits, 100);
        assert!(budget.is_spent(Duration::from_millis(100)));
        assert!(!budget.is_spent(Duration::from_millis(90)));
        assert!(budget.is_enough(Duration::from_secs(5), 0));
        let unlimited = Budget::new(&Limits::default(), 100);
        assert!(!unlimited.is_timed() && !unlimited.is_spent(Duration::MAX));
    }

    #[test]
    fn a_clock_of_zero_does_not_panic() {
        let clock =
            Clock { left: Duration::ZERO, increment: Duration::from_secs(2), moves_to_go: Some(0) };
        assert_eq!(share(clock), (Duration::ZERO, Duration::ZERO));
    }
}
