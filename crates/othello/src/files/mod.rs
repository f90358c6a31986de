//! Files of Othello games and positions.
//!
//! - [`transcript`]: the moves of a game and nothing else, `f5d6c3...`;
//! - [`ggf`]: games with players, clocks and values, as the servers and programs keep them;
//! - [`wthor`]: the binary archives of tournament games, one file a year;
//! - [`obf`]: positions with the score of each move, for testing players;
//! - [`tab`]: one unfinished game, as Othello7 saves it.
//!
//! Readers play every move by the rules and add the passes that most files leave out. A game that
//! is over on the board has ended as the board says, unless the file states otherwise.
//! Where a format cannot hold something, its module says what is left out; anything else that does
//! not fit is a [`WriteError`].

use std::error::Error;
use std::fmt;

use tablero_core::{Ending, Game, GameEnd, Match, Notation, Ply, ReadError, Record, StandardRules};

use crate::{Othello, Square};

pub mod ggf;
pub mod obf;
pub mod tab;
pub mod transcript;
pub mod wthor;

/// A game or position that a format has no way to express.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WriteError {
    /// The format, as people call it.
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

/// A game while it is read: what is known of it, and the position after its last move.
struct Reading {
    record: Record<Othello>,
    position: Othello,
}

impl Reading {
    fn new(start: Othello) -> Self {
        Self { record: Record::new(start), position: start }
    }

    fn from_usual_start() -> Self {
        Self::new(Othello::start(StandardRules))
    }

    /// Plays the pass that files leave out, if `name` is a square and the side to move has none.
    fn pass_before(&mut self, name: &str) {
        if Square::from_name(name).is_some() && self.position.is_legal(Square::PASS) {
            self.play(Square::PASS);
        }
    }

    /// Plays the move called `name`, after the pass that files leave out.
    fn play_named(&mut self, name: &str) -> Result<(), ReadError> {
        self.pass_before(name);
        self.play(self.position.parse_move(name)?);
        Ok(())
    }

    fn play(&mut self, square: Square) {
        self.record.plies.push(Ply::new(square));
        self.position.play(square);
    }

    /// The end of the game, if the board shows one.
    fn end_on_board(&self) -> Option<GameEnd> {
        self.position.outcome().map(|outcome| GameEnd { outcome, ending: Ending::Played })
    }
}

/// The match of a record that is to be written; only legal moves have a meaning in a file.
fn replay(record: &Record<Othello>, format: &'static str) -> Result<Match<Othello>, WriteError> {
    record.replay().map_err(|(index, _)| {
        let square = record.plies[index].m;
        WriteError::new(format, format!("the illegal move {square} (ply {})", index + 1))
    })
}

/// Refuses a record that starts from any but the usual position.
fn check_usual_start(record: &Record<Othello>, format: &'static str) -> Result<(), WriteError> {
    if record.start == Othello::start(StandardRules) {
        return Ok(());
    }
    let what = format!("a game from the position {}", record.start.position_text());
    Err(WriteError::new(format, what))
}

/// Games to write and read back.
#[cfg(test)]
mod samples {
    use std::path::{Path, PathBuf};

    use tablero_core::{Game, Match, Record, Rng};

    use super::*;

    /// Real files that are kept beside the project; without them a test has nothing to look at.
    #[expect(clippy::print_stderr, reason = "says that a test was skipped")]
    pub(super) fn shared(name: &str) -> Option<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        let path = folder.join(name);
        if !path.exists() {
            eprintln!("skipped: there is no {}", path.display());
            return None;
        }
        Some(path)
    }

    /// A random game from `start`, of at most `longest` plies.
    pub(super) fn random_game_from(start: Othello, seed: u64, longest: usize) -> Record<Othello> {
        let mut rng = Rng::for_part(2024, seed);
        let mut game = Match::new(start);
        while game.plies() < longest {
            let Some(square) = game.position().random_move(&mut rng) else {
                break;
            };
            game.play(square).expect("legal");
        }
        Record::of_match(&game)
    }

    /// A random game, played to its end.
    pub(super) fn random_game(seed: u64) -> Record<Othello> {
        random_game_from(Othello::start(StandardRules), seed, usize::MAX)
    }

    /// A game that stands at a pass: the side to move has nothing else.
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
