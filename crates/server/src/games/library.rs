//! The library: all games of a data folder, one file each.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use axum::http::StatusCode;
use tablero_jobs::atomic_write;
use tokio::sync::broadcast;

use super::game::Game;
use crate::api::{
    BrokenFile, GameSummary, GameView, LibraryPage, LibraryQuery, Problem, ResultFilter, Side,
};
use crate::error::{ApiError, ApiResult};
use crate::game_file::{FORMAT_VERSION, GameFile};
use crate::random::random_id;

/// The games of a data folder: `games/ID.json`, written atomically.
pub(crate) struct Library {
    folder: PathBuf,
    /// Games in memory.
    cache: Mutex<HashMap<String, Arc<Handle>>>,
    /// The list entries of all games.
    index: Mutex<BTreeMap<String, Entry>>,
    broken: Vec<BrokenFile>,
    /// The folder's lock file; `None` once closed, after which nothing is written.
    lock: RwLock<Option<File>>,
}

/// A shared game, with a channel for its changes.
pub(crate) struct Handle {
    game: Mutex<Game>,
    pub(crate) events: broadcast::Sender<GameEvent>,
}

/// A change of a game, as broadcast to subscribers.
#[derive(Clone)]
pub(crate) enum GameEvent {
    Changed(Arc<GameView>),
    Deleted,
}

struct Entry {
    summary: GameSummary,
    origin: Option<String>,
    search_text: String,
    is_started: bool,
}

const LOCK: &str = ".lock";
/// Events buffered for a slow subscriber; one that lags further gets a snapshot.
const EVENT_BUFFER: usize = 32;
/// Games cached in memory before unused ones are evicted.
const CACHE_SIZE: usize = 500;
/// Limit against abuse.
const MAX_GAMES: usize = 100_000;
const MAX_PER_PAGE: usize = 200;
const PER_PAGE: usize = 50;

impl Handle {
    fn new(game: Game) -> Arc<Self> {
        Arc::new(Self { game: Mutex::new(game), events: broadcast::channel(EVENT_BUFFER).0 })
    }

    /// Locks the game; not to be held across a search.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Game> {
        // A request that panicked returned an error and saved nothing.
        self.game.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Library {
    /// Opens the library of the data folder `data`, creating it if needed. `url` is this server's, for others
    /// that try to open it.
    pub(crate) fn open(data: &Path, url: &str) -> Result<Self, String> {
        let folder = data.join("games");
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(failed)?;
        let lock = RwLock::new(Some(lock_folder(&folder, url)?));
        let (mut index, mut broken) = (BTreeMap::new(), Vec::new());
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let Some(id) = id_of(&path) else {
                remove_temp_file(&path);
                continue;
            };
            match read_game(&path, &id) {
                Ok(game) => {
                    index.insert(id, Entry::new(&game));
                }
                Err(problem) => {
                    let file = path.display().to_string();
                    broken.push(BrokenFile { file, problem: problem.into() });
                }
            }
        }
        let cache = Mutex::default();
        Ok(Self { folder, cache, index: Mutex::new(index), broken, lock })
    }

