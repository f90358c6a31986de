//! From a user's request to the settings of a match.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tablero_core::{
    AnyControl, AnyGameHistory, AnyPlayer, AnyPosition, AnyRules, ForMover, Limits, Value,
};

use crate::{
    ArenaError, BalanceFilter, Conditions, DrawAdjudication, Factory, MatchSettings, Openings,
    ResignAdjudication, TimeControl,
};

/// A match as requested on the command line or through the API. Both convert it here, so that the same
/// request is the same match.
///
/// ```
/// use tablero_arena::{Factory, Openings, MatchRequest};
/// use tablero_core::{AnyGame, PlayerLineError};
/// use tablero_tictactoe::TicTacToe;
///
/// let make = |line: &str| Err(PlayerLineError::Other(format!("no player `{line}`")));
/// let factory = Factory { game: AnyGame::of::<TicTacToe>(), make: &make };
/// let request = MatchRequest {
///     games: 20,
///     openings: Some("random=2".parse().unwrap()),
///     nodes: Some(1000),
///     ..MatchRequest::default()
/// };
/// let settings = request.settings(factory)?;
/// assert_eq!((settings.games, settings.openings), (20, Openings::Random { plies: 2 }));
/// # Ok::<(), tablero_arena::ArenaError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchRequest {
    /// The rules; the game's default if none.
    pub rules: Option<String>,
    /// Games per pairing, rounded up to whole pairs.
    pub games: usize,
    /// The openings, used as given. If none: the game's default openings, of which unbalanced ones are
    /// replaced.
    pub openings: Option<Openings>,
    /// Maximum search depth in plies.
    pub depth: Option<u32>,
    /// Maximum nodes or iterations per move.
    pub nodes: Option<u64>,
    /// Time per move.
    pub move_time: Option<Duration>,
    /// Time control for the whole game.
    pub clock: Option<TimeControl>,
    /// A game of this many plies is adjudicated a draw.
    pub max_plies: Option<usize>,
    /// Adjudicate draws and resignations by the players' scores.
    pub adjudicate: bool,
    /// The random seed.
    pub seed: u64,
}

/// The player that evaluates openings. Its node limit makes the openings reproducible.
pub const OPENING_EVALUATOR: &str = "alphabeta depth=4 nodes=5000";
/// Maximum advantage of either side in a balanced opening, in centi-units.
const MAX_ADVANTAGE: i32 = 150;

/// The rules of [`MatchRequest::adjudicate`].
const DRAW_ADJUDICATION: DrawAdjudication = DrawAdjudication { from_ply: 80, plies: 10, score: 10 };
const RESIGN_ADJUDICATION: ResignAdjudication = ResignAdjudication { moves: 4, score: 800 };

impl Default for MatchRequest {
    /// 100 games from balanced default openings with seed 1; the players limit themselves.
    fn default() -> Self {
        Self {
            rules: None,
            games: 100,
            openings: None,
            depth: None,
            nodes: None,
            move_time: None,
            clock: None,
            max_plies: None,
            adjudicate: false,
            seed: 1,
        }
    }
}

impl MatchRequest {
    /// The settings of the match. Unless openings are given, `factory` builds the
    /// [`OPENING_EVALUATOR`]; evaluating the openings of a thousand games takes seconds.
    pub fn settings(&self, factory: Factory<'_>) -> Result<MatchSettings, ArenaError> {
        let game = factory.game;
        if self.games == 0 {
            return Err(ArenaError::NoGames);
        }
        let rules = game.rules_or_default(self.rules.as_deref())?;
        let openings = match &self.openings {
            Some(openings) => openings.clone(),
            None => self.balanced_openings(rules, factory)?,
        };
        Ok(MatchSettings {
            rules: self.rules.clone(),
            games: self.games,
            openings,
            conditions: self.conditions(),
            ..MatchSettings::default_for(game, self.seed)
        })
    }

    /// The conditions of the games.
    pub fn conditions(&self) -> Conditions {
        Conditions {
            depth: self.depth,
            nodes: self.nodes,
            move_time_ms: self.move_time.map(|time| (time.as_millis() as u64).max(1)),
            clock: self.clock,
            draw: self.adjudicate.then_some(DRAW_ADJUDICATION),
            resign: self.adjudicate.then_some(RESIGN_ADJUDICATION),
            max_plies: self.max_plies,
            ..Conditions::default()
        }
    }

