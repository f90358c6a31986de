//! Static evaluation: linear in pattern configurations, as in Logistello (Buro 1997).
//!
//! Every [pattern](patterns::PATTERNS) instance looks up a weight by its configuration. Their sum,
//! plus the weights of a few [`terms`] (mobility, potential mobility, parity), is the expected
//! final disc difference. Each of [`PHASES`] phases of the game has its own weights, all learned
//! from the engine's own games (`tablero-pattern-learning`).

mod explain;
pub mod features;
mod file;
mod packing;
pub mod patterns;
mod probcut;
pub mod terms;
mod weights;

pub use explain::Patterns;
pub use features::Features;
pub use file::{GenerationStats, Header, PhaseError, Provenance, WeightsError};
pub use probcut::{ProbCut, ProbCutSample};
pub use weights::{ACTIVE, Parameters, Weights};

/// A disc in the units of [`Weights::evaluate`].
pub const DISC: i32 = 128;

/// Number of phases with their own weights, two plies each.
pub const PHASES: usize = 30;

/// The phase with this many empties.
#[inline]
pub const fn phase_of(empties: u32) -> usize {
    let phase = 60u32.saturating_sub(empties) as usize / 2;
    if phase < PHASES { phase } else { PHASES - 1 }
}