    /// Closes the library for writing and releases the folder.
    pub(crate) fn close(&self) {
        *self.lock.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The id of the game that was copied from there, if there is one.
    pub(crate) fn find_copy(&self, origin: &str) -> Option<String> {
        let index = self.lock_index();
        let mut games = index.iter();
        games.find(|(_, entry)| entry.origin.as_deref() == Some(origin)).map(|(id, _)| id.clone())
    }

    /// Adds a game.
    pub(crate) fn create(&self, file: GameFile) -> ApiResult<Arc<Handle>> {
        if self.lock_index().len() >= MAX_GAMES {
            return Err(Problem::LibraryFull { max: MAX_GAMES }.into());
        }
        let game = Game::new(random_id(), file)?;
        self.save(&game)?;
        let (id, handle) = (game.id.clone(), Handle::new(game));
        self.cache_handle(id, Arc::clone(&handle));
        Ok(handle)
    }

    /// The game with that id.
    pub(crate) fn get(&self, id: &str) -> ApiResult<Arc<Handle>> {
        if let Some(handle) = self.lock_cache().get(id) {
            return Ok(Arc::clone(handle));
        }
        // Only ids of the index: others could be paths out of the folder.
        if !self.lock_index().contains_key(id) {
            return Err(Problem::GameNotFound { id: id.into() }.into());
        }
        let game = read_game(&self.path(id), id)?;
        Ok(self.cache_handle(id.into(), Handle::new(game)))
    }

    /// Caches a game, unless another request was faster; returns the cached one.
    fn cache_handle(&self, id: String, handle: Arc<Handle>) -> Arc<Handle> {
        let mut cache = self.lock_cache();
        if cache.len() >= CACHE_SIZE {
            // Changes are saved at once, so that eviction loses nothing.
            cache.retain(|_, handle| Arc::strong_count(handle) > 1);
        }
        Arc::clone(cache.entry(id).or_insert(handle))
    }

    /// Saves a game and updates its index entry.
    pub(crate) fn save(&self, game: &Game) -> ApiResult<()> {
        if game.deleted {
            return Err(Problem::GameDeleted { id: game.id.clone() }.into());
        }
        let lock = self.lock.read().unwrap_or_else(PoisonError::into_inner);
        if lock.is_none() {
            return Err(ApiError::from(Problem::ShuttingDown).with_status(StatusCode::CONFLICT));
        }
        // Our own types always serialise.
        let mut bytes = serde_json::to_vec(&game.file()).map_err(ApiError::internal)?;
        bytes.push(b'\n');
        atomic_write(&self.path(&game.id), &bytes)
            .map_err(|error| Problem::GameNotSaved { reason: error.to_string() })?;
        self.lock_index().insert(game.id.clone(), Entry::new(game));
        Ok(())
    }

    /// Takes back changes of a game that could not be saved.
    pub(crate) fn restore(&self, game: &mut Game) {
        // If it cannot be read either, the disk has failed altogether.
        if let Ok(saved) = read_game(&self.path(&game.id), &game.id) {
            game.restore(saved);
        }
    }

    /// Deletes a game.
    pub(crate) fn delete(&self, id: &str) -> ApiResult<()> {
        let handle = self.get(id)?;
        let mut game = handle.lock();
        fs::remove_file(self.path(id)).map_err(ApiError::internal)?;
        game.cancel_search();
        game.deleted = true;
        self.lock_index().remove(id);
        self.lock_cache().remove(id);
        // Fails if there are no subscribers.
        let _ = handle.events.send(GameEvent::Deleted);
        Ok(())
    }

    /// The ids of the games that match a query, most recently changed first.
    pub(crate) fn ids(&self, query: &LibraryQuery) -> Vec<String> {
        let index = self.lock_index();
        matching(&index, query).into_iter().map(|entry| entry.summary.id.clone()).collect()
    }

    /// A page of the games that match a query, most recently changed first.
    pub(crate) fn list(&self, query: &LibraryQuery) -> LibraryPage {
        let index = self.lock_index();
        let found = matching(&index, query);
        let folders: BTreeSet<&String> = index
            .values()
            .map(|entry| &entry.summary.folder)
            .filter(|name| !name.is_empty())
            .collect();
        let per_page = query.per_page.unwrap_or(PER_PAGE).clamp(1, MAX_PER_PAGE);
        let page = found.iter().skip(query.page.saturating_mul(per_page)).take(per_page);
        LibraryPage {
            total: found.len(),
            page: query.page,
            per_page,
            games: page.map(|entry| entry.summary.clone()).collect(),
            broken: self.broken.clone(),
            folders: folders.into_iter().cloned().collect(),
        }
    }

    /// All finished games, in no particular order.
    pub(crate) fn finished(&self, game: Option<&str>) -> Vec<GameSummary> {
        let index = self.lock_index();
        let summaries = index.values().map(|entry| &entry.summary);
        let is_wanted = |summary: &&GameSummary| {
            summary.end.is_some() && game.is_none_or(|game| game == summary.game)
        };
        summaries.filter(is_wanted).cloned().collect()
    }

    /// The ids of finished games that are not among `known`.
    pub(crate) fn finished_except(&self, known: &HashSet<String>) -> Vec<String> {
        let index = self.lock_index();
        let is_new = |(id, entry): &(&String, &Entry)| {
            entry.summary.end.is_some() && !known.contains(id.as_str())
        };
        index.iter().filter(is_new).map(|(id, _)| id.clone()).collect()
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn lock_cache(&self) -> MutexGuard<'_, HashMap<String, Arc<Handle>>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_index(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The entries that match a query, most recently changed first.
fn matching<'a>(index: &'a BTreeMap<String, Entry>, query: &LibraryQuery) -> Vec<&'a Entry> {
    let mut found: Vec<&Entry> = index.values().filter(|entry| entry.matches(query)).collect();
    found.sort_by(|a, b| b.summary.changed.total_cmp(&a.summary.changed));
    found
}

/// Locks the folder against other servers. The system releases the lock when the process ends, even if it
/// is killed.
fn lock_folder(folder: &Path, url: &str) -> Result<File, String> {
    let path = folder.join(LOCK);
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let options = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = options.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {
            // Only the error of another server needs it.
            let _ = file.set_len(0).and_then(|()| file.write_all(url.as_bytes()));
            Ok(file)
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
        Err(TryLockError::WouldBlock) => {
            let mut other = String::new();
            let _ = file.read_to_string(&mut other);
            let data = folder.parent().unwrap_or(folder).display();
            Err(match other.as_str() {
                "" => format!(
                    "another server is using the folder {data}; stop it, or choose another with --data"
                ),
                url => format!(
                    "the server at {url} is using the folder {data}; open that address, stop that server, or \
                     choose another folder with --data"
                ),
            })
        }
    }
}

/// Removes the temporary file of a server that was killed while writing.
fn remove_temp_file(path: &Path) {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name.starts_with('.') && name != LOCK {
        // A leftover does no harm.
        let _ = fs::remove_file(path);
    }
}

/// The id of a game from its file name.
fn id_of(path: &Path) -> Option<String> {
    let id = path.file_stem()?.to_str()?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_id && path.extension()? == "json").then(|| id.into())
}

