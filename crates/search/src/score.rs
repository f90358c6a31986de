//! Search values: an `i32` for the side to move, in centi-units of the game (centipawns,
//! centidiscs).
//!
//! Finished games lie beyond every evaluation. With a margin (Othello's discs) a win is worth
//! `WIN + margin`, so that larger wins are better; otherwise `WIN - plies` from the root, so that
//! shorter mates are better.

use tablero_core::{Evaluation, ForMover, GameType, Outcome, Side, Tactics, Value};

/// A win, before margin or distance from the root.
pub(crate) const WIN: i32 = 2_000_000;
/// Evaluations are clamped to this; values beyond it are decisive.
pub(crate) const MAX_EVAL: i32 = 1_000_000;
/// Beyond every value.
pub(crate) const INFINITE: i32 = 4_000_000;

/// Value for `mover` of a game that ended `ply` plies from the root.
pub(crate) fn from_outcome<G: GameType>(outcome: Outcome, mover: Side, ply: usize) -> i32 {
    let margin = i32::from(outcome.margin().for_mover(mover).0);
    match G::MARGIN {
        Some(_) => margin.signum() * WIN + margin,
        None => margin.signum() * (WIN - ply as i32),
    }
}

/// Static evaluation of a position that is not over; `parent` is the previous position and the
/// move made there, if any, for incremental evaluations.
#[inline]
pub(crate) fn static_eval<G: GameType>(
    evaluation: &dyn Evaluation<G>,
    position: &G,
    parent: Option<(&G, G::Move)>,
) -> i32 {
    let value = match parent {
        Some((before, m)) => evaluation.evaluate_after(before, m, position),
        None => evaluation.evaluate(position),
    };
    clamp(value)
}

/// Clamps a static evaluation to its range.
#[inline]
pub(crate) fn clamp(value: ForMover<i32>) -> i32 {
    value.0.clamp(-MAX_EVAL, MAX_EVAL)
}

/// Whether the value is that of a finished game: a forced win or loss, or an exact margin.
#[inline]
pub(crate) const fn is_decisive(score: i32) -> bool {
    score.abs() > MAX_EVAL
}

/// Plies from the root to the mate, in games without a margin.
pub(crate) fn mate_distance<G: GameType>(score: i32) -> Option<u32> {
    (is_decisive(score) && G::MARGIN.is_none()).then(|| (WIN - score.abs()).max(0).unsigned_abs())
}

/// Converts a value at `ply` for the transposition table: mates counted from the node.
#[inline]
pub(crate) fn to_tt<G: GameType>(score: i32, ply: usize) -> i32 {
    if G::MARGIN.is_none() && is_decisive(score) {
        score + score.signum() * ply as i32
    } else {
        score
    }
}

/// Converts a value of the transposition table back: mates counted from the root.
#[inline]
pub(crate) fn from_tt<G: GameType>(score: i32, ply: usize) -> i32 {
    if G::MARGIN.is_none() && is_decisive(score) {
        score - score.signum() * ply as i32
    } else {
        score
    }
}

/// The expected result by the game's model, from -1 for a loss to 1 for a win.
pub(crate) fn to_reward<G: Tactics>(score: i32) -> ForMover<f32> {
    if is_decisive(score) {
        return ForMover(score.signum() as f32);
    }
    let expected = G::WDL_MODEL.expected_score(Value::Centi(score));
    ForMover((2.0 * expected - 1.0) as f32)
}

/// The value for reports.
pub(crate) fn to_value<G: GameType>(score: i32) -> ForMover<Value> {
    ForMover(match mate_distance::<G>(score) {
        Some(plies) if score > 0 => Value::WinIn(plies.div_ceil(2)),
        Some(plies) => Value::LossIn(plies.div_ceil(2)),
        None if is_decisive(score) => Value::Centi((score - score.signum() * WIN) * 100),
        // An evaluation may promise more than the board has room for.
        None => Value::Centi(match G::MAX_MARGIN {
            Some(margin) => score.clamp(-100 * margin, 100 * margin),
            None => score,
        }),
    })
}
