//! Neural networks: what they see of each game, their files, inference and training.
//!
//! - [`Encoding`]: positions as planes of numbers, moves as outputs; each game has its own.
//! - [`NetKind`]: `mlp 65-128-64-32-1` or `resnet 6x64`; which tensors such a network has.
//! - [`Weights`]: the tensors with their past, as a safetensors file.
//! - [`Network`] and [`Evaluator`]: the weights made ready for this processor, and one thread's way
//!   to use them.
//! - [`GameNet`]: a network that judges the positions of one game, for searches.
//! - [`train`]: gradients, losses and optimisers; the same weights for any number of threads.

mod dims;
mod error;
mod evaluator;
mod game_net;
mod kind;
mod tensors;
pub mod train;
mod weights;

pub use dims::Dims;
pub use error::NetError;
pub use evaluator::{Evaluator, Left, Network, Output, fma_peak, multiply};
pub use game_net::GameNet;
pub use kind::{NetKind, Resnet, View};
pub use tensors::{NORM_EPSILON, TensorPlan, operations, plan};
pub use weights::{Tensor, Weights};

pub use tablero_core::Encoding;

#[cfg(test)]
mod reference;
