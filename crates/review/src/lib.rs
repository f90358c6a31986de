//! Game review: the loss of every move, its verdict (inaccuracy, mistake, blunder) and the accuracy of each
//! side.
//!
//! A [`Reviewer`] searches every position of a [`Record`](tablero_core::Record) with some player and compares
//! the score before each move with the score after it. In games with a margin the loss is measured in its unit
//! (discs); otherwise in expected score, by the game's [`WdlModel`](tablero_core::WdlModel).
//! A [`Comparer`] compares two players in every position: where they disagree, and who is right.
//! [`Review::annotate`] writes scores, glyphs and better lines into the record.
//!
//! ```
//! use tablero_core::{AnyGame, AnyRecord, ErasedPlayer, Limits, Tactics};
//! use tablero_review::{Reviewer, Verdict};
//! use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
//! use tablero_tictactoe::TicTacToe;
//!
//! // The reply on the edge loses.
//! let tictactoe = AnyGame::of::<TicTacToe>();
//! let game = tictactoe.parse_history("start moves a1 b1", tictactoe.default_rules())?;
//! let evaluation = TicTacToe::evaluations()[0].hand_tuned();
//! let player = AlphaBeta::new(AlphaBetaOptions::for_game::<TicTacToe>(), evaluation);
//! let mut player = ErasedPlayer::new(Box::new(player));
//! let limits = Limits { depth: Some(9), ..Limits::default() };
//! let review = Reviewer::new(&mut player, limits).review(&AnyRecord::from_history(&game), |_| true)?;
//! assert_eq!(review.unwrap().moves[1].verdict, Verdict::Blunder);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotate;
mod compare;
mod reviewer;
mod summary;
mod verdict;

pub use compare::{Choice, ComparedPosition, Comparer, Comparison, Judged};
pub use reviewer::{Progress, Review, ReviewError, Reviewer};
pub use summary::{
    ChoiceSummary, ComparedSummary, ComparisonSummary, JudgedSummary, MoveSummary, ReviewSummary,
};
pub use verdict::{Loss, MoveReview, Verdict};
