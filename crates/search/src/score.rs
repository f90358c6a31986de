//! What searches calculate with: an `i32` for the side to move, in hundredths of the game's unit.
//!
//! A finished game lies beyond every evaluation: where the game has a margin at `WON + margin`, so
//! that a larger one is better, elsewhere at `WON - plies`, so that a quicker win is better.

use tablero_core::{Evaluation, ForMover, GameType, Outcome, Side, Value};

/// A win, before margin or distance are counted in.
pub(crate) const WON: i32 = 2_000_000;
/// Evaluations are cut to this; anything beyond it is the outcome of a finished game.
pub(crate) const MOST: i32 = 1_000_000;
/// Beyond every value.
pub(crate) const INFINITE: i32 = 4_000_000;

/// The value of a finished game `ply` plies below the root, for `mover`.
pub(crate) fn of_outcome<G: GameType>(outcome: Outcome, mover: Side, ply: usize) -> i32 {
    let margin = i32::from(outcome.margin().for_mover(mover).0);
    match G::MARGIN {
        Some(_) => margin.signum() * WON + margin,
        None => margin.signum() * (WON - ply as i32),
    }
}

/// The value of a position that is not over, without looking ahead; `from` is the position before
/// and the move made there, if any.
#[inline]
pub(crate) fn of_evaluation<G: GameType>(
    evaluation: &dyn Evaluation<G>,
    position: &G,
    from: Option<(&G, G::Move)>,
) -> i32 {
    let value = match from {
        Some((before, m)) => evaluation.evaluate_after(before, m, position),
        None => evaluation.evaluate(position),
    };
    value.0.clamp(-MOST, MOST)
}

/// Whether the value is that of a finished game.
#[inline]
pub(crate) const fn is_decided(score: i32) -> bool {
    score.abs() > MOST
}

/// How many plies from the root a decided game ends, where the value says so.
pub(crate) fn plies_to_end<G: GameType>(score: i32) -> Option<u32> {
    (is_decided(score) && G::MARGIN.is_none()).then(|| (WON - score.abs()).max(0).unsigned_abs())
}

/// A value at `ply` as it holds for the position wherever it stands in the tree.
#[inline]
pub(crate) fn from_here<G: GameType>(score: i32, ply: usize) -> i32 {
    if G::MARGIN.is_none() && is_decided(score) {
        score + score.signum() * ply as i32
    } else {
        score
    }
}

/// The reverse of [`from_here`].
#[inline]
pub(crate) fn from_root<G: GameType>(score: i32, ply: usize) -> i32 {
    if G::MARGIN.is_none() && is_decided(score) {
        score - score.signum() * ply as i32
    } else {
        score
    }
}

/// The value as people read it.
pub(crate) fn to_value<G: GameType>(score: i32) -> ForMover<Value> {
    ForMover(match plies_to_end::<G>(score) {
        Some(plies) if score > 0 => Value::WinIn(plies.div_ceil(2)),
        Some(plies) => Value::LossIn(plies.div_ceil(2)),
        None if is_decided(score) => Value::Hundredths((score - score.signum() * WON) * 100),
        None => Value::Hundredths(score),
    })
}
