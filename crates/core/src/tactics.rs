use crate::{Chances, EvaluationKind, GameType};

/// What a search may know about a game beyond its rules, so that it looks at good moves first and
/// at quiet positions last. Everything has a default that is right for any game.
pub trait Tactics: GameType {
    /// One more than the largest [`history_slot`](Self::history_slot).
    const HISTORY_SLOTS: usize;

    /// The short cuts that make alpha-beta stronger in this game, as measured; a user may choose
    /// others.
    const SELECTIVITY: Selectivity = Selectivity::NONE;

    /// For how many plies it pays to play noisy moves out before a position is judged, as measured.
    const QUIESCENCE: u32 = 30;

    /// What values of the usual evaluation mean for the result, as fitted to games of
    /// `alphabeta nodes=4000` against itself. Only for showing chances.
    const CHANCES: Chances = Chances { edge: 20.0, spread: 300.0 };

    /// The evaluations that exist for this game, the usual one first.
    fn evaluations() -> &'static [EvaluationKind<Self>];

    /// Moves that are alike from position to position share a slot: there a search remembers how
    /// often they were good.
    fn history_slot(&self, m: Self::Move) -> usize;

    /// A first guess at what a move gains, cheap to make, in hundredths of the game's unit: 0 for a
    /// move about which nothing is known, negative for one that looks bad.
    fn promise(&self, _m: Self::Move) -> i32 {
        0
    }

    /// Whether a move changes so much that a position cannot be judged before it is played out.
    fn is_noisy(&self, _m: Self::Move) -> bool {
        false
    }

    /// Shows every noisy move to `visit`; of moves that lead to the same position only one.
    fn each_noisy_move(&self, _visit: impl FnMut(Self::Move)) {}

    /// The mover is under a threat that it must answer now (check): the position cannot be judged
    /// as it stands, and not moving is no option.
    fn in_danger(&self) -> bool {
        false
    }

    /// The same position with the other side to move, where doing nothing would be worse than the
    /// best move (so that a search may try it as a bound); none where it could be better.
    fn skip_turn(&self) -> Option<Self> {
        None
    }
}

/// Short cuts of an alpha-beta search: what it does not look at, or not as deeply, because it is
/// probably not worth it. Without any of them a search to a fixed depth finds exactly the value that
/// looking at everything finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Selectivity {
    /// Use what an earlier search found out about a position even if it looked deeper than asked.
    pub deeper_results: bool,
    /// A position so good that even doing nothing keeps it good is good: needs
    /// [`Tactics::skip_turn`].
    pub null_move: bool,
    /// Look less deeply at moves that come late in the order.
    pub late_move_reductions: bool,
    /// Near the leaves leave out quiet moves that come very late in the order.
    pub late_move_pruning: bool,
    /// Near the leaves leave out quiet moves if the position is worse than needed by more than
    /// this many hundredths for each ply left.
    pub futility: Option<i32>,
    /// Near the leaves give up on a position that is better than the opponent will allow by more
    /// than this many hundredths for each ply left.
    pub reverse_futility: Option<i32>,
    /// Look one ply deeper where the mover is [in danger](Tactics::in_danger).
    pub danger_extension: bool,
}

impl Selectivity {
    /// Look at everything.
    pub const NONE: Self = Self {
        deeper_results: false,
        null_move: false,
        late_move_reductions: false,
        late_move_pruning: false,
        futility: None,
        reverse_futility: None,
        danger_extension: false,
    };

    /// Whether a move is looked at in another way if it is quiet.
    pub const fn treats_quiet_moves_differently(&self) -> bool {
        self.late_move_reductions || self.late_move_pruning || self.futility.is_some()
    }
}
