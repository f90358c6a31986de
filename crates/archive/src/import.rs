//! Import: one thread reads games, all pack them, one writes them in batches, each a transaction.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use tablero_core::{
    AnyGame, AnyRecord, FileFormat, Input, MAX_GAME_FILE_BYTES, OpenError, Side, detect,
    read_bounded,
};
use tablero_jobs::CancellationToken;

use crate::database::{START, VARIANT};
use crate::names::{self, Kind, Names};
use crate::packed::{PackedGame, pack};
use crate::postings::Posting;
use crate::terms::{Term, term_key};
use crate::{Archive, ArchiveError, segments};

/// Games handed from thread to thread at once.
const CHUNK: usize = 512;
/// Games of a transaction.
const BATCH: usize = 50_000;
/// The most skipped games that are reported one by one.
const MAX_REPORTED: usize = 1000;
/// Extensions of files that only hold names for others.
const COMPANIONS: [&str; 2] = ["jou", "trn"];

/// A file to import.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    name: String,
    path: Option<PathBuf>,
    bytes: Option<Cow<'a, [u8]>>,
}

impl<'a> Source<'a> {
    /// A file.
    pub fn file(path: &Path) -> Self {
        Self { name: path.display().to_string(), path: Some(path.into()), bytes: None }
    }

    /// The content of a file; the extension of its name is a hint for the format.
    pub fn bytes(name: &str, bytes: &'a [u8]) -> Self {
        // Readers of multi-file formats look for companions beside the path: there must be none.
        let path = Path::new("/dev/null").join(name.rsplit('/').next().unwrap_or(name));
        Self { name: name.into(), path: Some(path), bytes: Some(Cow::Borrowed(bytes)) }
    }

    fn read(&self) -> Result<Cow<'_, [u8]>, ArchiveError> {
        if let Some(bytes) = &self.bytes {
            return Ok(Cow::Borrowed(bytes));
        }
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        let bytes = read_bounded(path, MAX_GAME_FILE_BYTES);
        bytes.map(Cow::Owned).map_err(|error| ArchiveError::Io { path: path.into(), error })
    }

    /// Whether the file only holds names, which are read together with the games.
    fn is_companion(&self) -> bool {
        let extension = self.path.as_deref().and_then(Path::extension);
        extension.is_some_and(|extension| {
            COMPANIONS.contains(&extension.to_string_lossy().to_lowercase().as_str())
        })
    }
}

/// What to import, and how.
#[derive(Clone, Default)]
pub struct ImportOptions {
    /// The game of the files; detected if not given.
    pub game: Option<AnyGame>,
    /// The format of the files; detected if not given.
    pub format: Option<String>,
    /// Stops the import; what was read so far stays.
    pub cancel: CancellationToken,
}

/// The state of a running import.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ImportProgress {
    /// Games read, skipped ones and duplicates included.
    pub done: u64,
    /// The games of all files, estimated.
    pub total: u64,
    /// The current file.
    pub file: String,
    /// New games so far.
    pub games: u64,
}

/// What an import did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ImportReport {
    /// New games.
    pub games: u64,
    /// Games that cannot be read, or without moves.
    pub skipped: u64,
    /// Games that were there already.
    pub duplicates: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// The first of the skipped games, and files that are not games at all.
    pub problems: Vec<SkippedSource>,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

/// A game, or a whole file, that was skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedSource {
    /// The file.
    pub file: String,
    /// The number of the game in the file, from 1; `None` if it is the whole file.
    pub game: Option<u64>,
    /// Why.
    pub reason: String,
}

