use std::sync::atomic::{AtomicBool, Ordering};

use tablero_core::{
    AnyControl, AnyGameHistory, AnyInfo, AnyMove, AnyPlayer, AnyRecord, ForFirst, Limits, Side,
    Value,
};

use crate::reviewer::outcome_value;
use crate::verdict::{Loss, Verdict};
use crate::{Progress, ReviewError};

/// Compares the choices of two players position by position; a judge decides who is right where they differ.
pub struct Comparer<'a> {
    players: [&'a mut AnyPlayer; 2],
    limits: [Limits; 2],
    judge: Option<(&'a mut AnyPlayer, Limits)>,
    /// Ends the running search: the caller's flag, or set when `progress` says so.
    stop: Stop<'a>,
}

enum Stop<'a> {
    Own(AtomicBool),
    Callers(&'a AtomicBool),
}

impl Stop<'_> {
    const fn flag(&self) -> &AtomicBool {
        match self {
            Self::Own(flag) => flag,
            Self::Callers(flag) => flag,
        }
    }
}

/// The positions of a game in which two players were compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The positions with a choice, in order.
    pub positions: Vec<ComparedPosition>,
}

/// What two players choose in a position.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedPosition {
    /// Plies before it.
    pub ply: usize,
    /// The side to move.
    pub side: Side,
    /// The move of the game, unless this is the last position.
    pub played: Option<AnyMove>,
    /// What the players choose.
    pub choices: [Choice; 2],
    /// The difference between the players' own scores, in expected score from 0 to 1; `None` if one reports none.
    pub gap: Option<f64>,
    /// The judge's view, if there is a judge and the choices differ.
    pub judged: Option<Judged>,
}

/// A player's choice.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The move.
    pub m: AnyMove,
    /// The player's score of it, if it reports any.
    pub value: Option<ForFirst<Value>>,
    /// Its principal variation.
    pub line: Vec<AnyMove>,
}

/// The judge's view of two different moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// The score after each move.
    pub values: [ForFirst<Value>; 2],
    /// The player with the better move; `None` if both are equally good.
    pub right: Option<usize>,
    /// What the other player's move loses.
    pub loss: Loss,
}

impl ComparedPosition {
    /// Whether both players choose the same move.
    pub fn agree(&self) -> bool {
        self.choices[0].m == self.choices[1].m
    }
}

impl Comparison {
    /// The number of positions in which the players agree.
    pub fn agreements(&self) -> usize {
        self.positions.iter().filter(|position| position.agree()).count()
    }

    /// The number of positions in which the judge finds a player's move better.
    pub fn right(&self, player: usize) -> usize {
        self.judged().filter(|judged| judged.right == Some(player)).count()
    }

    /// What a player's moves lose where they are worse than the other's, in expected score: the mean over all
    /// compared positions.
    pub fn mean_loss(&self, player: usize) -> f64 {
        let worse = self.judged().filter(|judged| judged.right == Some(1 - player));
        let sum: f64 = worse.map(|judged| judged.loss.expected_score).sum();
        sum / self.positions.len().max(1) as f64
    }

    fn judged(&self) -> impl Iterator<Item = &Judged> {
        self.positions.iter().filter_map(|position| position.judged.as_ref())
    }
}

