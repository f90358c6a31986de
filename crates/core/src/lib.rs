//! The traits and types that all games, players and file formats of Tablero share; no particular game.
//!
//! - [`Game`] is the rules of a game. The implementing type is a *position*, a small value without
//!   history: it generates moves, plays them and knows when the game is over. [`Notation`] adds text
//!   and diagrams, and a dozen further traits, most of them defaulted, add what the program offers
//!   for a game (search heuristics, network encoding, file formats, levels). A type with all of them
//!   is [`Playable`].
//! - [`GameHistory`] is a game in progress: positions and moves since the start, undo and redo, draws
//!   by repetition or length.
//! - [`Record`] is a game in a file: players, moves, comments, variations, result. [`pgn`] reads and
//!   writes it as text; [`open`] detects any format of any game.
//! - [`Player`] chooses moves within [`Limits`] and reports what it finds: a search, an external
//!   engine. On the command line and in files a player is a line of text ([`PlayerLine`]).
//! - [`Evaluation`] is a static evaluation function, which explains itself term by term ([`Explanation`]);
//!   [`Tactics`] holds what else a search knows about a
//!   game. [`PolicyValue`] and [`Simulation`] evaluate the leaves of a tree search.
//! - [`ForMover`] and [`ForFirst`] mark a score's point of view, so that mixing them up does not
//!   compile.
//! - [`AnyGame`], [`AnyPosition`] and friends are the same for a game chosen at run time.
//!
//! ```
//! use tablero_core::{
//!     Control, Evaluation, Game, GameHistory, Info, Limits, Notation, Player, PlayerError, Record,
//!     Rng, SearchResult, Side, StandardRules, Tactics, pgn,
//! };
//! use tablero_tictactoe::TicTacToe;
//!
//! // A position is a value; rules are methods on it.
//! let start = TicTacToe::start(StandardRules);
//! assert_eq!((start.side(), start.moves().len()), (Side::First, 9));
//!
//! // An evaluation scores a position for the side to move.
//! let evaluation = TicTacToe::evaluations()[0].hand_tuned();
//! let centre = start.after(start.parse_move("b2")?);
//! assert!(evaluation.evaluate(&centre).0 < 0, "the opponent holds the centre");
//!
//! // A player chooses a move in a game in progress.
//! struct RandomPlayer(Rng);
//! impl<G: Game> Player<G> for RandomPlayer {
//!     fn choose(
//!         &mut self,
//!         game: &GameHistory<G>,
//!         _: &Limits,
//!         _: &mut Control<'_, G>,
//!     ) -> Result<SearchResult<G>, PlayerError> {
//!         let m = game.position().random_move(&mut self.0).ok_or(PlayerError::GameOver)?;
//!         Ok(SearchResult { m, info: Info::default() })
//!     }
//!     fn new_game(&mut self, seed: u64) {
//!         self.0 = Rng::seeded(seed);
//!     }
//! }
//!
//! let mut player = RandomPlayer(Rng::seeded(1));
//! let mut game = GameHistory::new(start);
//! while game.end().is_none() {
//!     let (stop, mut report) = (false.into(), |_: &Info<TicTacToe>| {});
//!     let mut control = Control::new(&stop, &mut report);
//!     let found = player.choose(&game, &Limits::default(), &mut control)?;
//!     game.play(found.m)?;
//! }
//!
//! // A record is the finished game, ready for a file.
//! let record = Record::from_history(&game);
//! assert_eq!(record.plies.len(), game.plies());
//! assert!(pgn::write(&record.erase()).contains("[Game \"tictactoe\"]"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To add a game, implement these traits and run [`conformance::check`], which tests the whole
//! contract on random games.

