//! Time management: turns a clock into a soft and a hard limit per move.

use std::time::{Duration, Instant};

use crate::{Clock, Limits};

/// Move overhead: time between the end of the search and the stop of the clock (scheduling, pipes).
const OVERHEAD: Duration = Duration::from_millis(50);

/// How a search spends a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimePolicy {
    /// The number of moves that the clock is divided by, unless fewer moves remain to the next time
    /// control.
    pub moves_left: u32,
    /// The soft limit in percent of an equal share of the clock.
    pub soft_percent: u32,
    /// The hard limit in equal shares of the clock.
    pub hard_shares: u32,
    /// Best-move stability: the percentage of the soft limit to use if the best move has just changed,
    /// has been stable for one or two iterations, and for longer.
    pub by_stability: [u32; 3],
}

/// The time for one move: no new iteration starts after the soft limit, and the search aborts at the
/// hard limit.
///
/// ```
/// use std::time::Duration;
/// use tablero_core::{Clock, Limits, TimeManager, TimePolicy};
///
/// let clock = Clock { left: Duration::from_secs(60), increment: Duration::ZERO, moves_to_go: None };
/// let limits = Limits { clock: Some(clock), ..Limits::default() };
/// let time = TimeManager::new(&limits, &TimePolicy::default());
/// assert!(time.is_enough(Duration::from_secs(2), 3), "the best move is stable");
/// assert!(!time.is_spent(Duration::from_secs(2)), "an iteration under way may continue");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TimeManager {
    start: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
    by_stability: [u32; 3],
}

impl Default for TimePolicy {
    /// For games of open-ended length.
    fn default() -> Self {
        Self { moves_left: 35, soft_percent: 100, hard_shares: 4, by_stability: [140, 100, 70] }
    }
}

impl TimePolicy {
    /// The soft and the hard limit of one move on `clock`.
    fn allocate(&self, clock: Clock) -> (Duration, Duration) {
        let usable = clock.left - OVERHEAD.min(clock.left / 5);
        let most_moves = self.moves_left.max(1);
        let moves = clock.moves_to_go.unwrap_or(most_moves).clamp(1, most_moves);
        // The last move before the time control may use almost all of the clock.
        let most = if moves == 1 { usable * 4 / 5 } else { usable * 2 / 5 };
        let even = usable / moves + clock.increment * 3 / 4;
        let soft = even.min(most) * self.soft_percent / 100;
        (soft, (even * self.hard_shares).min(most))
    }
}

impl TimeManager {
    /// Starts the time of a search within `limits` that spends its clock by `policy`.
    pub fn new(limits: &Limits, policy: &TimePolicy) -> Self {
        let for_move = limits.time.map(|time| time - OVERHEAD.min(time / 10) / 5);
        let (soft, hard) = limits.clock.map(|clock| policy.allocate(clock)).unzip();
        Self {
            start: Instant::now(),
            soft,
            hard: [hard, for_move].into_iter().flatten().min(),
            by_stability: policy.by_stability,
        }
    }

    /// Time since the start of the search.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the search is limited by time.
    pub const fn is_timed(&self) -> bool {
        self.hard.is_some()
    }

    /// The hard limit, if there is one.
    pub const fn hard_limit(&self) -> Option<Duration> {
        self.hard
    }

    /// Whether the hard limit is reached.
    pub fn is_spent(&self, elapsed: Duration) -> bool {
        self.hard.is_some_and(|hard| elapsed >= hard)
    }

    /// Whether the soft limit is reached, given for how many iterations the best move has been stable:
    /// do not start another iteration.
    pub fn is_enough(&self, elapsed: Duration, stable: u32) -> bool {
        let [changed, settling, settled] = self.by_stability;
        let percent = match stable {
            0 => changed,
            1 | 2 => settling,
            _ => settled,
        };
        self.soft.is_some_and(|soft| elapsed >= soft * percent / 100)
    }

    /// The end of a search without iterations (MCTS), which can stop at any moment.
    pub fn deadline(&self) -> Option<Instant> {
        let limit = [self.soft, self.hard].into_iter().flatten().min()?;
        self.start.checked_add(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    fn on_clock(seconds: u64) -> Limits {
        let left = Duration::from_secs(seconds);
        let clock = Clock { left, increment: Duration::ZERO, moves_to_go: None };
        Limits { clock: Some(clock), ..Limits::default() }
    }

    #[test]
    fn limits_stay_below_the_clock() {
        let mut rng = Rng::seeded(1);
        for _ in 0..10_000 {
            let clock = Clock {
                left: Duration::from_millis(rng.bits() >> (40 + rng.below(24))),
                increment: Duration::from_millis(rng.below(20_000)),
                moves_to_go: (rng.below(2) == 1).then(|| rng.below(50) as u32),
            };
            let policy = TimePolicy {
                moves_left: rng.below(60) as u32,
                soft_percent: 50 + rng.below(51) as u32,
                hard_shares: 1 + rng.below(5) as u32,
                ..TimePolicy::default()
            };
            let (soft, hard) = policy.allocate(clock);
            assert!(soft <= hard && hard <= clock.left * 4 / 5, "{clock:?} {policy:?}");
        }
    }

    #[test]
    fn the_tighter_limit_applies() {
        let limits = Limits { time: Some(Duration::from_millis(100)), ..on_clock(100) };
        let time = TimeManager::new(&limits, &TimePolicy::default());
        assert!(time.is_spent(Duration::from_millis(100)));
        assert!(!time.is_spent(Duration::from_millis(90)));
        assert!(time.is_enough(Duration::from_secs(5), 0));
        assert_eq!(time.deadline(), Some(time.start + Duration::from_millis(98)));
        let unlimited = TimeManager::new(&Limits::default(), &TimePolicy::default());
        assert!(!unlimited.is_timed() && !unlimited.is_spent(Duration::MAX));
        assert_eq!((unlimited.deadline(), unlimited.hard_limit()), (None, None));
    }

    #[test]
    fn an_unstable_best_move_gets_more_time() {
        let time = TimeManager::new(&on_clock(100), &TimePolicy::default());
        let enough_after =
            |stable| (0..100).find(|&s| time.is_enough(Duration::from_secs(s), stable));
        let seconds = [0, 1, 2, 3].map(|stable| enough_after(stable).expect("a soft limit"));
        assert_eq!(seconds, [4, 3, 3, 2]);
    }

    #[test]
    fn a_clock_of_zero_does_not_panic() {
        let clock =
            Clock { left: Duration::ZERO, increment: Duration::from_secs(2), moves_to_go: Some(0) };
        assert_eq!(TimePolicy::default().allocate(clock), (Duration::ZERO, Duration::ZERO));
    }
}
