//! Learning of the catalog's games.

mod config;
mod nnue;
mod position_file;
mod runs;
mod self_play;
mod training_set;

use std::fs;
use std::path::PathBuf;

use tablero_arena::Factory;
use tablero_core::{BuildResult, PlayerSetup};
use tablero_jobs::Work;
use tablero_learn::{GameData, LearnConfig, SelfPlayConfig, SelfPlayTask, SelfPlayWork, Source};
use tablero_registry::GameEntry;

/// A temporary folder.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("tablero-learn-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The game of that name.
fn game(name: &str) -> &'static dyn GameEntry {
    games().iter().copied().find(|entry| entry.game().name() == name).expect("a game")
}

/// Every game.
fn games() -> &'static [&'static dyn GameEntry] {
    tablero_registry::install(tablero_catalog::games());
    tablero_registry::games()
}

fn make_player(entry: &dyn GameEntry, line: &str) -> BuildResult {
    entry.build(line, &PlayerSetup::LOCAL)
}

/// Plays the games of a task.
fn play(entry: &dyn GameEntry, task: &SelfPlayTask) -> Vec<GameData> {
    let make = |line: &str| make_player(entry, line);
    let factory = Factory { game: entry.game(), make: &make };
    let work = SelfPlayWork::new(entry.learning(), factory);
    work.run(task).expect("games").games().to_vec()
}

/// Games of a player, with search targets.
fn sample_games(entry: &dyn GameEntry, line: &str) -> (Vec<GameData>, SelfPlayTask) {
    let task = SelfPlayTask {
        game: entry.game().name().into(),
        rules: String::new(),
        source: Source::Teacher(line.into()),
        config: SelfPlayConfig {
            full_search_prob: 1.0,
            max_plies: 70,
            ..SelfPlayConfig::for_game(entry.game())
        },
        seed: 4,
        first: 0,
        count: 3,
        record_times: false,
        opponent: None,
        rating: Some(25),
    };
    (play(entry, &task), task)
}

/// A run of two small generations.
fn small(entry: &dyn GameEntry) -> LearnConfig {
    let mut config = LearnConfig::quick(entry.game(), "test");
    config.net = "resnet 1x4".into();
    (config.games, config.generations) = (8, Some(2));
    config.holdout_every = 4;
    config.training.batch_size = 16;
    config
}
