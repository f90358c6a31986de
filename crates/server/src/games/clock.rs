//! Chess clocks.

use std::time::{Duration, Instant};

use super::game::{Change, Game};
use crate::api::{ClockSetting, ClockState, Problem, Side};

/// Measures a turn; stopped while the game has no subscribers.
#[derive(Default)]
pub(crate) struct Stopwatch {
    accumulated: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    /// Restarts from zero.
    pub(crate) fn reset(&mut self, is_running: bool) {
        *self = Self { accumulated: Duration::ZERO, since: is_running.then(Instant::now) };
    }

    /// Starts or stops it.
    pub(crate) fn set_running(&mut self, is_running: bool) {
        self.accumulated = self.elapsed();
        self.since = is_running.then(Instant::now);
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.accumulated + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl ClockSetting {
    /// Both sides' time before the first move, in milliseconds.
    pub(crate) const fn at_start(self) -> Option<[u64; 2]> {
        match self {
            Self::None => None,
            Self::PerMove { ms } => Some([ms; 2]),
            Self::Fischer { main_ms, .. } => Some([main_ms; 2]),
        }
    }

    /// Both sides' time after a move of `mover` that took `spent_ms`; `Err` if the flag fell.
    pub(crate) fn after_move(
        self,
        mut left: [u64; 2],
        mover: Side,
        spent_ms: u64,
    ) -> Result<[u64; 2], FlagFell> {
        let own = &mut left[mover.index()];
        let rest = own.checked_sub(spent_ms).ok_or(FlagFell)?;
        *own = match self {
            Self::Fischer { increment_ms, .. } => rest + increment_ms,
            Self::PerMove { ms } => ms,
            Self::None => rest,
        };
        Ok(left)
    }

    /// Checks that its times are in range.
    pub(crate) fn check(self) -> Result<(), Problem> {
        const DAY: u64 = 24 * 3600 * 1000;
        match self {
            Self::None => Ok(()),
            Self::PerMove { ms } if (100..=DAY).contains(&ms) => Ok(()),
            Self::Fischer { main_ms, increment_ms }
                if (1000..=DAY).contains(&main_ms) && increment_ms <= DAY =>
            {
                Ok(())
            }
            Self::PerMove { .. } => Err(Problem::MoveTimeRange),
            Self::Fischer { .. } => Err(Problem::ClockRange),
        }
    }
}

/// A player ran out of time.
#[derive(Debug)]
pub(crate) struct FlagFell;

/// The clock, given the side whose time has been running and for how long.
fn clock_state(left: [u64; 2], running: Option<(Side, Duration)>) -> ClockState {
    let mut left_ms = left;
    if let Some((side, elapsed)) = running {
        let own = &mut left_ms[side.index()];
        *own = own.saturating_sub(elapsed.as_millis() as u64);
    }
    ClockState { left_ms, running: running.map(|(side, _)| side) }
}

impl Game {
    /// Both sides' time at the start of the turn.
    pub(crate) fn clocks(&self) -> Option<[u64; 2]> {
        let at_start = self.header.clock.at_start()?;
        Some(self.here().clock_ms.unwrap_or(at_start))
    }

    pub(super) fn is_clock_running(&self) -> bool {
        self.here().ply > 0 && self.is_ongoing() && self.has_both_players()
    }

    /// The clock at this moment, if there is one; where the game ended, as it was then.
    pub(super) fn clock_now(&self) -> Option<ClockState> {
        let left = self.clocks()?;
        let ended = self.header.ended.as_ref().filter(|ended| ended.node == self.current);
        if let Some(left_ms) = ended.and_then(|ended| ended.clock_ms) {
            return Some(ClockState { left_ms, running: None });
        }
        let is_running =
            self.is_clock_running() && (self.subscribers > 0 || self.pending.is_some());
        Some(clock_state(left, is_running.then(|| (self.turn(), self.stopwatch.elapsed()))))
    }

    pub(crate) const fn clock(&self) -> crate::api::ClockSetting {
        self.header.clock
    }

    /// The time left to the human to move, while the clock runs.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let left = self.clocks()?[self.turn().index()];
        let is_human = self.seat(self.turn()).is_human();
        let is_counted = self.is_clock_running() && is_human && self.subscribers > 0;
        is_counted.then(|| Duration::from_millis(left).saturating_sub(self.stopwatch.elapsed()))
    }

    /// Ends the game if the side to move is out of time.
    pub(crate) fn flag(&mut self) -> Option<Change> {
        let is_up = self.time_left()?.is_zero();
        is_up.then(|| self.lose_on_time())
    }

    /// Updates the number of subscribers: without any the clock stops, and so do engine games.
    pub(crate) fn set_subscribers(&mut self, subscribers: usize) {
        self.subscribers = subscribers;
        self.stopwatch.set_running(subscribers > 0 && !self.is_over_here());
        if subscribers == 0 && self.is_engine_game() {
            self.cancel_search();
        }
    }

    pub(crate) const fn subscribers(&self) -> usize {
        self.subscribers
    }

    pub(crate) const fn version(&self) -> u64 {
        self.version
    }
}
