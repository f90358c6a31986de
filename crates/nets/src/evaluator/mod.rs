//! CPU inference on one thread. A tree search needs latency: one position alone is nearly as cheap as in a batch.
//!
//! Batch normalization is folded into the convolutions and weights are packed once, when a network is
//! loaded. Convolutions work on zero-padded NHWC activations, by Winograd's minimal filtering where channels are whole
//! vectors, else directly (no im2col), with one register-blocked microkernel; ReLU and the residual addition are
//! fused into the stores.
//!
//! - `vector`: 16 floats at once: AVX-512, AVX2 with FMA, or portable.
//! - `kernel`: the microkernels.
//! - `conv`, `winograd`, `dense`: the layers: folding, packing, tiling.
//! - `gemm`, `board_conv`: matrix products and Winograd convolutions, for training.
//! - `network`: all layers of a network, and a thread's scratch memory.

mod board_conv;
mod buffer;
mod conv;
mod dense;
mod gemm;
mod kernel;
mod network;
mod peak;
#[cfg(test)]
mod tests;
mod vector;
mod winograd;

pub(crate) use board_conv::BoardShape;
pub(crate) use gemm::{StridedMatrix, gemm};
pub use network::{Evaluator, Network, Output};
pub use peak::fma_peak;
