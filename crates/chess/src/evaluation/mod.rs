//! Static evaluations with named, tunable weights.
//!
//! - `material` sums piece values;
//! - `classic` is a tapered hand-crafted evaluation in the style of Stockfish before NNUE: piece-square
//!   tables, mobility, pawn structure, passed pawns, king safety, threats. `values` lists the weights,
//!   `terms` lays them out, `view` is the board from one side's perspective; `pieces`, `pawns`,
//!   `passed`, `king` and `threats` compute the features; `endgames` has scale factors and the
//!   mop-up evaluation. They add to a `sum`, which is a score, or for explanations a list of terms, whose
//!   `texts` are for people;
//! - `principles` expands twenty parameters into the weights of `classic`.

mod classic;
mod endgames;
mod king;
mod passed;
mod pawns;
mod pieces;
mod principles;
mod sum;
mod tapered;
mod terms;
#[cfg(test)]
mod tests;
mod texts;
mod threats;
mod values;
mod view;

use cozy_chess::Piece;
use tablero_core::{
    Evaluation, EvaluationKind, Explanation, ForMover, Localized, Term, TermCell, Weight,
};

use crate::Chess;
use crate::tactics::PIECE_VALUES;

/// The hand-written evaluations, the best first.
pub(crate) const KINDS: &[EvaluationKind<Chess>] = &[
    EvaluationKind {
        name: "classic",
        about: Localized::new(
            "material, piece-square tables, mobility, king safety, pawn structure, passed pawns, \
             threats; tapered between middlegame and endgame",
            "material, tablas de casillas, movilidad, seguridad del rey, estructura de peones, \
             peones pasados y amenazas; interpolada entre medio juego y final",
        ),
        weights: terms::weights,
        build: |weights| Box::new(classic::Classic::new(weights)),
    },
    EvaluationKind {
        name: "principles",
        about: Localized::new(
            "beginners' principles (centre, mobility, passed pawns, king safety): twenty \
             weights, meant for evolution",
            "los principios del ajedrez (centro, movilidad, peones pasados, rey seguro): veinte \
             pesos, pensados para la evolución",
        ),
        weights: principles::weights,
        build: principles::build,
    },
    EvaluationKind {
        name: "material",
        about: Localized::new("material", "material"),
        weights: || MATERIAL_PIECES.map(material_weight).into(),
        build: |weights| Box::new(Material::new(weights)),
    },
];

/// All pieces but the king.
const MATERIAL_PIECES: [Piece; 5] =
    [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// Bound of every evaluation, well below the score of a won game.
const MAX_EVAL: i32 = 900_000;

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
        value: f64::from(PIECE_VALUES[piece as usize]),
        min: 0.0,
        max: 2000.0,
    }
}

/// The value of a learned evaluation, scaled down in drawish endgames; against a bare king that of `classic`,
/// which knows the way to the mate.
#[inline]
pub(crate) fn with_endgame_knowledge(position: &Chess, value: ForMover<i32>) -> ForMover<i32> {
    const MAX_PIECES: u32 = 3;
    let board = position.board();
    let others = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
    match (board.occupied() & !others).len() {
        0..=MAX_PIECES => classic::with_endgame_knowledge(position, value),
        _ => value,
    }
}

/// Material only.
struct Material([f64; MATERIAL_PIECES.len()]);

impl Material {
    /// `weights` in the order of the kind's list; missing ones count as 0.
    fn new(weights: &[f64]) -> Self {
        debug_assert_eq!(weights.len(), MATERIAL_PIECES.len());
        Self(std::array::from_fn(|i| weights.get(i).copied().unwrap_or(0.0)))
    }
}

impl Evaluation<Chess> for Material {
    fn evaluate(&self, position: &Chess) -> ForMover<i32> {
        let board = position.board();
        let mover = board.side_to_move();
        let difference = |piece| {
            let count = |color| board.colored_pieces(color, piece).len();
            f64::from(count(mover)) - f64::from(count(!mover))
        };
        let sum: f64 =
            MATERIAL_PIECES.into_iter().zip(self.0).map(|(piece, w)| difference(piece) * w).sum();
        // NaN (from absurd weights) becomes 0.
        ForMover((sum.round() as i32).clamp(-MAX_EVAL, MAX_EVAL))
    }

    fn explain(&self, position: &Chess) -> Explanation {
        let board = position.board();
        let mover = board.side_to_move();
        let term = |(piece, weight): (Piece, f64)| {
            let [own, other] = [mover, !mover].map(|color| board.colored_pieces(color, piece));
            let value = f64::from(own.len()) - f64::from(other.len());
            // Diagrams begin with a8.
            let [own, other] = [own, other].map(|set| set.flip_ranks().0);
            Term::new(name(piece), texts::text(name(piece)), value, weight / 100.0)
                .on(TermCell::of_sets(own, other))
        };
        let terms = MATERIAL_PIECES.into_iter().zip(self.0).map(term).collect();
        Explanation::new(self.evaluate(position), terms)
    }
}
