//! All games, one file each.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use axum::http::StatusCode;
use tablero_jobs::write_beside;
use tokio::sync::broadcast;

use super::game::Game;
use crate::api::{GameSummary, GameView, LibraryPage, LibraryQuery, Problem, ResultFilter, Side};
use crate::error::{ApiError, ApiResult};
use crate::file::{GameFile, LAYOUT};
use crate::random::random_id;

/// The games of a data folder. Each is a file `games/ID.json` in it, written whole.
pub(crate) struct Library {
    folder: PathBuf,
    /// Games in use.
    open: Mutex<HashMap<String, Arc<Handle>>>,
    /// What lists show, of all games.
    index: Mutex<BTreeMap<String, Entry>>,
    /// Files that could not be read.
    broken: Vec<String>,
    /// Held while the folder is ours; nothing is written without it.
    lock: RwLock<Option<File>>,
}

/// A game that several may use.
pub(crate) struct Handle {
    game: Mutex<Game>,
    pub(crate) events: broadcast::Sender<GameEvent>,
}

/// What happens to a game.
#[derive(Clone)]
pub(crate) enum GameEvent {
    Changed(Arc<GameView>),
    Deleted,
}

struct Entry {
    summary: GameSummary,
    words: String,
    is_started: bool,
}

const LOCK: &str = ".lock";
/// Events that a slow listener may be behind before it gets the whole game again.
const BEHIND: usize = 32;
/// Games that stay in memory although nobody uses them.
const IDLE: usize = 500;
/// A library that is greater than this is no library of a person.
const MOST_GAMES: usize = 100_000;
const MOST_PER_PAGE: usize = 200;
const PER_PAGE: usize = 50;

impl Handle {
    fn new(game: Game) -> Arc<Self> {
        Arc::new(Self { game: Mutex::new(game), events: broadcast::channel(BEHIND).0 })
    }

    /// The game, for a short while.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Game> {
        // A panic in the middle of a change was answered with an error; the file is whole.
        self.game.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Library {
    /// The games in the data folder `data`, which need not exist yet.
    pub(crate) fn open(data: &Path) -> Result<Self, String> {
        let folder = data.join("games");
        let cannot = |error: std::io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(cannot)?;
        let lock = RwLock::new(Some(take_lock(&folder)?));
        let (mut index, mut broken) = (BTreeMap::new(), Vec::new());
        for entry in fs::read_dir(&folder).map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            let Some(id) = id_of(&path) else {
                remove_torn(&path);
                continue;
            };
            match read_game(&path, &id) {
                Ok(game) => {
                    index.insert(id, Entry::of(&game));
                }
                Err(error) => broken.push(error),
            }
        }
        let open = Mutex::default();
        Ok(Self { folder, open, index: Mutex::new(index), broken, lock })
    }

