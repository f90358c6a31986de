//! Explains why a turn is illegal.

use tablero_core::{Game, GameType, Outcome, Side};
use thiserror::Error;

use crate::geometry::Square;
use crate::position::{Shobu, ShobuRules};
use crate::turn::Turn;

/// The rule that a turn violates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum IllegalTurn {
    /// The game is over.
    #[error("the game is over: {} has won", name(*.winner))]
    GameOver {
        /// The winner.
        winner: Side,
    },
    /// No own stone on one of the two squares.
    #[error("there is no {} stone on {square}", name(*.side))]
    NoStone {
        /// The side to move.
        side: Side,
        /// The square without an own stone.
        square: Square,
    },
    /// The passive stone is not on a home board.
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
    /// Under the rules `across`, the aggressive stone is on a home board.
    #[error("{square} is on {}'s own side of the rope; the rules `across` require aggressive moves on the other", name(*.side))]
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
    /// The passive move would cross or push a stone.
    #[error("the passive stone on {square} is blocked by the stone on {by}")]
    Blocked {
        /// The passive stone.
        square: Square,
        /// The blocking stone.
        by: Square,
    },
    /// The aggressive move would push an own stone.
    #[error("the aggressive stone on {square} would push its own side's stone on {own}")]
    PushesOwn {
        /// The aggressive stone.
        square: Square,
        /// The own stone in its path.
        own: Square,
    },
    /// The aggressive move would push two stones.
    #[error("the aggressive stone on {square} would push two stones, {} and {}", .stones[0], .stones[1])]
    PushesTwo {
        /// The aggressive stone.
        square: Square,
        /// The stones in its path.
        stones: [Square; 2],
    },
}

const fn name(side: Side) -> &'static str {
    Shobu::SIDES[side as usize]
}

impl Shobu {
    /// Why `turn` is illegal; `None` if it is legal.
    ///
    /// ```
    /// use tablero_core::{Game, Side};
    /// use tablero_shobu::{Direction, Distance, IllegalTurn, Shobu, ShobuRules, Square, Turn};
    ///
    /// let start = Shobu::start(ShobuRules::Official);
    /// let [a2, f5] = [(6, 0), (3, 5)].map(|(row, column)| Square::from_grid(row, column).unwrap());
    /// let turn = Turn::new(a2, f5, Direction::N, Distance::One);
    /// let expected = IllegalTurn::NoStone { side: Side::First, square: a2 };
    /// assert_eq!(start.why_illegal(turn), Some(expected));
    /// assert_eq!(expected.to_string(), "there is no black stone on a2");
    /// ```
    pub fn why_illegal(&self, turn: Turn) -> Option<IllegalTurn> {
        let violation = self.violation(turn)?;
        // A side without any legal turn has lost: report that rather than the violation.
        let winner = self.outcome().and_then(Outcome::winner);
        Some(winner.map_or(violation, |winner| IllegalTurn::GameOver { winner }))
    }

    /// The first violation, in the order in which a turn is played.
    pub(crate) fn violation(&self, turn: Turn) -> Option<IllegalTurn> {
        if let Some(loser) = self.loser_by_elimination() {
            return Some(IllegalTurn::GameOver { winner: !loser });
        }
        self.passive_violation(turn).or_else(|| self.aggressive_violation(turn))
    }

    fn passive_violation(&self, turn: Turn) -> Option<IllegalTurn> {
        let (side, square, steps) = (self.side(), turn.passive(), turn.distance().steps());
        let step = |steps| square.step(turn.direction(), steps);
        if self.owner(square) != Some(side) {
            return Some(IllegalTurn::NoStone { side, square });
        }
        if square.board().owner() != side {
            return Some(IllegalTurn::NotHome { side, square });
        }
        if step(steps).is_none() {
            return Some(IllegalTurn::LeavesBoard { square });
        }
        let by = (1..=steps).filter_map(step).find(|&at| self.owner(at).is_some())?;
        Some(IllegalTurn::Blocked { square, by })
    }

    fn aggressive_violation(&self, turn: Turn) -> Option<IllegalTurn> {
        let (side, square, steps) = (self.side(), turn.aggressive(), turn.distance().steps());
        let step = |steps| square.step(turn.direction(), steps);
        if self.owner(square) != Some(side) {
            return Some(IllegalTurn::NoStone { side, square });
        }
        let passive = turn.passive();
        if square.board().is_dark() == passive.board().is_dark() {
            return Some(IllegalTurn::SameColour { passive, aggressive: square });
        }
        if self.rules() == ShobuRules::Across && square.board().owner() == side {
            return Some(IllegalTurn::NotAcross { side, square });
        }
        if step(steps).is_none() {
            return Some(IllegalTurn::LeavesBoard { square });
        }
        if let Some(own) = (1..=steps).filter_map(step).find(|&at| self.owner(at) == Some(side)) {
            return Some(IllegalTurn::PushesOwn { square, own });
        }
        let pushed = self.pushed(turn)?;
        let is_second = |at: &Square| *at != pushed.from && self.owner(*at).is_some();
        let second = (1..=steps + 1).filter_map(step).find(is_second)?;
        Some(IllegalTurn::PushesTwo { square, stones: [pushed.from, second] })
    }
}
