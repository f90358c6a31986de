//! Matches between players: games, openings, SPRT, tournaments, ratings.
//!
//! - [`play_game`] plays one game: limits, clocks, forfeits, adjudication.
//! - [`Openings`] gives every pair of games its own opening; each is played with both colours.
//! - [`MatchRequest`] turns a user's request into [`MatchSettings`].
//! - [`run_match`] and [`run_tournament`] (round robin) play pairs in parallel; the result is the same for
//!   any number of threads. [`run_match_job`] and [`run_tournament_job`] log the games in a job's folder
//!   and can be cancelled and resumed.
//! - [`stats`] has pentanomial Elo, likelihood of superiority, SPRT and ratings.
//!
//! A [`Factory`] builds players from player lines, so this crate depends on no game and no player.
//!
//! ```
//! use tablero_arena::{Factory, MatchConfig, MatchSettings, run_match};
//! use tablero_core::{
//!     AnySearchResult, AnyControl, AnyGame, AnyInfo, AnyGameHistory, AnyPlayer, AnyPosition, Limits, Player,
//!     PlayerError, PlayerLineError,
//! };
//! use tablero_jobs::{Runner, CancellationToken, Threads};
//! use tablero_tictactoe::TicTacToe;
//!
//! /// Takes the first free square, or the last.
//! struct Simple { last: bool }
//!
//! impl Player<AnyPosition> for Simple {
//!     fn choose(
//!         &mut self,
//!         game: &AnyGameHistory,
//!         _: &Limits,
//!         _: &mut AnyControl<'_>,
//!     ) -> Result<AnySearchResult, PlayerError> {
//!         let moves = game.moves();
//!         let m = if self.last { moves.last() } else { moves.first() };
//!         Ok(AnySearchResult { m: *m.ok_or(PlayerError::GameOver)?, info: AnyInfo::default() })
//!     }
//!     fn new_game(&mut self, _seed: u64) {}
//! }
//!
//! let make = |line: &str| match line {
//!     "first" | "last" => Ok(Box::new(Simple { last: line == "last" }) as Box<AnyPlayer>),
//!     _ => Err(PlayerLineError::Other(format!("no player `{line}`"))),
//! };
//! let factory = Factory { game: AnyGame::of::<TicTacToe>(), make: &make };
//! let config = MatchConfig {
//!     players: ["first".into(), "last".into()],
//!     settings: MatchSettings { games: 20, ..MatchSettings::default_for(factory.game, 1) },
//!     sprt: None,
//! };
//! let (threads, stop) = (Threads::all_cores(), CancellationToken::default());
//! let mut runner = Runner::new(&threads, &stop);
//! let result = run_match(&config, factory, &mut runner, &mut ())?;
//! assert_eq!(result.summary.games, 20);
//! # Ok::<(), tablero_arena::ArenaError>(())
//! ```

mod adjudicate;
mod balance;
mod conditions;
mod crosstable;
mod error;
mod game;
mod job;
mod matches;
mod openings;
mod pair;
mod pool;
mod request;
mod settings;
pub mod stats;
mod tournament;
mod watcher;

pub use balance::OPENING_EVALUATOR;
pub use conditions::{Conditions, DrawAdjudication, ResignAdjudication, TimeControl};
pub use crosstable::TextTable;
pub use error::{ArenaError, OpeningsError, TimeControlError};
pub use game::{PlayedGame, play_game};
pub use job::{MATCH, TOURNAMENT, run_match_job, run_tournament_job};
pub use matches::{Fault, MatchConfig, MatchEnd, MatchResult, MatchSummary, run_match};
pub use openings::{BalanceFilter, Openings};
pub use pair::{Factory, GameOutput, GameText, MakePlayer, PairOutput, PairTask, PairWork};
pub use pool::{OverBudget, PlayerPool, Reservation};
pub use request::MatchRequest;
pub use settings::MatchSettings;
pub use tournament::{
    Cell, PlayerSummary, TournamentConfig, TournamentResult, TournamentSummary, run_tournament,
};
pub use watcher::{FinishedGame, Watcher};