    /// From now on nothing is written, and the folder may be another server's.
    pub(crate) fn close(&self) {
        *self.lock.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// A new game.
    pub(crate) fn create(&self, file: GameFile) -> ApiResult<Arc<Handle>> {
        if self.lock_index().len() >= MOST_GAMES {
            return Err(Problem::LibraryFull { most: MOST_GAMES }.into());
        }
        let game = Game::new(random_id(), file);
        let game = game.map_err(|reason| Problem::InvalidGame { reason })?;
        self.save(&game)?;
        let (id, handle) = (game.id.clone(), Handle::new(game));
        self.keep_open(id, Arc::clone(&handle));
        Ok(handle)
    }

    /// The game called `id`.
    pub(crate) fn get(&self, id: &str) -> ApiResult<Arc<Handle>> {
        if let Some(handle) = self.lock_open().get(id) {
            return Ok(Arc::clone(handle));
        }
        // Only what is in the index: an id must not lead out of the folder.
        if !self.lock_index().contains_key(id) {
            return Err(Problem::GameNotFound { id: id.into() }.into());
        }
        let game = read_game(&self.path(id), id).map_err(ApiError::internal)?;
        Ok(self.keep_open(id.into(), Handle::new(game)))
    }

    /// Keeps a game in memory, unless another request was faster; gives the one that is kept.
    fn keep_open(&self, id: String, handle: Arc<Handle>) -> Arc<Handle> {
        let mut open = self.lock_open();
        if open.len() >= IDLE {
            // Whatever changes is written at once, so that nothing is lost here.
            open.retain(|_, handle| Arc::strong_count(handle) > 1);
        }
        Arc::clone(open.entry(id).or_insert(handle))
    }

    /// Writes a game to its file and what lists show of it.
    pub(crate) fn save(&self, game: &Game) -> ApiResult<()> {
        if game.deleted {
            return Err(Problem::GameDeleted { id: game.id.clone() }.into());
        }
        let lock = self.lock.read().unwrap_or_else(PoisonError::into_inner);
        if lock.is_none() {
            return Err(ApiError::from(Problem::Stopping).with_status(StatusCode::CONFLICT));
        }
        // Our own types always serialise.
        let mut bytes = serde_json::to_vec(&game.file()).map_err(ApiError::internal)?;
        bytes.push(b'\n');
        write_beside(&self.path(&game.id), &bytes)
            .map_err(|error| Problem::GameNotKept { reason: error.to_string() })?;
        self.lock_index().insert(game.id.clone(), Entry::of(game));
        Ok(())
    }

    /// Deletes a game.
    pub(crate) fn delete(&self, id: &str) -> ApiResult<()> {
        let handle = self.get(id)?;
        let mut game = handle.lock();
        game.stop_thinking();
        game.deleted = true;
        fs::remove_file(self.path(id)).map_err(ApiError::internal)?;
        self.lock_index().remove(id);
        self.lock_open().remove(id);
        // Nobody may be listening.
        let _ = handle.events.send(GameEvent::Deleted);
        Ok(())
    }

    /// The games that a query asks for, the last changed first.
    pub(crate) fn list(&self, query: &LibraryQuery) -> LibraryPage {
        let index = self.lock_index();
        let mut found: Vec<&Entry> = index.values().filter(|entry| entry.fits(query)).collect();
        found.sort_by(|a, b| b.summary.changed.total_cmp(&a.summary.changed));
        let per_page = query.per_page.unwrap_or(PER_PAGE).clamp(1, MOST_PER_PAGE);
        let page = found.iter().skip(query.page.saturating_mul(per_page)).take(per_page);
        LibraryPage {
            total: found.len(),
            page: query.page,
            per_page,
            games: page.map(|entry| entry.summary.clone()).collect(),
            broken: self.broken.clone(),
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn lock_open(&self) -> MutexGuard<'_, HashMap<String, Arc<Handle>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_index(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes sure that no other server writes to the folder. The system gives the lock up when the process
/// ends, however it ends.
fn take_lock(folder: &Path) -> Result<File, String> {
    let path = folder.join(LOCK);
    let cannot = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = File::create(&path).map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::Error(error)) => Err(cannot(error)),
        Err(TryLockError::WouldBlock) => {
            let data = folder.parent().unwrap_or(folder).display();
            Err(format!(
                "another server uses the folder {data}; end it, or choose another with --data"
            ))
        }
    }
}

/// Removes what a server that was killed in the middle of writing has left.
fn remove_torn(path: &Path) {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name.starts_with('.') && name != LOCK {
        // Where it cannot be removed it does no harm.
        let _ = fs::remove_file(path);
    }
}

/// The id of the game in a file of ours.
fn id_of(path: &Path) -> Option<String> {
    let id = path.file_stem()?.to_str()?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_id && path.extension()? == "json").then(|| id.into())
}

fn read_game(path: &Path, id: &str) -> Result<Game, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| wrong(&error))?;
    let file: GameFile = serde_json::from_slice(&bytes).map_err(|error| wrong(&error))?;
    if file.layout != LAYOUT {
        let problem = format!("layout {}, this program knows {LAYOUT}", file.layout);
        return Err(wrong(&problem));
    }
    Game::new(id.into(), file).map_err(|error| wrong(&error))
}

impl Entry {
    fn of(game: &Game) -> Self {
        let is_started = game.tree.in_order().len() > 1;
        Self { summary: game.summary(), words: game.words(), is_started }
    }

    fn fits(&self, query: &LibraryQuery) -> bool {
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
            && (self.is_started || !query.started)
            && query.text.as_ref().is_none_or(|text| self.words.contains(&text.to_lowercase()))
    }
}
