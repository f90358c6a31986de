//! File formats for Othello games and positions.
//!
//! - [`transcript`]: bare move lists, `f5d6c3...`;
//! - [`ggf`]: Generic Game Format, games with players, clocks and values, used by servers and programs;
//! - [`wthor`]: the binary tournament archives of the French federation, one file per year;
//! - [`obf`]: positions with the score of each move, for test suites;
//! - [`tab`]: a single position, as saved by Othello7.
//!
//! Readers validate every move and insert the passes that most files omit. A finished game takes its
//! result from the board unless the file states otherwise. Each module documents what its format
//! drops on writing; anything else that it cannot express is a [`WriteError`].
//!
//! ```
//! use tablero_othello::files::transcript;
//! let record = transcript::read("f5d6c3d3c4")?;
//! assert_eq!(record.plies.len(), 5);
//! assert_eq!(transcript::write(&record).as_deref(), Ok("f5d6c3d3c4"));
//! # Ok::<(), tablero_core::ReadError>(())
//! ```

use std::error::Error;
use std::fmt;

use tablero_core::{
    Ending, Game, GameEnd, GameHistory, Notation, Ply, ReadError, Record, StandardRules,
};

use crate::{Othello, Square};

pub mod ggf;
pub mod obf;
pub mod tab;
pub mod transcript;
pub mod wthor;

/// A game or position that a format cannot express.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError {
    /// The format's display name, with its article.
    pub format: &'static str,
    /// What does not fit.
    pub what: String,
}

impl WriteError {
    fn new(format: &'static str, what: impl Into<String>) -> Self {
        Self { format, what: what.into() }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot hold {}", self.format, self.what)
    }
}

impl Error for WriteError {}

/// A record under construction, with the position after its last move.
struct RecordBuilder {
    record: Record<Othello>,
    position: Othello,
}

impl RecordBuilder {
    fn new(start: Othello) -> Self {
        Self { record: Record::new(start), position: start }
    }

    fn standard() -> Self {
        Self::new(Othello::start(StandardRules))
    }

    /// Plays the pass that files omit, if `name` is a square and the side to move must pass.
    fn play_implied_pass(&mut self, name: &str) {
        if Square::from_name(name).is_some() && self.position.is_legal(Square::PASS) {
            self.play(Square::PASS);
        }
    }

    /// Parses and plays a move, preceded by an omitted pass.
    fn play_text(&mut self, name: &str) -> Result<(), ReadError> {
        self.play_implied_pass(name);
        self.play(self.position.parse_move(name)?);
        Ok(())
    }

    fn play(&mut self, square: Square) {
        self.record.plies.push(Ply::new(square));
        self.position.play(square);
    }

    /// The end of the game if it is over by the rules.
    fn end_by_rules(&self) -> Option<GameEnd> {
        self.position.outcome().map(|outcome| GameEnd { outcome, ending: Ending::Played })
    }
}

/// Replays a record before writing it; an illegal move cannot be written.
fn replay(
    record: &Record<Othello>,
    format: &'static str,
) -> Result<GameHistory<Othello>, WriteError> {
    record.replay().map_err(|(index, _)| {
        let square = record.plies[index].m;
        WriteError::new(format, format!("the illegal move {square} (ply {})", index + 1))
    })
}

/// Rejects a record that does not start from the standard position.
fn require_standard_start(
    record: &Record<Othello>,
    format: &'static str,
) -> Result<(), WriteError> {
    if record.start == Othello::start(StandardRules) {
        return Ok(());
    }
    let what = format!("a game from the position {}", record.start.position_text());
    Err(WriteError::new(format, what))
}

/// Sample games for round-trip tests.
#[cfg(test)]
mod samples {
    use std::path::{Path, PathBuf};

    use tablero_core::{Game, GameHistory, Record, Rng};

    use super::*;

    /// A data file from outside the repository; tests that need it are skipped without it.
    #[expect(clippy::print_stderr, reason = "reports a skipped test")]
    pub(super) fn shared_data(name: &str) -> Option<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        let path = folder.join(name);
        if !path.exists() {
            eprintln!("skipped: {} not found", path.display());
            return None;
        }
        Some(path)
    }

    /// A random game from `start`, of at most `longest` plies.
    pub(super) fn random_game_from(start: Othello, seed: u64, longest: usize) -> Record<Othello> {
        let mut rng = Rng::for_stream(2024, seed);
        let mut game = GameHistory::new(start);
        while game.plies() < longest {
            let Some(square) = game.position().random_move(&mut rng) else {
                break;
            };
            game.play(square).expect("legal");
        }
        Record::from_history(&game)
    }

    /// A complete random game.
    pub(super) fn random_game(seed: u64) -> Record<Othello> {
        random_game_from(Othello::start(StandardRules), seed, usize::MAX)
    }

    /// An unfinished game whose side to move must pass.
    pub(super) fn game_before_pass() -> Record<Othello> {
        let mut record = (0..)
            .map(random_game)
            .find(|game| game.plies.iter().any(|ply| ply.m.is_pass()))
            .expect("some game has a pass");
        let pass = record.plies.iter().position(|ply| ply.m.is_pass());
        record.plies.truncate(pass.expect("a pass"));
        record.end = None;
        record
    }
}
