use std::fmt;
use std::hash::{Hash, Hasher};

use thiserror::Error;

use super::object::{Facts, GameObject, Playable, Typed};
use super::{AnyMatch, AnyPosition};
use crate::{
    BoardSetup, BookLine, Chances, EvolutionDefaults, FileFormat, GameInfo, LearningDefaults,
    Level, Piece, Presentation, Protocol, ReadError, ShippedFile,
};

/// A game chosen at run time. Equal handles are games of the same name.
#[derive(Clone, Copy)]
pub struct AnyGame(&'static dyn GameObject);

/// Rules of an [`AnyGame`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AnyRules {
    game: AnyGame,
    index: usize,
}

/// Rules that a game does not have.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{game} has no rules `{asked}`; there are {}", known.join(", "))]
pub struct NoSuchRules {
    /// The game.
    pub game: &'static str,
    /// What was asked for.
    pub asked: String,
    /// The rules that it has.
    pub known: Vec<&'static str>,
}

/// A position, given as people type it, that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// The position itself.
    #[error("position: {0}")]
    Position(ReadError),
    /// A move after `moves`.
    #[error("move {number} after `moves`: {error}")]
    Move {
        /// Which one, from 1.
        number: usize,
        /// What is wrong with it.
        error: ReadError,
    },
}

impl AnyGame {
    /// The game with positions of type `G`.
    pub const fn of<G: Playable>() -> Self {
        Self(const { &Typed::<G>::NEW })
    }

    /// The facts about it.
    pub fn info(self) -> &'static GameInfo {
        self.0.info()
    }

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The usual rules.
    pub const fn default_rules(self) -> AnyRules {
        AnyRules { game: self, index: 0 }
    }

    /// All rules, the usual ones first.
    pub fn all_rules(self) -> Vec<AnyRules> {
        let count = self.0.rules_names().len();
        (0..count).map(|index| AnyRules { game: self, index }).collect()
    }

    /// The rules of that name.
    pub fn rules(self, name: &str) -> Result<AnyRules, NoSuchRules> {
        let index = self.0.rules_from_name(name).ok_or_else(|| NoSuchRules {
            game: self.name(),
            asked: name.into(),
            known: self.0.rules_names(),
        })?;
        Ok(AnyRules { game: self, index })
    }

    /// The rules of that name, or the usual ones if there is none.
    pub fn rules_or_default(self, name: Option<&str>) -> Result<AnyRules, NoSuchRules> {
        name.map_or(Ok(self.default_rules()), |name| self.rules(name))
    }

    /// The usual start by the usual rules.
    pub fn start(self) -> AnyPosition {
        self.default_rules().start()
    }

    /// The match that `text` describes: `start` (or `startpos`) or a position in any notation of the
    /// game, then, optionally, `moves` and moves.
    pub fn parse_match(self, text: &str, rules: AnyRules) -> Result<AnyMatch, PositionError> {
        let (position, moves) = split_moves(text);
        let start = match position.trim() {
            "start" | "startpos" | "" => rules.start(),
            position => rules.parse_position(position).map_err(PositionError::Position)?,
        };
        let mut game = AnyMatch::new(start);
        for (number, word) in (1..).zip(moves.split_whitespace()) {
            let at_move = |error| PositionError::Move { number, error };
            let m = game.position().parse_move(word).map_err(at_move)?;
            game.play_on(m).map_err(|_| at_move(ReadError::at(word, 0, "a legal move")))?;
        }
        Ok(game)
    }

    /// The file formats; the first is the one to write if nothing else is asked for.
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

    /// The rating of a level on the scale that players of the game use.
    pub fn rating(self, level: &Level) -> u32 {
        level.rating(self.facts().level_one)
    }

    /// See [`Levels::ANALYST`](crate::Levels::ANALYST).
    pub fn analyst(self) -> &'static str {
        self.facts().analyst
    }

    /// See [`Levels::NAMED`](crate::Levels::NAMED).
    pub fn named_levels(self) -> [(&'static str, &'static str); 3] {
        self.facts().named_levels
    }

    /// See [`Tactics::CHANCES`](crate::Tactics::CHANCES).
    pub fn chances(self) -> Chances {
        self.facts().chances
    }

    /// See [`Defaults::OPENING_PLIES`](crate::Defaults::OPENING_PLIES).
    pub fn opening_plies(self) -> usize {
        self.facts().opening_plies
    }

    /// See [`Defaults::BOOK`](crate::Defaults::BOOK).
    pub fn book(self) -> &'static [BookLine] {
        self.facts().book
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

    /// See [`UciDialect::rules_of_option`](crate::UciDialect::rules_of_option).
    pub fn uci_rules_of_option(self, name: &str, value: &str) -> Option<AnyRules> {
        let index = self.0.uci_rules_of_option(name, value)?;
        Some(AnyRules { game: self, index })
    }
}

/// How the game presents itself; see [`Presentable`](crate::Presentable).
impl AnyGame {
    /// The facts that a page needs to show it.
    pub fn presentation(self) -> &'static Presentation {
        self.0.presentation()
    }

    /// What values count: discs, pawns.
    pub fn unit(self) -> &'static str {
        self.0.unit()
    }

    /// The letter of a piece.
    pub fn letter(self, piece: Piece) -> char {
        self.0.letter(piece)
    }

    /// One of several starts that are numbered.
    pub fn numbered_start(self, number: u32) -> Option<AnyPosition> {
        self.0.numbered_start(number)
    }

    /// The text of a position that was set up.
    pub fn position_text_of(self, setup: &BoardSetup<'_>) -> String {
        self.0.position_text_of(setup)
    }
}

impl AnyRules {
    pub(super) const fn new(game: AnyGame, index: usize) -> Self {
        Self { game, index }
    }

    /// The game that they are rules of.
    pub const fn game(self) -> AnyGame {
        self.game
    }

    /// Their name on the command line and in files.
    pub fn name(self) -> &'static str {
        self.game.0.rules_names().get(self.index).copied().unwrap_or_default()
    }

    /// Whether they are the usual ones.
    pub const fn is_default(self) -> bool {
        self.index == 0
    }

    /// The start by these rules.
    pub fn start(self) -> AnyPosition {
        self.game.0.start(self.index)
    }

    /// The position that `text` describes, to be played by these rules.
    pub fn parse_position(self, text: &str) -> Result<AnyPosition, ReadError> {
        self.game.0.parse_position(text, self.index)
    }

    /// See [`UciDialect::option_of_rules`](crate::UciDialect::option_of_rules).
    pub fn uci_option(self) -> Option<(&'static str, &'static str)> {
        self.game.0.uci_option_of_rules(self.index)
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
