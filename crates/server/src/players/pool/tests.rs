use std::cell::Cell;
use std::time::Duration as Time;

use tablero_core::{
    AnyChoice, AnyControl, AnyGame, Limits, OptionInfo, OptionValues, Player, PlayerError,
    PlayerKind, PlayerKinds, PlayerLine, PlayerSetup,
};
use tablero_evolve::EvolutionGame;
use tablero_jobs::Store;
use tablero_learn::LearningGame;
use tablero_registry::{EvaluationInfo, GameEntry, PlayoutCount};

use super::*;
use crate::players::PlayerFactory;

thread_local! {
    static NEW_GAMES: Cell<usize> = const { Cell::new(0) };
    static ALIVE: Cell<usize> = const { Cell::new(0) };
}

/// Takes as much as its line says, of which some cannot be released.
struct Hoarder {
    tables: usize,
    rest: usize,
}

impl Hoarder {
    fn of(line: &PlayerLine) -> Box<AnyPlayer> {
        ALIVE.set(ALIVE.get() + 1);
        let megabytes = |name: &str| line.value(name).unwrap_or(0usize) << 20;
        Box::new(Self { tables: megabytes("tables"), rest: megabytes("rest") })
    }
}

impl Drop for Hoarder {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

impl Player<AnyPosition> for Hoarder {
    fn choose(
        &mut self,
        _: &AnyMatch,
        _: &Limits,
        _: &mut AnyControl<'_>,
    ) -> Result<AnyChoice, PlayerError> {
        Err(PlayerError::Resigned)
    }

    fn memory(&self) -> usize {
        self.tables + self.rest
    }

    fn release_memory(&mut self) {
        self.tables = 0;
    }

    fn new_game(&mut self, _: u64) {
        NEW_GAMES.set(NEW_GAMES.get() + 1);
    }
}

/// Tic-tac-toe, played by hoarders only.
struct Hoarders;

impl GameEntry for Hoarders {
    fn game(&self) -> AnyGame {
        tablero_catalog::games().last().expect("a game").game()
    }

    fn player_kinds(&self) -> PlayerKinds {
        let option = |name| OptionInfo {
            name,
            values: OptionValues::Integer { min: 0, max: 1 << 20 },
            default: "0".into(),
            about: "",
        };
        PlayerKinds(vec![PlayerKind {
            name: "hoarder",
            about: "",
            words: None,
            options: ["tables", "rest", "hash"].map(option).into(),
            starts_program: false,
            build: |line, _| Ok(Hoarder::of(line)),
        }])
    }

    fn evaluations(&self) -> Vec<EvaluationInfo> {
        Vec::new()
    }

    fn perft(&self, _: &AnyPosition, _: u32, _: usize) -> u64 {
        0
    }

    fn perft_distinct(&self, _: &AnyPosition, _: u32) -> u64 {
        0
    }

    fn signature(&self) -> u64 {
        0
    }

    fn random_playouts(&self, _: u64, _: Time) -> PlayoutCount {
        PlayoutCount::default()
    }

    fn evolution(&self) -> &dyn EvolutionGame {
        unreachable!("nobody evolves here")
    }

    fn learning(&self) -> &dyn LearningGame {
        unreachable!("nobody learns here")
    }
}

fn spec(line: &str) -> PlayerSpec {
    let jobs = Store::in_folder(&std::env::temp_dir());
    let factory = PlayerFactory { setup: PlayerSetup::default(), jobs };
    factory.resolve(&Hoarders, line).expect("a right line")
}

fn seat(game: &str) -> Option<Seat> {
    Some(Seat { game: game.into(), side: Side::First })
}

fn played(moves: &str) -> AnyMatch {
    let game = Hoarders.game();
    game.parse_match(&format!("start moves {moves}"), game.default_rules()).expect("moves")
}

/// A move of a seat.
fn think(pool: &Arc<PlayerPool>, game: &str, line: &str, moves: &str) {
    let mut player = pool.take(seat(game), spec(line)).expect("a player");
    player.follow(&played(moves), 1);
    player.give_back();
}

fn megabytes(pool: &PlayerPool) -> usize {
    pool.lock().bytes() >> 20
}

#[test]
fn a_player_forgets_only_where_its_game_does_not_go_on() {
    let pool = PlayerPool::new(1 << 30);
    let new_games = |game: &str, line: &str, moves: &str| {
        think(&pool, game, line, moves);
        NEW_GAMES.replace(0)
    };
    assert_eq!(new_games("a", "hoarder", ""), 1, "it is new");
    assert_eq!(new_games("a", "hoarder", "a1 b1"), 0);
    assert_eq!(new_games("b", "hoarder", "a1 b1"), 1, "another game");
    assert_eq!(new_games("a", "hoarder", "a1 b1 a2 b2"), 0, "its own player was not taken");
    assert_eq!(new_games("a", "hoarder", "a1 b1 a2 b2"), 0, "asked again");
    assert_eq!(new_games("a", "hoarder", "a1 b1"), 1, "moves were taken back");
    assert_eq!(new_games("a", "hoarder", "a1 c1 a2 b2"), 1, "another line");
    assert_eq!(new_games("a", "hoarder rest=1", "a1 c1 a2 b2"), 1, "another player");
    assert_eq!(ALIVE.get(), 3);
    pool.forget_game("a");
    assert_eq!(ALIVE.get(), 1);
}

#[test]
fn many_games_keep_within_the_budget() {
    let pool = PlayerPool::new(100 << 20);
    for number in 0..1000 {
        think(&pool, &number.to_string(), "hoarder tables=10", "");
        assert!(megabytes(&pool) <= 100, "{number}");
    }
    assert_eq!(megabytes(&pool), 100);
    assert_eq!(ALIVE.get(), 1000, "without their tables they may stay");
    NEW_GAMES.set(0);
    think(&pool, "990", "hoarder tables=10", "a1 b1");
    think(&pool, "0", "hoarder tables=10", "a1 b1");
    assert_eq!(NEW_GAMES.get(), 0, "who has lost its table goes on as well");
    assert!(pool.has_freed() && !pool.has_freed());
}

#[test]
fn what_cannot_be_released_goes_with_its_player() {
    let pool = PlayerPool::new(100 << 20);
    for number in 0..20 {
        think(&pool, &number.to_string(), "hoarder tables=5 rest=20", "");
        assert!(megabytes(&pool) <= 100, "{number}");
    }
    assert_eq!(ALIVE.get(), 5, "the last ones, without tables");
    NEW_GAMES.set(0);
    think(&pool, "19", "hoarder tables=5 rest=20", "");
    assert_eq!(NEW_GAMES.get(), 0);
    think(&pool, "3", "hoarder tables=5 rest=20", "");
    assert_eq!(NEW_GAMES.get(), 1, "it had to leave");
    pool.forget_idle(Duration::from_secs(60));
    assert_ne!(ALIVE.get(), 0);
    pool.forget_idle(Duration::ZERO);
    assert_eq!((ALIVE.get(), megabytes(&pool)), (0, 0));
}

#[test]
fn who_thinks_counts_too() {
    let pool = PlayerPool::new(100 << 20);
    for number in 0..10 {
        think(&pool, &number.to_string(), "hoarder tables=10", "");
    }
    let analyst = pool.take(None, spec("hoarder hash=60")).expect("a player");
    assert_eq!(megabytes(&pool), 100, "others have made room for its table");
    assert!(!pool.has_freed(), "somebody thinks");
    analyst.give_back();
    assert_eq!(megabytes(&pool), 40, "it has no seat to wait for");
    assert_eq!(ALIVE.get(), 10);
    assert!(pool.has_freed());
}
