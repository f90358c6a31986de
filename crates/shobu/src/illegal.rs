//! Why a turn is not legal, in words.

use tablero_core::{Game, GameType, Outcome, Side};
use thiserror::Error;

use crate::geometry::Square;
use crate::position::{Shobu, ShobuRules};
use crate::turn::Turn;

/// What is wrong with a turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum Illegal {
    /// Nobody may move any more.
    #[error("the game is over: {} has won", name(*.winner))]
    GameOver {
        /// Who won it.
        winner: Side,
    },
    /// One of the two stones is not there.
    #[error("there is no {} stone on {square}", name(*.side))]
    NoStone {
        /// The side to move.
        side: Side,
        /// Where its stone should be.
        square: Square,
    },
    /// The passive stone is on the wrong side of the rope.
    #[error("{square} is not on {}'s side of the rope, where passive moves are made", name(*.side))]
    NotHome {
        /// The side to move.
        side: Side,
        /// The passive stone.
        square: Square,
    },
    /// Both stones are on the same board, or on two boards of the same colour.
    #[error("{passive} and {aggressive} are both on a {} board", if .passive.board().is_dark() { "dark" } else { "light" })]
    SameColour {
        /// The passive stone.
        passive: Square,
        /// The aggressive stone.
        aggressive: Square,
    },
    /// By the rules `across`, the aggressive stone is on the wrong side of the rope.
    #[error("{square} is on {}'s own side of the rope; the rules `across` want aggressive moves on the other", name(*.side))]
    NotAcross {
        /// The side to move.
        side: Side,
        /// The aggressive stone.
        square: Square,
    },
    /// A stone would leave its board.
    #[error("the stone on {square} would leave its board")]
    LeavesBoard {
        /// The stone.
        square: Square,
    },
    /// A passive move would cross or push a stone.
    #[error("the passive stone on {square} is blocked by the stone on {by}")]
    Blocked {
        /// The passive stone.
        square: Square,
        /// The stone in its way.
        by: Square,
    },
    /// An aggressive move would push an own stone.
    #[error("the aggressive stone on {square} would push its own side's stone on {own}")]
    PushesOwn {
        /// The aggressive stone.
        square: Square,
        /// The own stone in its way.
        own: Square,
    },
    /// An aggressive move would push two stones in a row.
    #[error("the aggressive stone on {square} would push two stones, {} and {}", .stones[0], .stones[1])]
    PushesTwo {
        /// The aggressive stone.
        square: Square,
        /// The stones in its way.
        stones: [Square; 2],
    },
}

const fn name(side: Side) -> &'static str {
    Shobu::SIDES[side as usize]
}

impl Shobu {
    /// Why `turn` may not be played; none if it may.
    pub fn why_illegal(&self, turn: Turn) -> Option<Illegal> {
        let fault = self.fault(turn)?;
        // A side that cannot move at all has lost: that says more than what is wrong with one turn.
        let winner = self.outcome().and_then(Outcome::winner);
        Some(winner.map_or(fault, |winner| Illegal::GameOver { winner }))
    }

    /// The first thing that is wrong with `turn`, in the order in which a player makes it.
    pub(crate) fn fault(&self, turn: Turn) -> Option<Illegal> {
        if let Some(loser) = self.loser_by_stones() {
            return Some(Illegal::GameOver { winner: !loser });
        }
        self.passive_fault(turn).or_else(|| self.aggressive_fault(turn))
    }

    fn passive_fault(&self, turn: Turn) -> Option<Illegal> {
        let (side, square, steps) = (self.side(), turn.passive(), turn.distance().steps());
        let step = |steps| square.step(turn.direction(), steps);
        if self.owner(square) != Some(side) {
            return Some(Illegal::NoStone { side, square });
        }
        if square.board().owner() != side {
            return Some(Illegal::NotHome { side, square });
        }
        if step(steps).is_none() {
            return Some(Illegal::LeavesBoard { square });
        }
        let by = (1..=steps).filter_map(step).find(|&at| self.owner(at).is_some())?;
        Some(Illegal::Blocked { square, by })
    }

    fn aggressive_fault(&self, turn: Turn) -> Option<Illegal> {
        let (side, square, steps) = (self.side(), turn.aggressive(), turn.distance().steps());
        let step = |steps| square.step(turn.direction(), steps);
        if self.owner(square) != Some(side) {
            return Some(Illegal::NoStone { side, square });
        }
        let passive = turn.passive();
        if square.board().is_dark() == passive.board().is_dark() {
            return Some(Illegal::SameColour { passive, aggressive: square });
        }
        if self.rules() == ShobuRules::Across && square.board().owner() == side {
            return Some(Illegal::NotAcross { side, square });
        }
        if step(steps).is_none() {
            return Some(Illegal::LeavesBoard { square });
        }
        if let Some(own) = (1..=steps).filter_map(step).find(|&at| self.owner(at) == Some(side)) {
            return Some(Illegal::PushesOwn { square, own });
        }
        let pushed = self.pushed(turn)?;
        let in_its_way = |at: &Square| *at != pushed.from && self.owner(*at).is_some();
        let second = (1..=steps + 1).filter_map(step).find(in_its_way)?;
        Some(Illegal::PushesTwo { square, stones: [pushed.from, second] })
    }
}
