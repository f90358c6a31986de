//! Evolution of a game's evaluations.

use tablero_core::{AnyGame, AnyRecord, BuildResult, Playable, PlayerLineError};
use tablero_evolve::{
    EvolutionGame, FITNESS_SETUP, GradientTuner, PredictionTarget, PredictorError, ResultPredictor,
    TexelPredictor, Tuner, genome_evaluation,
};
use tablero_genomes::{GenomeKind, kinds as genome_kinds};

use crate::players::kinds::{build_with, kinds};
use crate::{Entry, Extras};

impl<G: Playable, E: Extras<G>> EvolutionGame for Entry<G, E> {
    fn game(&self) -> AnyGame {
        AnyGame::of::<G>()
    }

    fn genome_kinds(&self) -> Vec<Box<dyn GenomeKind>> {
        genome_kinds::<G>().into_iter().map(|kind| kind as Box<dyn GenomeKind>).collect()
    }

    fn genome_player(&self, kind: &str, genome: &[f64], line: &str) -> BuildResult {
        let evaluation = genome_evaluation::<G>(kind, genome)
            .map_err(|error| PlayerLineError::Other(error.to_string()))?;
        build_with::<G>(line, &FITNESS_SETUP, evaluation)
    }

    fn player(&self, line: &str) -> BuildResult {
        kinds::<G, E>().build(line, &FITNESS_SETUP)
    }

    fn tuner(
        &self,
        kind: &str,
        records: &[AnyRecord],
        q_ratio: f64,
    ) -> Result<Box<dyn Tuner>, PredictorError> {
        Ok(Box::new(GradientTuner::<G>::new(kind, records, q_ratio)?))
    }

    fn result_predictor(
        &self,
        kind: &str,
        records: &[AnyRecord],
        target: PredictionTarget,
    ) -> Result<Box<dyn ResultPredictor>, PredictorError> {
        Ok(Box::new(TexelPredictor::<G>::new(kind, records, target)?))
    }
}
