//! Adjudication of decided games by the players' own scores, as in fastchess and cutechess.

use tablero_core::{Ending, ForMover, GameEnd, Outcome, Side, Value};

use crate::{Conditions, DrawAdjudication, ResignAdjudication};

/// Counts consecutive scores and ends a game when a rule of the conditions applies.
pub(crate) struct Adjudicator<'a> {
    conditions: &'a Conditions,
    /// Consecutive plies with a score near 0.
    draw_count: usize,
    /// Consecutive moves of each side with a winning score.
    win_count: [usize; 2],
    /// Consecutive moves of each side with a losing score.
    loss_count: [usize; 2],
}

impl<'a> Adjudicator<'a> {
    pub(crate) const fn new(conditions: &'a Conditions) -> Self {
        Self { conditions, draw_count: 0, win_count: [0; 2], loss_count: [0; 2] }
    }

    /// The adjudicated end, if any, after a move of `side`; `plies` have been played. `value` is the
    /// player's score, if it reported one.
    pub(crate) fn adjudicate(
        &mut self,
        side: Side,
        value: Option<ForMover<Value>>,
        plies: usize,
    ) -> Option<GameEnd> {
        let value = value.map(|value| hundredths(value.0));
        let outcome = self
            .draw(value, plies)
            .or_else(|| self.resignation(side, value))
            .or_else(|| self.length_limit(plies))?;
        Some(GameEnd { outcome, ending: Ending::Adjudicated })
    }

    fn draw(&mut self, value: Option<i32>, ply: usize) -> Option<Outcome> {
        let DrawAdjudication { from_ply, plies, score } = self.conditions.draw?;
        let is_even = value.is_some_and(|value| (-score..=score).contains(&value));
        count(&mut self.draw_count, is_even);
        (ply >= from_ply && self.draw_count >= plies).then_some(Outcome::DRAW)
    }

    fn resignation(&mut self, side: Side, value: Option<i32>) -> Option<Outcome> {
        let ResignAdjudication { moves, score } = self.conditions.resign?;
        let index = side.index();
        count(&mut self.win_count[index], value.is_some_and(|value| value >= score));
        count(&mut self.loss_count[index], value.is_some_and(|value| value <= -score));
        let has_lost = |side: &Side| {
            self.loss_count[side.index()] >= moves && self.win_count[(!*side).index()] >= moves
        };
        Side::BOTH.into_iter().find(has_lost).map(|loser| Outcome::win(!loser))
    }

    fn length_limit(&self, plies: usize) -> Option<Outcome> {
        let limit = self.conditions.max_plies?;
        (plies >= limit).then_some(Outcome::DRAW)
    }
}

/// Counts consecutive occurrences.
fn count(count: &mut usize, occurs: bool) {
    *count = if occurs { *count + 1 } else { 0 };
}

/// A proven win exceeds every score.
const fn hundredths(value: Value) -> i32 {
    match value {
        Value::Centi(value) => value,
        Value::WinIn(_) => i32::MAX,
        Value::LossIn(_) => -i32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(conditions: &Conditions, values: &[Option<Value>]) -> Option<(usize, Outcome)> {
        let mut adjudicator = Adjudicator::new(conditions);
        values.iter().zip(1..).find_map(|(value, ply)| {
            let side = Side::BOTH[(ply + 1) % 2];
            let end = adjudicator.adjudicate(side, value.map(ForMover), ply)?;
            assert_eq!(end.ending, Ending::Adjudicated);
            Some((ply, end.outcome))
        })
    }

    #[test]
    fn consecutive_even_scores_are_a_draw() {
        let rule = DrawAdjudication { from_ply: 6, plies: 4, score: 10 };
        let conditions = Conditions { draw: Some(rule), ..Conditions::default() };
        let even = Some(Value::Centi(-10));
        assert_eq!(after(&conditions, &[even; 20]), Some((6, Outcome::DRAW)));
        let mut values = [even; 20];
        values[5] = Some(Value::Centi(11));
        assert_eq!(after(&conditions, &values), Some((10, Outcome::DRAW)));
        values[5] = None;
        assert_eq!(after(&conditions, &values), Some((10, Outcome::DRAW)));
        assert_eq!(after(&conditions, &[None; 20]), None);
    }

    #[test]
    fn agreed_losing_scores_are_a_resignation() {
        let rule = ResignAdjudication { moves: 2, score: 500 };
        let conditions = Conditions { resign: Some(rule), ..Conditions::default() };
        let (won, lost) = (Some(Value::Centi(500)), Some(Value::LossIn(3)));
        let second_wins = Outcome::win(Side::Second);
        assert_eq!(after(&conditions, &[lost, won, lost, won]), Some((4, second_wins)));
        assert_eq!(
            after(&conditions, &[won, lost, won, lost]).unwrap().1,
            Outcome::win(Side::First)
        );
        assert_eq!(
            after(&conditions, &[lost, None, lost, None, lost]),
            None,
            "the opponent does not agree"
        );
        let doubt = Some(Value::Centi(499));
        assert_eq!(after(&conditions, &[lost, won, lost, doubt, lost, won, lost]), None);
    }

    #[test]
    fn games_of_max_plies_are_drawn() {
        let conditions = Conditions { max_plies: Some(3), ..Conditions::default() };
        assert_eq!(after(&conditions, &[None; 9]), Some((3, Outcome::DRAW)));
    }
}
