//! Hand-made evaluations: named combinations of features, each with a weight that evolution can tune.
//!
//! - `material` counts men;
//! - `classic` adds where they stand (`terms` has every weight, with name and value; `view` is the
//!   board as one side sees it; `pieces`, `pawns`, `passed`, `king` and `threats` find the features;
//!   `endings` knows what is drawish and how to mate);
//! - `principles` is twenty numbers, from which weights of `classic` follow.

mod classic;
mod endings;
mod king;
mod passed;
mod pawns;
mod pieces;
mod principles;
mod tapered;
mod terms;
#[cfg(test)]
mod tests;
mod threats;
mod values;
mod view;

use cozy_chess::Piece;
use tablero_core::{Evaluation, EvaluationKind, ForMover, Weight};

use crate::Chess;
use crate::tactics::WORTH;

/// The evaluations there are, the usual one first.
pub(crate) const KINDS: &[EvaluationKind<Chess>] = &[
    EvaluationKind {
        name: "classic",
        about: "material, squares, mobility, king safety, pawns, passed pawns, threats; middlegame \
                and endgame weighed apart",
        weights: terms::weights,
        build: |weights| Box::new(classic::Classic::new(weights)),
    },
    EvaluationKind {
        name: "principles",
        about: "what beginners are told (centre, mobility, passed pawns, king in safety): twenty numbers, \
                made for evolution",
        weights: principles::weights,
        build: principles::build,
    },
    EvaluationKind {
        name: "material",
        about: "the worth of the men on the board",
        weights: || COUNTED.map(material_weight).into(),
        build: |weights| Box::new(Material::new(weights)),
    },
];

/// Everything but the king, who is always there.
const COUNTED: [Piece; 5] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// Evaluations stay well below the worth of a won game, whatever the weights are.
const MOST: i32 = 900_000;

fn name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}

fn material_weight(piece: Piece) -> Weight {
    Weight {
        name: name(piece).into(),
        value: f64::from(WORTH[piece as usize]),
        min: 0.0,
        max: 2000.0,
    }
}

/// Counts men.
struct Material([f64; COUNTED.len()]);

impl Material {
    /// Missing weights count nothing; there are none if the caller took them from the kind's list.
    fn new(weights: &[f64]) -> Self {
        debug_assert_eq!(weights.len(), COUNTED.len());
        Self(std::array::from_fn(|i| weights.get(i).copied().unwrap_or(0.0)))
    }
}

impl Evaluation<Chess> for Material {
    fn evaluate(&self, position: &Chess) -> ForMover<i32> {
        let board = position.board();
        let mover = board.side_to_move();
        let more = |piece| {
            let count = |color| board.colored_pieces(color, piece).len();
            f64::from(count(mover)) - f64::from(count(!mover))
        };
        let sum: f64 = COUNTED.into_iter().zip(self.0).map(|(piece, w)| more(piece) * w).sum();
        // A sum that is not a number (of absurd weights) becomes 0.
        ForMover((sum.round() as i32).clamp(-MOST, MOST))
    }
}
