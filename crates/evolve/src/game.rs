//! The interface between an evolution and a game.

use serde::{Deserialize, Serialize};
use tablero_core::{AnyGame, AnyRecord, BuildResult, Evaluation, PlayerSetup};
use tablero_genomes::{Evolvable, GenomeError, GenomeKind, find_kind};

use crate::{PredictorError, Tuner};

/// A game as an evolution uses it. The catalog implements it, so that this crate is compiled once for all
/// games.
pub trait EvolutionGame: Send + Sync {
    /// The game.
    fn game(&self) -> AnyGame;

    /// The genome kinds of the game.
    fn genome_kinds(&self) -> Vec<Box<dyn GenomeKind>>;

    /// Builds the player of a line of greedy, minimax or alphabeta without `eval`, with [`FITNESS_SETUP`] and
    /// the evaluation of a genome, which is validated first.
    ///
    /// Most evolutions use `minimax depth=N` with a small N: it should be built as a faster search that
    /// chooses the same moves.
    fn genome_player(&self, kind: &str, genome: &[f64], line: &str) -> BuildResult;

    /// Builds the player of any line, with [`FITNESS_SETUP`].
    fn player(&self, line: &str) -> BuildResult;

    /// A fitness function from recorded games; see [`TexelPredictor`](crate::TexelPredictor).
    fn result_predictor(
        &self,
        kind: &str,
        records: &[AnyRecord],
        target: PredictionTarget,
    ) -> Result<Box<dyn ResultPredictor>, PredictorError>;

    /// Tunes an evaluation by gradient; see [`GradientTuner`](crate::GradientTuner).
    fn tuner(
        &self,
        kind: &str,
        records: &[AnyRecord],
        q_ratio: f64,
    ) -> Result<Box<dyn Tuner>, PredictorError>;

    /// The genome kind called `name`.
    fn genome_kind(&self, name: &str) -> Result<Box<dyn GenomeKind>, GenomeError> {
        let kinds = self.genome_kinds();
        let known = kinds.iter().map(|kind| kind.name()).collect();
        let unknown =
            GenomeError::UnknownKind { game: self.game().name(), kind: name.into(), known };
        kinds.into_iter().find(|kind| kind.name() == name).ok_or(unknown)
    }
}

/// The setup of players in fitness games. Clearing a larger transposition table before every game would cost
/// more than the table saves.
pub const FITNESS_SETUP: PlayerSetup = PlayerSetup { hash_mb: Some(1), ..PlayerSetup::LOCAL };

/// What a [`ResultPredictor`] predicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PredictionTarget {
    /// The results of games.
    #[default]
    Results,
    /// The values of the searches that chose the moves: a deeper search as the teacher, with less noise.
    Values,
}

/// A fitness function: how well a genome predicts the results of games.
pub trait ResultPredictor: Sync {
    /// The fitness of a valid genome; higher is better.
    fn score(&self, genome: &[f64]) -> f64;
}

/// The evaluation of a genome, which is validated.
pub fn genome_evaluation<G: Evolvable>(
    kind: &str,
    genome: &[f64],
) -> Result<Box<dyn Evaluation<G>>, GenomeError> {
    let kind = find_kind::<G>(kind)?;
    kind.check(genome)?;
    Ok(kind.build(genome))
}
