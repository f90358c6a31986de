//! Evaluations that explain themselves.

use tablero_core::{AnyPosition, Explanation, LocalizedString};

/// The evaluation behind a player line.
pub trait Explainer: Send {
    /// The evaluation of a position that is not over, term by term.
    fn explain(&mut self, position: &AnyPosition) -> Explanation;
}

/// A shipped evaluation that can be explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explainable {
    /// Its name: `jma`, `patterns`.
    pub name: String,
    /// A player line that uses it: `greedy eval=jma`.
    pub player: String,
    /// A one-sentence description.
    pub about: LocalizedString,
}
