//! Training of networks by [burn](https://burn.dev), on processors and graphics cards.
//!
//! - [`BurnNetwork`]: a network as burn evaluates it; what our own evaluator is compared with.
//! - [`BurnTrainer`]: a network that learns, with the losses and optimisers of `tablero_nets::train`.
//! - [`compare`]: how fast both evaluate a network, in the same run.
//! - `net`: the kinds of networks as modules of burn, from and to the tensors of our files.
//! - `loss`: batches of samples as tensors, and how far a network is from them.
//!
//! Everything runs on burn's default device: that of the feature `cuda` or `wgpu`, else the processor.
//! Only this crate depends on burn, which takes minutes to build.

mod compare;
mod device;
mod loss;
mod net;
mod network;
mod trainer;

pub use compare::compare;
pub use device::{device_name, on_threads};
pub use network::{Answers, BurnNetwork};
pub use trainer::BurnTrainer;
