use tablero_core::{Ending, ForMover, GameEnd, Outcome, Side, Value};

use crate::{Conditions, DrawRule, ResignRule};

/// Ends games that are decided, by what the players think of them.
pub(crate) struct Judge<'a> {
    conditions: &'a Conditions,
    /// Plies in a row in which the player thought the game even.
    even: usize,
    /// Each side's moves in a row with a value that high or that low.
    winning: [usize; 2],
    losing: [usize; 2],
}

impl<'a> Judge<'a> {
    pub(crate) const fn new(conditions: &'a Conditions) -> Self {
        Self { conditions, even: 0, winning: [0; 2], losing: [0; 2] }
    }

    /// After a move of `side` with its value, if the player gave one; `plies` have been played.
    pub(crate) fn judge(
        &mut self,
        side: Side,
        value: Option<ForMover<Value>>,
        plies: usize,
    ) -> Option<GameEnd> {
        let value = value.map(|value| hundredths(value.0));
        let outcome = self
            .drawn(value, plies)
            .or_else(|| self.lost(side, value))
            .or_else(|| self.too_long(plies))?;
        Some(GameEnd { outcome, ending: Ending::Adjudicated })
    }

    fn drawn(&mut self, value: Option<i32>, ply: usize) -> Option<Outcome> {
        let DrawRule { from_ply, plies, within } = self.conditions.draw?;
        count(&mut self.even, value.is_some_and(|value| (-within..=within).contains(&value)));
        (ply >= from_ply && self.even >= plies).then_some(Outcome::DRAW)
    }

    fn lost(&mut self, side: Side, value: Option<i32>) -> Option<Outcome> {
        let ResignRule { moves, beyond } = self.conditions.resign?;
        let index = side.index();
        count(&mut self.winning[index], value.is_some_and(|value| value >= beyond));
        count(&mut self.losing[index], value.is_some_and(|value| value <= -beyond));
        let has_lost = |side: &Side| {
            self.losing[side.index()] >= moves && self.winning[(!*side).index()] >= moves
        };
        Side::BOTH.into_iter().find(has_lost).map(|loser| Outcome::win(!loser))
    }

    fn too_long(&self, plies: usize) -> Option<Outcome> {
        let limit = self.conditions.max_plies?;
        (plies >= limit).then_some(Outcome::DRAW)
    }
}

/// Counts how often something held in a row.
fn count(times: &mut usize, holds: bool) {
    *times = if holds { *times + 1 } else { 0 };
}

/// A sure win is more than any number of hundredths.
const fn hundredths(value: Value) -> i32 {
    match value {
        Value::Hundredths(value) => value,
        Value::WinIn(_) => i32::MAX,
        Value::LossIn(_) => -i32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(conditions: &Conditions, values: &[Option<Value>]) -> Option<(usize, Outcome)> {
        let mut judge = Judge::new(conditions);
        values.iter().zip(1..).find_map(|(value, ply)| {
            let side = Side::BOTH[(ply + 1) % 2];
            let end = judge.judge(side, value.map(ForMover), ply)?;
            assert_eq!(end.ending, Ending::Adjudicated);
            Some((ply, end.outcome))
        })
    }

    #[test]
    fn calls_a_draw_when_nothing_happens() {
        let rule = DrawRule { from_ply: 6, plies: 4, within: 10 };
        let conditions = Conditions { draw: Some(rule), ..Conditions::default() };
        let even = Some(Value::Hundredths(-10));
        assert_eq!(after(&conditions, &[even; 20]), Some((6, Outcome::DRAW)));
        let mut values = [even; 20];
        values[5] = Some(Value::Hundredths(11));
        assert_eq!(after(&conditions, &values), Some((10, Outcome::DRAW)));
        values[5] = None;
        assert_eq!(after(&conditions, &values), Some((10, Outcome::DRAW)));
        assert_eq!(after(&conditions, &[None; 20]), None);
    }

    #[test]
    fn calls_a_loss_when_both_agree() {
        let rule = ResignRule { moves: 2, beyond: 500 };
        let conditions = Conditions { resign: Some(rule), ..Conditions::default() };
        let (won, lost) = (Some(Value::Hundredths(500)), Some(Value::LossIn(3)));
        let second_wins = Outcome::win(Side::Second);
        assert_eq!(after(&conditions, &[lost, won, lost, won]), Some((4, second_wins)));
        assert_eq!(
            after(&conditions, &[won, lost, won, lost]).unwrap().1,
            Outcome::win(Side::First)
        );
        assert_eq!(after(&conditions, &[lost, None, lost, None, lost]), None, "only one says so");
        let doubt = Some(Value::Hundredths(499));
        assert_eq!(after(&conditions, &[lost, won, lost, doubt, lost, won, lost]), None);
    }

    #[test]
    fn calls_long_games_drawn() {
        let conditions = Conditions { max_plies: Some(3), ..Conditions::default() };
        assert_eq!(after(&conditions, &[None; 9]), Some((3, Outcome::DRAW)));
    }
}
