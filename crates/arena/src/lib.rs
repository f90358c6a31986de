//! Games between players, and what they say about strength.
//!
//! - [`play_game`] referees one game: limits and clocks, forfeits, adjudication.
//! - [`Openings`] gives every pair of games a start of its own; each is played with both colours.
//! - [`SeriesRequest`] makes a [`Series`], what is to be played and how, of what people ask for.
//! - [`run_match`] and [`run_tournament`] play many games, several at once, with the same result for
//!   any number of threads; [`run_match_job`] and [`run_tournament_job`] keep them in a folder, to be
//!   stopped and resumed.
//! - [`stats`] turns results into Elo with error bars, tests and ratings.
//!
//! Players are made from lines of text by a [`Factory`], so that this crate knows no game and no
//! player.
//!
//! ```
//! use tablero_arena::{Factory, MatchConfig, Series, run_match};
//! use tablero_core::{
//!     AnyChoice, AnyControl, AnyGame, AnyInfo, AnyMatch, AnyPlayer, AnyPosition, Limits, Player,
//!     PlayerError,
//! };
//! use tablero_jobs::{Runner, Stop, Threads};
//! use tablero_tictactoe::TicTacToe;
//!
//! /// Takes the first free square, or the last.
//! struct Simple { last: bool }
//!
//! impl Player<AnyPosition> for Simple {
//!     fn choose(
//!         &mut self,
//!         game: &AnyMatch,
//!         _: &Limits,
//!         _: &mut AnyControl<'_>,
//!     ) -> Result<AnyChoice, PlayerError> {
//!         let moves = game.moves();
//!         let m = if self.last { moves.last() } else { moves.first() };
//!         Ok(AnyChoice { m: *m.ok_or(PlayerError::GameOver)?, info: AnyInfo::default() })
//!     }
//!     fn new_game(&mut self, _seed: u64) {}
//! }
//!
//! let make = |line: &str| match line {
//!     "first" | "last" => Ok(Box::new(Simple { last: line == "last" }) as Box<AnyPlayer>),
//!     _ => Err(format!("no player `{line}`")),
//! };
//! let factory = Factory { game: AnyGame::of::<TicTacToe>(), make: &make };
//! let config = MatchConfig {
//!     players: ["first".into(), "last".into()],
//!     series: Series { games: 20, ..Series::usual(factory.game, 1) },
//!     sprt: None,
//! };
//! let (threads, stop) = (Threads::all_cores(), Stop::default());
//! let mut runner = Runner::new(&threads, &stop);
//! let result = run_match(&config, factory, &mut runner, &mut ())?;
//! assert_eq!(result.summary.games, 20);
//! # Ok::<(), tablero_arena::ArenaError>(())
//! ```

mod adjudicate;
mod conditions;
mod crosstable;
mod error;
mod game;
mod job;
mod matches;
mod openings;
mod pair;
mod request;
mod series;
pub mod stats;
mod tournament;
mod watcher;

pub use conditions::{ClockRules, Conditions, DrawRule, ResignRule};
pub use crosstable::Table;
pub use error::ArenaError;
pub use game::{Played, play_game};
pub use job::{MATCH, TOURNAMENT, run_match_job, run_tournament_job};
pub use matches::{Fault, MatchConfig, MatchEnd, MatchResult, MatchSummary, run_match};
pub use openings::{Balance, Openings};
pub use pair::{Factory, GameOutput, GameText, MakePlayer, PairOutput, PairTask, PairWork};
pub use request::{OPENING_JUDGE, SeriesRequest};
pub use series::Series;
pub use tournament::{
    Cell, PlayerSummary, TournamentConfig, TournamentResult, TournamentSummary, run_tournament,
};
pub use watcher::{FinishedGame, Watcher};
