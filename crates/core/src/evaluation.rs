use crate::{Explanation, ForMover, Game, Localized};

/// A static evaluation function.
///
/// ```
/// use tablero_core::{Evaluation, ForMover, Game, StandardRules};
/// use tablero_tictactoe::TicTacToe;
///
/// /// The more moves, the better.
/// struct Mobility;
///
/// impl<G: Game> Evaluation<G> for Mobility {
///     fn evaluate(&self, position: &G) -> ForMover<i32> {
///         ForMover(10 * position.count_moves() as i32)
///     }
/// }
///
/// let start = TicTacToe::start(StandardRules);
/// assert_eq!(Mobility.evaluate(&start), ForMover(90));
/// ```
pub trait Evaluation<G: Game>: Send + Sync + 'static {
    /// The score, in centi-units (hundredths of a pawn, disc or stone), of a position that is not over;
    /// well below the scores of proven wins.
    fn evaluate(&self, position: &G) -> ForMover<i32>;

    /// The score of `position`, reached from `before` by `m`: for evaluations that depend on the last
    /// move.
    #[inline]
    fn evaluate_after(&self, _before: &G, _m: G::Move, position: &G) -> ForMover<i32> {
        self.evaluate(position)
    }

    /// A copy of this evaluation for one search thread, which updates its state from position to position
    /// instead of computing it anew (NNUE).
    fn incremental(&self) -> Option<Box<dyn IncrementalEvaluation<G>>> {
        None
    }

    /// Whether scores rate the last move alone, as a policy network does: a player without search then
    /// does not look at the position after the move, not even for the end of the game.
    fn is_policy(&self) -> bool {
        false
    }

    /// The score term by term, for people. The contributions sum to [`evaluate`](Self::evaluate); by default
    /// there is only the total.
    fn explain(&self, position: &G) -> Explanation {
        Explanation::total(self.evaluate(position))
    }
}

/// An evaluation with state of one search thread.
pub trait IncrementalEvaluation<G: Game>: Send {
    /// The same score as [`Evaluation::evaluate`]. `ply` is the distance from the root: positions at the same or
    /// at neighbouring plies are assumed to be similar, which concerns only speed.
    fn evaluate(&mut self, position: &G, ply: usize) -> ForMover<i32>;
}

/// A named evaluation with tunable weights: users choose it by name, evolution tunes it.
pub struct EvaluationKind<G: Game> {
    /// The name in player lines: `eval=jma`.
    pub name: &'static str,
    /// Its features, in a sentence.
    pub about: Localized,
    /// Its weights, with their hand-tuned values.
    pub weights: fn() -> Vec<Weight>,
    /// Builds the evaluation from values in the order of [`weights`](Self::weights).
    pub build: fn(&[f64]) -> Box<dyn Evaluation<G>>,
}

/// One weight of an [`EvaluationKind`].
#[derive(Clone, PartialEq, Debug)]
pub struct Weight {
    /// The feature that it weights.
    pub name: String,
    /// The hand-tuned value.
    pub value: f64,
    /// The lower bound for tuning.
    pub min: f64,
    /// The upper bound for tuning.
    pub max: f64,
}

impl<G: Game> EvaluationKind<G> {
    /// The evaluation with its hand-tuned weights.
    #[inline]
    pub fn hand_tuned(&self) -> Box<dyn Evaluation<G>> {
        let weights: Vec<f64> = (self.weights)().iter().map(|weight| weight.value).collect();
        (self.build)(&weights)
    }
}
