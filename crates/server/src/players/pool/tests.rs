use std::cell::Cell;
use std::time::Duration as Time;

use tablero_core::{
    AnyControl, AnyGame, AnySearchResult, BuildResult, Limits, Localized, OptionInfo, OptionValues,
    Player, PlayerError, PlayerKind, PlayerKinds, PlayerLine, PlayerSetup,
};
use tablero_evolve::EvolutionGame;
use tablero_jobs::Store;
use tablero_learn::LearningGame;
use tablero_registry::{
    BatchEvaluation, EvaluationInfo, GameEntry, NetSource, PlayoutCount, PositionBatch,
};

use super::*;
use crate::player_files::PlayerFiles;
use crate::players::PlayerFactory;

thread_local! {
    static NEW_GAMES: Cell<usize> = const { Cell::new(0) };
    static ALIVE: Cell<usize> = const { Cell::new(0) };
    static BUILT: Cell<usize> = const { Cell::new(0) };
}

/// Uses as much memory as its line says, of which `rest` cannot be released.
struct MemoryHog {
    tables: usize,
    rest: usize,
}

impl MemoryHog {
    fn of(line: &PlayerLine) -> Box<AnyPlayer> {
        BUILT.set(BUILT.get() + 1);
        ALIVE.set(ALIVE.get() + 1);
        let megabytes = |name: &str| line.value(name).unwrap_or(0usize) << 20;
        Box::new(Self { tables: megabytes("tables"), rest: megabytes("rest") })
    }
}

