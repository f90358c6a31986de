//! Evolution: evaluations that breed, for every game.
//!
//! - A [`EvolutionConfig`] says what is evolved and how; [`run_evolution_job`] does it, generation by
//!   generation, each kept in the job's folder so that a killed evolution goes on to the same result.
//! - `schemes/` are the ways to breed, one file each; [`schemes`] lists them with their options.
//! - Genomes meet in games ([`MeetingTask`]: data in, data out) on however many threads, or are
//!   measured by how well they predict the results of given games ([`TexelPredictor`]).
//! - What an evolution needs of a game is an [`EvolutionGame`]; only that knows the game's own type.
//!
//! ```
//! use tablero_core::{AnyGame, AnyPlayer, AnyRecord, ErasedPlayer};
//! use tablero_evolve::{
//!     EvolutionConfig, EvolutionGame, ResultPredictor, TexelPredictor, genome_evaluation,
//!     run_evolution_job,
//! };
//! use tablero_genomes::{GenomeKind, kinds};
//! use tablero_jobs::{Stop, Store, Threads};
//! use tablero_search::simple::{Greedy, Random};
//! use tablero_tictactoe::TicTacToe;
//!
//! /// Only greedy genomes, and only random opponents.
//! struct Simple;
//!
//! impl EvolutionGame for Simple {
//!     fn game(&self) -> AnyGame {
//!         AnyGame::of::<TicTacToe>()
//!     }
//!     fn genome_kinds(&self) -> Vec<Box<dyn GenomeKind>> {
//!         kinds::<TicTacToe>().into_iter().map(|kind| kind as Box<dyn GenomeKind>).collect()
//!     }
//!     fn genome_player(
//!         &self,
//!         kind: &str,
//!         genome: &[f64],
//!         _line: &str,
//!     ) -> Result<Box<AnyPlayer>, String> {
//!         let player = Greedy::new(genome_evaluation::<TicTacToe>(kind, genome)?, 0);
//!         Ok(Box::new(ErasedPlayer::new(Box::new(player))))
//!     }
//!     fn player(&self, _line: &str) -> Result<Box<AnyPlayer>, String> {
//!         Ok(Box::new(ErasedPlayer::<TicTacToe>::new(Box::new(Random::new(0)))))
//!     }
//!     fn result_predictor(
//!         &self,
//!         kind: &str,
//!         records: &[AnyRecord],
//!     ) -> Result<Box<dyn ResultPredictor>, String> {
//!         Ok(Box::new(TexelPredictor::<TicTacToe>::new(kind, records)?))
//!     }
//! }
//!
//! # let folder = std::env::temp_dir().join(format!("tablero-evolve-doc-{}", std::process::id()));
//! let mut config = EvolutionConfig::usual(Simple.game(), "lines", "othello7 population=3");
//! config.generations = 2;
//! let job = config.create_job(&Simple, &Store::in_folder(&folder), 1)?;
//! let (threads, stop) = (Threads::all_cores(), Stop::default());
//! let evolved = run_evolution_job(job, &Simple, &threads, &stop, &mut |_| {})?;
//! assert_eq!(evolved.expect("nobody stopped it").population.len(), 6);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), tablero_evolve::EvolveError>(())
//! ```

mod cma;
mod config;
mod error;
mod field;
mod game;
mod generation;
mod job;
mod meeting;
mod output;
mod schemes;
mod texel;

pub use config::{EVOLUTION, EvolutionConfig, Games, usual_scheme};
pub use error::EvolveError;
pub use game::{EvolutionGame, FITNESS_SETUP, ResultPredictor, genome_evaluation};
pub use generation::{Generation, Member};
pub use job::{GENERATIONS, run_evolution_job};
pub use meeting::{Contestant, MeetingOutput, MeetingTask, MeetingWork};
pub use output::write_genomes;
pub use schemes::{SchemeInfo, schemes};
pub use texel::TexelPredictor;
