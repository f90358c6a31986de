use crate::{EvaluationKind, GameType, WdlModel};

/// Search heuristics of a game: evaluations, move ordering, quiescence, null move. All but the
/// evaluations and the history slots have defaults that are correct for any game.
pub trait Tactics: GameType {
    /// The size of history tables: one more than the largest [`history_slot`](Self::history_slot).
    const HISTORY_SLOTS: usize;

    /// The pruning and reductions with which alpha-beta measured strongest in this game.
    const SELECTIVITY: Selectivity = Selectivity::NONE;

    /// Maximum depth of quiescence search, as measured.
    const QUIESCENCE: u32 = 30;

    /// The win/draw/loss model of the default evaluation, fitted to self-play games of
    /// `alphabeta nodes=4000`. Used for display and review only.
    const WDL_MODEL: WdlModel = WdlModel { midpoint: 20.0, scale: 300.0 };

    /// The evaluations of this game, the default first.
    fn evaluations() -> &'static [EvaluationKind<Self>];

    /// The slot of a move in history tables; similar moves of different positions share one.
    fn history_slot(&self, m: Self::Move) -> usize;

    /// A cheap estimate, in centi-units, of what a move gains, for move ordering (in chess MVV and
    /// static exchange): 0 if unknown, negative if it looks bad.
    fn move_order_score(&self, _m: Self::Move) -> i32 {
        0
    }

    /// Whether quiescence search must resolve a move before a static evaluation (captures).
    fn is_noisy(&self, _m: Self::Move) -> bool {
        false
    }

    /// Calls `visit` with every noisy move; with only one of several that lead to the same position.
    fn each_noisy_move(&self, _visit: impl FnMut(Self::Move)) {}

    /// Whether the mover must answer an immediate threat: check, or its equivalent in other games. Such
    /// a position has no meaningful static evaluation and allows neither stand-pat nor null move.
    fn in_check(&self) -> bool {
        false
    }

    /// Whether a move only passes the turn.
    fn is_pass(&self, _m: Self::Move) -> bool {
        false
    }

    /// Where a move has two parts, the number of the first, the same for all moves that begin with it: in
    /// Shōbu the passive move. `None` where a move is one decision.
    fn first_part(&self, _m: Self::Move) -> Option<u32> {
        None
    }

    /// The position after a null move, for null-move pruning; `None` where passing could be better than
    /// any move (zugzwang).
    fn null_move(&self) -> Option<Self> {
        None
    }
}

/// Pruning, reductions and extensions of an alpha-beta search. Without any of them a fixed-depth search
/// returns exactly the minimax value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Selectivity {
    /// Accept transposition table entries of greater depth than requested.
    pub deeper_tt_entries: bool,
    /// Null-move pruning; needs [`Tactics::null_move`].
    pub null_move: bool,
    /// Late move reductions (LMR).
    pub late_move_reductions: bool,
    /// Late move pruning (LMP): skip late quiet moves near the leaves.
    pub late_move_pruning: bool,
    /// Futility pruning: skip quiet moves near the leaves if the static evaluation is below alpha by
    /// more than this margin (centi-units) per remaining ply.
    pub futility: Option<i32>,
    /// Reverse futility pruning (static null move): cut off near the leaves if the static evaluation
    /// exceeds beta by more than this margin (centi-units) per remaining ply.
    pub reverse_futility: Option<i32>,
    /// Check extension: search one ply deeper where the mover is [in check](Tactics::in_check).
    pub check_extension: bool,
}

impl Selectivity {
    /// Full-width search.
    pub const NONE: Self = Self {
        deeper_tt_entries: false,
        null_move: false,
        late_move_reductions: false,
        late_move_pruning: false,
        futility: None,
        reverse_futility: None,
        check_extension: false,
    };

    /// Whether quiet moves are searched differently from noisy ones.
    pub const fn treats_quiet_moves_differently(&self) -> bool {
        self.late_move_reductions || self.late_move_pruning || self.futility.is_some()
    }
}
