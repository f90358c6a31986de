//! Time.

use std::time::{Duration, Instant};

use super::game::{Change, Game};
use crate::api::{ClockSetting, ClockState, Problem, Side};

/// Measures a turn; stands still while nobody watches.
#[derive(Default)]
pub(crate) struct Stopwatch {
    banked: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    /// From zero.
    pub(crate) fn reset(&mut self, runs: bool) {
        *self = Self { banked: Duration::ZERO, since: runs.then(Instant::now) };
    }

    /// Goes on or stands still.
    pub(crate) fn set_running(&mut self, runs: bool) {
        self.banked = self.elapsed();
        self.since = runs.then(Instant::now);
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.banked + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl ClockSetting {
    /// What the clocks show before the first move.
    pub(crate) const fn at_start(self) -> Option<[u64; 2]> {
        match self {
            Self::None => None,
            Self::PerMove { ms } => Some([ms; 2]),
            Self::Fischer { main_ms, .. } => Some([main_ms; 2]),
        }
    }

    /// What the clocks show after `mover` took `spent_ms`; an error if that was too much.
    pub(crate) fn after_move(
        self,
        mut left: [u64; 2],
        mover: Side,
        spent_ms: u64,
    ) -> Result<[u64; 2], OutOfTime> {
        let own = &mut left[mover.index()];
        let rest = own.checked_sub(spent_ms).ok_or(OutOfTime)?;
        *own = match self {
            Self::Fischer { increment_ms, .. } => rest + increment_ms,
            Self::PerMove { ms } => ms,
            Self::None => rest,
        };
        Ok(left)
    }

    /// What is wrong with it, if anything.
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

/// A player thought too long.
#[derive(Debug)]
pub(crate) struct OutOfTime;

/// The clocks at this moment.
pub(crate) fn clock_state(left: [u64; 2], running: Option<(Side, Duration)>) -> ClockState {
    let mut left_ms = left;
    if let Some((side, elapsed)) = running {
        let own = &mut left_ms[side.index()];
        *own = own.saturating_sub(elapsed.as_millis() as u64);
    }
    ClockState { left_ms, running: running.map(|(side, _)| side) }
}

impl Game {
    /// What the clocks showed when the turn began.
    pub(crate) fn clocks(&self) -> Option<[u64; 2]> {
        let at_start = self.header.clock.at_start()?;
        Some(self.here().clock_ms.unwrap_or(at_start))
    }

    pub(super) fn clock_runs(&self) -> bool {
        let is_played = self.header.ended.is_none() && !self.is_over_here();
        self.here().ply > 0 && is_played
    }

    pub(crate) const fn clock(&self) -> crate::api::ClockSetting {
        self.header.clock
    }

    /// How long the person to move may still think, while the clock runs.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let left = self.clocks()?[self.turn().index()];
        let is_persons = self.seat(self.turn()).is_human();
        let counts = self.clock_runs() && is_persons && self.watchers > 0;
        counts.then(|| Duration::from_millis(left).saturating_sub(self.stopwatch.elapsed()))
    }

    /// The player to move has lost if the time is up.
    pub(crate) fn flag(&mut self) -> Option<Change> {
        let is_up = self.time_left()?.is_zero();
        is_up.then(|| self.lose_on_time())
    }

    /// Somebody came to watch, or left.
    pub(crate) fn set_watchers(&mut self, watchers: usize) {
        self.watchers = watchers;
        self.stopwatch.set_running(watchers > 0 && !self.is_over_here());
        let both = self.header.players.iter().all(|seat| !seat.is_human());
        if watchers == 0 && both {
            self.stop_thinking();
        }
    }

    pub(crate) const fn watchers(&self) -> usize {
        self.watchers
    }

    pub(crate) const fn version(&self) -> u64 {
        self.version
    }
}
