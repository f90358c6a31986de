use crate::{ForMover, Game};

/// Guesses what a position is worth without looking ahead.
pub trait Evaluation<G: Game>: Send + Sync + 'static {
    /// The worth of a position that is not over, in hundredths of the game's unit (pawn, disc,
    /// stone); small beside the worth of a won game.
    fn evaluate(&self, position: &G) -> ForMover<i32>;

    /// The worth of `position`, which `m` has just led to from `before`: for evaluations that look at
    /// the last move too.
    #[inline]
    fn evaluate_after(&self, _before: &G, _m: G::Move, position: &G) -> ForMover<i32> {
        self.evaluate(position)
    }
}

/// A kind of evaluation: a named combination of features, each with a weight, so that people can
/// choose it and evolution can tune it.
pub struct EvaluationKind<G: Game> {
    /// The name in player lines: `eval=jma`.
    pub name: &'static str,
    /// What it looks at, in a sentence.
    pub about: &'static str,
    /// The weights that it has, with their hand-set values.
    pub weights: fn() -> Vec<Weight>,
    /// The evaluation with these weights, as many as [`weights`](Self::weights) lists and in that
    /// order.
    pub build: fn(&[f64]) -> Box<dyn Evaluation<G>>,
}

/// One weight of an [`EvaluationKind`].
#[derive(Clone, PartialEq, Debug)]
pub struct Weight {
    /// What it weighs.
    pub name: String,
    /// The hand-set value.
    pub value: f64,
    /// The least that makes sense.
    pub min: f64,
    /// The most that makes sense.
    pub max: f64,
}

impl<G: Game> EvaluationKind<G> {
    /// The evaluation with the hand-set weights.
    #[inline]
    pub fn by_hand(&self) -> Box<dyn Evaluation<G>> {
        let weights: Vec<f64> = (self.weights)().iter().map(|weight| weight.value).collect();
        (self.build)(&weights)
    }
}
