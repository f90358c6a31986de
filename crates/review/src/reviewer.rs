use std::sync::atomic::{AtomicBool, Ordering};

use tablero_core::{
    AnyControl, AnyGame, AnyInfo, AnyMatch, AnyMove, AnyPlayer, AnyPosition, AnyRecord, ForFirst,
    Limits, Outcome, PlayerError, Side, Value,
};
use thiserror::Error;

use crate::judge::{Judgement, Loss, Verdict};

/// What a review found out about a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Review {
    /// What the position at the start is worth.
    pub start: ForFirst<Value>,
    /// One judgement a move.
    pub moves: Vec<Judgement>,
    /// How accurately the two sides played, from 0 to 100; none for a side that had no choice.
    pub accuracy: [Option<f64>; 2],
}

/// How far a review is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Positions looked at.
    pub done: usize,
    /// Of so many.
    pub of: usize,
}

/// Why a game could not be reviewed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReviewError {
    /// There is nothing to judge.
    #[error("the game has no moves to review")]
    NoMoves,
    /// The record has a move that the rules forbid.
    #[error("move {0} of the game is not legal")]
    Illegal(usize),
    /// The player who judges failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The player who judges says nothing about what positions are worth.
    #[error("the player gives no values, only moves: choose one that searches, like `alphabeta`")]
    NoValues,
}

/// Someone who judges games.
pub struct Reviewer<'a> {
    player: &'a mut AnyPlayer,
    limits: Limits,
    stop: AtomicBool,
}

/// A position's worth, and how to play on.
struct Finding {
    value: ForFirst<Value>,
    line: Vec<AnyMove>,
    exact: bool,
}

impl<'a> Reviewer<'a> {
    /// Judges by what `player` thinks within `limits` a position.
    pub fn new(player: &'a mut AnyPlayer, limits: Limits) -> Self {
        Self { player, limits, stop: AtomicBool::new(false) }
    }

    /// Judges every move of the main line. `progress` is told how far the review is, now and then
    /// also in the middle of a search; when it says no the review is given up, which gives none.
    ///
    /// The last position comes first: what the player remembers of it then helps with the earlier
    /// ones, and values of neighbours agree better.
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
        let of = game.plies() + 1;
        let mut findings = Vec::with_capacity(of);
        for done in 0..of {
            if !progress(Progress { done, of }) {
                return Ok(None);
            }
            let mut goes_on = || progress(Progress { done, of });
            let Some(finding) = self.look(&game, &mut goes_on)? else { return Ok(None) };
            findings.push(finding);
            game.undo();
        }
        progress(Progress { done: of, of });
        findings.reverse();
        Ok(Some(judge(record, &findings)))
    }

    fn look(
        &mut self,
        game: &AnyMatch,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Finding>, ReviewError> {
        let position = game.position();
        if let Some(outcome) = position.outcome() {
            let value = ForFirst(of_outcome(position.game(), outcome));
            return Ok(Some(Finding { value, line: Vec::new(), exact: true }));
        }
        let stop = &self.stop;
        let mut listen = |_: &AnyInfo| {
            if !goes_on() {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let mut control = AnyControl::new(stop, &mut listen);
        let choice = self.player.choose(game, &self.limits, &mut control)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let AnyInfo { lines, exact, .. } = choice.info;
        let best = lines.into_iter().next().ok_or(ReviewError::NoValues)?;
        let value = best.value.for_first(position.side());
        Ok(Some(Finding { value, line: best.moves, exact }))
    }
}

/// What a finished game is worth.
fn of_outcome(game: AnyGame, outcome: Outcome) -> Value {
    match (game.info().margin, outcome.winner()) {
        (Some(_), _) => Value::Hundredths(100 * i32::from(outcome.margin().0)),
        (None, None) => Value::Hundredths(0),
        (None, Some(Side::First)) => Value::WinIn(0),
        (None, Some(Side::Second)) => Value::LossIn(0),
    }
}

fn judge(record: &AnyRecord, findings: &[Finding]) -> Review {
    let mut position = record.start.clone();
    let mut moves = Vec::with_capacity(record.plies.len());
    for (ply, pair) in record.plies.iter().zip(findings.windows(2)) {
        moves.push(judge_move(&position, ply.m, &pair[0], &pair[1]));
        position.play(ply.m);
    }
    let game = record.start.game();
    let accuracy = [Side::First, Side::Second].map(|side| accuracy_of(game, &moves, side));
    Review { start: findings[0].value, moves, accuracy }
}

fn judge_move(
    position: &AnyPosition,
    played: AnyMove,
    before: &Finding,
    after: &Finding,
) -> Judgement {
    let side = position.side();
    let forced = position.count_moves() == 1;
    // Looking one move further may change a value; the move that was thought best is not to blame.
    let was_best = before.line.first() == Some(&played);
    let loss = match forced || was_best {
        true => Loss { chance: 0.0, units: Some(0.0) },
        false => {
            let [before, after] = [before, after].map(|finding| finding.value.for_mover(side));
            Loss::between(position.game(), before, after)
        }
    };
    Judgement {
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

/// The mean over the moves at which the side had a choice.
fn accuracy_of(game: AnyGame, moves: &[Judgement], side: Side) -> Option<f64> {
    let own = moves.iter().filter(|judged| judged.side == side && !judged.forced);
    let (mut sum, mut count) = (0.0, 0.0);
    for judged in own {
        sum += judged.loss.accuracy(game);
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

impl Review {
    /// How many moves of a side got that verdict.
    pub fn count(&self, side: Side, verdict: Verdict) -> usize {
        self.moves.iter().filter(|judged| judged.side == side && judged.verdict == verdict).count()
    }
}
