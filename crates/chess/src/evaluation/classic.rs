//! The default evaluation: a tapered sum of features times weights.

use cozy_chess::Piece;
use tablero_core::{Evaluation, ForMover};

use super::MAX_EVAL;
use super::endgames::{SCALE_NORMAL, mop_up, scale_factor};
use super::king::{king_attack, shelter};
use super::passed::passed;
use super::pawns::pawns;
use super::pieces::{AttackMap, pieces};
use super::tapered::{MAX_PHASE, Tapered};
use super::terms::Terms;
use super::threats::threats;
use super::view::View;
use crate::Chess;

/// Tapered hand-crafted evaluation: the sum of all terms, interpolated by game phase and scaled down in
/// drawish endgames.
pub(super) struct Classic {
    terms: Box<Terms>,
}

impl Classic {
    pub(super) fn new(weights: &[f64]) -> Self {
        Self { terms: Box::new(Terms::new(weights)) }
    }

    /// One side's terms that depend on both attack maps.
    fn side_terms(&self, view: &View, attacks: &AttackMap, other: &AttackMap) -> Tapered {
        let other = other.flipped();
        let terms = &*self.terms;
        pawns(view, terms)
            + passed(view, &other, terms)
            + shelter(view, terms)
            + king_attack(view, attacks, &other, terms)
            + threats(view, attacks, &other, terms)
            + mop_up(view, terms)
    }
}

impl Evaluation<Chess> for Classic {
    fn evaluate(&self, position: &Chess) -> ForMover<i32> {
        let board = position.board();
        let mover = board.side_to_move();
        let (own, other) = (View::of(board, mover), View::of(board, !mover));
        let (own_sum, own_attacks) = pieces(&own, &self.terms);
        let (other_sum, other_attacks) = pieces(&other, &self.terms);
        let sum = own_sum + self.side_terms(&own, &own_attacks, &other_attacks) + self.terms.tempo
            - other_sum
            - self.side_terms(&other, &other_attacks, &own_attacks);
        let value = sum.taper(game_phase(&own));
        let ahead = if value > 0 { &own } else { &other };
        ForMover((value * scale_factor(ahead) / SCALE_NORMAL).clamp(-MAX_EVAL, MAX_EVAL))
    }
}

/// The game phase by remaining pieces: [`MAX_PHASE`] at the start, 0 in pawn endgames.
fn game_phase(view: &View) -> i32 {
    let count = |piece| (view.own[piece] | view.other[piece]).len() as i32;
    let minors = count(Piece::Knight) + count(Piece::Bishop);
    (minors + 2 * count(Piece::Rook) + 4 * count(Piece::Queen)).min(MAX_PHASE)
}
