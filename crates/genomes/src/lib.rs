//! Evaluations as genomes: vectors of numbers that an evolution varies.
//!
//! - A [`GenomeKind`] has the genetic operators (random initialization, mutation, crossover); a
//!   [`TypedGenomeKind`] also builds the evaluation of a game. [`kinds`] lists those of a game, one file each
//!   in `kinds/`: weighted evaluations, networks over features (`net`, `growing`), networks that see the raw
//!   board and rate moves (`fixed`, `markers`).
//! - [`Genomes`] is the content of a genome file with its provenance: `.genes`, or Othello7's `.evl`
//!   ([`evl`]).
//! - [`evaluation`] resolves a name: a hand-tuned evaluation, shipped genomes
//!   ([`Defaults::SHIPPED_GENOMES`]) or a file.
//!
//! ```
//! use tablero_core::{ForMover, Game, StandardRules};
//! use tablero_othello::Othello;
//!
//! let sci = tablero_genomes::evaluation::<Othello>("sci")?;
//! assert_eq!(sci.evaluate(&Othello::start(StandardRules)), ForMover(0));
//! # Ok::<(), tablero_genomes::GenomeError>(())
//! ```

mod error;
pub mod evl;
mod file;
mod kind;
mod kinds;
mod load;

pub use error::{GenomeError, InvalidGenome};
pub use file::{Genomes, Individual, Provenance, Strength};
pub use kind::{Gene, GenomeKind, TypedGenomeKind};
pub use kinds::{find_kind, kinds};
pub use load::{evaluation, is_known, known_names, read_bytes, read_file, read_text};

use tablero_core::{Defaults, Encoding, Features, Presentable};

/// A game whose evaluations can be evolved.
pub trait Evolvable: Features + Encoding + Defaults + Presentable {}

impl<G: Features + Encoding + Defaults + Presentable> Evolvable for G {}
