use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tablero_core::Limits;

/// Under which conditions games are played; as data, so that a job can keep them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conditions {
    /// Plies to look ahead, at most.
    pub depth: Option<u32>,
    /// Positions or iterations per move, at most.
    pub nodes: Option<u64>,
    /// Time per move.
    pub move_time_ms: Option<u64>,
    /// Each player's clock for the whole game.
    pub clock: Option<ClockRules>,
    /// A player who oversteps move time or clock by more than this loses on time.
    pub margin_ms: u64,
    /// An arbiter claims the draws that the rules only allow to claim (threefold repetition, fifty
    /// moves), as players in an arena cannot.
    pub claim_draws: bool,
    /// When to call a game drawn although it could go on.
    pub draw: Option<DrawRule>,
    /// When to call a game lost although it could go on.
    pub resign: Option<ResignRule>,
    /// A game of this many plies, the opening's included, is called drawn.
    pub max_plies: Option<usize>,
    /// Write down how long each move took. Without, the games of a match whose players are bound by
    /// depth, nodes or iterations are the same to the last byte each time.
    pub keep_times: bool,
}

/// A clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockRules {
    /// Time at the start.
    pub main_ms: u64,
    /// Time added after each move.
    pub increment_ms: u64,
}

/// A game is called drawn when, from ply `from_ply` on, the players have thought nothing of it for
/// `plies` plies in a row: their values were within `within` hundredths of zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Not before this ply.
    pub from_ply: usize,
    /// So many plies in a row.
    pub plies: usize,
    /// Hundredths of the game's unit.
    pub within: i32,
}

/// A game is called lost when both players have agreed on it for `moves` moves of each in a row: the
/// loser's values were at or below minus `beyond` hundredths, the winner's at or above.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// So many moves of each player in a row.
    pub moves: usize,
    /// Hundredths of the game's unit.
    pub beyond: i32,
}

impl FromStr for ClockRules {
    type Err = String;

    /// Seconds, and seconds added after each move: `60`, `10+0.1`.
    fn from_str(text: &str) -> Result<Self, String> {
        let milliseconds = |seconds: &str| {
            let seconds: f64 = seconds.trim().parse().ok()?;
            (0.0..1e9).contains(&seconds).then(|| (1000.0 * seconds).round() as u64)
        };
        let (main, increment) = text.split_once('+').unwrap_or((text, "0"));
        let clock = milliseconds(main).zip(milliseconds(increment));
        let (main_ms, increment_ms) =
            clock.filter(|(main_ms, _)| *main_ms > 0).ok_or_else(|| {
                format!("`{text}` is no clock: seconds, or seconds+increment such as 10+0.1")
            })?;
        Ok(Self { main_ms, increment_ms })
    }
}

impl fmt::Display for ClockRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [main, increment] = [self.main_ms, self.increment_ms].map(|ms| ms as f64 / 1000.0);
        write!(f, "{main}+{increment}")
    }
}

impl Default for Conditions {
    /// No limits but the players' own, draws claimed, nothing adjudicated, 100 ms of margin.
    fn default() -> Self {
        Self {
            depth: None,
            nodes: None,
            move_time_ms: None,
            clock: None,
            margin_ms: 100,
            claim_draws: true,
            draw: None,
            resign: None,
            max_plies: None,
            keep_times: true,
        }
    }
}

impl Conditions {
    /// Whether they bound every decision, so that a player needs no bound of its own.
    pub const fn bound_every_move(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.move_time_ms.is_some()
            || self.clock.is_some()
    }

    /// What bounds each decision; the clock is left to whoever runs it.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            time: self.move_time_ms.map(Duration::from_millis),
            clock: None,
        }
    }

    pub(crate) const fn margin(&self) -> Duration {
        Duration::from_millis(self.margin_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_clocks() {
        let clock = |main_ms, increment_ms| Ok(ClockRules { main_ms, increment_ms });
        assert_eq!("60".parse(), clock(60_000, 0));
        assert_eq!("10+0.1".parse(), clock(10_000, 100));
        assert_eq!("0.5 + 0".parse(), clock(500, 0));
        assert_eq!("10+0.1".parse::<ClockRules>().unwrap().to_string(), "10+0.1");
        for wrong in ["", "0", "+1", "-1", "1+", "1+1+1", "NaN", "1e99", "x"] {
            assert!(wrong.parse::<ClockRules>().is_err(), "{wrong}");
        }
    }
}
