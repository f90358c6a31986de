use std::fmt::Debug;
use std::hash::Hash;

use crate::{Diagram, Draw, DrawReason, Outcome, ReadError, Rng, Side};

/// The rules of a two-player, turn-based game of perfect information.
///
/// The implementing type is a *position*: a small value without history. Undo, repetition and clocks
/// live in [`GameHistory`](crate::GameHistory) and [`Record`](crate::Record) around it.
///
/// A game's own type also implements [`GameType`], which holds the constants known at compile time.
/// [`AnyPosition`](crate::AnyPosition), a position of a game chosen at run time, implements only this
/// trait.
///
/// # Contract
/// - [`outcome`](Self::outcome) is `Some` exactly when [`each_move`](Self::each_move) visits
///   nothing, so a search may generate moves first and query the outcome only if there are none.
/// - `each_move` visits every legal move once, always in the same order. A side that must pass has
///   exactly one move, the pass.
/// - [`key`](Self::key) is equal for equal positions, whether reached by moves or set up from
///   scratch (incremental Zobrist keys must agree with those computed from the board).
///
/// [`conformance::check`](crate::conformance::check) tests all of this.
///
/// # Example
/// Nim with one heap: take one to three stones; taking the last one wins.
/// ```
/// use tablero_core::{Game, GameInfo, GameType, Outcome, Side, StandardRules};
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// struct Nim {
///     stones: u8,
///     side: Side,
/// }
///
/// impl Game for Nim {
///     type Move = u8;
///     type Rules = StandardRules;
///
///     fn start(_: StandardRules) -> Self {
///         Self { stones: 10, side: Side::First }
///     }
///     fn info(&self) -> &'static GameInfo {
///         &Self::INFO
///     }
///     fn rules(&self) -> StandardRules {
///         StandardRules
///     }
///     fn side(&self) -> Side {
///         self.side
///     }
///     fn each_move(&self, visit: impl FnMut(u8)) {
///         (1..=self.stones.min(3)).for_each(visit);
///     }
///     fn play(&mut self, taken: u8) {
///         self.stones -= taken;
///         self.side = !self.side;
///     }
///     fn outcome(&self) -> Option<Outcome> {
///         (self.stones == 0).then(|| Outcome::win(!self.side))
///     }
///     fn key(&self) -> u64 {
///         u64::from(self.stones) << 1 | self.side.index() as u64
///     }
/// }
///
/// impl GameType for Nim {
///     const NAME: &'static str = "nim";
///     const SIDES: [&'static str; 2] = ["first", "second"];
/// }
///
/// let end = Nim::start(StandardRules).after(3).after(3).after(3).after(1);
/// assert!(end.moves().is_empty());
/// assert_eq!(end.outcome(), Some(Outcome::win(Side::Second)));
/// ```
pub trait Game: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// A move, understood together with the position in which it is played.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// The rules variants; [`StandardRules`] if there is only one.
    type Rules: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    /// The starting position.
    fn start(rules: Self::Rules) -> Self;

    /// The constants of this position's game.
    fn info(&self) -> &'static GameInfo;

    /// The rules variant of this position.
    fn rules(&self) -> Self::Rules;

    /// The side to move.
    fn side(&self) -> Side;

    /// Calls `visit` with every legal move.
    fn each_move(&self, visit: impl FnMut(Self::Move));

    /// Plays a legal move. The result of an illegal one is unspecified, but memory-safe.
    fn play(&mut self, m: Self::Move);

    /// The outcome, if the game is over on the board.
    fn outcome(&self) -> Option<Outcome>;

    /// A hash of everything that legal continuations depend on, such as a Zobrist key (in chess
    /// without the move counters).
    fn key(&self) -> u64;

    /// A draw that the rules declare, or allow to claim, by this position alone although moves
    /// remain: dead positions, the fifty-move rule.
    fn draw(&self) -> Option<Draw> {
        None
    }

    /// The number of legal moves. Override it where counting is cheaper than generating.
    fn count_moves(&self) -> u64 {
        let mut count = 0;
        self.each_move(|_| count += 1);
        count
    }

    /// Like [`each_move`](Self::each_move), with only one of several moves that lead to the same
    /// position.
    fn each_distinct_move(&self, visit: impl FnMut(Self::Move)) {
        self.each_move(visit);
    }

    /// A uniformly random legal move; `None` if the game is over.
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

    /// Whether `m` is legal.
    fn is_legal(&self, m: Self::Move) -> bool {
        let mut found = false;
        self.each_move(|legal| found |= legal == m);
        found
    }

    /// All legal moves, collected. Searches use [`each_move`](Self::each_move), which does not
    /// allocate.
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

    /// The image of this position under a board symmetry, numbered below [`GameType::SYMMETRIES`]; 0
    /// is the identity.
    #[must_use]
    fn transform(&self, _symmetry: usize) -> Self {
        self.clone()
    }

    /// The image of a move of this position in [`transform`](Self::transform)`(symmetry)`.
    #[must_use]
    fn transform_move(&self, m: Self::Move, _symmetry: usize) -> Self::Move {
        m
    }
}

