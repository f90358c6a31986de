//! Networks as this program evaluates them: normalisations folded into the convolutions, weights in
//! the order in which the processor wants them, one position at a time on one thread.
//!
//! - `vector`: 16 numbers at once: AVX-512, AVX2 with FMA, or portable.
//! - `kernel`: the loops that do nearly all of the work.
//! - `conv`, `dense`: layers made of them; folding and packing.
//! - `network`: all layers of a network, and one thread's memory.

mod buffer;
mod conv;
mod dense;
mod kernel;
mod matmul;
mod network;
mod peak;
#[cfg(test)]
mod tests;
mod vector;

pub use matmul::{Left, multiply};
pub use network::{Evaluator, Network, Output};
pub use peak::fma_peak;