    /// The game's default openings, unbalanced ones replaced.
    fn balanced_openings(
        &self,
        rules: AnyRules,
        factory: Factory<'_>,
    ) -> Result<Openings, ArenaError> {
        let evaluator = (factory.make)(OPENING_EVALUATOR);
        let evaluator = evaluator
            .map_err(|error| ArenaError::Player { line: OPENING_EVALUATOR.into(), error })?;
        let evaluator = RefCell::new(evaluator);
        let evaluate = |position: &AnyPosition| evaluate(&mut **evaluator.borrow_mut(), position);
        let balance = BalanceFilter { evaluate: &evaluate, max_advantage: MAX_ADVANTAGE };
        let pairs = self.games.div_ceil(2);
        let openings = Openings::default_for(rules.game());
        let records = openings.generate(rules, pairs, self.seed, Some(&balance))?;
        Ok(Openings::from_records(&records, usize::MAX))
    }
}

/// The player's score of a position in centi-units.
fn evaluate(player: &mut AnyPlayer, position: &AnyPosition) -> ForMover<i32> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = AnyControl::new(&stop, &mut ignore);
    let choice = player
        .choose(&AnyGameHistory::new(position.clone()), &Limits::default(), &mut control)
        .ok();
    match choice.and_then(|choice| choice.info.lines.first().map(|line| line.value.0)) {
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

    fn settings(request: &MatchRequest) -> Result<MatchSettings, ArenaError> {
        let make = |line: &str| {
            assert_eq!(line, OPENING_EVALUATOR);
            Ok(Box::new(MobilityPlayer) as Box<AnyPlayer>)
        };
        request.settings(Factory { game: othello(), make: &make })
    }

    fn without_evaluator(request: &MatchRequest) -> Result<MatchSettings, ArenaError> {
        let make = |_: &str| Err(PlayerLineError::Other("no such player".into()));
        request.settings(Factory { game: othello(), make: &make })
    }

    #[test]
    fn default_openings_are_balanced() {
        let request = MatchRequest { games: 41, seed: 3, ..MatchRequest::default() };
        let made = settings(&request).unwrap();
        assert_eq!(made, settings(&request).unwrap(), "deterministic");
        let Openings::Given { games } = &made.openings else { panic!("{:?}", made.openings) };
        assert_eq!(games.len(), 21, "one per pair");
        for text in games {
            let opening = pgn::read_one(othello(), text).unwrap();
            assert_eq!(opening.plies.len(), 8);
            let game = opening.replay().unwrap();
            let score = score(game.position());
            assert!(matches!(score, Value::Centi(-150..=150)), "{score}");
        }
        let expected = MatchSettings {
            games: 41,
            openings: made.openings.clone(),
            ..MatchSettings::default_for(othello(), 3)
        };
        assert_eq!(made, expected);
        let other = settings(&MatchRequest { seed: 4, ..request }).unwrap();
        assert_ne!(other.openings, made.openings);
    }

    #[test]
    fn given_openings_are_not_filtered() {
        for openings in [Openings::Start, Openings::Random { plies: 3 }] {
            let request =
                MatchRequest { openings: Some(openings.clone()), ..MatchRequest::default() };
            let made = without_evaluator(&request).unwrap();
            assert_eq!(
                made,
                MatchSettings { openings, ..MatchSettings::default_for(othello(), 1) }
            );
        }
    }

    #[test]
    fn conditions_follow_the_request() {
        let clock = TimeControl { base_ms: 1000, increment_ms: 10 };
        let request = MatchRequest {
            rules: Some("standard".into()),
            openings: Some(Openings::Start),
            depth: Some(3),
            nodes: Some(50),
            move_time: Some(Duration::from_micros(20)),
            clock: Some(clock),
            max_plies: Some(99),
            adjudicate: true,
            ..MatchRequest::default()
        };
        let made = without_evaluator(&request).unwrap();
        assert_eq!(made.rules.as_deref(), Some("standard"));
        let expected = Conditions {
            depth: Some(3),
            nodes: Some(50),
            move_time_ms: Some(1),
            clock: Some(clock),
            max_plies: Some(99),
            draw: Some(DRAW_ADJUDICATION),
            resign: Some(RESIGN_ADJUDICATION),
            ..Conditions::default()
        };
        assert_eq!(made.conditions, expected);
        assert_eq!(MatchRequest::default().conditions(), Conditions::default());
    }

    #[test]
    fn invalid_requests_are_rejected() {
        let problem = |request: &MatchRequest| without_evaluator(request).unwrap_err().to_string();
        let default = MatchRequest::default();
        assert_eq!(problem(&default), format!("player `{OPENING_EVALUATOR}`: no such player"));
        let none = MatchRequest { games: 0, ..default.clone() };
        assert_eq!(problem(&none), "a match has at least 1 game");
        let odd = MatchRequest { rules: Some("odd".into()), ..default };
        assert!(problem(&odd).starts_with("othello has no rules `odd`; there are "));
    }
}