fn read_game(path: &Path, id: &str) -> Result<Game, Problem> {
    let invalid = |reason: &dyn Display| Problem::InvalidGameFile { reason: reason.to_string() };
    let bytes = fs::read(path).map_err(|error| invalid(&error))?;
    let file: GameFile = serde_json::from_slice(&bytes).map_err(|error| invalid(&error))?;
    match file.format_version {
        FORMAT_VERSION => Game::new(id.into(), file),
        found => Err(Problem::UnsupportedGameFile { found, supported: FORMAT_VERSION }),
    }
}

impl Entry {
    fn new(game: &Game) -> Self {
        let is_started = game.tree.in_order().len() > 1;
        let origin = game.origin().map(str::to_owned);
        Self { summary: game.summary(), origin, search_text: game.search_text(), is_started }
    }

    fn matches(&self, query: &LibraryQuery) -> bool {
        let summary = &self.summary;
        let contains = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        let has_player = |part: &String| {
            summary.players.iter().any(|s| contains(&s.name, part) || contains(&s.player, part))
        };
        let has_result = |wanted: ResultFilter| match (wanted, &summary.end) {
            (ResultFilter::Unfinished, end) => end.is_none(),
            (_, None) => false,
            (ResultFilter::First, Some(end)) => end.winner == Some(Side::First),
            (ResultFilter::Second, Some(end)) => end.winner == Some(Side::Second),
            (ResultFilter::Draw, Some(end)) => end.winner.is_none(),
        };
        query.game.as_ref().is_none_or(|game| *game == summary.game)
            && query.player.as_ref().is_none_or(has_player)
            && query.result.is_none_or(has_result)
            && query.folder.as_ref().is_none_or(|folder| *folder == summary.folder)
            && (self.is_started || !query.started)
            && query
                .text
                .as_ref()
                .is_none_or(|text| self.search_text.contains(&text.to_lowercase()))
    }
}
