//! Balanced openings: the game's default openings, of which those that favour a side are replaced.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use tablero_core::{
    AnyControl, AnyGameHistory, AnyPlayer, AnyPosition, AnyRules, ForMover, Limits, Value,
};

use crate::{ArenaError, BalanceFilter, Factory, Openings};

/// The player that evaluates openings. Its node limit makes the openings reproducible.
pub const OPENING_EVALUATOR: &str = "alphabeta depth=4 nodes=5000";
/// Expected score of the side with the advantage in a balanced opening, at most, by the game's model: one and a half
/// discs in Othello.
const MAX_EXPECTED_SCORE: f64 = 0.575;

/// The game's default openings for `pairs` pairs of games, unbalanced ones replaced. `factory` builds the
/// [`OPENING_EVALUATOR`].
pub(crate) fn balanced_openings(
    rules: AnyRules,
    pairs: usize,
    seed: u64,
    factory: Factory<'_>,
) -> Result<Openings, ArenaError> {
    let evaluator = (factory.make)(OPENING_EVALUATOR);
    let evaluator =
        evaluator.map_err(|error| ArenaError::Player { line: OPENING_EVALUATOR.into(), error })?;
    let evaluator = RefCell::new(evaluator);
    let evaluate = |position: &AnyPosition| evaluate(&mut **evaluator.borrow_mut(), position);
    let max_advantage = rules.game().wdl_model().score(MAX_EXPECTED_SCORE).round() as i32;
    let balance = BalanceFilter { evaluate: &evaluate, max_advantage };
    let records = Openings::Balanced.generate(rules, pairs, seed, Some(&balance))?;
    Ok(Openings::from_records(&records, usize::MAX))
}

/// The player's score of a position in centi-units.
fn evaluate(player: &mut AnyPlayer, position: &AnyPosition) -> ForMover<i32> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = AnyControl::new(&stop, &mut ignore);
    let game = AnyGameHistory::new(position.clone());
    let result = player.choose(&game, &Limits::default(), &mut control).ok();
    match result.and_then(|result| result.info.lines.first().map(|line| line.value.0)) {
        Some(Value::Centi(value)) => ForMover(value),
        // Decided or unknown: unbalanced.
        _ => ForMover(i32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{
        AnyGame, AnyInfo, AnySearchResult, Player, PlayerError, PlayerLineError, Pv, pgn,
    };
    use tablero_othello::Othello;

    use super::*;

    /// Scores mobility: a disc per move above eight; seven moves are a proven loss.
    struct MobilityPlayer;

    fn score(position: &AnyPosition) -> Value {
        match position.count_moves() as i32 - 8 {
            -1 => Value::LossIn(9),
            excess => Value::Centi(100 * excess),
        }
    }

    impl Player<AnyPosition> for MobilityPlayer {
        fn choose(
            &mut self,
            game: &AnyGameHistory,
            limits: &Limits,
            _: &mut AnyControl<'_>,
        ) -> Result<AnySearchResult, PlayerError> {
            assert!(limits.is_unlimited(), "the line itself limits the evaluator");
            let m = *game.moves().first().ok_or(PlayerError::GameOver)?;
            let line = Pv { value: ForMover(score(game.position())), moves: vec![m] };
            Ok(AnySearchResult { m, info: AnyInfo { lines: vec![line], ..AnyInfo::default() } })
        }

        fn new_game(&mut self, _: u64) {}
    }

    fn othello() -> AnyGame {
        AnyGame::of::<Othello>()
    }

    fn openings(seed: u64) -> Openings {
        let make = |line: &str| {
            assert_eq!(line, OPENING_EVALUATOR);
            Ok(Box::new(MobilityPlayer) as Box<AnyPlayer>)
        };
        let factory = Factory { game: othello(), make: &make };
        balanced_openings(othello().default_rules(), 21, seed, factory).unwrap()
    }

    #[test]
    fn openings_are_within_the_filter_and_deterministic() {
        let Openings::Given { games } = openings(3) else { panic!("a list") };
        assert_eq!(games.len(), 21, "one per pair");
        for text in &games {
            let opening = pgn::read_one(othello(), text).unwrap();
            assert_eq!(opening.plies.len(), 8);
            let game = opening.replay().unwrap();
            let score = score(game.position());
            assert!(matches!(score, Value::Centi(-150..=150)), "{score}");
        }
        assert_eq!(openings(3), openings(3));
        assert_ne!(openings(3), openings(4));
    }

    #[test]
    fn the_evaluator_must_exist() {
        let make = |_: &str| Err(PlayerLineError::Other("no such player".into()));
        let factory = Factory { game: othello(), make: &make };
        let error = balanced_openings(othello().default_rules(), 1, 1, factory).unwrap_err();
        assert_eq!(error.to_string(), format!("player `{OPENING_EVALUATOR}`: no such player"));
    }
}
