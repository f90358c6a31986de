//! Training: the same architectures that [`Evaluator`](crate::Evaluator) runs, forward and backward.
//!
//! - [`Trainer`]: an SGD or AdamW step on a batch of [`Sample`]s, by any backend.
//! - [`Device`]: where a backend trains.
//! - [`NativeTrainer`]: our own backend, on the CPU; bit-for-bit the same weights for any number of threads.
//! - `model`: the layers of every architecture.
//! - `layer`, `batch_norm`: one layer; convolutions are done by Winograd, or lowered to matrix products by im2col.
//! - `loss`: value (mean squared error), policy (cross-entropy) and ownership (mean squared error).
//! - `optimizer`: the update rules ([`Optimizer`]).
//! - `parallel`: deterministic work splitting.
//!
//! Activations are NHWC: position by position, square by square, channel by channel.

mod batch_norm;
mod device;
mod layer;
mod loss;
mod model;
mod native;
mod optimizer;
mod parallel;
mod parameter;
mod trainer;

pub use device::Device;
pub use loss::{Losses, OWNERSHIP_WEIGHT, Sample};
pub use native::NativeTrainer;
pub use optimizer::Optimizer;
pub use trainer::{EVAL_BATCH_SIZE, Trainer, TrainerState};