/// A game known at compile time, with its constants.
pub trait GameType: Game<Rules: Rules> {
    /// The game's name on the command line and in files.
    const NAME: &'static str;
    /// The names of the two sides, the first player's first.
    const SIDES: [&'static str; 2];
    /// The unit of an outcome's margin (`discs`); `None` if there is only win, draw and loss.
    const MARGIN: Option<&'static str> = None;
    /// The largest margin there is, to which searches limit the scores that they report.
    const MAX_MARGIN: Option<i32> = None;
    /// Draws that depend on the history of a game.
    const HISTORY: HistoryRules = HistoryRules::NONE;
    /// Whether [`perft`](crate::perft) counts a game that ends early as a leaf, as the published
    /// counts of some games do; otherwise it counts as 0.
    const PERFT_COUNTS_ENDED: bool = false;
    /// The number of board symmetries that preserve the rules and the sides, the identity included.
    const SYMMETRIES: usize = 1;
    /// Whether PGN files name the game in a tag; all but chess do.
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

/// The constants of a [`GameType`] as a value, for code that handles any game.
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

/// How positions and moves are written, parsed and drawn.
///
/// ```
/// use tablero_core::{Game, Notation, StandardRules};
/// use tablero_tictactoe::TicTacToe;
///
/// let start = TicTacToe::start(StandardRules);
/// let position = start.after(start.parse_move("b2")?);
/// assert_eq!(position.position_text(), "o ... .x. ...");
/// assert_eq!(TicTacToe::parse_position("o ... .x. ...", StandardRules)?, position);
/// let error = position.parse_move("b4").unwrap_err();
/// assert!(error.to_string().starts_with("line 1, column"));
/// # Ok::<(), tablero_core::ReadError>(())
/// ```
pub trait Notation: GameType {
    /// The number of the next full move (both sides' plies count as one move).
    fn move_number(&self) -> u32 {
        1
    }

    /// A legal move in the game's standard notation.
    fn move_text(&self, m: Self::Move) -> String;

    /// Parses a legal move in any notation in use for the game.
    fn parse_move(&self, text: &str) -> Result<Self::Move, ReadError>;

    /// The position on one line.
    fn position_text(&self) -> String;

    /// Parses a position, to be played by `rules`.
    fn parse_position(text: &str, rules: Self::Rules) -> Result<Self, ReadError>;

    /// The board for drawing, without markers.
    fn diagram(&self) -> Diagram;

    /// The diagram cells of a move, origin and destination; exactly one where a move places a
    /// piece.
    fn touched(&self, m: Self::Move) -> Vec<usize>;
}

/// The rules variants of a game, by name; the default is the standard one.
pub trait Rules: Copy + Default + Eq + Hash + Debug + Send + Sync + 'static {
    /// All variants, the default first.
    const ALL: &'static [Self];

    /// The name on the command line and in files.
    fn name(self) -> &'static str;

    /// The variant of that name, case-insensitively.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rules| rules.name().eq_ignore_ascii_case(name))
    }
}

/// The rules of a game without variants.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct StandardRules;

impl Rules for StandardRules {
    const ALL: &'static [Self] = &[Self];

    fn name(self) -> &'static str {
        "standard"
    }
}

/// Draws that depend on the history of a game, not on its position alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryRules {
    /// A draw may be claimed at the n-th occurrence of a position with the same side to move
    /// (threefold repetition).
    pub claim_at_repetition: Option<u32>,
    /// The game is drawn at the n-th occurrence of a position with the same side to move.
    pub draw_at_repetition: Option<u32>,
    /// The game is drawn after this many plies.
    pub draw_at_ply: Option<usize>,
}

impl HistoryRules {
    /// History does not matter.
    pub const NONE: Self =
        Self { claim_at_repetition: None, draw_at_repetition: None, draw_at_ply: None };

    /// Whether draws depend on repetition.
    pub const fn counts_repetitions(&self) -> bool {
        self.claim_at_repetition.is_some() || self.draw_at_repetition.is_some()
    }

    /// The draw after `plies` plies in a position that has occurred `occurrences()` times, this one included; the
    /// occurrences are only counted where they matter.
    pub fn draw(&self, plies: usize, occurrences: impl FnOnce() -> u32) -> Option<Draw> {
        if self.draw_at_ply.is_some_and(|limit| plies >= limit) {
            return Some(Draw { reason: DrawReason::MoveLimit, forced: true });
        }
        if !self.counts_repetitions() {
            return None;
        }
        let count = occurrences();
        let reached = |limit: Option<u32>| limit.is_some_and(|limit| count >= limit);
        let forced = reached(self.draw_at_repetition);
        (forced || reached(self.claim_at_repetition))
            .then_some(Draw { reason: DrawReason::Repetition, forced })
    }
}