mod checksum;
pub mod conformance;
mod defaults;
mod diagram;
mod dialect;
mod encoding;
mod erased;
mod error;
mod evaluation;
mod explanation;
mod features;
mod file;
mod formats;
mod game;
mod history;
mod leaf_evaluation;
mod levels;
mod localized;
mod lru;
mod memory;
mod openings;
mod outcome;
mod perft;
pub mod pgn;
mod player;
mod players;
mod playout;
mod pov;
mod presentation;
mod record;
mod rng;
mod sampling;
mod scan;
mod search_tree;
mod side;
mod sparse_inputs;
mod tactics;
mod threads;
mod time;
mod trace;
mod transposition;
mod wdl_model;

pub use checksum::checksum;
pub use defaults::{BookLine, Defaults, EvolutionDefaults, LearningDefaults, ShippedFile};
pub use diagram::{Cell, Diagram, Ground, Piece};
pub use dialect::{Protocol, UciDialect};
pub use encoding::{Encoding, write_bitboard};
pub use erased::{
    AnyControl, AnyGame, AnyGameHistory, AnyInfo, AnyMove, AnyPlayer, AnyPly, AnyPosition,
    AnyRecord, AnyRules, AnySearchResult, ErasedPlayer, Playable, PositionError, TypedPlayer,
    UnknownRules,
};
pub use error::{Location, ReadError, excerpt};
pub use evaluation::{Evaluation, EvaluationKind, IncrementalEvaluation, Weight};
pub use explanation::{
    Explanation, NetworkView, Plane, RatedMove, Term, TermCell, ValueUnit, removal_terms,
};
pub use features::{Features, MAX_FEATURES};
pub use file::{check_no_device, read_bounded, read_to_limit};
pub use formats::{
    FileFormat, Formats, Input, MAX_GAME_FILE_BYTES, NoSuchGame, OpenError, OpenResult, Output,
    Records, SkippedGame, Visitor, WriteError, WriteResult, detect, is_utf16, last_position,
    lenient_text, open, open_as, read_lines, strip_bom, typed_records, visit_all, visit_typed,
};
pub use game::{Game, GameInfo, GameType, HistoryRules, Notation, Rules, StandardRules};
pub use history::{GameHistory, IllegalMove};
pub use leaf_evaluation::{LeafRequest, PolicyValue, Simulation};
pub use levels::{Level, Levels, Strength};
pub use localized::{Localized, LocalizedString};
pub use lru::{LruCache, SharedCache};
pub use memory::{
    LargeTable, keep_freed_memory, machine_memory, player_budget, return_large_tables,
    trim_freed_memory,
};
pub use openings::{Opening, Openings};
pub use outcome::{Draw, DrawReason, Ending, GameEnd, Outcome, Wdl};
pub use perft::{perft, perft_distinct, perft_parallel};
pub use player::{Clock, Control, Info, Limits, Player, PlayerError, Pv, SearchResult};
pub use players::{
    BuildResult, OptionInfo, OptionValues, Permissions, PlayerKind, PlayerKinds, PlayerLine,
    PlayerLineError, PlayerSetup, level_line, parse_duration, tree_mb,
};
pub use playout::random_playout;
pub use pov::{ForFirst, ForMover};
pub use presentation::{
    BoardSetup, Colour, Illustration, MoveShape, PiecePresentation, PieceShape, Presentable,
    Presentation, Push, SidePresentation, Step, Variant,
};
pub use record::{Ply, Record, Value};
pub use rng::Rng;
pub use scan::Scanner;
pub use search_tree::{
    BestFirstNode, Bound, Choice, ChoiceReason, Cut, DepthFirstNode, FullWidth, Growth, Iteration,
    Leaf, Numbers, Proven, Purpose, Recording, SearchTree, TreeNode, TreeStep, TreeSteps,
    TreeSummary,
};
pub use side::Side;
pub use sparse_inputs::{MAX_WINDOW, NO_FEATURE, SparseInputs, ternary};
pub use tactics::{CORRECTION_KEYS, Selectivity, Tactics};
pub use threads::{in_parallel, max_threads, spawn_helper};
pub use time::{TimeManager, TimePolicy};
pub use trace::{Canonical, Trace, TracedPosition};
pub use transposition::{LazyTable, TableEntry, TableKey, TranspositionTable};
pub use wdl_model::WdlModel;
