use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tablero_core::Limits;

use crate::TimeControlError;

/// The conditions of a game: search limits, time control, adjudication. Plain data, stored with a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conditions {
    /// Maximum search depth in plies.
    pub depth: Option<u32>,
    /// Maximum nodes or iterations per move.
    pub nodes: Option<u64>,
    /// Time per move.
    pub move_time_ms: Option<u64>,
    /// Time control for the whole game.
    pub clock: Option<TimeControl>,
    /// Time by which move time or clock may be exceeded before the game is lost on time.
    pub time_margin_ms: u64,
    /// Claim draws that the rules leave to the players (threefold repetition, fifty moves); engines
    /// cannot.
    pub claim_draws: bool,
    /// Draw adjudication.
    pub draw: Option<DrawAdjudication>,
    /// Resign adjudication.
    pub resign: Option<ResignAdjudication>,
    /// A game of this many plies, the opening included, is adjudicated a draw.
    pub max_plies: Option<usize>,
    /// Record the time of each move. Without it, games between players limited by depth, nodes or
    /// iterations are reproducible to the byte.
    pub keep_times: bool,
}

/// A time control: base time and Fischer increment.
///
/// ```
/// use tablero_arena::TimeControl;
/// let blitz: TimeControl = "10+0.1".parse()?;
/// assert_eq!(blitz, TimeControl { base_ms: 10_000, increment_ms: 100 });
/// # Ok::<(), tablero_arena::TimeControlError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// Time at the start of the game.
    pub base_ms: u64,
    /// Time added after each move.
    pub increment_ms: u64,
}

/// A game is drawn when, from ply `from_ply` on, the scores of `plies` consecutive plies were within
/// `score` centi-units of zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawAdjudication {
    /// The first ply at which a game may be drawn.
    pub from_ply: usize,
    /// Consecutive plies.
    pub plies: usize,
    /// Maximum absolute score in centi-units.
    pub score: i32,
}

/// A game is lost when both players agreed on it for `moves` consecutive moves each (two-sided): the
/// loser's scores were at most `-score` centi-units, the winner's at least `score`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignAdjudication {
    /// Consecutive moves of each player.
    pub moves: usize,
    /// Minimum absolute score in centi-units.
    pub score: i32,
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    /// Parses base time and increment in seconds: `60`, `10+0.1`.
    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let milliseconds = |seconds: &str| {
            let seconds: f64 = seconds.trim().parse().ok()?;
            (0.0..1e9).contains(&seconds).then(|| (1000.0 * seconds).round() as u64)
        };
        let (main, increment) = text.split_once('+').unwrap_or((text, "0"));
        let clock = milliseconds(main).zip(milliseconds(increment));
        let (base_ms, increment_ms) = clock
            .filter(|(base_ms, _)| *base_ms > 0)
            .ok_or_else(|| TimeControlError { text: text.into() })?;
        Ok(Self { base_ms, increment_ms })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [main, increment] = [self.base_ms, self.increment_ms].map(|ms| ms as f64 / 1000.0);
        write!(f, "{main}+{increment}")
    }
}

impl Default for Conditions {
    /// The players' own limits, draws claimed, no adjudication, a time margin of 100 ms.
    fn default() -> Self {
        Self {
            depth: None,
            nodes: None,
            move_time_ms: None,
            clock: None,
            time_margin_ms: 100,
            claim_draws: true,
            draw: None,
            resign: None,
            max_plies: None,
            keep_times: true,
        }
    }
}

impl Conditions {
    /// Whether every move is limited, so that a player needs no limit of its own.
    pub const fn limit_every_move(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.move_time_ms.is_some()
            || self.clock.is_some()
    }

    /// The limits of one move, without the clock.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            time: self.move_time_ms.map(Duration::from_millis),
            clock: None,
        }
    }

    pub(crate) const fn time_margin(&self) -> Duration {
        Duration::from_millis(self.time_margin_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_time_controls() {
        let clock = |base_ms, increment_ms| Ok(TimeControl { base_ms, increment_ms });
        assert_eq!("60".parse(), clock(60_000, 0));
        assert_eq!("10+0.1".parse(), clock(10_000, 100));
        assert_eq!("0.5 + 0".parse(), clock(500, 0));
        assert_eq!("10+0.1".parse::<TimeControl>().unwrap().to_string(), "10+0.1");
        for wrong in ["", "0", "+1", "-1", "1+", "1+1+1", "NaN", "1e99", "x"] {
            assert!(wrong.parse::<TimeControl>().is_err(), "{wrong}");
        }
    }
}
