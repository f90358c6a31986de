//! An `EvolutionGame` and helpers for the tests.
#![allow(dead_code, unreachable_pub, reason = "a module of several tests, each of which uses some")]

use std::fs;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use tablero_core::{
    AnyGame, AnyRecord, BuildResult, ErasedPlayer, Evaluation, Playable, Player, PlayerLine,
    PlayerLineError,
};
use tablero_evolve::{
    EvolutionGame, FITNESS_SETUP, GradientTuner, PredictionTarget, PredictorError, ResultPredictor,
    TexelPredictor, Tuner, genome_evaluation,
};
use tablero_genomes::{GenomeKind, kinds};
use tablero_jobs::{Store, Threads};
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
use tablero_search::fixed_depth::FixedDepthAlphaBeta;
use tablero_search::minimax::Minimax;
use tablero_search::simple::{Greedy, Random};

/// Game `G` with the players that the tests need.
pub struct TestGame<G>(PhantomData<fn() -> G>);

impl<G> TestGame<G> {
    pub const NEW: Self = Self(PhantomData);
}

impl<G: Playable> EvolutionGame for TestGame<G> {
    fn game(&self) -> AnyGame {
        AnyGame::of::<G>()
    }

    fn genome_kinds(&self) -> Vec<Box<dyn GenomeKind>> {
        kinds::<G>().into_iter().map(|kind| kind as Box<dyn GenomeKind>).collect()
    }

    fn genome_player(&self, kind: &str, genome: &[f64], line: &str) -> BuildResult {
        let evaluation = genome_evaluation::<G>(kind, genome)
            .map_err(|error| PlayerLineError::Other(error.to_string()))?;
        let player = evaluating_player(&line.parse()?, evaluation);
        Ok(Box::new(ErasedPlayer::new(player.map_err(PlayerLineError::Other)?)))
    }

    fn player(&self, line: &str) -> BuildResult {
        let player: Box<dyn Player<G>> = match line {
            "random" => Box::new(Random::new(0)),
            "greedy" => Box::new(Greedy::new(G::evaluations()[0].hand_tuned(), 0)),
            _ => return Err(PlayerLineError::Other(format!("`{line}` is not random or greedy"))),
        };
        Ok(Box::new(ErasedPlayer::new(player)))
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

fn evaluating_player<G: Playable>(
    line: &PlayerLine,
    evaluation: Box<dyn Evaluation<G>>,
) -> Result<Box<dyn Player<G>>, String> {
    let depth = line.value("depth");
    Ok(match (line.kind.as_str(), depth) {
        ("greedy", _) => Box::new(Greedy::new(evaluation, 0)),
        // With `drop` the line is built as plain minimax.
        ("minimax", Some(depth)) if line.option("drop").is_some() => {
            Box::new(Minimax::new(depth, evaluation))
        }
        ("minimax", Some(depth)) => Box::new(FixedDepthAlphaBeta::new(depth, evaluation)),
        ("alphabeta", Some(_)) => {
            let mut options = AlphaBetaOptions::for_game::<G>();
            options.limits.depth = depth;
            options.hash_mb = FITNESS_SETUP.hash_mb.unwrap_or(options.hash_mb);
            Box::new(AlphaBeta::new(options, evaluation))
        }
        _ => return Err(format!("`{line}` is not a line of greedy, minimax or alphabeta")),
    })
}

/// A temporary folder, removed on drop.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("tablero-evolve-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn store(&self) -> Store {
        Store::in_folder(&self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub const fn threads(count: usize) -> Threads {
    Threads::new(NonZeroUsize::new(count).expect("positive"))
}
