use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Cell, ErrorBody, Side};

/// Version and limits of the server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct About {
    /// The program's build: version, commit, processor features.
    pub version: String,
    /// Date of its commit, `YYYY-MM-DD`; empty if unknown.
    pub date: String,
    /// Whether player lines may start external engines (`uci`, `nboard`, `gtp`).
    pub allows_engines: bool,
    /// Limits of a single search.
    pub limits: SearchLimits,
    /// Whether the caller may do everything; guests have only the games that they were invited to.
    pub is_owner: bool,
    /// The page's URL for other machines, ending in `/`; null if they cannot reach the server.
    pub shared_url: Option<String>,
}

/// Limits of a single search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct SearchLimits {
    /// Threads.
    pub threads: usize,
    /// Hash size in megabytes.
    pub hash_mb: usize,
    /// Time for an engine's move, in milliseconds.
    pub move_ms: u64,
    /// Time for an analysis of one position, in milliseconds.
    pub analysis_ms: u64,
    /// Principal variations of an analysis.
    pub multipv: usize,
    /// Concurrent searches; others are queued.
    pub searches: usize,
}

/// A text in the languages of the page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Localized {
    /// English.
    pub en: String,
    /// Spanish.
    pub es: String,
}

/// Displayed in English.
impl fmt::Display for Localized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.en)
    }
}

/// A game, with what the page needs to show it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameKind {
    /// Its name in requests: `othello`.
    pub name: String,
    /// Its display name.
    pub title: Localized,
    /// What it is about, in one line.
    pub lead: Localized,
    /// The sides, the first player's first.
    pub sides: [SideKind; 2],
    /// The unit of a result's margin (`discs`); null if there is only win, draw and loss.
    pub margin: Option<String>,
    /// The constant sum of both sides' final scores, so that a margin of 6 is 35–29; null if there is none.
    pub score_sum: Option<u32>,
    /// The unit of engine scores: `discs`, `pawns`, `stones`, `points`.
    pub unit: String,
    /// Decimals of displayed scores.
    pub decimals: u8,
    /// The name of the pieces, if they are counted next to the players.
    pub counted: Option<Localized>,
    /// The name of a win on the board, if it has one: checkmate.
    pub win: Option<Localized>,
    /// Prompts for each click of a move, if it takes several.
    pub steps: Vec<Localized>,
    /// Whether positions have castling rights and en passant squares.
    pub castling: bool,
    /// The rules variants, the default first.
    pub rules: Vec<Variant>,
    /// File formats.
    pub formats: Vec<FormatInfo>,
    /// The board.
    pub board: BoardKind,
    /// The default player line for analyses and reviews.
    pub analyst: String,
}

/// A side of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct SideKind {
    /// Its name in files: `black`.
    pub name: String,
    /// Its display name.
    pub title: Localized,
    /// Its colour.
    pub colour: Colour,
}

/// The colour of a side's pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Colour {
    /// Black.
    Black,
    /// White.
    White,
    /// Blue.
    Blue,
    /// Orange.
    Orange,
    /// Red.
    Red,
    /// Yellow.
    Yellow,
}

/// A rules variant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Variant {
    /// Its name in requests.
    pub name: String,
    /// Its display name.
    pub title: Localized,
    /// The number of numbered start positions (Chess960 has 960), counted from 0; 0 if there are none.
    pub starts: u32,
}

/// A board.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct BoardKind {
    /// Names of the columns, from the left.
    pub columns: Vec<String>,
    /// Names of the rows, from the top.
    pub rows: Vec<String>,
    /// The size of the separate boards that the board consists of (4 for Shōbu's four).
    pub split: Option<usize>,
    /// One character per cell: `d` dark, `l` light, `p` plain.
    pub grounds: String,
    /// The custom drawing that the page may have; otherwise a plain grid.
    pub drawing: Option<String>,
    /// Whether pieces drop into columns, so that any cell of a column stands for its move.
    pub drops: bool,
    /// The pieces, each side's default one first.
    pub pieces: Vec<PieceKind>,
    /// The cells of the start position.
    pub start: String,
    /// The cells of a characteristic position.
    pub example: String,
}

/// A piece.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PieceKind {
    /// Its side.
    pub side: Side,
    /// Its character in `Node.cells`.
    pub letter: String,
    /// Its display name.
    pub name: Localized,
    /// How it is drawn, in the colour of its side.
    pub shape: PieceShape,
}

/// How a piece is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PieceShape {
    /// A disc with a face for each side.
    Disc,
    /// A pebble.
    Stone,
    /// An X.
    Cross,
    /// An O.
    Ring,
    /// A pawn of chess.
    Pawn,
    /// A knight.
    Knight,
    /// A bishop.
    Bishop,
    /// A rook.
    Rook,
    /// A queen.
    Queen,
    /// A king.
    King,
}

/// A file format.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct FormatInfo {
    /// Its name in requests.
    pub name: String,
    /// Its file extensions, the default first.
    pub extensions: Vec<String>,
    /// A description in English.
    pub about: String,
}

/// A language.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Spanish.
    Es,
}

/// The language of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LanguageQuery {
    /// `en` or `es`.
    pub lang: Language,
}

/// The rules of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct RulesText {
    /// In order.
    pub paragraphs: Vec<RulesParagraph>,
}

