//! What a position is worth without looking ahead: learned tables over patterns of squares.
//!
//! A [`shapes`](shapes::SHAPES) instance is some squares in a fixed order; what stands on them, as a
//! number, is where to look in a table of weights. The sum of all instances' weights, and of those
//! of a few [`terms`] (mobility, parity), is the expected final margin. There is a set of tables for
//! every [`PHASES`]th of the game, all learned from the engine's own games (`tablero-pattern-learning`).

pub mod features;
mod file;
mod packing;
mod probcut;
pub mod shapes;
pub mod terms;
mod weights;

pub use features::Features;
pub use file::{GenerationPast, Header, Past, PhaseError, WeightsError};
pub use probcut::{Observation, ProbCut};
pub use weights::{ACTIVE, Parameters, Weights};

/// A disc in the units of [`Weights::evaluate`].
pub const DISC: i32 = 128;

/// How many parts of the game have weights of their own: two discs each.
pub const PHASES: usize = 30;

/// The part of the game with so many empty squares.
#[inline]
pub const fn phase_of(empties: u32) -> usize {
    let phase = 60u32.saturating_sub(empties) as usize / 2;
    if phase < PHASES { phase } else { PHASES - 1 }
}