impl<'a> Comparer<'a> {
    /// Compares `players`, which search each position within their limits.
    pub fn new(players: [&'a mut AnyPlayer; 2], limits: [Limits; 2]) -> Self {
        Self { players, limits, judge: None, stop: Stop::Own(AtomicBool::new(false)) }
    }

    /// With a judge, which searches the position after each move within its own limits.
    #[must_use]
    pub fn with_judge(mut self, judge: &'a mut AnyPlayer, limits: Limits) -> Self {
        self.judge = Some((judge, limits));
        self
    }

    /// With a flag that ends the comparison once it is set, in the middle of a search, too.
    #[must_use]
    pub fn with_stop(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Stop::Callers(stop);
        self
    }

    /// Compares the players in all positions of a game from ply `from` on. `progress` is called before each
    /// position and during searches; if it returns false, the result is `None`.
    pub fn compare(
        &mut self,
        record: &AnyRecord,
        from: usize,
        mut progress: impl FnMut(Progress) -> bool,
    ) -> Result<Option<Comparison>, ReviewError> {
        record.replay().map_err(|(index, _)| ReviewError::Illegal(index + 1))?;
        self.players.iter_mut().for_each(|player| player.new_game(0));
        if let Some((judge, _)) = &mut self.judge {
            judge.new_game(0);
        }
        if let Stop::Own(stop) = &self.stop {
            stop.store(false, Ordering::Relaxed);
        }
        let mut game = AnyGameHistory::new(record.start.clone());
        let total = record.plies.len() + 1;
        let mut positions = Vec::new();
        for ply in 0..total {
            if ply >= from {
                let at = Progress { done: ply - from, total: total - from };
                if !progress(at) {
                    return Ok(None);
                }
                // Where there is no choice nothing can be compared.
                if game.position().count_moves() > 1 {
                    let played = record.plies.get(ply).map(|played| played.m);
                    let mut proceed = || progress(at);
                    let Some(found) = self.position(&game, played, &mut proceed)? else {
                        return Ok(None);
                    };
                    positions.push(ComparedPosition { ply, ..found });
                }
            }
            if let Some(next) = record.plies.get(ply) {
                game.play_on(next.m).map_err(|_| ReviewError::Illegal(ply + 1))?;
            }
        }
        let total = total.saturating_sub(from);
        progress(Progress { done: total, total });
        Ok(Some(Comparison { positions }))
    }

    /// Compares the players in the current position; `None` if cancelled.
    fn position(
        &mut self,
        game: &AnyGameHistory,
        played: Option<AnyMove>,
        proceed: &mut dyn FnMut() -> bool,
    ) -> Result<Option<ComparedPosition>, ReviewError> {
        let (limits, side) = (self.limits, game.position().side());
        let mut choices = Vec::with_capacity(2);
        for (player, limits) in self.players.iter_mut().zip(&limits) {
            let Some(choice) = choose(&mut **player, game, limits, self.stop.flag(), proceed)?
            else {
                return Ok(None);
            };
            choices.push(choice);
        }
        let [first, second]: [Choice; 2] = match choices.try_into() {
            Ok(choices) => choices,
            Err(_) => return Ok(None),
        };
        let model = game.position().game().wdl_model();
        let expected = |value: ForFirst<Value>| model.expected_score(value.0);
        let gap = first.value.zip(second.value);
        let gap = gap.map(|(first, second)| (expected(first) - expected(second)).abs());
        let mut judged = None;
        if first.m != second.m && self.judge.is_some() {
            judged = match self.judge(game, [first.m, second.m], proceed)? {
                Some(judged) => Some(judged),
                None => return Ok(None),
            };
        }
        let choices = [first, second];
        Ok(Some(ComparedPosition { ply: 0, side, played, choices, gap, judged }))
    }

    /// The judge's scores after two moves; `None` if cancelled.
    fn judge(
        &mut self,
        game: &AnyGameHistory,
        moves: [AnyMove; 2],
        proceed: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Judged>, ReviewError> {
        let Some((judge, limits)) = &mut self.judge else { return Ok(None) };
        let side = game.position().side();
        let mut values = [ForFirst(Value::Centi(0)); 2];
        for (value, m) in values.iter_mut().zip(moves) {
            let mut after = game.clone();
            after.play_on(m).map_err(|_| ReviewError::Illegal(game.plies() + 1))?;
            let position = after.position();
            *value = match position.outcome() {
                Some(outcome) => ForFirst(outcome_value(position.game(), outcome)),
                None => match choose(&mut **judge, &after, limits, self.stop.flag(), proceed)? {
                    Some(choice) => choice.value.ok_or(ReviewError::NoScores)?,
                    None => return Ok(None),
                },
            };
        }
        let game = game.position().game();
        let [first, second] = values.map(|value| value.for_mover(side));
        let losses = [Loss::between(game, second, first), Loss::between(game, first, second)];
        let is_loss = |loss: &Loss| loss.verdict(game) != Verdict::Best;
        let right = losses.iter().position(is_loss).map(|worse| 1 - worse);
        let loss = right.map_or(losses[0], |right| losses[1 - right]);
        Ok(Some(Judged { values, right, loss }))
    }
}

/// A player's choice; `None` if cancelled.
fn choose(
    player: &mut AnyPlayer,
    game: &AnyGameHistory,
    limits: &Limits,
    stop: &AtomicBool,
    proceed: &mut dyn FnMut() -> bool,
) -> Result<Option<Choice>, ReviewError> {
    let mut on_info = |_: &AnyInfo| {
        if !proceed() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let found = player.choose(game, limits, &mut AnyControl::new(stop, &mut on_info))?;
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let side = game.position().side();
    let best = found.info.lines.into_iter().next();
    let value = best.as_ref().map(|pv| pv.value.for_first(side));
    let line = best.map_or_else(|| vec![found.m], |pv| pv.moves);
    Ok(Some(Choice { m: found.m, value, line }))
}

#[cfg(test)]
mod tests {
    use tablero_core::{AnyGame, ErasedPlayer, Tactics};
    use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
    use tablero_search::simple::Greedy;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    fn record(text: &str) -> AnyRecord {
        let game = AnyGame::of::<TicTacToe>();
        let history = game.parse_history(text, game.default_rules()).expect("a game");
        AnyRecord::from_history(&history)
    }

    fn alphabeta() -> ErasedPlayer<TicTacToe> {
        let evaluation = TicTacToe::evaluations()[0].hand_tuned();
        let options = AlphaBetaOptions::for_game::<TicTacToe>();
        ErasedPlayer::new(Box::new(AlphaBeta::new(options, evaluation)))
    }

    const DEEP: Limits = Limits { depth: Some(9), time: None, nodes: None, clock: None };

    #[test]
    fn the_deeper_search_is_right() {
        // A perfect player, and one that looks one ply ahead.
        let (mut deep, mut judge) = (alphabeta(), alphabeta());
        let evaluation = TicTacToe::evaluations()[0].hand_tuned();
        let mut greedy = ErasedPlayer::<TicTacToe>::new(Box::new(Greedy::new(evaluation, 0)));
        let record = record("start moves a1 b2 c3 a3");
        let mut comparer =
            Comparer::new([&mut deep, &mut greedy], [DEEP; 2]).with_judge(&mut judge, DEEP);
        let comparison =
            comparer.compare(&record, 0, |_| true).expect("it runs").expect("to the end");
        assert_eq!(comparison.positions.len(), 5);
        assert!(comparison.agreements() < 5, "{comparison:?}");
        assert_eq!(comparison.right(1), 0, "{comparison:?}");
        assert_eq!(comparison.mean_loss(0), 0.0);
        for position in &comparison.positions {
            assert_eq!(position.judged.is_some(), !position.agree());
        }
    }

    #[test]
    fn equal_players_agree_and_cancelling_ends_it() {
        let (mut first, mut second) = (alphabeta(), alphabeta());
        let mut comparer = Comparer::new([&mut first, &mut second], [DEEP; 2]);
        let record = record("start moves a1 b2");
        let comparison = comparer.compare(&record, 1, |_| true).expect("it runs").expect("done");
        assert_eq!((comparison.positions.len(), comparison.agreements()), (2, 2));
        assert_eq!(comparison.positions[0].ply, 1);
        assert!(comparer.compare(&record, 0, |at| at.done < 1).expect("it runs").is_none());
    }
}