/// A paragraph of the rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct RulesParagraph {
    /// Plain text on one line.
    pub text: String,
    /// A board that illustrates it.
    pub illustration: Option<Illustration>,
}

/// A board with something marked on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Illustration {
    /// The cells, as in `Node.cells`.
    pub cells: String,
    /// Cells to highlight.
    pub marks: Vec<Cell>,
    /// Arrows to draw: from, to.
    pub arrows: Vec<[Cell; 2]>,
    /// Target cells of moves.
    pub dots: Vec<Cell>,
}

/// The players of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Players {
    /// Players of measured strength, weakest first.
    pub levels: Vec<LevelInfo>,
    /// Names of some of the levels: `easy`, `intermediate`, `hard`.
    pub named: Vec<NamedLevel>,
    /// Player kinds and their options.
    pub kinds: Vec<PlayerKindInfo>,
}

/// A player of measured strength.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LevelInfo {
    /// The player line: `level 3`.
    pub player: String,
    /// The line that it is an alias of.
    pub alias_of: String,
    /// Measured Elo relative to level 1.
    pub elo: i32,
    /// Elo on the game's public scale, where it was measured; otherwise as `elo`.
    pub rating: i32,
    /// What it is for people, if that is known.
    pub strength: Option<Strength>,
}

/// How strong a player is compared with people.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// Has just learned the rules.
    Beginner,
    /// Has played some games.
    Novice,
    /// Plays now and then.
    Casual,
    /// Plays often.
    Regular,
    /// Plays in a club.
    Club,
    /// Among the best of a club.
    StrongClub,
    /// Wins tournaments.
    Expert,
    /// As strong as the best people.
    Master,
    /// Stronger than any person.
    Superhuman,
    /// Never makes a mistake.
    Perfect,
}

/// A level with a name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct NamedLevel {
    /// `easy`, `intermediate`, `hard`.
    pub name: String,
    /// The player line: `level easy`.
    pub player: String,
    /// The line that it is an alias of: `level 2`.
    pub alias_of: String,
}

/// A player kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlayerKindInfo {
    /// The first word of its lines.
    pub name: String,
    /// What it does.
    pub about: Localized,
    /// The words that it needs besides options, if any.
    pub words: Option<String>,
    /// Whether it starts an external engine, which servers deny by default.
    pub starts_program: bool,
    /// Its options.
    pub options: Vec<OptionInfo>,
}

/// An option of a player kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct OptionInfo {
    /// The name before the equals sign.
    pub name: String,
    /// The values that it takes.
    pub values: OptionValues,
    /// Its default; empty if there is none.
    pub default: String,
    /// What it means.
    pub about: Localized,
}

/// The values that an option takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OptionValues {
    /// An integer.
    Integer {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// A real number.
    Number {
        /// The minimum.
        min: f64,
        /// The maximum.
        max: f64,
    },
    /// A time: `100ms`, `1.5s`, `2m`.
    Duration,
    /// One of these words.
    Choice {
        /// The words.
        values: Vec<String>,
    },
}

impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { min, max } => write!(f, "an integer from {min} to {max}"),
            Self::Number { min, max } => write!(f, "a number from {min} to {max}"),
            Self::Duration => f.write_str("a time like 100ms, 1.5s or 2m"),
            Self::Choice { values } => f.write_str(&values.join(", ")),
        }
    }
}

/// A player line to check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayerCheck {
    /// The line.
    pub player: String,
}

/// Whether a player line is valid.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlayerChecked {
    /// Its error; null if it is valid.
    pub problem: Option<ErrorBody>,
}

/// A position to check: text in any notation, or a board that was set up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    /// The rules variant; the default if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The position as text, optionally followed by `moves ...`.
    #[serde(default)]
    pub position: Option<String>,
    /// Or the board.
    #[serde(default)]
    pub board: Option<BoardSetup>,
}

/// A board that was set up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardSetup {
    /// The cells, as in `Node.cells`.
    pub cells: String,
    /// The side to move.
    pub turn: Side,
    /// In chess, the castling rights as in a FEN: `KQkq`, `-`; all that king and rooks on their home
    /// squares allow if left out.
    #[serde(default)]
    pub castling: Option<String>,
    /// In chess, the en passant target square: `e3`.
    #[serde(default)]
    pub en_passant: Option<String>,
}

/// A line of play from a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LineRequest {
    /// The rules variant; the default if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The position as text; the default start if left out.
    #[serde(default)]
    pub position: Option<String>,
    /// Moves from there, in any notation of the game.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// The position at the end of a line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LineView {
    /// The position, as in a game; its id is 0.
    pub node: super::Node,
    /// The legal moves; empty if the game is over.
    pub moves: Vec<super::LegalMove>,
}

/// The result of checking a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PositionChecked {
    /// Its error; null if it is valid.
    pub problem: Option<ErrorBody>,
    /// The position as text, if it is valid.
    pub position: Option<String>,
    /// Its cells, if it is valid.
    pub cells: Option<String>,
    /// The side to move.
    pub turn: Option<Side>,
    /// Whether the game is over in this (valid) position.
    pub is_over: bool,
    /// In chess, the cell of the king in check.
    pub check: Option<Cell>,
}
