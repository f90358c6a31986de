use std::fmt::Debug;
use std::hash::Hash;

use crate::{Diagram, Draw, Outcome, ReadError, Rng, Side};

/// The rules of a two-player, turn-based game of perfect information.
///
/// The implementing type is a *position*: a small value without history. What depends on how a game
/// went (undo, repetition, clocks) lives in [`Match`](crate::Match) around it.
///
/// A game's own type also implements [`GameType`], which holds the facts known at compile time.
/// [`AnyPosition`](crate::AnyPosition) implements only this trait: it is a position of whichever game
/// was chosen at run time.
///
/// # The contract
/// - [`outcome`](Self::outcome) is `Some` exactly when [`each_move`](Self::each_move) visits
///   nothing, so a search may generate moves first and ask for the outcome only if there are none.
/// - `each_move` visits every legal move once, always in the same order. A side that must pass has
///   exactly one move, the pass.
/// - [`key`](Self::key) is equal for equal positions and, after any moves, the same as for the
///   position set up from scratch.
///
/// [`conformance::check`](crate::conformance::check) tests all of this for any game.
pub trait Game: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// A move, understood together with the position in which it is played.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// The rule sets to choose from when a game starts; [`StandardRules`] if there is only one.
    type Rules: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    /// The usual starting position.
    fn start(rules: Self::Rules) -> Self;

    /// The facts about this position's game.
    fn info(&self) -> &'static GameInfo;

    /// The rules this position is played by.
    fn rules(&self) -> Self::Rules;

    /// Who is to move.
    fn side(&self) -> Side;

    /// Shows every legal move to `visit`.
    fn each_move(&self, visit: impl FnMut(Self::Move));

    /// Plays a legal move. What an illegal one does is not defined, but it must be memory-safe.
    fn play(&mut self, m: Self::Move);

    /// How the game came out, if it is over on the board.
    fn outcome(&self) -> Option<Outcome>;

    /// A hash of all that matters for what can happen next (for chess: without the move counters).
    fn key(&self) -> u64;

    /// A draw that this position alone gives or allows although moves remain.
    fn draw(&self) -> Option<Draw> {
        None
    }

    /// How many moves [`each_move`](Self::each_move) would visit.
    fn count_moves(&self) -> u64 {
        let mut count = 0;
        self.each_move(|_| count += 1);
        count
    }

    /// Like [`each_move`](Self::each_move), but of moves that lead to the same position only one.
    fn each_distinct_move(&self, visit: impl FnMut(Self::Move)) {
        self.each_move(visit);
    }

    /// A random legal move, all equally likely; none if the game is over.
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move> {
        let count = self.count_moves();
        if count == 0 {
            return None;
        }
        let (mut left, mut chosen) = (rng.below(count), None);
        self.each_move(|m| {
            if left == 0 {
                chosen = Some(m);
            }
            left = left.wrapping_sub(1);
        });
        chosen
    }

    /// Whether `m` may be played here.
    fn is_legal(&self, m: Self::Move) -> bool {
        let mut found = false;
        self.each_move(|legal| found |= legal == m);
        found
    }

    /// All legal moves in a list of their own: for people and files, not for searches.
    fn moves(&self) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.each_move(|m| moves.push(m));
        moves
    }

    /// The position after a legal move.
    #[must_use]
    fn after(&self, m: Self::Move) -> Self {
        let mut next = self.clone();
        next.play(m);
        next
    }

    /// This position seen through a symmetry, numbered below [`GameType::SYMMETRIES`]; 0 is the
    /// identity.
    #[must_use]
    fn transform(&self, _symmetry: usize) -> Self {
        self.clone()
    }

    /// A move of this position as it is called in [`transform`](Self::transform)`(symmetry)`.
    #[must_use]
    fn transform_move(&self, m: Self::Move, _symmetry: usize) -> Self::Move {
        m
    }
}

