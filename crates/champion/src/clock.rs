//! How long to think, and when to break off.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tablero_core::{Clock, Limits};

/// Time that passes between the search's end and the clock's stop: other processes, pipes.
const LAG: Duration = Duration::from_millis(50);

/// What tells every part of a search that it is over.
pub(crate) struct Watch<'a> {
    /// Somebody outside wants the answer now.
    stop: &'a AtomicBool,
    /// The answer is found, or the search is out of time or nodes.
    halt: AtomicBool,
    start: Instant,
    /// The search breaks off after this time.
    time: Option<Duration>,
}

impl<'a> Watch<'a> {
    /// Of a search that begins now.
    pub(crate) fn new(stop: &'a AtomicBool, time: Option<Duration>) -> Self {
        Self { stop, halt: AtomicBool::new(false), start: Instant::now(), time }
    }

    /// Ends the search.
    pub(crate) fn halt(&self) {
        self.halt.store(true, Ordering::Relaxed);
    }

    /// Whether the search has been ended; costs next to nothing.
    pub(crate) fn is_halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// Whether the search is over, for whatever reason; then for all its threads.
    pub(crate) fn is_over(&self) -> bool {
        let is_late = || self.time.is_some_and(|time| self.elapsed() >= time);
        if self.stop.load(Ordering::Relaxed) || is_late() {
            self.halt();
        }
        self.is_halted()
    }

    /// Time since the search began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// The time for one decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    /// No new stage is worth starting after this.
    pub(crate) soft: Option<Duration>,
    /// The search breaks off.
    pub(crate) hard: Option<Duration>,
}

impl Share {
    /// What `limits` allow with so many empty squares.
    pub(crate) fn new(limits: &Limits, empties: u32) -> Self {
        let for_move = limits.time.map(|time| time - LAG.min(time / 10) / 5);
        let share = limits.clock.map(|clock| share(clock, empties));
        Self {
            soft: share.map(|(soft, _)| soft),
            hard: [for_move, share.map(|(_, hard)| hard)].into_iter().flatten().min(),
        }
    }

    /// Whether not to start another stage, the best move having been the same for so many.
    pub(crate) fn is_enough(self, elapsed: Duration, stable: u32) -> bool {
        let percent = match stable {
            0 => 130,
            1 | 2 => 100,
            _ => 60,
        };
        self.soft.is_some_and(|soft| elapsed >= soft * percent / 100)
    }
}

/// When to be content, and when to break off.
///
/// The game is decided where it is solved, with some twenty empty squares; from there on moves cost
/// little. So the time is for the moves until then.
fn share(clock: Clock, empties: u32) -> (Duration, Duration) {
    let usable = clock.left - LAG.min(clock.left / 5);
    let until_solved = empties.saturating_sub(20) / 2 + 3;
    let moves = clock.moves_to_go.unwrap_or(until_solved).clamp(1, until_solved);
    let most = if moves == 1 { usable * 4 / 5 } else { usable * 2 / 5 };
    let even = usable / moves + clock.increment * 3 / 4;
    (even.min(most) * 3 / 4, (even * 3).min(most))
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
            let (soft, hard) = share(clock, rng.below(61) as u32);
            assert!(soft <= hard && hard <= clock.left * 4 / 5, "{clock:?}");
        }
    }
}
