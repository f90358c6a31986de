//! Tests of the catalog that run for every game, new ones included.

mod batch;
mod defaults;
mod explanations;
mod files;
mod networks;
mod players;
mod shipped;

use std::path::{Path, PathBuf};

use tablero_core::{Permissions, PlayerSetup};
use tablero_registry::GameEntry;

/// A setup without permissions.
const SANDBOXED: PlayerSetup = PlayerSetup { permissions: Permissions::NONE, ..PlayerSetup::LOCAL };

/// Every game.
fn games() -> &'static [&'static dyn GameEntry] {
    tablero_registry::install(tablero_catalog::games());
    tablero_registry::games()
}

/// The game of that name.
fn game(name: &str) -> &'static dyn GameEntry {
    games().iter().copied().find(|entry| entry.game().name() == name).expect("a game")
}

/// The error message of a player line.
fn error(entry: &dyn GameEntry, line: &str, setup: &PlayerSetup) -> String {
    let built = entry.build(line, setup);
    built.err().unwrap_or_else(|| panic!("{entry:?}: `{line}` is valid")).to_string()
}

fn assert_builds(entry: &dyn GameEntry, line: &str) {
    let built = entry.build(line, &PlayerSetup::LOCAL);
    assert!(built.is_ok(), "{entry:?} `{line}`: {}", built.err().expect("an error"));
}

/// A temporary file, removed on drop.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("tablero-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("written");
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
