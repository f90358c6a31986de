//! Reviews of played games: what every move lost, which ones were mistakes, how accurately each side
//! played.
//!
//! ```
//! use tablero_core::{AnyGame, AnyRecord, ErasedPlayer, Limits, Tactics};
//! use tablero_review::{Reviewer, Verdict};
//! use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
//! use tablero_tictactoe::TicTacToe;
//!
//! // Corner, edge: the second move loses.
//! let tictactoe = AnyGame::of::<TicTacToe>();
//! let game = tictactoe.parse_match("start moves a1 b1", tictactoe.default_rules())?;
//! let evaluation = TicTacToe::evaluations()[0].by_hand();
//! let player = AlphaBeta::new(AlphaBetaOptions::of::<TicTacToe>(), evaluation);
//! let mut player = ErasedPlayer::new(Box::new(player));
//! let limits = Limits { depth: Some(9), ..Limits::default() };
//! let review = Reviewer::new(&mut player, limits).review(&AnyRecord::of_match(&game), |_| true)?;
//! assert_eq!(review.unwrap().moves[1].verdict, Verdict::Blunder);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotate;
mod judge;
mod reviewer;

pub use judge::{Judgement, Loss, Verdict};
pub use reviewer::{Progress, Review, ReviewError, Reviewer};
