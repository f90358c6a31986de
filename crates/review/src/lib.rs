//! Reviews of played games: what every move lost, which ones were mistakes, how accurately each side
//! played.
//!
//! ```
//! use tablero_core::{Limits, Match, Notation, Record};
//! use tablero_review::{Reviewer, Verdict};
//! use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
//! use tablero_tictactoe::TicTacToe;
//! # use tablero_core::{Game, Tactics};
//!
//! // Corner, edge: the second move loses.
//! let mut game = Match::new(TicTacToe::start(Default::default()));
//! for text in ["a1", "b1"] {
//!     game.play(game.position().parse_move(text)?).unwrap();
//! }
//! let evaluation = TicTacToe::evaluations()[0].by_hand();
//! let mut player = AlphaBeta::new(AlphaBetaOptions::of::<TicTacToe>(), evaluation);
//! let limits = Limits { depth: Some(9), ..Limits::default() };
//! let review = Reviewer::new(&mut player, limits).review(&Record::of_match(&game), |_| true)?;
//! assert_eq!(review.unwrap().moves[1].verdict, Verdict::Blunder);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotate;
mod judge;
mod reviewer;

pub use judge::{Judgement, Loss, Verdict};
pub use reviewer::{Progress, Review, ReviewError, Reviewer};
