//! NNUE: efficiently updatable networks (Nasu 2018; Stockfish 12) as evaluations for alpha-beta.
//!
//! The input is sparse ([`SparseInputs`]): a position is a short list of features, and the first layer, the
//! *accumulator*, is the sum of their rows. Both sides have one, computed with the same rows from their own point of
//! view. The accumulators of the side to move and of the other side, through a squared clipped ReLU, are the input
//! of an output layer, chosen by the phase of the game.
//!
//! ```text
//! features of the side to move ── accumulator ─┐
//!                                              ├─ SCReLU ── output layer of the phase ── logit of winning
//! features of the other side ──── accumulator ─┘
//! ```
//!
//! [`NnueWeights`] are integers: what plays is what is in the file. [`Nnue`] is the evaluation; a search thread
//! updates its accumulators from position to position. [`NnueTrainer`] learns in floating point from
//! [`NnueSamples`] and quantizes.

mod bench;
mod evaluation;
mod groups;
mod kernel;
mod samples;
mod trainer;
mod weights;

pub use bench::{inference_speed, random_samples};
pub use evaluation::Nnue;
pub(crate) use evaluation::rest_text;
pub use samples::NnueSamples;
pub use trainer::{NnueLoss, NnueTrainer, NnueTraining};
pub use weights::{MAX_HIDDEN, NNUE_EXTENSION, NnueWeights};

use tablero_core::{SparseInputs, WdlModel};

/// What the networks of a game have in common.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NnueSpec {
    /// The game.
    pub game: &'static str,
    /// The version of its inputs.
    pub version: u32,
    /// Features: rows of the first layer.
    pub features: usize,
    /// Slots of a position.
    pub slots: usize,
    /// Features that are equal modulo this share a row in training; 0 if none do.
    pub period: usize,
    /// Output layers.
    pub buckets: usize,
    /// Centi-units per unit of the output, which is a logit.
    pub scale: f64,
}

impl NnueSpec {
    /// The spec of a game.
    pub fn of<G: SparseInputs>() -> Self {
        Self {
            game: G::NAME,
            version: G::INPUT_VERSION,
            features: G::INPUT_FEATURES,
            slots: G::INPUT_SLOTS,
            period: G::INPUT_PERIOD,
            buckets: G::OUTPUT_BUCKETS,
            scale: scale(G::WDL_MODEL),
        }
    }
}

/// Training targets are flatter than results: a network that learned only who wins would not distinguish good
/// positions from better ones. (For chess this is the usual scale of some 300 centipawns.)
const FLATNESS: f64 = 2.5;

/// The scale of a logistic curve with the slope of the model at 0, flattened.
fn scale(model: WdlModel) -> f64 {
    let odds = (model.midpoint / model.scale).exp();
    let slope = odds / (1.0 + odds).powi(2) / model.scale;
    FLATNESS / (4.0 * slope)
}

#[cfg(test)]
mod tests;
