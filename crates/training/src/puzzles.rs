//! The puzzles of a data folder, in SQLite.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use tablero_core::AnyPosition;
use thiserror::Error;

use crate::{Card, Rating, glicko};

/// The name of the database in the data folder.
const FILE_NAME: &str = "training.sqlite";
const VERSION: i64 = 1;
const DAY: f64 = 86_400.0;
/// The deviation of a new puzzle's rating.
const PUZZLE_DEVIATION: f64 = 150.0;

const SCHEMA: &str = "
    CREATE TABLE puzzles(
        id INTEGER PRIMARY KEY, game TEXT NOT NULL, rules TEXT NOT NULL, position TEXT NOT NULL, key INTEGER NOT NULL,
        solutions TEXT NOT NULL, line TEXT NOT NULL, source INTEGER NOT NULL, origin TEXT NOT NULL,
        rating REAL NOT NULL, deviation REAL NOT NULL, created REAL NOT NULL,
        due REAL, interval REAL NOT NULL DEFAULT 0, ease REAL NOT NULL DEFAULT 2.5, streak INTEGER NOT NULL DEFAULT 0,
        UNIQUE(game, rules, key));
    CREATE INDEX puzzles_due ON puzzles(game, due);
    CREATE TABLE attempts(
        id INTEGER PRIMARY KEY, puzzle INTEGER NOT NULL REFERENCES puzzles(id) ON DELETE CASCADE,
        at REAL NOT NULL, solved INTEGER NOT NULL, rating REAL NOT NULL);
    CREATE TABLE ratings(game TEXT PRIMARY KEY, rating REAL NOT NULL, deviation REAL NOT NULL) WITHOUT ROWID;
";

/// Why the puzzles cannot be used.
#[derive(Debug, Error)]
pub enum PuzzleError {
    /// The database failed.
    #[error("the puzzles database: {0}")]
    Database(#[from] rusqlite::Error),
    /// The folder cannot be written.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// Its error.
        error: std::io::Error,
    },
    /// The file was written by a newer program.
    #[error("{FILE_NAME} has version {0}; use a newer program")]
    Version(i64),
    /// No puzzle has that id.
    #[error("there is no puzzle {0}")]
    NotFound(i64),
}

/// Where a puzzle comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PuzzleSource {
    /// A mistake of one's own.
    Mistake,
    /// A game of the archive.
    Archive,
    /// A test suite (EPD, OBF).
    Suite,
}

impl PuzzleSource {
    const ALL: [Self; 3] = [Self::Mistake, Self::Archive, Self::Suite];

    const fn number(self) -> i64 {
        self as i64
    }
}

/// A puzzle to add.
#[derive(Clone, Debug)]
pub struct NewPuzzle {
    /// The position.
    pub position: AnyPosition,
    /// The names of the moves that solve it.
    pub solutions: Vec<String>,
    /// The best line, in the game's notation; may be empty.
    pub line: Vec<String>,
    /// Where it comes from.
    pub source: PuzzleSource,
    /// The game, file or players it comes from, for people.
    pub origin: String,
}

/// A puzzle.
#[derive(Clone, PartialEq, Debug)]
pub struct Puzzle {
    /// Its id.
    pub id: i64,
    /// The game's name.
    pub game: String,
    /// The rules variant.
    pub rules: String,
    /// The position as text.
    pub position: String,
    /// The names of the moves that solve it.
    pub solutions: Vec<String>,
    /// The best line, in the game's notation; may be empty.
    pub line: Vec<String>,
    /// Where it comes from.
    pub source: PuzzleSource,
    /// The game, file or players it comes from.
    pub origin: String,
    /// How difficult it is.
    pub rating: Rating,
    /// Whether it was tried before and is due again.
    pub is_repeated: bool,
    card: Card,
}

/// The result of an attempt.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Attempt {
    /// Whether the move solves the puzzle.
    pub solved: bool,
    /// The person's rating before.
    pub before: Rating,
    /// The person's rating after.
    pub after: Rating,
    /// Days until the puzzle comes back.
    pub interval_days: f64,
}

/// The puzzles of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct PuzzleSummary {
    /// All puzzles.
    pub total: u64,
    /// Never tried.
    pub new: u64,
    /// Due now, tried before.
    pub due: u64,
    /// By source: mistakes, archive, suites.
    pub by_source: [u64; 3],
    /// Attempts, and solved ones.
    pub attempts: [u64; 2],
    /// The person's rating.
    pub rating: Rating,
    /// The rating after each of the latest attempts, the oldest first.
    pub history: Vec<f64>,
}

/// Opens the database, and creates it if needed.
fn connect(path: &Path) -> Result<Connection, PuzzleError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "foreign_keys", true)?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match version {
        0 => {
            let transaction = connection.unchecked_transaction()?;
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            transaction.commit()?;
        }
        VERSION => {}
        other => return Err(PuzzleError::Version(other)),
    }
    Ok(connection)
}

