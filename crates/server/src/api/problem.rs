use std::fmt;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tablero_core::ReadError;
use utoipa::ToSchema;

use super::{Localized, OptionValues};

/// Declares the problems: code, parameters, HTTP status and English text of each.
macro_rules! problems {
    ($($name:ident $({ $($field:ident: $type:ident),+ })? = $status:ident $text:tt;)+) => {
        /// An error as data: a code and the parameters of its text. The description of each is the English
        /// text.
        #[derive(Clone, PartialEq, Debug, thiserror::Error, Serialize, Deserialize, ToSchema)]
        #[serde(tag = "code", content = "params", rename_all = "snake_case")]
        #[allow(missing_docs, reason = "the texts explain the parameters")]
        pub enum Problem {
            $(
                #[doc = $text]
                #[error($text)]
                $name $({ $($field: $type),+ })?,
            )+
        }

        impl Problem {
            /// The usual HTTP status.
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
    InvalidMessage { reason: String } = BAD_REQUEST "invalid client message: {reason}";
    NotAWebSocket { reason: String } = BAD_REQUEST "not a WebSocket request: {reason}";
    BinaryMessage = BAD_REQUEST "messages must be text, one JSON object each";
    EndpointNotFound { method: String, path: String } = NOT_FOUND "no endpoint `{method} {path}`; see /api/openapi.json";
    PageNotFound { path: String } = NOT_FOUND "no page `{path}`";
    ReadOnly = METHOD_NOT_ALLOWED "the page is read-only";
    CrossSite = FORBIDDEN "cross-site request refused; open the server's own page";
    UnknownHost = MISDIRECTED_REQUEST "unknown host name; use the server's address, such as 127.0.0.1";
    TokenRequired = UNAUTHORIZED "a token is required: open the URL that the server printed at startup";
    GuestNotPermitted = FORBIDDEN "an invitation opens only its own game";
    BodyTooLarge { max: usize } = PAYLOAD_TOO_LARGE "the body of this request has at most {max} bytes";
    BodyTimeout = REQUEST_TIMEOUT "the body of the request did not arrive in time";
    TooManyConnections = SERVICE_UNAVAILABLE "too many connections; try again later";
    OutOfRange { name: String, value: u64, min: u64, max: u64 } = BAD_REQUEST "{name} is {value}; this server allows {min} to {max}";
    TooManySubscriptions { max: usize } = CONFLICT "at most {max} games can be watched at once";
    TooManySearches { max: usize } = CONFLICT "at most {max} searches can run at once";
    ShuttingDown = SERVICE_UNAVAILABLE "the server is shutting down";
    Internal { reason: String } = INTERNAL_SERVER_ERROR "{reason}";

    // Games and positions
    UnknownGame { name: String, available: Names } = BAD_REQUEST "unknown game `{name}`; available: {available}";
    UnknownRules { game: String, name: String, available: Names } = BAD_REQUEST "{game} has no rules `{name}`; available: {available}";
    UnknownStart { game: String, number: u32 } = BAD_REQUEST "{game} has no start position number {number}";
    WrongGame { found: String, expected: String } = BAD_REQUEST "for {found}, not {expected}";
    InvalidPosition { location: Location, found: Localized, expected: Localized } = BAD_REQUEST "position: {location}: found {found}, expected {expected}";
    InvalidMoveInLine { number: usize, name: String } = BAD_REQUEST "move {number} (`{name}`) is not legal";
    IllegalMove { name: String, legal: Names } = BAD_REQUEST "`{name}` is not a legal move; legal moves: {legal}";
    PositionOrBoard = BAD_REQUEST "give either a position or a board";
    WrongCellCount { found: usize, expected: usize } = BAD_REQUEST "the board has {found} cells, expected {expected}";
    UnknownPiece { letter: String, game: String, first: String, second: String } = BAD_REQUEST "{game} has no piece `{letter}`; there are {first}, {second} and `.`";
    MoveTimeRange = BAD_REQUEST "the time per move must be 100 ms to one day";
    ClockRange = BAD_REQUEST "a clock must start with one second to one day, and add at most one day";

    // The library
    GameNotFound { id: String } = NOT_FOUND "no game `{id}`";
    GameDeleted { id: String } = NOT_FOUND "game `{id}` was deleted";
    GameNotSaved { reason: String } = INTERNAL_SERVER_ERROR "the game could not be saved: {reason}";
    InvalidGameFile { reason: String } = INTERNAL_SERVER_ERROR "invalid game file: {reason}";
    UnsupportedGameFile { found: u32, supported: u32 } = INTERNAL_SERVER_ERROR "the game file has format version {found}; this program supports {supported}";
    CorruptTree { node: u32 } = INTERNAL_SERVER_ERROR "the game's move tree is corrupt at node {node}";
    IllegalStoredMove { node: u32, name: String } = INTERNAL_SERVER_ERROR "the game has an illegal move `{name}` at node {node}";
    LibraryFull { max: usize } = CONFLICT "the library is full ({max} games); delete some first";
    NodeNotFound { node: u32 } = NOT_FOUND "the game has no node {node}";
    GameOver = CONFLICT "the game is over here";
    EngineTurn = CONFLICT "it is the computer's turn; pause the game, or play at another node";
    NothingToUndo = CONFLICT "there is no move to undo";
    NothingToRedo = CONFLICT "there is no move to redo";
    DrawDeclined = CONFLICT "the computer declines the draw";
    DrawOfferTooEarly { plies: u32 } = CONFLICT "the computer considers draws after {plies} moves";
    OfferNeedsOpponent = CONFLICT "there is no opponent to offer a draw to";
    OfferedAlready = CONFLICT "that was offered already; wait for the next move";
    NoOffer = CONFLICT "there is no offer to answer";
    NotYourSeat = FORBIDDEN "that is for the player of this seat";
    RemoteGameRunning = CONFLICT "not while the game with a remote player is going on";
    InvitationNeedsHumans = CONFLICT "only a game between two humans can have an invitation";
    NameTooLong { max: usize } = BAD_REQUEST "a name has at most {max} bytes";
    AgreementNeedsTwoHumans = CONFLICT "only two humans can agree on a draw";
    NoDrawToClaim = CONFLICT "no draw can be claimed in this position";
    TooManyMoves { max: usize } = CONFLICT "a game has at most {max} moves";
    VariationsTooDeep { max: usize } = CONFLICT "variations can be nested at most {max} deep";
    CommentTooLong { max: usize } = BAD_REQUEST "a comment has at most {max} bytes";
    TooManyGlyphs { max: usize } = BAD_REQUEST "a move has at most {max} glyphs";
    CannotDeleteRoot = CONFLICT "the start position cannot be deleted";
    AlreadyMainLine = CONFLICT "the node is on the main line already";
    NoMovesToReview = CONFLICT "the game has no moves to review";

    // The archive
    ArchivedGameNotFound { id: i64 } = NOT_FOUND "no game {id} in the archive";
    ImportNotFound { id: String } = NOT_FOUND "no import `{id}` that waits for files";
    TooManyImportFiles { max: usize } = CONFLICT "an import has at most {max} files";

    // Training
    PuzzleNotFound { id: i64 } = NOT_FOUND "no puzzle {id}";
    PuzzlesBusy = CONFLICT "puzzles are being made already";

    // Files and shared links
    UnknownFormat { name: String, available: Names } = BAD_REQUEST "unknown format `{name}`; available: {available}";
    UnrecognizedFormat { beginning: String, available: Names } = BAD_REQUEST "unrecognized format, starting with `{beginning}`; supported: {available}";
    MalformedFile { format: String, game: String, location: Location, found: Localized, expected: Localized } = BAD_REQUEST "invalid {format} file ({game}): {location}: found {found}, expected {expected}";
    Utf16File = BAD_REQUEST "the text is in UTF-16; convert it to UTF-8 first";
    EmptyFile = BAD_REQUEST "the file has no game or position";
    UnknownCompanion { format: String, extension: String } = BAD_REQUEST "a {format} export has no companion file `{extension}`";
    NotExportable { format: String, reason: String } = CONFLICT "cannot export as {format}: {reason}";
    NothingToExport = CONFLICT "no game matches";
    TooManyExported { max: usize, count: usize } = BAD_REQUEST "at most {max} games fit in one file; choose fewer of the {count}";
    NotEvl { genome: String } = CONFLICT "the .evl format cannot hold genomes of kind `{genome}`";
    InvalidPick { text: String } = BAD_REQUEST "pick must be `all` or numbers like 0,3,7, not `{text}`";
    TooManyImported { max: usize, count: usize } = BAD_REQUEST "at most {max} games can be imported at once; pick fewer of the {count}";
    SharePartsMissing = BAD_REQUEST "incomplete link: expected GAME~RULES~POSITION~MOVES";
    ShareTooLong { max: usize } = BAD_REQUEST "a link has at most {max} bytes";

    // Player lines
    EmptyPlayerLine = BAD_REQUEST "empty player line; try `level intermediate`";
    PlayerLineTooLong { max: usize } = BAD_REQUEST "a player line has at most {max} bytes";
    UnclosedQuote { line: String } = BAD_REQUEST "unclosed quote in `{line}`";
    UnknownPlayerKind { kind: String, available: Names } = BAD_REQUEST "unknown player kind `{kind}`; available: {available}";
    UnknownOption { kind: String, option: String, available: Names } = BAD_REQUEST "`{kind}` has no option `{option}`; available: {available}";
    DuplicateOption { option: String } = BAD_REQUEST "option `{option}` is given twice";
    InvalidOptionValue { option: String, value: String, allowed: OptionValues } = BAD_REQUEST "`{option}={value}`: expected {allowed}";
    UnexpectedWord { kind: String, word: String } = BAD_REQUEST "`{kind}` takes only options like name=value, not `{word}`";
    ProgramNotPermitted { kind: String } = BAD_REQUEST "`{kind}` starts an external engine, which is not allowed on this server";
    MissingProgram { kind: String } = BAD_REQUEST "`{kind}` needs a program: {kind} /usr/games/program";
    ProgramNotFound { program: String } = BAD_REQUEST "no program `{program}`";
    FileNotPermitted { option: String, value: String, available: Names } = BAD_REQUEST "`{option}={value}`: files are not read here; available: {available}";
    OptionValueNotFound { option: String, value: String, available: Names } = BAD_REQUEST "`{option}={value}`: no such name; available: {available}";
    InvalidFile { option: String, value: String, reason: String } = BAD_REQUEST "`{option}={value}`: {reason}";
    MissingLevel { levels: usize, names: Names } = BAD_REQUEST "`level` needs one word: 1 to {levels}, {names}";
    UnknownLevel { game: String, level: String, levels: usize, names: Names } = BAD_REQUEST "{game} has no level `{level}`; available: 1 to {levels}, {names}";
    EvaluationNotReplaceable { line: String } = BAD_REQUEST "`{line}`: expected greedy, minimax or alphabeta, without eval=";
    OutOfMemory { megabytes: usize } = BAD_REQUEST "not enough memory for hash={megabytes}";
    PlayerTooLarge { megabytes: usize, budget: usize } = BAD_REQUEST "this player needs {megabytes} MB for its tables; the server has {budget} MB for all players (tablero serve --memory)";
    PlayersTooLarge { megabytes: usize, budget: usize } = BAD_REQUEST "the players of a game need {megabytes} MB for their tables; the server has {budget} MB for all players (tablero serve --memory)";
    MemoryBusy { budget: usize } = SERVICE_UNAVAILABLE "all {budget} MB of this server's memory for players are in use; try again later";
    SearchLimit { option: String, max: u64 } = BAD_REQUEST "this server allows at most {option}={max}";
    MoveTimeLimit { max_ms: u64 } = BAD_REQUEST "this server allows at most time={max_ms}ms";
    InvalidArtifact { name: String } = BAD_REQUEST "`{name}`: expected job:evolution-1/20/3 (job, generation, rank) or job:learn-1/5 (job, generation)";
    ArtifactOfOtherGame { job: String, found: String, expected: String } = BAD_REQUEST "{job} is for {found}, not for {expected}";
    NoArtifacts { job: String, kind: String } = BAD_REQUEST "{job} is a job of kind `{kind}`, which produces no players";
    PlayerUnavailable { reason: String } = BAD_REQUEST "{reason}";
    NoSearchTree { player: String } = BAD_REQUEST "`{player}` has no search tree to show; use minimax, alphabeta, mcts or puct";
    PlayerFailed { player: String, reason: String } = INTERNAL_SERVER_ERROR "player `{player}` failed: {reason}";

    // Jobs
    JobNotFound { job: String } = NOT_FOUND "no job `{job}`";
    JobBusy { job: String } = CONFLICT "job `{job}` is already running";
    JobRunning { job: String } = CONFLICT "job `{job}` is running; stop it first";
    JobRunningOrFinished { job: String } = CONFLICT "job `{job}` is running or finished";
    JobNotRunHere { job: String } = CONFLICT "job `{job}` is not run by this server";
    ResumeOnCommandLine { job: String, kind: String } = CONFLICT "jobs of kind `{kind}` are resumed on the command line: tablero jobs resume {job}";
    NotAMatch { job: String } = CONFLICT "job `{job}` is not a match or tournament";
    NotAnEvolution { job: String } = CONFLICT "job `{job}` is not an evolution";
    NotALearningRun { job: String } = CONFLICT "job `{job}` is not a learning run";
    JobGameNotFound { job: String, index: usize } = NOT_FOUND "job `{job}` has no game {index}";
    GenerationNotFound { job: String, generation: u64 } = NOT_FOUND "{job} has no generation {generation}";
    TrainingGameNotFound { job: String, generation: usize, index: usize } = NOT_FOUND "{job} has no game {index} in generation {generation}";

    // Matches and tournaments
    PlayerCount { max: usize } = BAD_REQUEST "a match needs two players, a tournament up to {max}";
    SprtNeedsTwoPlayers = BAD_REQUEST "SPRT needs a match of two players";
    SprtBounds { elo0: Number, elo1: Number } = BAD_REQUEST "SPRT needs elo0 < elo1, not {elo0} and {elo1}";
    InvalidOpenings { text: String } = BAD_REQUEST "invalid openings `{text}`; expected start, random=PLIES, book, book=PLIES or balanced";
    NoOpeningBook { game: String } = BAD_REQUEST "{game} has no opening book";
    NoOpenings = BAD_REQUEST "there are no openings";
    OpeningsTooLong { plies: usize } = BAD_REQUEST "every opening of {plies} plies ends the game";
    InvalidClock { text: String } = BAD_REQUEST "invalid clock `{text}`; expected seconds or seconds+increment, such as 10+0.1";

    // Evolutions
    TooManyOpponents { max: usize } = BAD_REQUEST "at most {max} fixed opponents";
    UnknownScheme { name: String, available: Names } = BAD_REQUEST "unknown scheme `{name}`; available: {available}";
    UnknownGenome { game: String, kind: String, available: Names } = BAD_REQUEST "{game} has no genomes of kind `{kind}`; available: {available}";
    WrongGenome { found: String, expected: String } = BAD_REQUEST "the genomes are of kind `{found}`, not `{expected}`";
    UnknownIndividual { number: String, count: usize } = BAD_REQUEST "no individual {number}; there are 1 to {count}";
    TwoInitialPopulations = BAD_REQUEST "give either initial or initial_file";
    VariableLengthGenome { kind: String } = BAD_REQUEST "cmaes needs genomes of fixed length, which `{kind}` are not";
    InvalidGenome { reason: String } = BAD_REQUEST "{reason}";

    // Player files
    NotAPlayerFile { name: String, available: Names } = BAD_REQUEST "`{name}` is not a player file; expected {available}";
    PlayerFileNotFound { file: String } = NOT_FOUND "no player file `{file}`";
    PlayerFileOfOtherGame { file: String, found: String, expected: String } = BAD_REQUEST "{file} is for {found}, not for {expected}";
    TooManyPlayerFiles { max: usize } = CONFLICT "at most {max} player files can be kept; delete some first";
    NoWeights = BAD_REQUEST "no game reads weights files";
    InvalidWeights { reason: String } = BAD_REQUEST "invalid weights file: {reason}";
    InvalidNetworkFile { reason: String } = BAD_REQUEST "invalid network file: {reason}";

    // Experiments
    InvalidPlan { reason: String } = BAD_REQUEST "invalid plan: {reason}";
    UnknownExperiment { name: String, available: Names } = BAD_REQUEST "unknown experiment `{name}`; available: {available}";

    // Learning runs
    InvalidNetwork { text: String } = BAD_REQUEST "invalid network `{text}`; expected `mlp 65-128-64-32-1` or `resnet 6x64`";
    NetworkTooLarge { network: String, parameters: usize, max: usize } = BAD_REQUEST "`{network}` has {parameters} parameters; the limit is {max}";
    NetworkInputs { network: String, game: String, expected: Names } = BAD_REQUEST "`{network}`: networks for {game} have {expected} inputs";
    NetworkOutputs { network: String } = BAD_REQUEST "`{network}`: the last layer must have 1 output, the value";
    UnsupportedNetworkOption { option: String, game: String } = BAD_REQUEST "networks for {game} do not support `{option}`";
    SettingOutOfRange { setting: String, value: Number, min: Number, max: Number } = BAD_REQUEST "{setting} is {value}; expected {min} to {max}";
    SettingNotPositive { setting: String, value: Number, max: Number } = BAD_REQUEST "{setting} is {value}; expected a number above 0, at most {max}";
    SettingTooSmall { setting: String, value: u64, min: u64 } = BAD_REQUEST "{setting} is {value}; expected at least {min}";
    GatingWithoutMatches = BAD_REQUEST "gating needs eval_games above 0 and eval_every 1";
    BackendUnavailable = BAD_REQUEST "this program was built without burn; use the native backend";
}

/// A list of names.
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

/// A number in an error. As text in JSON, which has no NaN and infinity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Number(pub String);

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value.to_string())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a parser stopped in its input.
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

impl From<tablero_core::Location> for Location {
    fn from(location: tablero_core::Location) -> Self {
        // Requests are never that long.
        let short = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        match location {
            tablero_core::Location::Text { line, column } => {
                Self::Text { line: short(line), column: short(column) }
            }
            tablero_core::Location::Byte(byte) => Self::Byte { byte: short(byte) },
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Text { line, column } => {
                tablero_core::Location::Text { line: line as usize, column: column as usize }.fmt(f)
            }
            Self::Byte { byte } => tablero_core::Location::Byte(byte as usize).fmt(f),
        }
    }
}

impl Problem {
    /// An invalid position.
    pub(crate) fn position(ReadError { location, found, expected }: ReadError) -> Self {
        let (location, found) = (location.into(), found.into());
        Self::InvalidPosition { location, found, expected: expected.into() }
    }

    /// `name` is not one of the legal moves.
    pub(crate) fn illegal_move(name: &str, legal: &[String]) -> Self {
        const MAX_SHOWN: usize = 12;
        let shown = legal.iter().take(MAX_SHOWN).map(String::as_str);
        let more = (legal.len() > MAX_SHOWN).then_some("…");
        Self::IllegalMove { name: name.into(), legal: shown.chain(more).collect() }
    }

    /// Checks that a number is in a range, both ends included.
    pub(crate) fn check_range(name: &str, value: u64, min: u64, max: u64) -> Result<(), Self> {
        let error = || Self::OutOfRange { name: name.into(), value, min, max };
        if (min..=max).contains(&value) { Ok(()) } else { Err(error()) }
    }
}

/// An error: its code with parameters, and its English text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// Code and parameters.
    #[serde(flatten)]
    pub problem: Problem,
    /// The English text.
    pub message: String,
}

impl From<Problem> for ErrorBody {
    fn from(problem: Problem) -> Self {
        Self { message: problem.to_string(), problem }
    }
}