/// A game whose type is known at compile time, and the facts that follow from it.
pub trait GameType: Game<Rules: Rules> {
    /// The game's name on the command line and in files.
    const NAME: &'static str;
    /// What the two sides are called, the first player's first.
    const SIDES: [&'static str; 2];
    /// What the margin of an outcome counts (`discs`); none if there is only win, draw and loss.
    const MARGIN: Option<&'static str> = None;
    /// Draws that depend on how a game went.
    const HISTORY: HistoryRules = HistoryRules::NONE;
    /// Whether [`perft`](crate::perft) counts a game that is over early as a leaf, as the published
    /// counts of some games do; otherwise it has no continuation and counts nothing.
    const PERFT_COUNTS_ENDED: bool = false;
    /// How many symmetries of the board leave the rules and both sides as they are, the identity
    /// included.
    const SYMMETRIES: usize = 1;
    /// Whether a PGN file names the game in a tag; only chess, the home of the format, does not.
    const PGN_NAMES_GAME: bool = true;

    /// All of the above as one value: what [`Game::info`] returns.
    const INFO: GameInfo = GameInfo {
        name: Self::NAME,
        sides: Self::SIDES,
        margin: Self::MARGIN,
        history: Self::HISTORY,
        symmetries: Self::SYMMETRIES,
        pgn_names_game: Self::PGN_NAMES_GAME,
    };
}

/// The facts of a [`GameType`], for code that learns at run time which game is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameInfo {
    /// [`GameType::NAME`].
    pub name: &'static str,
    /// [`GameType::SIDES`].
    pub sides: [&'static str; 2],
    /// [`GameType::MARGIN`].
    pub margin: Option<&'static str>,
    /// [`GameType::HISTORY`].
    pub history: HistoryRules,
    /// [`GameType::SYMMETRIES`].
    pub symmetries: usize,
    /// [`GameType::PGN_NAMES_GAME`].
    pub pgn_names_game: bool,
}

/// How a game's positions and moves are written, read and drawn.
pub trait Notation: GameType {
    /// The number of the next move, counted as people do: both sides' plies are one move.
    fn move_number(&self) -> u32 {
        1
    }

    /// A legal move of this position in the game's usual notation.
    fn move_text(&self, m: Self::Move) -> String;

    /// The legal move that `text` names here, in any notation that players of the game use.
    fn parse_move(&self, text: &str) -> Result<Self::Move, ReadError>;

    /// The position on one line.
    fn position_text(&self) -> String;

    /// The position that `text` describes, to be played by `rules`.
    fn parse_position(text: &str, rules: Self::Rules) -> Result<Self, ReadError>;

    /// The board as a picture, without marks.
    fn diagram(&self) -> Diagram;

    /// The cells of the diagram that a move touches: where it starts and where it ends. Exactly
    /// one where a move puts something on a cell.
    fn touched(&self, m: Self::Move) -> Vec<usize>;
}

/// A choice of rules, by name; the default is what most people play.
pub trait Rules: Copy + Default + Eq + Hash + Debug + Send + Sync + 'static {
    /// All of them, the default first.
    const ALL: &'static [Self];

    /// The name on the command line and in files.
    fn name(self) -> &'static str;

    /// The rules of that name, in any case.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rules| rules.name().eq_ignore_ascii_case(name))
    }
}

/// For a game with only one set of rules.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct StandardRules;

impl Rules for StandardRules {
    const ALL: &'static [Self] = &[Self];

    fn name(self) -> &'static str {
        "standard"
    }
}

/// Draws that depend on how a game went, not on its position alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryRules {
    /// The n-th time that a position comes with the same side to move, a player may claim a draw.
    pub claim_at_repetition: Option<u32>,
    /// The n-th time that a position comes with the same side to move, the game is drawn.
    pub draw_at_repetition: Option<u32>,
    /// After this many plies the game is drawn.
    pub draw_at_ply: Option<usize>,
}

impl HistoryRules {
    /// A game in which history does not matter.
    pub const NONE: Self =
        Self { claim_at_repetition: None, draw_at_repetition: None, draw_at_ply: None };
}
