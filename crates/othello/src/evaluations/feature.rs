//! Features as people see them: what they measure, and on which squares.

use tablero_core::{Localized, Term, TermCell};

use super::squares::sets;
use crate::Othello;
use crate::bitboard::{dilate, moves};
use crate::stability::stable_discs;

/// What a feature measures.
#[derive(Clone, Copy)]
pub(super) struct Feature {
    pub(super) name: &'static str,
    about: Localized,
    /// Its squares, those of the side to move first.
    squares: fn(&Othello) -> [u64; 2],
}

impl Feature {
    pub(super) const fn new(
        name: &'static str,
        en: &'static str,
        es: &'static str,
        squares: fn(&Othello) -> [u64; 2],
    ) -> Self {
        Self { name, about: Localized::new(en, es), squares }
    }

    pub(super) fn text(&self) -> Localized {
        self.about
    }

    pub(super) fn cells(&self, position: &Othello) -> Vec<TermCell> {
        let [own, other] = (self.squares)(position);
        TermCell::of_sets(own, other)
    }
}

/// The terms of a linear evaluation.
pub(super) fn terms(
    position: &Othello,
    features: &[Feature],
    values: &[f64],
    weights: &[f64],
) -> Vec<Term> {
    let numbers = values.iter().zip(weights);
    let term = |(feature, (&value, &weight)): (&Feature, (&f64, &f64))| {
        Term::new(feature.name, feature.about, value, weight).on(feature.cells(position))
    };
    features.iter().zip(numbers).map(term).collect()
}

/// The discs of both sides on the squares of a set.
pub(super) fn discs_on(position: &Othello, set: u64) -> [u64; 2] {
    [position.mover() & set, position.other() & set]
}

/// Nowhere in particular.
pub(super) fn nowhere(_: &Othello) -> [u64; 2] {
    [0, 0]
}

pub(super) const DISCS: Feature =
    Feature::new("discs", "discs", "fichas", |p| discs_on(p, u64::MAX));
pub(super) const MOBILITY: Feature =
    Feature::new("mobility", "mobility: moves", "movilidad: jugadas", |p| {
        [moves(p.mover(), p.other()), moves(p.other(), p.mover())]
    });
pub(super) const POTENTIAL: Feature = Feature::new(
    "potential",
    "potential mobility: empty squares next to opposing discs",
    "movilidad potencial: casillas vacías junto a fichas del rival",
    |p| [dilate(p.other()) & p.empties(), dilate(p.mover()) & p.empties()],
);
pub(super) const STABLE: Feature = Feature::new("stable", "stable discs", "fichas estables", |p| {
    [stable_discs(p.mover(), p.other()), stable_discs(p.other(), p.mover())]
});
pub(super) const EDGES: Feature = Feature::new(
    "edges",
    "edges (table of all states)",
    "bordes (tabla de todos los estados)",
    |p| discs_on(p, EDGE_SQUARES),
);

const EDGE_SQUARES: u64 = sets::CORNERS | sets::C | sets::A | sets::B;
