//! CPU inference, one position at a time on one thread: a tree search needs latency, not batches.
//!
//! Batch normalization is folded into the convolutions and weights are packed once, when a network is
//! loaded. Convolutions are direct (no im2col) on zero-padded NHWC activations, by a register-blocked
//! microkernel; ReLU and the residual addition are fused into its stores.
//!
//! - `vector`: 16 floats at once: AVX-512, AVX2 with FMA, or portable.
//! - `kernel`: the microkernels.
//! - `conv`, `dense`: the layers: folding, packing, tiling.
//! - `gemm`: matrix products, for training.
//! - `network`: all layers of a network, and a thread's scratch memory.

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

pub(crate) use gemm::{StridedMatrix, gemm};
pub use network::{Evaluator, Network, Output};
pub use peak::fma_peak;
