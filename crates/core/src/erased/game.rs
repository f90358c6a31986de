use std::fmt;
use std::hash::{Hash, Hasher};

use thiserror::Error;

use super::object::{Facts, GameObject, Playable, Typed};
use super::{AnyGameHistory, AnyPosition};
use crate::{
    BoardSetup, BookLine, EvolutionDefaults, FileFormat, GameInfo, LearningDefaults, Level, Piece,
    Presentation, Protocol, ReadError, ShippedFile, Strength, WdlModel,
};

/// A game chosen at run time. Handles are equal if the games' names are.
///
/// ```
/// use tablero_core::AnyGame;
/// use tablero_tictactoe::TicTacToe;
///
/// let game = AnyGame::of::<TicTacToe>();
/// let history = game.parse_history("start moves b2 a1", game.default_rules())?;
/// assert_eq!(game.name(), "tictactoe");
/// assert_eq!(history.position().position_text(), "x o.. .x. ...");
/// assert!(history.position().downcast_ref::<TicTacToe>().is_some());
/// # Ok::<(), tablero_core::PositionError>(())
/// ```
#[derive(Clone, Copy)]
pub struct AnyGame(&'static dyn GameObject);

/// A rules variant of an [`AnyGame`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AnyRules {
    game: AnyGame,
    index: usize,
}

/// A rules variant that the game does not have.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{game} has no rules `{requested}`; there are {}", known.join(", "))]
pub struct UnknownRules {
    /// The game.
    pub game: &'static str,
    /// The requested name.
    pub requested: String,
    /// The variants of the game.
    pub known: Vec<&'static str>,
}

/// Why a position with moves, as typed by a user, cannot be parsed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// The position is invalid.
    #[error("position: {0}")]
    Position(ReadError),
    /// A move after `moves` is invalid.
    #[error("move {number} after `moves`: {error}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// Its error.
        error: ReadError,
    },
}

impl AnyGame {
    /// The game with positions of type `G`.
    pub const fn of<G: Playable>() -> Self {
        Self(const { &Typed::<G>::NEW })
    }

    /// Its constants.
    pub fn info(self) -> &'static GameInfo {
        self.0.info()
    }

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The standard rules.
    pub const fn default_rules(self) -> AnyRules {
        AnyRules { game: self, index: 0 }
    }

    /// All rules variants, the standard one first.
    pub fn all_rules(self) -> Vec<AnyRules> {
        let count = self.0.rules_names().len();
        (0..count).map(|index| AnyRules { game: self, index }).collect()
    }

    /// The rules variant of that name.
    pub fn rules(self, name: &str) -> Result<AnyRules, UnknownRules> {
        let index = self.0.rules_from_name(name).ok_or_else(|| UnknownRules {
            game: self.name(),
            requested: name.into(),
            known: self.0.rules_names(),
        })?;
        Ok(AnyRules { game: self, index })
    }

    /// The rules variant of that name, or the standard one without a name.
    pub fn rules_or_default(self, name: Option<&str>) -> Result<AnyRules, UnknownRules> {
        name.map_or(Ok(self.default_rules()), |name| self.rules(name))
    }

    /// The starting position by the standard rules.
    pub fn start(self) -> AnyPosition {
        self.default_rules().start()
    }

    /// Parses `start` (or `startpos`) or a position in any notation of the game, optionally followed by
    /// `moves` and moves.
    pub fn parse_history(
        self,
        text: &str,
        rules: AnyRules,
    ) -> Result<AnyGameHistory, PositionError> {
        let (position, moves) = split_moves(text);
        let start = match position.trim() {
            "start" | "startpos" | "" => rules.start(),
            position => rules.parse_position(position).map_err(PositionError::Position)?,
        };
        let mut game = AnyGameHistory::new(start);
        for (number, word) in (1..).zip(moves.split_whitespace()) {
            let at_move = |error| PositionError::Move { number, error };
            let m = game.position().parse_move(word).map_err(at_move)?;
            game.play_on(m).map_err(|_| at_move(ReadError::at(word, 0, "a legal move")))?;
        }
        Ok(game)
    }

    /// The file formats; the first is the default for writing.
    pub fn formats(self) -> Vec<FileFormat> {
        self.0.formats()
    }

    fn facts(self) -> Facts {
        self.0.facts()
    }

    /// See [`Levels::LADDER`](crate::Levels::LADDER).
    pub fn ladder(self) -> &'static [Level] {
        self.facts().ladder
    }

    /// The rating of a level on the game's own scale.
    pub fn rating(self, level: &Level) -> u32 {
        level.rating(self.facts().level_one)
    }

    /// See [`Levels::STRENGTHS`](crate::Levels::STRENGTHS).
    pub fn strengths(self) -> &'static [Strength] {
        self.facts().strengths
    }

    /// See [`Levels::ANALYST`](crate::Levels::ANALYST).
    pub fn analyst(self) -> &'static str {
        self.facts().analyst
    }

    /// See [`Levels::NAMED`](crate::Levels::NAMED).
    pub fn named_levels(self) -> [(&'static str, &'static str); 3] {
        self.facts().named_levels
    }

    /// See [`Tactics::WDL_MODEL`](crate::Tactics::WDL_MODEL).
    pub fn wdl_model(self) -> WdlModel {
        self.facts().wdl_model
    }

    /// See [`Defaults::OPENING_PLIES`](crate::Defaults::OPENING_PLIES).
    pub fn opening_plies(self) -> usize {
        self.facts().opening_plies
    }

    /// See [`Defaults::BOOK`](crate::Defaults::BOOK).
    pub fn book(self) -> &'static [BookLine] {
        self.facts().book
    }

    /// See [`Defaults::OPENINGS`](crate::Defaults::OPENINGS).
    pub fn openings(self) -> &'static [BookLine] {
        self.facts().openings
    }

    /// See [`Defaults::EVOLUTION`](crate::Defaults::EVOLUTION).
    pub fn evolution_defaults(self) -> EvolutionDefaults {
        self.facts().evolution
    }

    /// See [`Defaults::LEARNING`](crate::Defaults::LEARNING).
    pub fn learning_defaults(self) -> LearningDefaults {
        self.facts().learning
    }

    /// See [`Defaults::SHIPPED_GENOMES`](crate::Defaults::SHIPPED_GENOMES).
    pub fn shipped_genomes(self) -> &'static [ShippedFile] {
        self.facts().shipped_genomes
    }

    /// See [`Defaults::SHIPPED_NNUE`](crate::Defaults::SHIPPED_NNUE).
    pub fn shipped_nnue(self) -> &'static [ShippedFile] {
        self.facts().shipped_nnue
    }

    /// See [`Defaults::SHIPPED_NETS`](crate::Defaults::SHIPPED_NETS).
    pub fn shipped_nets(self) -> &'static [ShippedFile] {
        self.facts().shipped_nets
    }

    /// See [`Defaults::SIGNATURE_DEPTH`](crate::Defaults::SIGNATURE_DEPTH).
    pub fn signature_depth(self) -> u32 {
        self.facts().signature_depth
    }

    /// See [`Defaults::PERFT_DEPTH`](crate::Defaults::PERFT_DEPTH).
    pub fn perft_depth(self) -> Option<u32> {
        self.facts().perft_depth
    }

    /// See [`Defaults::MARGIN_TOTAL`](crate::Defaults::MARGIN_TOTAL).
    pub fn margin_total(self) -> Option<u32> {
        self.facts().margin_total
    }

    /// See [`UciDialect::PROTOCOLS`](crate::UciDialect::PROTOCOLS).
    pub fn protocols(self) -> &'static [Protocol] {
        self.facts().protocols
    }

    /// See [`UciDialect::variant_options`](crate::UciDialect::variant_options).
    pub fn uci_variant_options(self) -> Vec<String> {
        self.0.uci_variant_options()
    }

    /// See [`UciDialect::rules_from_option`](crate::UciDialect::rules_from_option).
    pub fn uci_rules_from_option(self, name: &str, value: &str) -> Option<AnyRules> {
        let index = self.0.uci_rules_from_option(name, value)?;
        Some(AnyRules { game: self, index })
    }
}

