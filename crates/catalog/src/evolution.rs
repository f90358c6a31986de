use tablero_core::{AnyGame, AnyPlayer, AnyRecord, Playable};
use tablero_evolve::{
    EvolutionGame, FITNESS_SETUP, ResultPredictor, TexelPredictor, genome_evaluation,
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

    fn genome_player(
        &self,
        kind: &str,
        genome: &[f64],
        line: &str,
    ) -> Result<Box<AnyPlayer>, String> {
        let evaluation = genome_evaluation::<G>(kind, genome)?;
        build_with::<G>(line, &FITNESS_SETUP, evaluation).map_err(|error| error.to_string())
    }

    fn player(&self, line: &str) -> Result<Box<AnyPlayer>, String> {
        kinds::<G, E>().build(line, &FITNESS_SETUP).map_err(|error| error.to_string())
    }

    fn result_predictor(
        &self,
        kind: &str,
        records: &[AnyRecord],
    ) -> Result<Box<dyn ResultPredictor>, String> {
        Ok(Box::new(TexelPredictor::<G>::new(kind, records)?))
    }
}
