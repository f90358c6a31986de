use std::fmt;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tablero_core::{Place, ReadError};
use utoipa::ToSchema;

/// The problems: name, parameters, status and English text of each, in one place.
macro_rules! problems {
    ($($name:ident $({ $($field:ident: $type:ident),+ })? = $status:ident $text:tt;)+) => {
        /// What can go wrong: a code, and parameters that the text of the code is made from. The
        /// description of each is its text in English.
        #[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize, ToSchema)]
        #[serde(tag = "code", content = "params", rename_all = "snake_case")]
        #[allow(missing_docs, reason = "the texts say what the parameters are")]
        pub enum Problem {
            $(
                #[doc = $text]
                #[error($text)]
                $name $({ $($field: $type),+ })?,
            )+
        }

        impl Problem {
            /// The status that an answer usually has because of it.
            pub const fn status(&self) -> StatusCode {
                match self {
                    $(Self::$name { .. } => StatusCode::$status,)+
                }
            }
        }
    };
}

problems! {
    // Requests
    InvalidRequest { reason: String } = BAD_REQUEST "{reason}";
    InvalidMessage { reason: String } = BAD_REQUEST "not a client message: {reason}";
    NotAWebSocket { reason: String } = BAD_REQUEST "this is a WebSocket: {reason}";
    BinaryMessage = BAD_REQUEST "messages are text: one JSON object each";
    NoSuchEndpoint { method: String, path: String } = NOT_FOUND "there is no `{method} {path}`; see /api/openapi.json";
    NoSuchPage { path: String } = NOT_FOUND "there is no `{path}`";
    ReadOnly = METHOD_NOT_ALLOWED "the page can only be read";
    CrossSite = FORBIDDEN "this request comes from another page; open the server's own";
    WrongHost = MISDIRECTED_REQUEST "the server is not called that; use its address, such as 127.0.0.1";
    TokenNeeded = UNAUTHORIZED "open the address that the server printed when it started: it has the token";
    OutOfRange { name: String, asked: u64, least: u64, most: u64 } = BAD_REQUEST "{name} is {asked}; this server allows {least} to {most}";
    TooManyWatched { most: usize } = CONFLICT "one can watch {most} games at once";
    TooManySearches { most: usize } = CONFLICT "one can run {most} searches at once";
    Stopping = SERVICE_UNAVAILABLE "the server is stopping";
    Internal { reason: String } = INTERNAL_SERVER_ERROR "{reason}";

    // Games and positions
    NoSuchGame { asked: String, known: Names } = BAD_REQUEST "no game `{asked}`; there are {known}";
    NoSuchRules { game: String, asked: String, known: Names } = BAD_REQUEST "{game} has no rules `{asked}`; there are {known}";
    NoSuchStart { game: String, number: u32 } = BAD_REQUEST "{game} has no start number {number}";
    InvalidPosition { location: Location, found: String, expected: String } = BAD_REQUEST "position: {location}: found {found}, expected {expected}";
    InvalidMoveOfLine { number: usize, name: String, location: Location, found: String, expected: String } = BAD_REQUEST "move {number} (`{name}`): {location}: found {found}, expected {expected}";
    IllegalMove { name: String, location: Location, found: String, expected: String } = BAD_REQUEST "{location}: found {found}, expected {expected}";
    PositionOrBoard = BAD_REQUEST "give either a position or a board";
    WrongCellCount { found: usize, expected: usize } = BAD_REQUEST "the board has {found} cells, expected {expected}";
    NoSuchPiece { letter: String, game: String, first: String, second: String } = BAD_REQUEST "`{letter}` is no piece of {game}; there are {first}, {second} and `.`";
    MoveTimeRange = BAD_REQUEST "the time for a move is 100 ms to a day";
    ClockRange = BAD_REQUEST "a clock starts with one second to a day, and adds up to a day";

    // Games of the library
    GameNotFound { id: String } = NOT_FOUND "there is no game `{id}`";
    GameDeleted { id: String } = NOT_FOUND "the game `{id}` was deleted";
    GameNotKept { reason: String } = INTERNAL_SERVER_ERROR "the game could not be kept: {reason}";
    InvalidGame { reason: String } = BAD_REQUEST "{reason}";
    LibraryFull { most: usize } = CONFLICT "the library has {most} games; delete some first";
    NodeNotFound { node: u32 } = NOT_FOUND "the game has no node {node}";
    GameOver = CONFLICT "the game is over here";
    MachinesTurn = CONFLICT "it is a machine's turn; pause the game, or play at another node";
    NothingToUndo = CONFLICT "there is no move to take back";
    NothingToRedo = CONFLICT "there is no move to play again";
    AgreementNeedsTwoPeople = CONFLICT "only two people can agree on a draw";
    NoDrawToClaim = CONFLICT "there is no draw to claim in this position";
    TooManyMoves { most: usize } = CONFLICT "a game has at most {most} moves";
    VariationsTooDeep { most: usize } = CONFLICT "variations are at most {most} deep";
    CommentTooLong { most: usize } = BAD_REQUEST "a remark has at most {most} bytes";
    TooManyGlyphs { most: usize } = BAD_REQUEST "a move has at most {most} glyphs";
    StartCannotBeDeleted = CONFLICT "the start cannot be deleted";
    AlreadyMainLine = CONFLICT "the node is on the main line already, there is nothing to promote";
    NoMovesToReview = CONFLICT "the game has no moves to review";

    // Files and shared text
    NoSuchFormat { asked: String, known: Names } = BAD_REQUEST "no format `{asked}`; there are {known}";
    UnknownFormat { beginning: String, known: Names } = BAD_REQUEST "the format is not known: it begins with `{beginning}`; there are {known}";
    DamagedFile { format: String, game: String, location: Location, found: String, expected: String } = BAD_REQUEST "invalid {format} file of {game}: {location}: found {found}, expected {expected}";
    EmptyFile = BAD_REQUEST "there is no game or position in it";
    NoSuchCompanion { format: String, extension: String } = BAD_REQUEST "a {format} file has no file beside it called `{extension}`";
    NotExportable { reason: String } = CONFLICT "{reason}";
    InvalidPick { asked: String } = BAD_REQUEST "pick is `all` or numbers like 0,3,7, not `{asked}`";
    TooManyImported { most: usize, count: usize } = BAD_REQUEST "at most {most} games are imported at once, pick fewer of the {count}";
    SharePartsMissing = BAD_REQUEST "shared text has four parts, GAME~RULES~POSITION~MOVES; a part of it is missing";
    ShareTooLong { most: usize } = BAD_REQUEST "shared text has at most {most} bytes";

    // Players
    InvalidPlayer { player: String, reason: String } = BAD_REQUEST "{reason}";
    PlayerLineTooLong { most: usize } = BAD_REQUEST "a player line has at most {most} bytes";
    SearchLimit { option: String, most: u64 } = BAD_REQUEST "this server gives a search {option}={most} at most";
    MoveTimeLimit { most_ms: u64 } = BAD_REQUEST "this server gives a move time={most_ms}ms at most";
    PlayerFailed { player: String, reason: String } = INTERNAL_SERVER_ERROR "{reason}";

    // Jobs
    JobNotFound { job: String } = NOT_FOUND "there is no job `{job}`";
    JobBusy { job: String } = CONFLICT "job `{job}` is already running";
    JobRunning { job: String } = CONFLICT "job `{job}` is running; stop it first";
    JobRunningOrFinished { job: String } = CONFLICT "job `{job}` is running or finished";
    JobNotRunHere { job: String } = CONFLICT "job `{job}` is not run by this server";
    JobOfCommandLine { job: String, kind: String } = CONFLICT "jobs of kind `{kind}` are resumed on the command line: tablero jobs resume {job}";
    NotAMatch { job: String } = CONFLICT "job `{job}` plays no games";
    NotAnEvolution { job: String } = CONFLICT "job `{job}` is not an evolution";
    NotALearningRun { job: String } = CONFLICT "job `{job}` is not a learning run";
    JobGameNotFound { job: String, index: usize } = NOT_FOUND "job `{job}` has no game {index}";
    GenerationNotFound { job: String, generation: u64 } = NOT_FOUND "{job} has no generation {generation}";
    LessonNotFound { job: String, generation: usize, index: usize } = NOT_FOUND "{job} has no game {index} of generation {generation}";
    PlayerCount { most: usize } = BAD_REQUEST "a match needs two players, a tournament up to {most}";
    TestNeedsTwoPlayers = BAD_REQUEST "only a match of two players can be a test";
    InvalidTest { reason: String } = BAD_REQUEST "{reason}";
    InvalidOpenings { reason: String } = BAD_REQUEST "{reason}";
    InvalidClock { reason: String } = BAD_REQUEST "{reason}";
    InvalidMatch { reason: String } = BAD_REQUEST "{reason}";
    TooManyOpponents { most: usize } = BAD_REQUEST "there are {most} fixed opponents at most";
    InvalidEvolution { reason: String } = BAD_REQUEST "{reason}";
    InvalidLearningRun { reason: String } = BAD_REQUEST "{reason}";
}