/// The open connection.
struct ConnectionGuard<'a>(MutexGuard<'a, Option<Connection>>);

impl Deref for ConnectionGuard<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0.as_ref().expect("opened before")
    }
}

/// The puzzles of a data folder.
pub struct Puzzles {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
}

impl Puzzles {
    /// Opens the puzzles of a data folder, creating the file if needed.
    pub fn open(folder: &Path) -> Result<Self, PuzzleError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| PuzzleError::Io { path: folder.into(), error })?;
        Ok(Self { path: folder.join(FILE_NAME), connection: Mutex::default() })
    }

    /// Adds a puzzle; `false` if its position is there already, up to symmetry.
    pub fn add(&self, puzzle: &NewPuzzle) -> Result<bool, PuzzleError> {
        let position = &puzzle.position;
        let added = self.lock()?.execute(
            "INSERT OR IGNORE INTO puzzles(game, rules, position, key, solutions, line, source, origin, rating,
                deviation, created) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                position.game().name(),
                position.rules().name(),
                position.position_text(),
                position.canonical().key as i64,
                puzzle.solutions.join(" "),
                puzzle.line.join(" "),
                puzzle.source.number(),
                puzzle.origin,
                Rating::NEW.value,
                PUZZLE_DEVIATION,
                now(),
            ],
        )?;
        Ok(added > 0)
    }

    /// The next puzzle of a game: the one that is due longest, otherwise a new one near the person's rating.
    pub fn next(&self, game: &str) -> Result<Option<Puzzle>, PuzzleError> {
        let connection = self.lock()?;
        let due = connection
            .query_row(
                &format!("{SELECT} WHERE game = ?1 AND due <= ?2 ORDER BY due LIMIT 1"),
                params![game, now()],
                read,
            )
            .optional()?;
        if due.is_some() {
            return Ok(due);
        }
        let rating = rating_of(&connection, game)?;
        let next = connection.query_row(
            &format!("{SELECT} WHERE game = ?1 AND due IS NULL ORDER BY abs(rating - ?2), source, id LIMIT 1"),
            params![game, rating.value],
            read,
        );
        Ok(next.optional()?)
    }

    /// The puzzle with an id.
    pub fn get(&self, id: i64) -> Result<Puzzle, PuzzleError> {
        get(&*self.lock()?, id)
    }

    /// Records the attempt to solve a puzzle by move `name`.
    pub fn attempt(&self, id: i64, name: &str) -> Result<Attempt, PuzzleError> {
        let connection = self.lock()?;
        let transaction = connection.unchecked_transaction()?;
        let puzzle = get(&transaction, id)?;
        let solved = puzzle.solutions.iter().any(|solution| solution == name);
        let before = rating_of(&transaction, &puzzle.game)?;
        let score = f64::from(u8::from(solved));
        // A repeated puzzle says little about strength.
        let (after, puzzle_after) = if puzzle.is_repeated {
            (before, puzzle.rating)
        } else {
            (glicko(before, puzzle.rating, score), glicko(puzzle.rating, before, 1.0 - score))
        };
        let card = puzzle.card.answered(solved);
        transaction.execute(
            "UPDATE puzzles SET rating = ?2, deviation = ?3, due = ?4, interval = ?5, ease = ?6, streak = ?7
             WHERE id = ?1",
            params![
                id,
                puzzle_after.value,
                puzzle_after.deviation,
                now() + DAY * card.interval_days,
                card.interval_days,
                card.ease,
                card.streak,
            ],
        )?;
        transaction.execute(
            "INSERT INTO attempts(puzzle, at, solved, rating) VALUES(?1, ?2, ?3, ?4)",
            params![id, now(), solved, after.value],
        )?;
        transaction.execute(
            "INSERT INTO ratings(game, rating, deviation) VALUES(?1, ?2, ?3)
             ON CONFLICT(game) DO UPDATE SET rating = ?2, deviation = ?3",
            params![puzzle.game, after.value, after.deviation],
        )?;
        transaction.commit()?;
        Ok(Attempt { solved, before, after, interval_days: card.interval_days })
    }

    /// Deletes a puzzle.
    pub fn remove(&self, id: i64) -> Result<(), PuzzleError> {
        match self.lock()?.execute("DELETE FROM puzzles WHERE id = ?1", [id])? {
            0 => Err(PuzzleError::NotFound(id)),
            _ => Ok(()),
        }
    }

    /// The puzzles of a game, counted.
    pub fn summary(&self, game: &str) -> Result<PuzzleSummary, PuzzleError> {
        let connection = self.lock()?;
        let count = |condition: &str| -> Result<u64, PuzzleError> {
            let sql = format!("SELECT count(*) FROM puzzles WHERE game = ?1 AND {condition}");
            Ok(connection.query_row(&sql, [game], |row| row.get::<_, i64>(0))? as u64)
        };
        let mut by_source = [0; 3];
        for source in PuzzleSource::ALL {
            by_source[source as usize] = count(&format!("source = {}", source.number()))?;
        }
        let attempts = connection.query_row(
            "SELECT count(*), coalesce(sum(solved), 0) FROM attempts
             WHERE puzzle IN (SELECT id FROM puzzles WHERE game = ?1)",
            [game],
            |row| Ok([row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64]),
        )?;
        let mut history: Vec<f64> = connection
            .prepare(
                "SELECT rating FROM attempts WHERE puzzle IN (SELECT id FROM puzzles WHERE game = ?1)
                 ORDER BY id DESC LIMIT 200",
            )?
            .query_map([game], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        history.reverse();
        Ok(PuzzleSummary {
            total: count("1")?,
            new: count("due IS NULL")?,
            due: count(&format!("due <= {}", now()))?,
            by_source,
            attempts,
            rating: rating_of(&connection, game)?,
            history,
        })
    }

    /// The connection, which is opened on first use: a server starts on a full disk, too.
    fn lock(&self) -> Result<ConnectionGuard<'_>, PuzzleError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if connection.is_none() {
            *connection = Some(connect(&self.path)?);
        }
        Ok(ConnectionGuard(connection))
    }
}

