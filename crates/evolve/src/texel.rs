//! Texel's tuning method: the fitness of an evaluation is minus its mean squared error in predicting game
//! results, or in predicting the values of the searches that chose the moves. It plays no games and is deterministic, so hundreds of weights can be evolved.

use tablero_core::{AnyRecord, Evaluation, Playable, Record};
use tablero_genomes::{TypedGenomeKind, find_kind};

use crate::{PredictionTarget, PredictorError, ResultPredictor};

/// Skips opening plies, which come from a book.
const FIRST_PLY: usize = 8;
/// Consecutive positions are correlated: every second is enough.
const SAMPLE_INTERVAL: usize = 2;
/// The scaling constant for kinds without a hand-tuned genome.
pub(crate) const DEFAULT_K: f64 = 0.01;

/// Predicts game results from quiet positions of game `G`.
pub struct TexelPredictor<G: Playable> {
    kind: Box<dyn TypedGenomeKind<G>>,
    /// Quiet positions with the result for the side to move, 0, 1/2 or 1, or the one that a search expects.
    positions: Vec<(G, f64)>,
    /// Texel's K: the result is predicted as sigmoid(K * evaluation).
    k: f64,
}

impl<G: Playable> TexelPredictor<G> {
    /// The predictor for genomes of a kind; K is fitted to the kind's hand-tuned genome. An error if no game
    /// has a result, or no move a value.
    pub fn new(
        kind: &str,
        records: &[AnyRecord],
        target: PredictionTarget,
    ) -> Result<Self, PredictorError> {
        let kind = find_kind::<G>(kind)?;
        let mut positions = Vec::new();
        for record in records {
            let labeled = labeled_positions::<G>(record)?.into_iter();
            positions.extend(labeled.filter_map(|Labeled { position, result, value }| {
                let expected = match target {
                    PredictionTarget::Results => Some(result),
                    PredictionTarget::Values => value,
                };
                Some((position, expected?))
            }));
        }
        if positions.is_empty() {
            return Err(match target {
                PredictionTarget::Results => PredictorError::NoResults,
                PredictionTarget::Values => PredictorError::NoValues,
            });
        }
        let mut predictor = Self { kind, positions, k: DEFAULT_K };
        if let Some(genome) = predictor.kind.hand_tuned() {
            predictor.k = predictor.fit_k(&*predictor.kind.build(&genome));
        }
        Ok(predictor)
    }

    /// Minus 1000 times the mean squared error of an evaluation.
    fn negative_mse(&self, k: f64, evaluation: &dyn Evaluation<G>) -> f64 {
        let errors = self.positions.iter().map(|(position, points)| {
            let log_odds = k * f64::from(evaluation.evaluate(position).0);
            (points - 1.0 / (1.0 + (-log_odds).exp())).powi(2)
        });
        -1000.0 * errors.sum::<f64>() / self.positions.len() as f64
    }

    /// The K that minimizes the error of an evaluation.
    fn fit_k(&self, evaluation: &dyn Evaluation<G>) -> f64 {
        let mut best = (f64::NEG_INFINITY, self.k);
        // A geometric grid, from odds that barely change with a hundred pawns to a tenth of a pawn.
        for step in 0..100 {
            let k = 1e-4 * 1.1f64.powi(step);
            let score = self.negative_mse(k, evaluation);
            if score > best.0 {
                best = (score, k);
            }
        }
        best.1
    }
}

impl<G: Playable> ResultPredictor for TexelPredictor<G> {
    fn score(&self, genome: &[f64]) -> f64 {
        self.negative_mse(self.k, &*self.kind.build(genome))
    }
}

/// A quiet position with what may be predicted for the side to move, from 0 to 1.
pub(crate) struct Labeled<G> {
    pub(crate) position: G,
    /// The result of its game.
    pub(crate) result: f64,
    /// What the search expected that chose the move, if its value was recorded.
    pub(crate) value: Option<f64>,
}

/// Quiet positions of a game, if it is finished.
pub(crate) fn labeled_positions<G: Playable>(
    record: &AnyRecord,
) -> Result<Vec<Labeled<G>>, PredictorError> {
    let record: Record<G> = record.downcast().ok_or_else(|| PredictorError::WrongGame {
        found: record.start.game().name(),
        expected: G::NAME,
    })?;
    let Some(end) = record.end else { return Ok(Vec::new()) };
    let (mut position, mut found) = (record.start.clone(), Vec::new());
    for (ply, played) in record.plies.iter().enumerate() {
        let quiet = !position.in_check() && !position.is_noisy(played.m);
        if ply >= FIRST_PLY && ply % SAMPLE_INTERVAL == 0 && quiet {
            let margin = end.outcome.margin().for_mover(position.side()).0;
            let value = played.value.map(|value| value.for_mover(position.side()).0);
            found.push(Labeled {
                position: position.clone(),
                result: f64::from(1 + margin.signum()) / 2.0,
                value: value.map(|value| G::WDL_MODEL.expected_score(value)),
            });
        }
        position.play(played.m);
    }
    Ok(found)
}
