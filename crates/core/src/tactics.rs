use crate::{EvaluationKind, Game};

/// What a search may know about a game beyond its rules, so that it looks at good moves first and
/// at quiet positions last. Everything has a default that is right for any game.
pub trait Tactics: Game {
    /// One more than the largest [`history_slot`](Self::history_slot).
    const HISTORY_SLOTS: usize;

    /// The evaluations that exist for this game, the usual one first.
    fn evaluations() -> &'static [EvaluationKind<Self>];

    /// Moves that are alike from position to position share a slot: there a search remembers how
    /// often they were good.
    fn history_slot(&self, m: Self::Move) -> usize;

    /// A first guess how good a move is, cheap to make: higher is better, 0 for a quiet move.
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
