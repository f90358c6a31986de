//! Training on the processor, for the same kinds of networks that [`Evaluator`](crate::Evaluator) infers with.
//!
//! - [`Learner`]: a network that learns, one batch of [`Sample`]s after the other, whoever computes it.
//! - [`Trainer`]: our own, on the processor; the same weights for any number of threads.
//! - `model`: the layers of every kind of network, forwards and backwards.
//! - `layer`: one layer: a convolution or a fully connected one, with its normalisation.
//! - `optimise`: from gradients to new weights ([`Optimiser`]).
//! - `spread`: work on all cores with the same result for any number of them.
//!
//! Activations lie in memory position by position, square by square, channel by channel.

mod layer;
mod learner;
mod loss;
mod model;
mod optimise;
mod parameter;
mod spread;
mod trainer;

pub use learner::{Learner, MEASURED_AT_ONCE, State};
pub use loss::{Losses, OWNERSHIP_WEIGHT, Sample};
pub use optimise::Optimiser;
pub use trainer::Trainer;
