//! Neural networks for board games: encodings, files, inference and training.
//!
//! A game implements [`Encoding`]: a position becomes planes of floats, a move one or two policy indices. A
//! [`NetKind`] names an architecture, such as `resnet 6x64`; [`Weights`] are its tensors with their provenance,
//! stored as safetensors. [`Network`] folds and packs the weights for this processor, and each thread runs it
//! through an [`Evaluator`]; [`GameNet`] is the evaluation function that tree searches use. [`train`] has the
//! backward pass, losses and optimizers.
//!
//! # Example
//! Initializes a small network for tic-tac-toe and evaluates the starting position:
//! ```
//! use tablero_core::{Game, PolicyValue, StandardRules};
//! use tablero_nets::{EncodingSpec, GameNet, Weights};
//! use tablero_tictactoe::TicTacToe;
//!
//! let spec = EncodingSpec::of::<TicTacToe>();
//! let weights = Weights::random("resnet 1x8".parse()?, &spec, 1)?;
//! let mut net = GameNet::<TicTacToe>::new(&weights)?;
//!
//! let start = TicTacToe::start(StandardRules);
//! let moves = start.moves();
//! let mut priors = vec![0.0; moves.len()];
//! let value = net.evaluate(&start, 0, &moves, &mut priors);
//! assert!(value.0.abs() <= 1.0);
//! assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
//! # Ok::<(), tablero_nets::NetError>(())
//! ```

mod cached_net;
mod encoding_spec;
mod error;
mod evaluator;
mod files;
mod game_net;
mod kind;
pub mod nnue;
mod safetensors;
mod tensors;
pub mod train;
mod weights;

pub use cached_net::{CachedNet, NetworkUse};
pub use encoding_spec::EncodingSpec;
pub use error::{NetError, NetKindError};
pub(crate) use evaluator::{BoardShape, StridedMatrix, gemm};
pub use evaluator::{Evaluator, Network, Output, fma_peak};
pub use files::NetFormat;
pub use game_net::{GameNet, RawEvaluation};
pub use kind::{Mlp, NetKind, Resnet, View};
pub use tensors::{NORM_EPSILON, TensorSpec, flops, tensor_specs};
pub use weights::{Tensor, Weights};

pub use tablero_core::Encoding;

#[cfg(test)]
mod reference;
