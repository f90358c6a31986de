//! The hand-written evaluation: a tapered sum of features times weights.

use std::sync::LazyLock;

use cozy_chess::Piece;
use tablero_core::{Evaluation, Explanation, ForMover, LocalizedString, Term, TermCell};

use super::MAX_EVAL;
use super::endgames::{SCALE_NORMAL, mop_up, scale_factor};
use super::king::{king_attack, shelter};
use super::passed::passed;
use super::pawns::pawns;
use super::pieces::{AttackMap, pieces};
use super::sum::{Sum, Trace, Traced};
use super::tapered::{MAX_PHASE, Tapered};
use super::terms::{Terms, weights};
use super::texts::text;
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

    /// The terms of both sides.
    #[inline]
    fn sums<S: Sum>(&self, [own, other]: &[View; 2]) -> [S; 2] {
        let (mut own_sum, own_attacks): (S, _) = pieces(own, &self.terms);
        let (mut other_sum, other_attacks): (S, _) = pieces(other, &self.terms);
        own_sum.merge(self.side_terms(own, &own_attacks, &other_attacks));
        other_sum.merge(self.side_terms(other, &other_attacks, &own_attacks));
        [own_sum, other_sum]
    }

    /// One side's terms that depend on both attack maps.
    fn side_terms<S: Sum>(&self, view: &View, attacks: &AttackMap, other: &AttackMap) -> S {
        let other = other.flipped();
        let terms = &*self.terms;
        let mut sum: S = pawns(view, terms);
        sum.merge(passed(view, &other, terms));
        sum.merge(shelter(view, terms));
        sum.merge(king_attack(view, attacks, &other, terms));
        sum.merge(threats(view, attacks, &other, terms));
        sum.merge(mop_up(view, terms));
        sum
    }
}

impl Evaluation<Chess> for Classic {
    fn evaluate(&self, position: &Chess) -> ForMover<i32> {
        let views = views(position);
        let [own, other] = self.sums::<Tapered>(&views);
        let sum = own + self.terms.tempo - other;
        let value = sum.taper(game_phase(&views[0]));
        let scale = scale_factor(&views[usize::from(value <= 0)]);
        ForMover((value * scale / SCALE_NORMAL).clamp(-MAX_EVAL, MAX_EVAL))
    }

    fn explain(&self, position: &Chess) -> Explanation {
        let views = views(position);
        let [own, other] = self.sums::<Trace>(&views);
        let phase = game_phase(&views[0]);
        let is_white = position.board().side_to_move() == cozy_chess::Color::White;
        let mut terms = traced_terms(&own, &other, phase, is_white);
        terms.push(Term::new("tempo", text("tempo"), 1.0, self.terms.tempo.pawns(phase)));
        let before: f64 = terms.iter().map(|term| term.contribution).sum();
        let scale = scale_factor(&views[usize::from(before <= 0.0)]);
        if scale != SCALE_NORMAL {
            let value = f64::from(scale) / f64::from(SCALE_NORMAL) - 1.0;
            terms.push(Term::new("endgame-scale", text("endgame-scale"), value, before));
        }
        let mut explanation = Explanation::new(self.evaluate(position), terms);
        explanation.facts.push(LocalizedString::new(
            format!("game phase {phase} of {MAX_PHASE} (0: endgame)"),
            format!("fase de la partida: {phase} de {MAX_PHASE} (0: final)"),
        ));
        explanation
    }
}

/// [`with_endgame_knowledge`](super::with_endgame_knowledge), of positions with few pieces.
#[cold]
pub(super) fn with_endgame_knowledge(position: &Chess, value: ForMover<i32>) -> ForMover<i32> {
    static CLASSIC: LazyLock<Classic> = LazyLock::new(|| {
        let weights: Vec<f64> = weights().iter().map(|weight| weight.value).collect();
        Classic::new(&weights)
    });
    let views = views(position);
    if views[0].own.all.len() == 1 || views[0].other.all.len() == 1 {
        return CLASSIC.evaluate(position);
    }
    ForMover(value.0 * scale_factor(&views[usize::from(value.0 <= 0)]) / SCALE_NORMAL)
}

/// The board as the side to move sees it, then as its opponent does.
pub(super) fn views(position: &Chess) -> [View; 2] {
    let mover = position.board().side_to_move();
    [mover, !mover].map(|color| View::of(position.board(), color))
}

/// The differences between the sides' terms.
fn traced_terms(own: &Trace, other: &Trace, phase: i32, is_white: bool) -> Vec<Term> {
    let mut names: Vec<&'static str> = Vec::new();
    for term in own.0.iter().chain(&other.0) {
        if !names.contains(&term.name) {
            names.push(term.name);
        }
    }
    let term = |name: &'static str| {
        let [own, other] = [own, other].map(|side| side.0.iter().find(|term| term.name == name));
        let count = |term: Option<&Traced>| term.map_or(0.0, |term| f64::from(term.count));
        let pawns = |term: Option<&Traced>| term.map_or(0.0, |term| term.sum.pawns(phase));
        let weight = own.or(other).and_then(|term| term.weight);
        let (value, weight) = match weight {
            Some(weight) => (count(own) - count(other), weight.pawns(phase)),
            None => (pawns(own) - pawns(other), 1.0),
        };
        let squares = |term: Option<&Traced>| term.map_or(0, |term| term.squares.0);
        // Diagrams begin with a8, and perspectives with the own side's a1.
        let (own, other) = match is_white {
            true => (squares(own).swap_bytes(), squares(other)),
            false => (squares(own), squares(other).swap_bytes()),
        };
        Term::new(name, text(name), value, weight).on(TermCell::of_sets(own, other))
    };
    names.into_iter().map(term).collect()
}

/// The game phase by remaining pieces: [`MAX_PHASE`] at the start, 0 in pawn endgames.
fn game_phase(view: &View) -> i32 {
    let count = |piece| (view.own[piece] | view.other[piece]).len() as i32;
    let minors = count(Piece::Knight) + count(Piece::Bishop);
    (minors + 2 * count(Piece::Rook) + 4 * count(Piece::Queen)).min(MAX_PHASE)
}
