use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tablero_core::{
    AnyControl, AnyMatch, AnyPlayer, AnyPosition, AnyRules, ForMover, Limits, Value,
};

use crate::{
    ArenaError, Balance, ClockRules, Conditions, DrawRule, Factory, Openings, ResignRule, Series,
};

/// What people say about the games that they want to be played: the one way from there to a
/// [`Series`], so that the same words mean the same match wherever they are said.
///
/// ```
/// use tablero_arena::{Factory, Openings, SeriesRequest};
/// use tablero_core::AnyGame;
/// use tablero_tictactoe::TicTacToe;
///
/// let make = |line: &str| Err(format!("no player `{line}`"));
/// let factory = Factory { game: AnyGame::of::<TicTacToe>(), make: &make };
/// let request = SeriesRequest {
///     games: 20,
///     openings: Some("random=2".parse().unwrap()),
///     nodes: Some(1000),
///     ..SeriesRequest::default()
/// };
/// let series = request.series(factory)?;
/// assert_eq!((series.games, series.openings), (20, Openings::Random { plies: 2 }));
/// # Ok::<(), tablero_arena::ArenaError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesRequest {
    /// By which rules; the usual ones if not said.
    pub rules: Option<String>,
    /// How many games two players play against each other; an odd number is rounded up.
    pub games: usize,
    /// Where they start from, fair or not. If not said, from the game's usual openings, of which those
    /// in which one side is clearly ahead are replaced.
    pub openings: Option<Openings>,
    /// Plies to look ahead, at most.
    pub depth: Option<u32>,
    /// Positions or iterations per move, at most.
    pub nodes: Option<u64>,
    /// Time per move.
    pub move_time: Option<Duration>,
    /// Each player's clock for the whole game.
    pub clock: Option<ClockRules>,
    /// A game of this many plies is called drawn.
    pub max_plies: Option<usize>,
    /// Whether to end games when both players have agreed on the outcome for some moves.
    pub adjudicate: bool,
    /// Where all randomness comes from.
    pub seed: u64,
}

/// The player who says whether an opening is fair. It is bound by its own line, so that the same
/// openings are found everywhere.
pub const OPENING_JUDGE: &str = "alphabeta depth=4 nodes=5000";
/// What is fair: up to so many hundredths of a pawn, disc or stone for either side.
const FAIR: i32 = 150;

/// When [`SeriesRequest::adjudicate`] ends a game.
const ADJUDICATED_DRAW: DrawRule = DrawRule { from_ply: 80, plies: 10, within: 10 };
const ADJUDICATED_LOSS: ResignRule = ResignRule { moves: 4, beyond: 800 };

impl Default for SeriesRequest {
    /// A hundred games from the usual openings without limits but the players' own, with seed 1.
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

impl SeriesRequest {
    /// What is to be played, and how. `factory` is asked for the game and, unless openings are given,
    /// for the [`OPENING_JUDGE`]; to judge the openings of a thousand games takes seconds.
    pub fn series(&self, factory: Factory<'_>) -> Result<Series, ArenaError> {
        let game = factory.game;
        if self.games == 0 {
            return Err(ArenaError::Config("a match has at least 1 game".into()));
        }
        let rules = game.rules_or_default(self.rules.as_deref());
        let rules = rules.map_err(|error| ArenaError::Config(error.to_string()))?;
        let openings = match &self.openings {
            Some(openings) => openings.clone(),
            None => self.fair_openings(rules, factory)?,
        };
        Ok(Series {
            rules: self.rules.clone(),
            games: self.games,
            openings,
            conditions: self.conditions(),
            ..Series::usual(game, self.seed)
        })
    }

    /// How the games are played.
    pub fn conditions(&self) -> Conditions {
        Conditions {
            depth: self.depth,
            nodes: self.nodes,
            move_time_ms: self.move_time.map(|time| (time.as_millis() as u64).max(1)),
            clock: self.clock,
            draw: self.adjudicate.then_some(ADJUDICATED_DRAW),
            resign: self.adjudicate.then_some(ADJUDICATED_LOSS),
            max_plies: self.max_plies,
            ..Conditions::default()
        }
    }