impl Archive {
    /// Imports files. A game that is there already (same moves, players and year) is not added again; one that cannot
    /// be read is reported and skipped, and so is a file of no known format. Games are committed in batches together
    /// with their index: after a crash, importing the same files again adds what is missing.
    pub fn import(
        &self,
        sources: &[Source<'_>],
        options: &ImportOptions,
        progress: &mut dyn FnMut(&ImportProgress),
    ) -> Result<ImportReport, ArchiveError> {
        let started = Instant::now();
        let mut writer = Writer::new(self, progress);
        for source in sources.iter().filter(|source| !source.is_companion()) {
            if options.cancel.is_cancelled() {
                break;
            }
            match self.import_source(source, options, &mut writer) {
                Ok(()) => {}
                Err(ArchiveError::Open { name, error }) => writer.skip_file(name, &error),
                Err(error) => return Err(error),
            }
        }
        writer.flush()?;
        let mut report = writer.report;
        if report.games > 0 {
            self.with(shrink)?;
        }
        report.cancelled = options.cancel.is_cancelled();
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }

    /// Adds a single game; `false` if it was there already or has no moves.
    pub fn add(&self, record: AnyRecord) -> Result<bool, ArchiveError> {
        let mut ignore = |_: &ImportProgress| {};
        let mut writer = Writer::new(self, &mut ignore);
        let packed = if record.plies.is_empty() { None } else { pack(record) };
        let Some(packed) = packed else { return Ok(false) };
        writer.batch.push(packed);
        writer.flush()?;
        Ok(writer.report.games > 0)
    }

    fn import_source(
        &self,
        source: &Source<'_>,
        options: &ImportOptions,
        writer: &mut Writer<'_>,
    ) -> Result<(), ArchiveError> {
        let bytes = source.read()?;
        let input = Input { bytes: &bytes, path: source.path.as_deref() };
        let failed = |error| ArchiveError::Open { name: source.name.clone(), error };
        let (game, format) =
            detect(&self.games, &input, options.game, options.format.as_deref()).map_err(failed)?;
        writer.begin_file(&source.name, estimate(&format, &bytes));
        let (read, unpacked) = sync_channel(4);
        let (packed, ready) = sync_channel(4);
        let cancel = &options.cancel;
        thread::scope(|scope| {
            let reader = scope.spawn(move || read_games(&input, &format, cancel, &read));
            scope.spawn(move || pack_games(&unpacked, &packed));
            // On an error the receiver is dropped, and the threads end.
            let written = writer.write_all(ready);
            let read = reader.join().unwrap_or(Ok(()));
            written?;
            read.map_err(|error| {
                failed(OpenError::Malformed { format: format.name, game: game.name(), error })
            })
        })
    }
}

/// A game that was read, or why it was not.
type ReadGame = Result<AnyRecord, String>;
type Packed = Result<Box<PackedGame>, String>;

fn read_games(
    input: &Input<'_>,
    format: &FileFormat,
    cancel: &CancellationToken,
    out: &SyncSender<Vec<ReadGame>>,
) -> Result<(), tablero_core::ReadError> {
    let mut chunk = Vec::with_capacity(CHUNK);
    (format.visit)(input, &mut |game| {
        chunk.push(game.map_err(|error| error.to_string()));
        if chunk.len() < CHUNK {
            return ControlFlow::Continue(());
        }
        let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK));
        if out.send(full).is_err() || cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    // Without a receiver the import has failed already.
    let _ = out.send(chunk);
    Ok(())
}

fn pack_games(games: &Receiver<Vec<ReadGame>>, out: &SyncSender<Vec<Packed>>) {
    while let Ok(chunk) = games.recv() {
        let packed: Vec<Packed> = chunk.into_par_iter().map(|game| pack_game(game?)).collect();
        if out.send(packed).is_err() {
            return;
        }
    }
}

fn pack_game(record: AnyRecord) -> Packed {
    if record.plies.is_empty() {
        return Err("it has no moves".into());
    }
    pack(record).map(Box::new).ok_or_else(|| "a move is not legal".into())
}

/// About how many games a file has, for progress.
fn estimate(format: &FileFormat, bytes: &[u8]) -> u64 {
    let count = |marker: &[u8]| memchr_count(bytes, marker);
    match format.name {
        "pgn" => count(b"[Event ").max(1),
        "ggf" => count(b"(;GM["),
        "wthor" => (bytes.len() as u64).saturating_sub(16) / 68,
        _ => count(b"\n"),
    }
}

fn memchr_count(bytes: &[u8], marker: &[u8]) -> u64 {
    let first = marker[0];
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == first);
    starts.filter(|(at, _)| bytes[*at..].starts_with(marker)).count() as u64
}

/// Gives free pages back to the file system, and folds the log into the file.
fn shrink(connection: &mut Connection) -> Result<(), ArchiveError> {
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    drop(rows);
    drop(statement);
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).optional()?;
    Ok(())
}

/// Collects games and commits them in batches.
struct Writer<'a> {
    archive: &'a Archive,
    progress: &'a mut dyn FnMut(&ImportProgress),
    state: ImportProgress,
    report: ImportReport,
    /// Games of the current file so far.
    number: u64,
    batch: Vec<PackedGame>,
    names: Names,
    /// Fingerprints of the games up to `known_up_to`.
    known: HashSet<u64>,
    known_up_to: i64,
}

impl<'a> Writer<'a> {
    fn new(archive: &'a Archive, progress: &'a mut dyn FnMut(&ImportProgress)) -> Self {
        Self {
            archive,
            progress,
            state: ImportProgress::default(),
            report: ImportReport::default(),
            number: 0,
            batch: Vec::new(),
            names: Names::default(),
            known: HashSet::new(),
            known_up_to: 0,
        }
    }

    fn begin_file(&mut self, name: &str, games: u64) {
        self.number = 0;
        self.state.file = name.into();
        self.state.total = self.state.done + games;
    }

    fn skip_file(&mut self, name: String, error: &OpenError) {
        self.report_problem(SkippedSource { file: name, game: None, reason: error.to_string() });
    }

    fn report_problem(&mut self, problem: SkippedSource) {
        self.report.skipped += 1;
        if self.report.problems.len() < MAX_REPORTED {
            self.report.problems.push(problem);
        }
    }

    fn write_all(&mut self, games: Receiver<Vec<Packed>>) -> Result<(), ArchiveError> {
        while let Ok(chunk) = games.recv() {
            for game in chunk {
                self.number += 1;
                match game {
                    Ok(game) => self.batch.push(*game),
                    Err(reason) => {
                        let (file, game) = (self.state.file.clone(), Some(self.number));
                        self.report_problem(SkippedSource { file, game, reason });
                    }
                }
                self.state.done += 1;
            }
            if self.batch.len() >= BATCH {
                self.flush()?;
            }
            self.state.games = self.report.games;
            self.state.total = self.state.total.max(self.state.done);
            (self.progress)(&self.state);
        }
        Ok(())
    }

