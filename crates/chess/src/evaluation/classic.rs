use cozy_chess::Piece;
use tablero_core::{Evaluation, ForMover};

use super::MOST;
use super::endings::{WHOLE, drive, winning_share};
use super::king::{attack, shelter};
use super::passed::passed;
use super::pawns::pawns;
use super::pieces::{Reach, pieces};
use super::tapered::{STEPS, Tapered};
use super::terms::Terms;
use super::threats::threats;
use super::view::View;
use crate::Chess;

/// The usual evaluation: a sum of features times weights, which shift from middlegame to endgame;
/// only in endings that are hard to win it is less than the sum.
pub(super) struct Classic {
    terms: Box<Terms>,
}

impl Classic {
    pub(super) fn new(weights: &[f64]) -> Self {
        Self { terms: Box::new(Terms::new(weights)) }
    }

    /// What one side has for itself, when it is known what both attack.
    fn plans(&self, view: &View, reach: &Reach, other: &Reach) -> Tapered {
        let other = other.turned();
        let terms = &*self.terms;
        pawns(view, terms)
            + passed(view, &other, terms)
            + shelter(view, terms)
            + attack(view, reach, &other, terms)
            + threats(view, reach, &other, terms)
            + drive(view, terms)
    }
}

impl Evaluation<Chess> for Classic {
    fn evaluate(&self, position: &Chess) -> ForMover<i32> {
        let board = position.board();
        let mover = board.side_to_move();
        let (own, other) = (View::of(board, mover), View::of(board, !mover));
        let (own_sum, own_reach) = pieces(&own, &self.terms);
        let (other_sum, other_reach) = pieces(&other, &self.terms);
        let sum = own_sum + self.plans(&own, &own_reach, &other_reach) + self.terms.tempo
            - other_sum
            - self.plans(&other, &other_reach, &own_reach);
        let value = sum.at(step(&own));
        let ahead = if value > 0 { &own } else { &other };
        ForMover((value * winning_share(ahead) / WHOLE).clamp(-MOST, MOST))
    }
}

/// How far it is to the endgame, by the pieces that are left.
fn step(view: &View) -> i32 {
    let count = |piece| (view.own[piece] | view.other[piece]).len() as i32;
    let minors = count(Piece::Knight) + count(Piece::Bishop);
    (minors + 2 * count(Piece::Rook) + 4 * count(Piece::Queen)).min(STEPS)
}
