//! Evaluations as numbers that can be evolved.
//!
//! - A [`Kind`] says what the numbers of a genome mean, how they vary, and how they become an
//!   evaluation; [`kinds`] lists those of a game. Adding one is a file in `kinds/`.
//! - [`Genomes`] is a file of them with its past: our own format, or Othello7's ([`evl`]).
//! - [`evaluation`] finds an evaluation by the name of a kind, of a file that comes with the program
//!   ([`Defaults::SHIPPED_GENOMES`]), or of any file.
//!
//! ```
//! use tablero_core::{ForMover, Game, StandardRules};
//! use tablero_othello::Othello;
//!
//! let by_hand = tablero_genomes::evaluation::<Othello>("sci")?;
//! assert_eq!(by_hand.evaluate(&Othello::start(StandardRules)), ForMover(0));
//! # Ok::<(), tablero_genomes::GenomeError>(())
//! ```

mod error;
pub mod evl;
mod file;
mod kind;
mod kinds;
mod load;

pub use error::GenomeError;
pub use file::{Genomes, Individual, Past, Strength};
pub use kind::{Gene, GenomeKind, Kind};
pub use kinds::{find_kind, kinds};
pub use load::{evaluation, is_known, known_names, read_bytes, read_file, read_text};

use tablero_core::{Defaults, Features};

/// A game whose evaluations evolve.
pub trait Genetic: Features + Defaults {}

impl<G: Features + Defaults> Genetic for G {}
