//! Players and helpers of the tests.
#![allow(dead_code, unreachable_pub, reason = "a module of several tests, each of which uses some")]

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tablero_arena::{
    Conditions, Factory, FinishedGame, MatchConfig, MatchSettings, Openings, Watcher,
};
use tablero_core::{
    AnyGame, BuildResult, Control, ErasedPlayer, ForMover, Game, GameHistory, Info, Limits,
    Outcome, Playable, Player, PlayerError, PlayerLineError, Pv, Rng, SearchResult, Value, Wdl,
    pgn,
};
use tablero_jobs::{Progress, Threads};

/// Builds the players of the tests.
pub fn factory<G: Playable>() -> Factory<'static> {
    Factory { game: AnyGame::of::<G>(), make: &make::<G> }
}

/// A player of the tests; `perfect` solves the game and needs a small one.
pub fn make<G: Playable>(line: &str) -> BuildResult {
    let habit = match line {
        "random" => Habit::Random,
        "first" => Habit::First,
        "perfect" => Habit::Perfect,
        "panics" => Habit::Panics,
        "fails" => Habit::Fails,
        "cheats" => Habit::Cheats,
        "hangs" => Habit::Hangs,
        "resigns" => Habit::Resigns,
        _ => return Err(PlayerLineError::Other(format!("no player `{line}`"))),
    };
    let dummy = Dummy { habit, rng: Rng::seeded(0), is_broken: false };
    Ok(Box::new(ErasedPlayer::<G>::new(Box::new(dummy))))
}

#[derive(Clone, Copy, PartialEq)]
enum Habit {
    Random,
    First,
    Perfect,
    /// The rest play like `Random` for two moves first.
    Panics,
    Fails,
    Cheats,
    Hangs,
    Resigns,
}

struct Dummy {
    habit: Habit,
    rng: Rng,
    is_broken: bool,
}

impl<G: Game> Player<G> for Dummy {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        _limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        assert!(!self.is_broken, "a broken player is not reused");
        let position = game.position();
        let moves = game.moves();
        let mut info = Info { nodes: 1, ..Info::default() };
        let mut m = moves[self.rng.below(moves.len() as u64) as usize];
        let is_late = game.plies() >= 4;
        match self.habit {
            Habit::Random => {}
            Habit::First => m = moves[0],
            Habit::Perfect => {
                let (value, best) = best_move(position, &moves);
                (m, info.nodes) = (best, 100);
                info.lines = vec![Pv { value, moves: vec![m] }];
            }
            Habit::Panics if is_late => {
                self.is_broken = true;
                panic!("out of ideas");
            }
            Habit::Fails if is_late => {
                self.is_broken = true;
                return Err(PlayerError::Failed { player: "dummy".into(), what: "ended".into() });
            }
            Habit::Cheats if is_late => m = game.played().next().unwrap(),
            Habit::Hangs if is_late => {
                while !control.is_stopped() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            Habit::Resigns if is_late => return Err(PlayerError::Resigned),
            _ => {}
        }
        Ok(SearchResult { m, info })
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = Rng::seeded(seed);
    }
}

fn best_move<G: Game>(position: &G, moves: &[G::Move]) -> (ForMover<Value>, G::Move) {
    let score = |m: &&G::Move| -negamax(&position.after(**m));
    let best = moves.iter().rev().max_by_key(score).unwrap();
    let value = match -negamax(&position.after(*best)) {
        0 => Value::Centi(0),
        score if score > 0 => Value::WinIn(1),
        _ => Value::LossIn(1),
    };
    (ForMover(value), *best)
}

/// The game-theoretic value for the side to move.
fn negamax<G: Game>(position: &G) -> i32 {
    if let Some(outcome) = position.outcome() {
        return match outcome.wdl(position.side()) {
            Wdl::Win => 1,
            Wdl::Draw => 0,
            Wdl::Loss => -1,
        };
    }
    let mut best = -1;
    position.each_move(|m| {
        if best < 1 {
            best = best.max(-negamax(&position.after(m)));
        }
    });
    best
}

pub fn threads(count: usize) -> Threads {
    Threads::new(NonZeroUsize::new(count).unwrap())
}

/// A match that records no times, so that games can be compared to the byte.
pub fn config<G: Playable>(players: [&str; 2], games: usize, openings: Openings) -> MatchConfig {
    let conditions = Conditions { keep_times: false, ..Conditions::default() };
    let settings = MatchSettings {
        games,
        openings,
        conditions,
        ..MatchSettings::default_for(AnyGame::of::<G>(), 7)
    };
    MatchConfig { players: players.map(String::from), settings, sprt: None }
}

/// Records everything.
#[derive(Default)]
pub struct Notes {
    pub games: Vec<String>,
    pub ends: Vec<String>,
    pub outcomes: Vec<Outcome>,
    pub players: Vec<[usize; 2]>,
    pub progress: Vec<Progress>,
}

impl Watcher for Notes {
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        assert_eq!(game.index, self.games.len(), "games are reported in order");
        let end = game.record.end.unwrap();
        self.games.push(pgn::write(&game.record));
        self.ends.push(end.ending.to_string());
        self.outcomes.push(end.outcome);
        self.players.push(game.players);
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.progress.push(progress.clone());
    }
}

/// A temporary folder, removed on drop.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("tablero-arena-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