/// Names to choose from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Names(pub Vec<String>);

impl<T: Into<String>> FromIterator<T> for Names {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

/// Where in its input a reader stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Location {
    /// In text.
    Text {
        /// Line, from 1.
        line: u32,
        /// Column, from 1, in characters.
        column: u32,
    },
    /// In a binary file.
    Byte {
        /// The byte's offset, from 0.
        byte: u32,
    },
}

impl From<Place> for Location {
    fn from(place: Place) -> Self {
        // What people send is never that long.
        let short = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        match place {
            Place::Text { line, column } => Self::Text { line: short(line), column: short(column) },
            Place::Byte(byte) => Self::Byte { byte: short(byte) },
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Text { line, column } => {
                Place::Text { line: line as usize, column: column as usize }.fmt(f)
            }
            Self::Byte { byte } => Place::Byte(byte as usize).fmt(f),
        }
    }
}

impl Problem {
    /// A position that cannot be read.
    pub(crate) fn position(ReadError { place, found, expected }: ReadError) -> Self {
        Self::InvalidPosition { location: place.into(), found, expected }
    }

    /// Move `number` of a line cannot be played.
    pub(crate) fn move_of_line(number: usize, name: &str, error: ReadError) -> Self {
        let ReadError { place, found, expected } = error;
        let (name, location) = (name.into(), place.into());
        Self::InvalidMoveOfLine { number, name, location, found, expected }
    }

    /// A move that cannot be played.
    pub(crate) fn illegal_move(name: &str, error: ReadError) -> Self {
        let ReadError { place, found, expected } = error;
        Self::IllegalMove { name: name.into(), location: place.into(), found, expected }
    }

    /// A player line that is wrong.
    pub(crate) fn player(player: &str, reason: impl fmt::Display) -> Self {
        Self::InvalidPlayer { player: player.into(), reason: reason.to_string() }
    }

    /// A number that is more or less than allowed, unless it is within.
    pub(crate) fn check_range(name: &str, asked: u64, least: u64, most: u64) -> Result<(), Self> {
        let wrong = || Self::OutOfRange { name: name.into(), asked, least, most };
        if (least..=most).contains(&asked) { Ok(()) } else { Err(wrong()) }
    }
}

/// What went wrong, as code with parameters and as a sentence that says what would be right.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// What it is.
    #[serde(flatten)]
    pub problem: Problem,
    /// In English.
    pub message: String,
}

impl From<Problem> for ErrorBody {
    fn from(problem: Problem) -> Self {
        Self { message: problem.to_string(), problem }
    }
}
