//! The file: schema, connections, and games by id.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row};
use tablero_core::{AnyGame, AnyPly, AnyRecord};

use crate::packed::{Date, read_annotations, unpack_codes, unpack_end};
use crate::{ArchiveError, names};

/// The name of the database in the data folder.
pub const FILE_NAME: &str = "archive.sqlite";
/// The version of the schema, as SQLite's `user_version`.
const VERSION: i64 = 1;
/// How long a writer waits for another one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);
/// Idle connections that are kept.
const MAX_IDLE: usize = 8;

/// Strings are interned: `names.kind` is one of [`names::Kind`]. `games.end` is a packed [`GameEnd`], `games.date` a
/// packed date, `games.tags` packed tags. An index segment covers the games from `base`.
///
/// [`GameEnd`]: tablero_core::GameEnd
const SCHEMA: &str = "
    CREATE TABLE kinds(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE names(
        id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT,
        UNIQUE(kind, name));
    CREATE TABLE games(
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL,
        first INTEGER, second INTEGER, event INTEGER, opening INTEGER, date INTEGER NOT NULL,
        end INTEGER NOT NULL, fingerprint INTEGER NOT NULL, moves BLOB NOT NULL, tags BLOB, annotated BLOB);
    CREATE TABLE segments(id INTEGER PRIMARY KEY AUTOINCREMENT, base INTEGER NOT NULL, games INTEGER NOT NULL);
    CREATE TABLE blocks(
        segment INTEGER NOT NULL, first INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY(segment, first)) WITHOUT ROWID;
";

/// The games database of a data folder.
pub struct Archive {
    path: PathBuf,
    pub(crate) games: Vec<AnyGame>,
    idle: Mutex<Vec<Connection>>,
    /// Whether the file has the tables of this version.
    is_migrated: Mutex<bool>,
}

impl Archive {
    /// The archive of a data folder. Only `games` can be read from it. The file is opened, and created if needed,
    /// when it is used: a server starts on a full disk, too.
    pub fn open(folder: &Path, games: &[AnyGame]) -> Result<Self, ArchiveError> {
        let path = folder.join(FILE_NAME);
        fs::create_dir_all(folder)
            .map_err(|error| ArchiveError::Io { path: folder.into(), error })?;
        let (idle, is_migrated) = (Mutex::default(), Mutex::default());
        Ok(Self { path, games: games.to_vec(), idle, is_migrated })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size of the file and its log, in bytes.
    pub fn bytes(&self) -> u64 {
        let log = self.path.with_extension("sqlite-wal");
        [&self.path, &log].iter().filter_map(|path| fs::metadata(path).ok()).map(|m| m.len()).sum()
    }

    /// Runs `work` with a connection.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, ArchiveError>,
    ) -> Result<T, ArchiveError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = idle.map_or_else(|| connect(&self.path), Ok)?;
        self.migrate_once(&mut connection)?;
        let result = work(&mut connection);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(connection);
        }
        result
    }

    fn migrate_once(&self, connection: &mut Connection) -> Result<(), ArchiveError> {
        let mut is_migrated = self.is_migrated.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_migrated {
            self.migrate(connection)?;
            *is_migrated = true;
        }
        Ok(())
    }

    fn migrate(&self, connection: &mut Connection) -> Result<(), ArchiveError> {
        let version = |connection: &Connection| {
            connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
        };
        if version(connection)? == 0 {
            let transaction =
                connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            // Another process may have been faster.
            if version(&transaction)? == 0 {
                transaction.execute_batch(SCHEMA)?;
                transaction.pragma_update(None, "user_version", VERSION)?;
            }
            transaction.commit()?;
        }
        match version(connection)? {
            VERSION => Ok(()),
            found => Err(ArchiveError::Version { path: self.path.clone(), found, known: VERSION }),
        }
    }

    /// The game with an id.
    pub fn game(&self, id: i64) -> Result<AnyRecord, ArchiveError> {
        self.with(|connection| self.read_game(connection, id))
    }

    pub(crate) fn read_game(
        &self,
        connection: &Connection,
        id: i64,
    ) -> Result<AnyRecord, ArchiveError> {
        let mut statement = connection.prepare_cached(
            "SELECT k.name, (SELECT name FROM names WHERE id = g.first),
                (SELECT name FROM names WHERE id = g.second), (SELECT name FROM names WHERE id = g.event),
                g.date, g.end, g.moves, g.tags, g.annotated
             FROM games g JOIN kinds k ON k.id = g.kind WHERE g.id = ?1",
        )?;
        let row = statement.query_row([id], StoredGame::read).optional()?;
        let stored = row.ok_or(ArchiveError::NoGame(id))?;
        let game = self.find_game(&stored.kind)?;
        stored.record(connection, game)
    }

    /// The game of that name.
    pub(crate) fn find_game(&self, name: &str) -> Result<AnyGame, ArchiveError> {
        let found = self.games.iter().copied().find(|game| game.name() == name);
        found.ok_or(ArchiveError::Damaged("a game that this program does not have"))
    }
}

fn connect(path: &Path) -> Result<Connection, ArchiveError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Before the first table; without effect later.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -32_000)?;
    connection.pragma_update(None, "mmap_size", 1i64 << 32)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// A row of a game.
struct StoredGame {
    kind: String,
    players: [Option<String>; 2],
    event: Option<String>,
    date: i64,
    end: i64,
    moves: Vec<u8>,
    tags: Option<Vec<u8>>,
    annotated: Option<Vec<u8>>,
}

impl StoredGame {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            kind: row.get(0)?,
            players: [row.get(1)?, row.get(2)?],
            event: row.get(3)?,
            date: row.get(4)?,
            end: row.get(5)?,
            moves: row.get(6)?,
            tags: row.get(7)?,
            annotated: row.get(8)?,
        })
    }

    fn record(self, connection: &Connection, game: AnyGame) -> Result<AnyRecord, ArchiveError> {
        if let Some(bytes) = &self.annotated {
            let record = read_annotations(game, bytes);
            return record.ok_or(ArchiveError::Damaged("an annotated game cannot be read"));
        }
        let tags = names::unpack_tags(connection, self.tags.as_deref().unwrap_or_default())?;
        let tag = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value);
        let invalid = || ArchiveError::Damaged("a game's moves cannot be read");
        let rules =
            game.rules_or_default(tag(VARIANT).map(String::as_str)).map_err(|_| invalid())?;
        let start = match tag(START) {
            None => rules.start(),
            Some(text) => rules.parse_position(text).map_err(|_| invalid())?,
        };
        let codes = unpack_codes(&self.moves).ok_or_else(invalid)?;
        let moves = start.decode(&codes).ok_or_else(invalid)?;
        let mut record = AnyRecord::new(start);
        record.plies = moves.into_iter().map(AnyPly::new).collect();
        record.players = self.players.map(Option::unwrap_or_default);
        record.end = unpack_end(self.end);
        let date = Date::from_number(self.date).text();
        let columns = [("Event", self.event.unwrap_or_default()), ("Date", date)];
        for (name, value) in columns.into_iter().filter(|(_, value)| !value.is_empty()) {
            if tag(name).is_none() {
                record.tags.push((name.into(), value));
            }
        }
        record.tags.extend(tags.into_iter().filter(|(name, _)| name != VARIANT && name != START));
        Ok(record)
    }
}

/// The pseudo-tags of the rules and the starting position, where they are not the standard ones.
pub(crate) const VARIANT: &str = "Variant";
pub(crate) const START: &str = "FEN";