    /// The game's usual openings without those in which one side is clearly ahead.
    fn fair_openings(&self, rules: AnyRules, factory: Factory<'_>) -> Result<Openings, ArenaError> {
        let judge = (factory.make)(OPENING_JUDGE);
        let judge =
            judge.map_err(|problem| ArenaError::Player { line: OPENING_JUDGE.into(), problem })?;
        let judge = RefCell::new(judge);
        let evaluate = |position: &AnyPosition| evaluate(&mut **judge.borrow_mut(), position);
        let balance = Balance { evaluate: &evaluate, within: FAIR };
        let pairs = self.games.div_ceil(2);
        let usual = Openings::usual(rules.game());
        let records = usual.make(rules, pairs, self.seed, Some(&balance))?;
        Ok(Openings::given(&records, usize::MAX))
    }
}

/// What `judge` thinks of a position, in hundredths.
fn evaluate(judge: &mut AnyPlayer, position: &AnyPosition) -> ForMover<i32> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = AnyControl::new(&stop, &mut ignore);
    let choice =
        judge.choose(&AnyMatch::new(position.clone()), &Limits::default(), &mut control).ok();
    match choice.and_then(|choice| choice.info.lines.first().map(|line| line.value.0)) {
        Some(Value::Hundredths(value)) => ForMover(value),
        // Decided, or nobody knows: not fair.
        _ => ForMover(i32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{AnyChoice, AnyGame, AnyInfo, Line, Player, PlayerError, pgn};
    use tablero_othello::Othello;

    use super::*;

    /// Thinks that a side with eight moves is even, each move more is a disc's worth, and one with
    /// seven has lost.
    struct CountsMoves;

    fn worth(position: &AnyPosition) -> Value {
        match position.count_moves() as i32 - 8 {
            -1 => Value::LossIn(9),
            excess => Value::Hundredths(100 * excess),
        }
    }

    impl Player<AnyPosition> for CountsMoves {
        fn choose(
            &mut self,
            game: &AnyMatch,
            limits: &Limits,
            _: &mut AnyControl<'_>,
        ) -> Result<AnyChoice, PlayerError> {
            assert!(limits.is_unlimited(), "the line of the judge bounds it");
            let m = *game.moves().first().ok_or(PlayerError::GameOver)?;
            let line = Line { value: ForMover(worth(game.position())), moves: vec![m] };
            Ok(AnyChoice { m, info: AnyInfo { lines: vec![line], ..AnyInfo::default() } })
        }

        fn new_game(&mut self, _: u64) {}
    }

    fn othello() -> AnyGame {
        AnyGame::of::<Othello>()
    }

    fn series(request: &SeriesRequest) -> Result<Series, ArenaError> {
        let make = |line: &str| {
            assert_eq!(line, OPENING_JUDGE);
            Ok(Box::new(CountsMoves) as Box<AnyPlayer>)
        };
        request.series(Factory { game: othello(), make: &make })
    }

    fn without_judge(request: &SeriesRequest) -> Result<Series, ArenaError> {
        request.series(Factory { game: othello(), make: &|_| Err("nobody is there".into()) })
    }

    #[test]
    fn usual_openings_are_fair() {
        let request = SeriesRequest { games: 41, seed: 3, ..SeriesRequest::default() };
        let made = series(&request).unwrap();
        assert_eq!(made, series(&request).unwrap(), "the same each time");
        let Openings::Given { games } = &made.openings else { panic!("{:?}", made.openings) };
        assert_eq!(games.len(), 21, "one for each pair of games");
        for text in games {
            let opening = pgn::read_one(othello(), text).unwrap();
            assert_eq!(opening.plies.len(), 8);
            let game = opening.replay().unwrap();
            let worth = worth(game.position());
            assert!(matches!(worth, Value::Hundredths(-150..=150)), "{worth}");
        }
        let expected =
            Series { games: 41, openings: made.openings.clone(), ..Series::usual(othello(), 3) };
        assert_eq!(made, expected);
        let other = series(&SeriesRequest { seed: 4, ..request }).unwrap();
        assert_ne!(other.openings, made.openings);
    }

    #[test]
    fn openings_that_were_asked_for_are_not_judged() {
        for openings in [Openings::Start, Openings::Random { plies: 3 }] {
            let request =
                SeriesRequest { openings: Some(openings.clone()), ..SeriesRequest::default() };
            let made = without_judge(&request).unwrap();
            assert_eq!(made, Series { openings, ..Series::usual(othello(), 1) });
        }
    }

    #[test]
    fn conditions_are_as_asked_for() {
        let clock = ClockRules { main_ms: 1000, increment_ms: 10 };
        let request = SeriesRequest {
            rules: Some("standard".into()),
            openings: Some(Openings::Start),
            depth: Some(3),
            nodes: Some(50),
            move_time: Some(Duration::from_micros(20)),
            clock: Some(clock),
            max_plies: Some(99),
            adjudicate: true,
            ..SeriesRequest::default()
        };
        let made = without_judge(&request).unwrap();
        assert_eq!(made.rules.as_deref(), Some("standard"));
        let expected = Conditions {
            depth: Some(3),
            nodes: Some(50),
            move_time_ms: Some(1),
            clock: Some(clock),
            max_plies: Some(99),
            draw: Some(ADJUDICATED_DRAW),
            resign: Some(ADJUDICATED_LOSS),
            ..Conditions::default()
        };
        assert_eq!(made.conditions, expected);
        assert_eq!(SeriesRequest::default().conditions(), Conditions::default());
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let problem = |request: &SeriesRequest| without_judge(request).unwrap_err().to_string();
        let usual = SeriesRequest::default();
        assert_eq!(problem(&usual), format!("player `{OPENING_JUDGE}`: nobody is there"));
        let none = SeriesRequest { games: 0, ..usual.clone() };
        assert_eq!(problem(&none), "a match has at least 1 game");
        let odd = SeriesRequest { rules: Some("odd".into()), ..usual };
        assert!(problem(&odd).starts_with("othello has no rules `odd`; there are "));
    }
}
