//! Neural networks: what they see of each game, their files, and how they are evaluated.
//!
//! - [`encode`]: positions as planes of numbers, moves as outputs; one file a game.
//! - [`NetKind`]: `mlp 65-128-64-32-1` or `resnet 6x64`; which tensors such a network has.
//! - [`Weights`]: the tensors with their past, as a safetensors file.
//! - [`Network`] and [`Evaluator`]: the weights made ready for this processor, and one thread's way
//!   to use them.
//! - [`shipped`]: the networks that come with the program.
//! - [`GameNet`]: a network that judges the positions of one game, for searches.
//!
//! Training is not in here: networks are trained elsewhere and come as files.

mod dims;
pub mod encode;
mod error;
mod evaluator;
mod game_net;
mod kind;
mod shipped;
mod tensors;
mod weights;

pub use dims::Dims;
pub use encode::Encoding;
pub use error::NetError;
pub use evaluator::{Evaluator, Left, Network, Output, fma_peak, multiply};
pub use game_net::GameNet;
pub use kind::{NetKind, Resnet, View};
pub use shipped::{ShippedNet, shipped};
pub use tensors::{NORM_EPSILON, TensorPlan, operations, plan};
pub use weights::{Tensor, Weights};

#[cfg(test)]
mod reference;
