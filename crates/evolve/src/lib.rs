//! Evolution: evaluations that breed, for every game.
//!
//! - A [`EvolutionConfig`] says what is evolved and how; [`run_evolution_job`] does it, generation by
//!   generation, each kept in the job's folder so that a killed evolution goes on to the same result.
//! - `schemes/` are the ways to breed, one file each; [`schemes`] lists them with their options.
//! - Genomes meet in games ([`MeetingTask`]: data in, data out) on however many threads, or are
//!   measured by how well they foretell the results of given games.
//!
//! ```
//! use tablero_evolve::{EvolutionConfig, run_evolution_job};
//! use tablero_jobs::{Stop, Store, Threads};
//! use tablero_tictactoe::TicTacToe;
//!
//! # let folder = std::env::temp_dir().join(format!("tablero-evolve-doc-{}", std::process::id()));
//! let mut config = EvolutionConfig::usual::<TicTacToe>("lines", "othello7 population=3");
//! config.generations = 2;
//! let job = config.create_job::<TicTacToe>(&Store::in_folder(&folder), 1)?;
//! let (threads, stop) = (Threads::all_cores(), Stop::default());
//! let evolved = run_evolution_job::<TicTacToe>(job, &threads, &stop, &mut |_| {})?;
//! assert_eq!(evolved.expect("nobody stopped it").population.len(), 6);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), tablero_evolve::EvolveError>(())
//! ```

mod config;
mod error;
mod field;
mod foretell;
mod generation;
mod job;
mod meeting;
mod output;
mod schemes;

pub use config::{EVOLUTION, EvolutionConfig, Games};
pub use error::EvolveError;
pub use generation::{Generation, Member};
pub use job::{GENERATIONS, run_evolution_job};
pub use meeting::{Contestant, MeetingOutput, MeetingTask, MeetingWork};
pub use output::write_genomes;
pub use schemes::{SchemeInfo, schemes};
