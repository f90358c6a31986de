use crate::{EvaluationKind, GameType, WdlModel};

/// Parts of a position in [`Tactics::correction_keys`].
pub const CORRECTION_KEYS: usize = 3;

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

    /// Static exchange evaluation: whether `m` and the captures that follow on its target gain the mover at
    /// least `threshold` centi-units. For [`Selectivity::exchange_pruning`] and quiescence search.
    fn exchange_gains(&self, _m: Self::Move, _threshold: i32) -> bool {
        true
    }

    /// Hashes of parts of the position (in chess the pawns, each side's pieces): positions that share a part
    /// share errors of the evaluation. For [`Selectivity::correction_history`].
    fn correction_keys(&self) -> [u64; CORRECTION_KEYS] {
        [0; CORRECTION_KEYS]
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
    /// Use the transposition table in quiescence search too.
    pub quiescence_tt: bool,
    /// Delta pruning: quiescence search skips moves whose [exchange](Tactics::exchange_gains) leaves the
    /// static evaluation below alpha by more than this margin (centi-units).
    pub delta: Option<i32>,
    /// Exchange pruning: skip moves near the leaves whose [exchange](Tactics::exchange_gains) loses more
    /// than about this (centi-units) per remaining ply.
    pub exchange_pruning: Option<i32>,
    /// Razoring: near the leaves only quiescence search if the static evaluation is below alpha by more
    /// than this margin (centi-units) per remaining ply.
    pub razoring: Option<i32>,
    /// ProbCut: cut off if a noisy move exceeds beta by this margin (centi-units) in a shallower search.
    pub probcut: Option<i32>,
    /// Internal iterative reduction: search nodes without a table move one ply less deep.
    pub internal_iterative_reduction: bool,
    /// Singular extension: search a table move one ply deeper if all others are worse by a margin.
    pub singular_extension: bool,
    /// Correction history: correct the static evaluation by the search results of positions with the
    /// same [keys](Tactics::correction_keys).
    pub correction_history: bool,
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
        quiescence_tt: false,
        delta: None,
        exchange_pruning: None,
        razoring: None,
        probcut: None,
        internal_iterative_reduction: false,
        singular_extension: false,
        correction_history: false,
    };

    /// Whether some moves are pruned or reduced.
    pub const fn treats_moves_differently(&self) -> bool {
        self.late_move_reductions
            || self.late_move_pruning
            || self.futility.is_some()
            || self.exchange_pruning.is_some()
    }

    /// Whether interior nodes need a static evaluation.
    pub const fn needs_static_eval(&self) -> bool {
        self.null_move
            || self.futility.is_some()
            || self.reverse_futility.is_some()
            || self.razoring.is_some()
            || self.probcut.is_some()
    }
}
