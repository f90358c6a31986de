//! What every game of Tablero has in common, and nothing of any one game.
//!
//! - [`Game`]: the rules of a game, as searches and learners see them. A position is a small value
//!   without history.
//! - [`Notation`]: how a game's positions and moves are written and drawn.
//! - [`Match`]: a game under way: undo, repetition, draws that depend on how the game went.
//! - [`Record`]: a game as it is kept in a file; [`pgn`] reads and writes it as text.
//! - [`ForMover`], [`ForFirst`]: points of view, so that a score of the wrong side does not compile.
//! - [`Player`]: who chooses moves, bounded by [`Limits`]; [`Evaluation`] and [`Tactics`]: what a
//!   search knows about a game beyond its rules.
//! - [`PolicyValue`] and [`Simulation`]: who tells a tree search what a new position is worth.
//! - [`conformance`]: the one suite of checks that every game passes.

mod chances;
mod checksum;
pub mod conformance;
mod defaults;
mod diagram;
mod dialect;
mod encoding;
mod erased;
mod error;
mod evaluation;
mod features;
mod formats;
mod game;
mod guidance;
mod levels;
mod matches;
mod memory;
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
mod side;
mod tactics;
mod time;
mod transposition;

pub use chances::Chances;
pub use checksum::checksum;
pub use defaults::{BookLine, Defaults, EvolutionDefaults, LearningDefaults, ShippedFile};
pub use diagram::{Cell, Diagram, Ground, Piece};
pub use dialect::{Protocol, UciDialect};
pub use encoding::{Encoding, write_bitboard};
pub use erased::{
    AnyChoice, AnyControl, AnyGame, AnyInfo, AnyMatch, AnyMove, AnyPlayer, AnyPly, AnyPosition,
    AnyRecord, AnyRules, ErasedPlayer, NoSuchRules, Playable, PositionError, TypedPlayer,
};
pub use error::{Place, ReadError};
pub use evaluation::{Evaluation, EvaluationKind, Weight};
pub use features::{Features, MAX_FEATURES};
pub use formats::{
    FileFormat, Formats, Input, OpenError, Opened, Output, WriteError, Written, erase_records,
    last_position, lenient_text, open, open_as, typed_records,
};
pub use game::{Game, GameInfo, GameType, HistoryRules, Notation, Rules, StandardRules};
pub use guidance::{PolicyValue, Simulation};
pub use levels::{Level, Levels};
pub use matches::{IllegalMove, Match};
pub use memory::{
    LargeTable, keep_freed_memory, machine_memory, return_large_tables, trim_freed_memory,
};
pub use outcome::{Draw, DrawReason, Ending, GameEnd, Outcome, Wdl};
pub use perft::{perft, perft_distinct, perft_parallel};
pub use player::{Choice, Clock, Control, Info, Limits, Line, Player, PlayerError};
pub use players::{
    Built, OptionInfo, OptionValues, Permissions, PlayerKind, PlayerKinds, PlayerLine,
    PlayerLineError, PlayerSetup, level_line, parse_duration,
};
pub use playout::random_playout;
pub use pov::{ForFirst, ForMover};
pub use presentation::{
    BoardSetup, Colour, Illustration, Localized, MoveShape, PiecePresentation, PieceShape,
    Presentable, Presentation, Push, SidePresentation, Step, Variant,
};
pub use record::{Ply, Record, Value};
pub use rng::Rng;
pub use scan::Scanner;
pub use side::Side;
pub use tactics::{Selectivity, Tactics};
pub use time::{TimeManager, TimePolicy};
pub use transposition::{LazyTable, TableEntry, TableKey, TranspositionTable};