    /// Commits the batch.
    fn flush(&mut self) -> Result<(), ArchiveError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.batch);
        let archive = self.archive;
        let written = archive.with(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            self.learn_fingerprints(&transaction)?;
            let count = self.insert(&transaction, &batch)?;
            transaction.commit()?;
            Ok(count)
        });
        match written {
            Ok(new) => {
                self.report.games += new;
                self.report.duplicates += batch.len() as u64 - new;
                Ok(())
            }
            Err(error) => {
                self.names.clear();
                Err(error)
            }
        }
    }

    /// Learns the fingerprints of games that were added since, by this import or by another process.
    fn learn_fingerprints(&mut self, connection: &Connection) -> Result<(), ArchiveError> {
        let mut statement =
            connection.prepare_cached("SELECT id, fingerprint FROM games WHERE id > ?1")?;
        let mut rows = statement.query([self.known_up_to])?;
        while let Some(row) = rows.next()? {
            self.known_up_to = row.get(0)?;
            self.known.insert(row.get::<_, i64>(1)? as u64);
        }
        Ok(())
    }

    /// Inserts the new games of a batch and their index segment; returns their number.
    fn insert(
        &mut self,
        connection: &Connection,
        batch: &[PackedGame],
    ) -> Result<u64, ArchiveError> {
        let mut postings = Vec::with_capacity(batch.len() * 40);
        let (mut base, mut count) = (0, 0);
        for game in batch {
            if !self.known.insert(game.fingerprint) {
                continue;
            }
            let (id, terms) = self.insert_game(connection, game)?;
            if count == 0 {
                base = id;
            }
            count += 1;
            self.known_up_to = id;
            let relative = u32::try_from(id - base)
                .map_err(|_| ArchiveError::Damaged("ids are not in sequence"))?;
            let posting =
                |key: u64, code: u16| Posting { key, game: relative, code, result: game.result };
            postings.extend(terms.iter().map(|&(key, code)| posting(key, code)));
            postings.extend(game.positions.iter().map(|&(key, code)| posting(key, code)));
        }
        if count > 0 {
            segments::add(connection, base, count, postings)?;
        }
        Ok(count as u64)
    }

    /// Inserts a game; returns its id and the keys of its terms.
    fn insert_game(
        &mut self,
        connection: &Connection,
        game: &PackedGame,
    ) -> Result<(i64, Vec<(u64, u16)>), ArchiveError> {
        let names = &mut self.names;
        let first = names.intern(connection, Kind::Player, &game.players[0])?;
        let second = names.intern(connection, Kind::Player, &game.players[1])?;
        let event = names.intern(connection, Kind::Event, &game.event)?;
        let opening = names.intern(connection, Kind::Opening, game.opening.unwrap_or_default())?;
        if game.date.year > 0 {
            names.intern(connection, Kind::Year, &game.date.year.to_string())?;
        }
        let mut tags = game.tags.clone();
        if game.rules != game.game.default_rules().name() {
            tags.push((VARIANT.into(), game.rules.into()));
        }
        tags.extend(game.start.iter().map(|start| (START.into(), start.clone())));
        let tags = names::pack_tags(connection, names, &tags)?;
        let kind = kind_id(connection, game.game)?;
        let mut statement = connection.prepare_cached(
            "INSERT INTO games(kind, first, second, event, opening, date, end, fingerprint, moves, tags, annotated)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?;
        let id = statement.insert(params![
            kind,
            first,
            second,
            event,
            opening,
            game.date.to_number(),
            game.end,
            game.fingerprint as i64,
            game.moves,
            tags,
            game.annotated,
        ])?;
        let key = |term| term_key(game.game, term);
        let mut terms = vec![(key(Term::All), 0)];
        terms.extend(first.map(|id| (key(Term::Player(id)), Side::First.index() as u16)));
        // Somebody may have played both sides.
        let other = second.filter(|second| Some(*second) != first);
        terms.extend(other.map(|id| (key(Term::Player(id)), Side::Second.index() as u16)));
        terms.extend(event.map(|id| (key(Term::Event(id)), 0)));
        terms.extend(opening.map(|id| (key(Term::Opening(id)), 0)));
        if game.date.year > 0 {
            terms.push((key(Term::Year(game.date.year)), 0));
        }
        Ok((id, terms))
    }
}

/// The number of a game's kind in this database.
fn kind_id(connection: &Connection, game: AnyGame) -> Result<i64, ArchiveError> {
    let mut find = connection.prepare_cached("SELECT id FROM kinds WHERE name = ?1")?;
    match find.query_row([game.name()], |row| row.get(0)).optional()? {
        Some(id) => Ok(id),
        None => Ok(connection
            .prepare_cached("INSERT INTO kinds(name) VALUES(?1)")?
            .insert([game.name()])?),
    }
}
