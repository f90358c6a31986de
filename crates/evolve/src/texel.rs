//! Texel's tuning method: an evaluation is measured by how well it predicts the results of games. This
//! fitness needs no games of its own and is deterministic, so that hundreds of weights can be evolved.

use tablero_core::{AnyRecord, Evaluation, Playable, Record};
use tablero_genomes::{Kind, find_kind};

use crate::ResultPredictor;

/// The first plies come from a book; what is judged of them is not the player's merit.
const FIRST_PLY: usize = 8;
/// Positions of one game are alike: every so manieth is enough.
const EVERY: usize = 2;
/// The slope for kinds without a hand-set genome to fit it to.
const USUAL_SLOPE: f64 = 0.01;

/// Predicts the results of the games of quiet positions of game `G`.
pub struct TexelPredictor<G: Playable> {
    kind: Box<dyn Kind<G>>,
    /// A quiet position, and its mover's points at the end of the game.
    positions: Vec<(G, f64)>,
    /// How much an advantage of one hundredth changes the odds, by their logarithm.
    slope: f64,
}

impl<G: Playable> TexelPredictor<G> {
    /// For genomes of a kind, whose hand-set genome says how much an advantage is worth. An error if no
    /// game has a result.
    pub fn new(kind: &str, records: &[AnyRecord]) -> Result<Self, String> {
        let kind = find_kind::<G>(kind).map_err(|error| error.to_string())?;
        let mut positions = Vec::new();
        for record in records {
            let typed = record.downcast::<G>().ok_or_else(|| {
                format!("there is a game of {} in it, not of {}", record.start.game(), G::NAME)
            })?;
            positions.extend(quiet_positions(&typed));
        }
        if positions.is_empty() {
            return Err("there is no game with a result in it".into());
        }
        let mut predictor = Self { kind, positions, slope: USUAL_SLOPE };
        if let Some(genome) = predictor.kind.by_hand() {
            predictor.slope = predictor.best_slope(&*predictor.kind.build(&genome));
        }
        Ok(predictor)
    }

    /// Minus the mean squared error of an evaluation's predictions, in thousandths.
    fn score_at(&self, slope: f64, evaluation: &dyn Evaluation<G>) -> f64 {
        let errors = self.positions.iter().map(|(position, points)| {
            let odds = slope * f64::from(evaluation.evaluate(position).0);
            (points - 1.0 / (1.0 + (-odds).exp())).powi(2)
        });
        -1000.0 * errors.sum::<f64>() / self.positions.len() as f64
    }

    /// The slope with which an evaluation predicts best.
    fn best_slope(&self, evaluation: &dyn Evaluation<G>) -> f64 {
        let mut best = (f64::NEG_INFINITY, self.slope);
        // From odds that hardly change in a hundred pawns to odds that change in a tenth of one.
        for step in 0..100 {
            let slope = 1e-4 * 1.1f64.powi(step);
            let score = self.score_at(slope, evaluation);
            if score > best.0 {
                best = (score, slope);
            }
        }
        best.1
    }
}

impl<G: Playable> ResultPredictor for TexelPredictor<G> {
    fn score(&self, genome: &[f64]) -> f64 {
        self.score_at(self.slope, &*self.kind.build(genome))
    }
}

/// Positions of a finished game in which nothing is about to be taken, as an evaluation should judge.
fn quiet_positions<G: Playable>(record: &Record<G>) -> Vec<(G, f64)> {
    let Some(end) = record.end else { return Vec::new() };
    let (mut position, mut found) = (record.start.clone(), Vec::new());
    for (ply, played) in record.plies.iter().enumerate() {
        let quiet = !position.in_danger() && !position.is_noisy(played.m);
        if ply >= FIRST_PLY && ply % EVERY == 0 && quiet {
            let margin = end.outcome.margin().for_mover(position.side()).0;
            found.push((position.clone(), f64::from(1 + margin.signum()) / 2.0));
        }
        position.play(played.m);
    }
    found
}