const SELECT: &str =
    "SELECT id, game, rules, position, solutions, line, source, origin, rating, deviation, due,
    interval, ease, streak FROM puzzles";

fn get(connection: &Connection, id: i64) -> Result<Puzzle, PuzzleError> {
    let found = connection.query_row(&format!("{SELECT} WHERE id = ?1"), [id], read).optional()?;
    found.ok_or(PuzzleError::NotFound(id))
}

fn read(row: &Row<'_>) -> rusqlite::Result<Puzzle> {
    let words = |text: String| text.split_whitespace().map(Into::into).collect();
    let source: i64 = row.get(6)?;
    Ok(Puzzle {
        id: row.get(0)?,
        game: row.get(1)?,
        rules: row.get(2)?,
        position: row.get(3)?,
        solutions: words(row.get(4)?),
        line: words(row.get(5)?),
        source: PuzzleSource::ALL.get(source as usize).copied().unwrap_or(PuzzleSource::Suite),
        origin: row.get(7)?,
        rating: Rating { value: row.get(8)?, deviation: row.get(9)? },
        is_repeated: row.get::<_, Option<f64>>(10)?.is_some(),
        card: Card { interval_days: row.get(11)?, ease: row.get(12)?, streak: row.get(13)? },
    })
}

/// The person's rating in puzzles of a game.
fn rating_of(connection: &Connection, game: &str) -> Result<Rating, PuzzleError> {
    let found = connection.query_row(
        "SELECT rating, deviation FROM ratings WHERE game = ?1",
        [game],
        |row| Ok(Rating { value: row.get(0)?, deviation: row.get(1)? }),
    );
    Ok(found.optional()?.unwrap_or(Rating::NEW))
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use tablero_core::AnyGame;
    use tablero_othello::Othello;

    use super::*;

    fn puzzle(plies: usize) -> NewPuzzle {
        let mut position = AnyGame::of::<Othello>().start();
        for _ in 0..plies {
            position.play(position.moves()[0]);
        }
        let best = position.moves()[0];
        let solutions = vec![position.move_name(best)];
        let line = position.line_text(&[best]);
        NewPuzzle {
            position,
            solutions,
            line,
            source: PuzzleSource::Mistake,
            origin: "a game".into(),
        }
    }

    #[test]
    fn puzzles_come_back_until_they_are_solved() {
        let folder = std::env::temp_dir().join(format!("tablero-puzzles-{}", std::process::id()));
        let puzzles = Puzzles::open(&folder).unwrap();
        assert!(puzzles.add(&puzzle(3)).unwrap() && !puzzles.add(&puzzle(3)).unwrap());
        // The same up to symmetry.
        let mut mirrored = puzzle(3);
        mirrored.position = mirrored.position.transform(3);
        assert!(!puzzles.add(&mirrored).unwrap());
        let first = puzzles.next("othello").unwrap().unwrap();
        let failed = puzzles.attempt(first.id, "pass").unwrap();
        assert!(!failed.solved && failed.after.value < failed.before.value);
        assert!(failed.interval_days < 0.01);
        assert_eq!(puzzles.next("othello").unwrap(), None, "not yet due");
        let solved = puzzles.attempt(first.id, &first.solutions[0]).unwrap();
        assert!(solved.solved && solved.after == solved.before, "a repetition is not rated");
        let summary = puzzles.summary("othello").unwrap();
        assert_eq!((summary.total, summary.new, summary.attempts), (1, 0, [2, 1]));
        assert_eq!(summary.by_source, [1, 0, 0]);
        drop(puzzles);
        // All is kept.
        let puzzles = Puzzles::open(&folder).unwrap();
        assert_eq!(puzzles.summary("othello").unwrap().history.len(), 2);
        puzzles.remove(first.id).unwrap();
        assert!(matches!(puzzles.get(first.id), Err(PuzzleError::NotFound(_))));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
