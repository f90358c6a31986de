use std::sync::atomic::{AtomicBool, Ordering};

use tablero_core::{
    AnyControl, AnyGame, AnyGameHistory, AnyInfo, AnyMove, AnyPlayer, AnyPosition, AnyRecord,
    ForFirst, Limits, Outcome, PlayerError, Side, Value,
};
use thiserror::Error;

use crate::verdict::{Loss, MoveReview, Verdict};

/// The review of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Review {
    /// The score of the starting position.
    pub start: ForFirst<Value>,
    /// The moves, in order.
    pub moves: Vec<MoveReview>,
    /// The mean accuracy of each side, from 0 to 100; `None` for a side that only had forced moves.
    pub accuracy: [Option<f64>; 2],
}

/// The progress of a review.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Positions searched.
    pub done: usize,
    /// Positions in all.
    pub total: usize,
}

/// Why a game could not be reviewed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReviewError {
    /// The record has no moves.
    #[error("the game has no moves to review")]
    NoMoves,
    /// The record has an illegal move, with this number.
    #[error("move {0} of the game is not legal")]
    Illegal(usize),
    /// The player failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The player reports no scores.
    #[error("the player reports no scores: choose one that searches, like `alphabeta`")]
    NoScores,
}

/// Reviews games with a player. The [crate's front page](crate) has an example.
pub struct Reviewer<'a> {
    player: &'a mut AnyPlayer,
    limits: Limits,
    stop: AtomicBool,
}

/// Score and principal variation of a position.
struct PositionAnalysis {
    value: ForFirst<Value>,
    line: Vec<AnyMove>,
    exact: bool,
}

impl<'a> Reviewer<'a> {
    /// A reviewer that searches each position with `player` within `limits`.
    pub fn new(player: &'a mut AnyPlayer, limits: Limits) -> Self {
        Self { player, limits, stop: AtomicBool::new(false) }
    }

    /// Reviews every move of the main line. `progress` is called before each position and during searches;
    /// if it returns false, the review is cancelled and the result is `None`.
    ///
    /// Positions are searched from the last to the first: the player's transposition
    /// table then informs the earlier searches, and scores of neighbours are consistent.
    pub fn review(
        &mut self,
        record: &AnyRecord,
        mut progress: impl FnMut(Progress) -> bool,
    ) -> Result<Option<Review>, ReviewError> {
        if record.plies.is_empty() {
            return Err(ReviewError::NoMoves);
        }
        let mut game = record.replay().map_err(|(index, _)| ReviewError::Illegal(index + 1))?;
        self.player.new_game(0);
        self.stop.store(false, Ordering::Relaxed);
        let total = game.plies() + 1;
        let mut analyses = Vec::with_capacity(total);
        for done in 0..total {
            if !progress(Progress { done, total }) {
                return Ok(None);
            }
            let mut proceed = || progress(Progress { done, total });
            let Some(analysis) = self.analyse(&game, &mut proceed)? else { return Ok(None) };
            analyses.push(analysis);
            game.undo();
        }
        progress(Progress { done: total, total });
        analyses.reverse();
        Ok(Some(review_moves(record, &analyses)))
    }

    fn analyse(
        &mut self,
        game: &AnyGameHistory,
        proceed: &mut dyn FnMut() -> bool,
    ) -> Result<Option<PositionAnalysis>, ReviewError> {
        let position = game.position();
        if let Some(outcome) = position.outcome() {
            let value = ForFirst(outcome_value(position.game(), outcome));
            return Ok(Some(PositionAnalysis { value, line: Vec::new(), exact: true }));
        }
        let stop = &self.stop;
        let mut on_info = |_: &AnyInfo| {
            if !proceed() {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let mut control = AnyControl::new(stop, &mut on_info);
        let found = self.player.choose(game, &self.limits, &mut control)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let AnyInfo { lines, exact, .. } = found.info;
        let best = lines.into_iter().next().ok_or(ReviewError::NoScores)?;
        let value = best.value.for_first(position.side());
        Ok(Some(PositionAnalysis { value, line: best.moves, exact }))
    }
}

/// The score of a finished game.
pub(crate) fn outcome_value(game: AnyGame, outcome: Outcome) -> Value {
    match (game.info().margin, outcome.winner()) {
        (Some(_), _) => Value::Centi(100 * i32::from(outcome.margin().0)),
        (None, None) => Value::Centi(0),
        (None, Some(Side::First)) => Value::WinIn(0),
        (None, Some(Side::Second)) => Value::LossIn(0),
    }
}

fn review_moves(record: &AnyRecord, analyses: &[PositionAnalysis]) -> Review {
    let mut position = record.start.clone();
    let mut moves = Vec::with_capacity(record.plies.len());
    for (ply, pair) in record.plies.iter().zip(analyses.windows(2)) {
        moves.push(review_move(&position, ply.m, &pair[0], &pair[1]));
        position.play(ply.m);
    }
    let game = record.start.game();
    let accuracy = [Side::First, Side::Second].map(|side| mean_accuracy(game, &moves, side));
    Review { start: analyses[0].value, moves, accuracy }
}

fn review_move(
    position: &AnyPosition,
    played: AnyMove,
    before: &PositionAnalysis,
    after: &PositionAnalysis,
) -> MoveReview {
    let side = position.side();
    let forced = position.count_moves() == 1;
    // The search after the move is one ply deeper and may score lower; the engine's own choice is no loss.
    let was_best = before.line.first() == Some(&played);
    let loss = match forced || was_best {
        true => Loss { expected_score: 0.0, units: Some(0.0) },
        false => {
            let [before, after] = [before, after].map(|analysis| analysis.value.for_mover(side));
            Loss::between(position.game(), before, after)
        }
    };
    MoveReview {
        side,
        played,
        best: before.line.clone(),
        before: before.value,
        after: after.value,
        verdict: if forced { Verdict::Best } else { loss.verdict(position.game()) },
        loss,
        exact: before.exact && after.exact,
        forced,
    }
}

/// The mean accuracy of a side's moves that were not forced.
fn mean_accuracy(game: AnyGame, moves: &[MoveReview], side: Side) -> Option<f64> {
    let own = moves.iter().filter(|reviewed| reviewed.side == side && !reviewed.forced);
    let (mut sum, mut count) = (0.0, 0.0);
    for reviewed in own {
        sum += reviewed.loss.accuracy(game);
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

impl Review {
    /// The number of a side's moves with this verdict.
    pub fn count(&self, side: Side, verdict: Verdict) -> usize {
        self.moves
            .iter()
            .filter(|reviewed| reviewed.side == side && reviewed.verdict == verdict)
            .count()
    }
}
