//! Evolution of evaluations, for every game.
//!
//! - An [`EvolutionConfig`] is run by [`run_evolution_job`], generation by generation; each is checkpointed in
//!   the job's folder, so that a resumed evolution has the same result.
//! - `schemes/` has the algorithms, one file each: Othello7's, a (mu + lambda) evolution strategy with
//!   self-adaptive mutation, and CMA-ES. [`schemes`] lists them with their options.
//! - Fitness is the score in games ([`FitnessTask`]: plain data, run on any number of threads or machines)
//!   against fixed opponents and a hall of fame, or Texel's error in predicting the results, or the search
//!   values, of recorded games ([`TexelPredictor`]).
//! - A game is known as an [`EvolutionGame`], so this crate is compiled once.
//!
//! ```
//! use tablero_core::{AnyGame, AnyRecord, BuildResult, ErasedPlayer, PlayerLineError};
//! use tablero_evolve::{
//!     EvolutionConfig, EvolutionGame, GradientTuner, PredictionTarget, PredictorError, ResultPredictor,
//!     TexelPredictor, Tuner, genome_evaluation, run_evolution_job,
//! };
//! use tablero_genomes::{GenomeKind, kinds};
//! use tablero_jobs::{CancellationToken, Store, Threads};
//! use tablero_search::simple::{Greedy, Random};
//! use tablero_tictactoe::TicTacToe;
//!
//! /// Greedy genomes against random opponents.
//! struct Simple;
//!
//! impl EvolutionGame for Simple {
//!     fn game(&self) -> AnyGame {
//!         AnyGame::of::<TicTacToe>()
//!     }
//!     fn genome_kinds(&self) -> Vec<Box<dyn GenomeKind>> {
//!         kinds::<TicTacToe>().into_iter().map(|kind| kind as Box<dyn GenomeKind>).collect()
//!     }
//!     fn genome_player(&self, kind: &str, genome: &[f64], _line: &str) -> BuildResult {
//!         let evaluation = genome_evaluation::<TicTacToe>(kind, genome);
//!         let evaluation = evaluation.map_err(|error| PlayerLineError::Other(error.to_string()))?;
//!         let player = Greedy::new(evaluation, 0);
//!         Ok(Box::new(ErasedPlayer::new(Box::new(player))))
//!     }
//!     fn player(&self, _line: &str) -> BuildResult {
//!         Ok(Box::new(ErasedPlayer::<TicTacToe>::new(Box::new(Random::new(0)))))
//!     }
//!     fn result_predictor(
//!         &self,
//!         kind: &str,
//!         records: &[AnyRecord],
//!         target: PredictionTarget,
//!     ) -> Result<Box<dyn ResultPredictor>, PredictorError> {
//!         Ok(Box::new(TexelPredictor::<TicTacToe>::new(kind, records, target)?))
//!     }
//!     fn tuner(
//!         &self,
//!         kind: &str,
//!         records: &[AnyRecord],
//!         q_ratio: f64,
//!     ) -> Result<Box<dyn Tuner>, PredictorError> {
//!         Ok(Box::new(GradientTuner::<TicTacToe>::new(kind, records, q_ratio)?))
//!     }
//! }
//!
//! # let folder = std::env::temp_dir().join(format!("tablero-evolve-doc-{}", std::process::id()));
//! let mut config = EvolutionConfig::default_for(Simple.game(), "lines", "othello7 population=3");
//! config.generations = 2;
//! let job = config.create_job(&Simple, &Store::in_folder(&folder), 1)?;
//! let (threads, token) = (Threads::all_cores(), CancellationToken::default());
//! let evolved = run_evolution_job(job, &Simple, &threads, &token, &mut |_| {})?;
//! assert_eq!(evolved.expect("not cancelled").population.len(), 6);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), tablero_evolve::EvolveError>(())
//! ```

mod cma;
mod config;
mod error;
mod fitness;
mod game;
mod games;
mod generation;
mod job;
mod options;
mod output;
mod schemes;
mod texel;
mod tune;

pub use config::{EVOLUTION, EvolutionConfig, GamesFile, default_scheme};
pub use error::{EvolveError, PredictorError};
pub use game::{
    EvolutionGame, FITNESS_SETUP, PredictionTarget, ResultPredictor, genome_evaluation,
};
pub use games::{Contestant, FitnessOutput, FitnessTask, FitnessWork};
pub use generation::{Generation, Member};
pub use job::{GENERATIONS, run_evolution_job};
pub use options::{
    EvolutionSummary, EvolveOptions, interrupted_writer, newest_writer, read_generations,
};
pub use output::write_genomes;
pub use schemes::{SchemeInfo, schemes};
pub use texel::TexelPredictor;
pub use tune::{GradientTuner, Tuner};