/// Presentation; see [`Presentable`](crate::Presentable).
impl AnyGame {
    /// See [`Presentable::PRESENTATION`](crate::Presentable::PRESENTATION).
    pub fn presentation(self) -> &'static Presentation {
        self.0.presentation()
    }

    /// The unit of scores: discs, pawns.
    pub fn unit(self) -> &'static str {
        self.0.unit()
    }

    /// The letter of a piece.
    pub fn letter(self, piece: Piece) -> char {
        self.0.letter(piece)
    }

    /// A numbered starting position.
    pub fn numbered_start(self, number: u32) -> Option<AnyPosition> {
        self.0.numbered_start(number)
    }

    /// The text of a position from the board editor.
    pub fn position_text_of(self, setup: &BoardSetup<'_>) -> String {
        self.0.position_text_of(setup)
    }
}

impl AnyRules {
    pub(super) const fn new(game: AnyGame, index: usize) -> Self {
        Self { game, index }
    }

    /// The game.
    pub const fn game(self) -> AnyGame {
        self.game
    }

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        self.game.0.rules_names().get(self.index).copied().unwrap_or_default()
    }

    /// Whether this is the standard variant.
    pub const fn is_default(self) -> bool {
        self.index == 0
    }

    /// The starting position.
    pub fn start(self) -> AnyPosition {
        self.game.0.start(self.index)
    }

    /// Parses a position, to be played by these rules.
    pub fn parse_position(self, text: &str) -> Result<AnyPosition, ReadError> {
        self.game.0.parse_position(text, self.index)
    }

    /// See [`UciDialect::option_for_rules`](crate::UciDialect::option_for_rules).
    pub fn uci_option(self) -> Option<(&'static str, &'static str)> {
        self.game.0.uci_option_for_rules(self.index)
    }
}

/// The text before and after the word `moves`.
fn split_moves(text: &str) -> (&str, &str) {
    let is_word = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at + "moves".len()..].chars().next();
        before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace)
    };
    match text.match_indices("moves").find(|(at, _)| is_word(*at)) {
        Some((at, word)) => (&text[..at], &text[at + word.len()..]),
        None => (text, ""),
    }
}

impl PartialEq for AnyGame {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for AnyGame {}

impl Hash for AnyGame {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for AnyRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.game, self.name())
    }
}

impl fmt::Display for AnyRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
