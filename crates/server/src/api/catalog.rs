use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Cell, ErrorBody, Side};

/// What the server is and allows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct About {
    /// The program's version.
    pub version: String,
    /// Whether player lines may start other programs (`uci`, `nboard`, `gtp`).
    pub allows_engines: bool,
    /// Bounds of a single search.
    pub limits: SearchLimits,
}

/// Bounds of a single search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct SearchLimits {
    /// Threads.
    pub threads: usize,
    /// Megabytes.
    pub hash_mb: usize,
    /// Time for a machine's move, in milliseconds.
    pub move_ms: u64,
    /// Time for an analysis of one position, in milliseconds.
    pub analysis_ms: u64,
    /// Best lines.
    pub lines: usize,
    /// Searches that run at the same time; others wait for their turn.
    pub searches: usize,
}

/// A text in the languages that the page speaks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Localized {
    /// English.
    pub en: String,
    /// Spanish.
    pub es: String,
}

/// A game that can be played, with all that a page needs to show it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameKind {
    /// Its name in requests: `othello`.
    pub name: String,
    /// Its name for people.
    pub title: Localized,
    /// What it is about, in one line.
    pub lead: Localized,
    /// The sides, the first player's first.
    pub sides: [SideKind; 2],
    /// What the margin of a result counts (`discs`); null if there is only win, draw and loss.
    pub margin: Option<String>,
    /// What both sides' scores sum to, so that a margin of 6 is 35–29; null if they do not.
    pub score_sum: Option<u32>,
    /// What values count: `discs`, `pawns`, `stones`, `points`.
    pub unit: String,
    /// Decimals that values are shown with.
    pub decimals: u8,
    /// What each side's pieces on the board are called where they are counted beside the players.
    pub counted: Option<Localized>,
    /// How one wins by playing, where that has a name: checkmate.
    pub win: Option<Localized>,
    /// What each click of a move chooses, where that has to be said.
    pub steps: Vec<Localized>,
    /// Set-ups may give castling rights and en passant squares.
    pub castling: bool,
    /// The rules variants, the usual one first.
    pub rules: Vec<RulesKind>,
    /// File formats.
    pub formats: Vec<FormatInfo>,
    /// The board.
    pub board: BoardKind,
    /// The player line that analyses and reviews.
    pub analyst: String,
}

/// A side of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct SideKind {
    /// Its name in the program: `black`.
    pub name: String,
    /// Its name for people.
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
pub struct RulesKind {
    /// Its name in requests.
    pub name: String,
    /// Its name for people.
    pub title: Localized,
    /// How many numbered starts there are to choose from, 0 to one less; 0 if there are none.
    pub starts: u32,
}

/// What a board looks like.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct BoardKind {
    /// Names of the columns, from the left.
    pub columns: Vec<String>,
    /// Names of the rows, from the top.
    pub rows: Vec<String>,
    /// The board falls apart into boards of so many columns and rows (Shōbu's four).
    pub split: Option<usize>,
    /// For each cell `d` dark, `l` light or `p` plain, one character each.
    pub grounds: String,
    /// A drawing of its own that the page may have; otherwise a plain grid.
    pub drawing: Option<String>,
    /// Pieces drop into columns: any cell stands for the move in its column.
    pub drops: bool,
    /// The pieces, each side's usual one before its others.
    pub pieces: Vec<PieceKind>,
    /// The cells of the usual start.
    pub start: String,
    /// The cells of a position that shows what the game is about.
    pub example: String,
}

/// A piece.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PieceKind {
    /// Whose.
    pub side: Side,
    /// Its character in `Node.cells`.
    pub letter: String,
    /// What it is called.
    pub name: Localized,
    /// How it is drawn, in the colour of its side.
    pub shape: PieceShape,
}

/// How a piece is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PieceShape {
    /// A flat disc with a face for each side.
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
    /// Extensions of such files, the usual one first.
    pub extensions: Vec<String>,
    /// What it holds, in a sentence.
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

/// In which language.
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
    /// A board that shows it.
    pub illustration: Option<Illustration>,
}

/// A board with something marked on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Illustration {
    /// What stands on each cell, as in `Node.cells`.
    pub cells: String,
    /// Cells to highlight.
    pub marks: Vec<Cell>,
    /// Moves to draw: from, to.
    pub arrows: Vec<[Cell; 2]>,
    /// Cells where one may move.
    pub dots: Vec<Cell>,
}

/// Who can play a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Players {
    /// Players of measured strength, the weakest first.
    pub levels: Vec<LevelInfo>,
    /// Names for some of the levels: `easy`, `intermediate`, `hard`.
    pub named: Vec<NamedLevel>,
    /// Kinds of players with their options.
    pub kinds: Vec<KindInfo>,
}

/// A player of measured strength.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LevelInfo {
    /// The player line: `level 3`.
    pub player: String,
    /// The line that it stands for.
    pub stands_for: String,
    /// Measured Elo, level 1 being 0.
    pub elo: i32,
    /// Elo on the scale that players of the game use, where one was measured; otherwise as `elo`.
    pub rating: i32,
}

/// A level with a name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct NamedLevel {
    /// `easy`, `intermediate`, `hard`.
    pub name: String,
    /// The player line: `level easy`.
    pub player: String,
    /// The line that it stands for: `level 2`.
    pub stands_for: String,
}

/// A kind of player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct KindInfo {
    /// The first word of its lines.
    pub name: String,
    /// What it does.
    pub about: String,
    /// The words that it needs beside options, if it takes any.
    pub words: Option<String>,
    /// Whether it starts another program, which servers allow only when told to.
    pub starts_program: bool,
    /// Its options.
    pub options: Vec<OptionInfo>,
}

/// An option of a kind of player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct OptionInfo {
    /// The name before the equals sign.
    pub name: String,
    /// What may stand after it.
    pub values: OptionValues,
    /// What holds if it is left out; empty if nothing does.
    pub default: String,
    /// What it means.
    pub about: String,
}

/// The values that an option takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OptionValues {
    /// A whole number.
    Integer {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// Any number.
    Number {
        /// The least.
        min: f64,
        /// The most.
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

/// A player line to check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayerCheck {
    /// The line.
    pub player: String,
}

/// Whether a player line is right.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlayerChecked {
    /// What is wrong with it; null if nothing is.
    pub problem: Option<ErrorBody>,
}

/// A position to check: text in any notation, or what was set up on a board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    /// The rules variant; the usual one if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The position as text, with `moves ...` after it if you like.
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
    /// What stands on each cell, as in `Node.cells`.
    pub cells: String,
    /// Who is to move.
    pub turn: Side,
    /// In chess, the castling rights as in a FEN: `KQkq`, `-`; those that king and rooks on their
    /// first squares allow if left out.
    #[serde(default)]
    pub castling: Option<String>,
    /// In chess, the name of the square behind a pawn that can be taken en passant: `e3`.
    #[serde(default)]
    pub en_passant: Option<String>,
}

/// A position that was checked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PositionChecked {
    /// What is wrong; null if games can start from it.
    pub problem: Option<ErrorBody>,
    /// The position as text, if it is right.
    pub position: Option<String>,
    /// Its cells, if it is right.
    pub cells: Option<String>,
    /// Who is to move.
    pub turn: Option<Side>,
    /// The game is over in this position already: right, but there is nothing to play.
    pub is_over: bool,
    /// In chess, the cell of the king in check.
    pub check: Option<Cell>,
}