impl Drop for MemoryHog {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

impl Player<AnyPosition> for MemoryHog {
    fn choose(
        &mut self,
        _: &AnyGameHistory,
        _: &Limits,
        _: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, PlayerError> {
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

/// Tic-tac-toe with memory hogs as its only players.
struct HogGame;

impl GameEntry for HogGame {
    fn game(&self) -> AnyGame {
        tablero_catalog::games().last().expect("a game").game()
    }

    fn player_kinds(&self) -> PlayerKinds {
        let option = |name| OptionInfo {
            name,
            values: OptionValues::Integer { min: 0, max: 1 << 20 },
            default: "0".into(),
            about: Localized::new("", ""),
        };
        PlayerKinds(vec![PlayerKind {
            name: "hog",
            about: Localized::new("", ""),
            words: None,
            options: ["tables", "rest", "hash"].map(option).into(),
            starts_program: false,
            build: |line, _| Ok(MemoryHog::of(line)),
        }])
    }

    fn evaluations(&self) -> Vec<EvaluationInfo> {
        Vec::new()
    }

    fn batch(&self) -> Box<dyn PositionBatch> {
        unreachable!("not used")
    }

    fn build_with_evaluation(
        &self,
        _: &str,
        _: &PlayerSetup,
        _: Arc<dyn BatchEvaluation>,
    ) -> BuildResult {
        unreachable!("not used")
    }

    fn build_with_net(&self, _: &str, _: &PlayerSetup, _: NetSource<'_>) -> BuildResult {
        unreachable!("not used")
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
        unreachable!("not used")
    }

    fn learning(&self) -> &dyn LearningGame {
        unreachable!("not used")
    }
}

fn factory() -> PlayerFactory {
    let data = std::env::temp_dir();
    let (jobs, files) = (Store::in_folder(&data), PlayerFiles::in_folder(&data));
    PlayerFactory { setup: PlayerSetup::default(), jobs, files, memory_mb: 1 << 20 }
}

fn spec(line: &str) -> PlayerSpec {
    factory().resolve(&HogGame, line).expect("a right line")
}

fn seat(game: &str) -> Option<Seat> {
    Some(Seat { game: game.into(), side: Side::First })
}

fn played(moves: &str) -> AnyGameHistory {
    let game = HogGame.game();
    game.parse_history(&format!("start moves {moves}"), game.default_rules()).expect("moves")
}

/// A search for a seat.
fn search(pool: &Arc<PlayerPool>, game: &str, line: &str, moves: &str) {
    let mut player = pool.acquire(seat(game), spec(line)).expect("a player");
    player.prepare(&played(moves), 1);
    player.release();
}

fn megabytes(pool: &PlayerPool) -> usize {
    pool.lock().idle.weight() >> 20
}

#[test]
fn a_player_is_reset_unless_its_game_continues() {
    let pool = PlayerPool::new(1 << 30);
    let new_games = |game: &str, line: &str, moves: &str| {
        search(&pool, game, line, moves);
        NEW_GAMES.replace(0)
    };
    assert_eq!(new_games("a", "hog", ""), 1, "it is new");
    assert_eq!(new_games("a", "hog", "a1 b1"), 0);
    assert_eq!(new_games("b", "hog", "a1 b1"), 1, "another game");
    assert_eq!(new_games("a", "hog", "a1 b1 a2 b2"), 0, "its own player is still there");
    assert_eq!(new_games("a", "hog", "a1 b1 a2 b2"), 0, "the same position again");
    assert_eq!(new_games("a", "hog", "a1 b1"), 1, "moves were taken back");
    assert_eq!(new_games("a", "hog", "a1 c1 a2 b2"), 1, "another line");
    assert_eq!(new_games("a", "hog rest=1", "a1 c1 a2 b2"), 1, "another player");
    assert_eq!(ALIVE.get(), 3);
    pool.evict_game("a");
    assert_eq!(ALIVE.get(), 1);
}

#[test]
fn checking_a_line_builds_no_player() {
    for _ in 0..8 {
        assert!(factory().check(&HogGame, "hog hash=512 tables=512").is_ok());
        assert!(factory().check(&HogGame, "hog hash=512 tables=x").is_err());
    }
    assert_eq!(BUILT.get(), 0);
    search(&PlayerPool::new(1 << 30), "a", "hog", "");
    assert_eq!(BUILT.get(), 1);
}

#[test]
fn many_games_stay_within_the_budget() {
    let pool = PlayerPool::new(100 << 20);
    for number in 0..1000 {
        search(&pool, &number.to_string(), "hog tables=10", "");
        assert!(megabytes(&pool) <= 100, "{number}");
    }
    assert_eq!(megabytes(&pool), 100);
    assert_eq!(ALIVE.get(), 1000, "players without tables stay");
    NEW_GAMES.set(0);
    search(&pool, "990", "hog tables=10", "a1 b1");
    search(&pool, "0", "hog tables=10", "a1 b1");
    assert_eq!(NEW_GAMES.get(), 0, "losing the table does not reset a player");
    assert!(pool.take_freed() && !pool.take_freed());
}

#[test]
fn players_are_evicted_if_releasing_memory_is_not_enough() {
    let pool = PlayerPool::new(100 << 20);
    for number in 0..20 {
        search(&pool, &number.to_string(), "hog tables=5 rest=20", "");
        assert!(megabytes(&pool) <= 100, "{number}");
    }
    assert_eq!(ALIVE.get(), 5, "the last ones, without tables");
    NEW_GAMES.set(0);
    search(&pool, "19", "hog tables=5 rest=20", "");
    assert_eq!(NEW_GAMES.get(), 0);
    search(&pool, "3", "hog tables=5 rest=20", "");
    assert_eq!(NEW_GAMES.get(), 1, "it was evicted");
    pool.evict_idle(Duration::from_secs(60));
    assert_ne!(ALIVE.get(), 0);
    pool.evict_idle(Duration::ZERO);
    assert_eq!((ALIVE.get(), megabytes(&pool)), (0, 0));
}

#[test]
fn leased_players_count_against_the_budget() {
    let pool = PlayerPool::new(100 << 20);
    for number in 0..10 {
        search(&pool, &number.to_string(), "hog tables=10", "");
    }
    let analyst = pool.acquire(None, spec("hog hash=60")).expect("a player");
    assert_eq!(megabytes(&pool), 100, "others were evicted for its table");
    assert!(!pool.take_freed(), "a player is leased");
    analyst.release();
    assert_eq!(megabytes(&pool), 40, "without a seat it is not kept");
    assert_eq!(ALIVE.get(), 10);
    assert!(pool.take_freed());
}

#[test]
fn searches_wait_for_memory() {
    let pool = PlayerPool::new(100 << 20);
    let first = pool.acquire(None, spec("hog hash=60")).expect("a player");
    assert!(pool.acquire(None, spec("hog hash=40")).is_ok(), "there is room");
    let (sender, receiver) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn({
        let pool = Arc::clone(&pool);
        move || {
            sender.send("waits").expect("a receiver");
            let _second = pool.acquire(None, spec("hog hash=50")).expect("a player");
            sender.send("searches").expect("a receiver");
        }
    });
    assert_eq!(receiver.recv(), Ok("waits"));
    assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err(), "60 + 50 > 100");
    drop(first);
    assert_eq!(receiver.recv(), Ok("searches"));
    waiting.join().expect("no panic");
    let refused = pool.acquire(None, spec("hog hash=101")).err();
    assert_eq!(refused, Some(Problem::PlayerTooLarge { megabytes: 101, budget: 100 }));
}
