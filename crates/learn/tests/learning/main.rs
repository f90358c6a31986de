//! Learning of the program's games.

mod config;
mod lessons;
mod packed;
mod runs;

use std::fs;
use std::path::PathBuf;

use tablero_arena::Factory;
use tablero_core::{AnyPlayer, PlayerSetup};
use tablero_jobs::Work;
use tablero_learn::{GameData, GamesTask, GamesWork, LearnConfig, Source, Style};
use tablero_registry::GameEntry;

/// A folder that is removed in the end.
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

fn make_player(entry: &dyn GameEntry, line: &str) -> Result<Box<AnyPlayer>, String> {
    entry.build(line, &PlayerSetup::LOCAL).map_err(|error| error.to_string())
}

/// Plays the games of a task.
fn play(entry: &dyn GameEntry, task: &GamesTask) -> Vec<GameData> {
    let make = |line: &str| make_player(entry, line);
    let factory = Factory { game: entry.game(), make: &make };
    let work = GamesWork::new(entry.learning(), factory);
    work.run(task).expect("games").games().to_vec()
}

/// Games of any player, with all that they say.
fn some_games(entry: &dyn GameEntry, line: &str) -> (Vec<GameData>, GamesTask) {
    let task = GamesTask {
        game: entry.game().name().into(),
        rules: String::new(),
        source: Source::Teacher(line.into()),
        style: Style { full_share: 1.0, longest: 70, ..Style::usual(entry.game()) },
        seed: 4,
        first: 0,
        count: 3,
        keep_times: false,
        rating: Some(25),
    };
    (play(entry, &task), task)
}

/// A run of two small generations.
fn small(entry: &dyn GameEntry) -> LearnConfig {
    let mut config = LearnConfig::quick(entry.game(), "test");
    config.net = "resnet 1x4".into();
    (config.games, config.generations) = (8, Some(2));
    config.held_out = 4;
    config.pace.batch = 16;
    config
}
