//! The state that all requests share.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tablero_core::{Permissions, PlayerLine, PlayerSetup, parse_duration};
use tablero_jobs::Store;
use tablero_registry::GameEntry;
use tokio::runtime::Handle;

use crate::api::Problem;
use crate::archive::ArchiveService;
use crate::cluster::{StatusCache, Workers};
use crate::config::Config;
use crate::error::ApiResult;
use crate::game_file::HUMAN;
use crate::games::Library;
use crate::jobs::Jobs;
use crate::player_files::PlayerFiles;
use crate::players::{PlayerFactory, PlayerPool};
use crate::search_pool::{PoolSize, SearchPool};
use crate::training::Training;

/// The state of a running server; cheap to clone.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) library: Library,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) archive: Arc<ArchiveService>,
    pub(crate) training: Arc<Training>,

    pub(crate) cluster: Option<Arc<StatusCache>>,
    /// One pool each for engine moves, analyses and reviews, so that none waits for the others.
    pub(crate) moves: SearchPool,
    pub(crate) analyses: SearchPool,
    pub(crate) reviews: SearchPool,
    pub(crate) players: Arc<PlayerPool>,
    pub(crate) runtime: Handle,
    /// The URL for other machines; `None` if they cannot reach the server.
    pub(crate) shared_url: Option<String>,
    next_id: AtomicU64,
}

/// The URLs of a server.
pub(crate) struct Urls {
    /// For this machine.
    pub(crate) page: String,
    /// For other machines, if they can reach it.
    pub(crate) shared: Option<String>,
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

const MAX_PLAYER_LINE: usize = 500;
/// Engines that think for long at once, for each that starts to.
const LONG_SEARCHES: usize = 4;

impl App {
    /// Opens the data folder and starts the worker threads of the server at `urls`.
    pub(crate) fn new(
        config: Config,
        urls: Urls,
        workers: Option<Arc<dyn Workers>>,
        runtime: Handle,
    ) -> Result<Self, String> {
        let pool = |name: &str, fresh: usize, long: usize| {
            SearchPool::new(name, PoolSize { fresh, long })
                .map_err(|error| format!("cannot start search threads: {error}"))
        };
        let searches = config.limits.searches.max(1);
        let players = PlayerPool::new(config.memory_mb << 20);
        Ok(Self(Arc::new(Shared {
            library: Library::open(&config.data, &urls.page)?,
            jobs: Jobs::open(&config, workers.clone(), Arc::clone(&players))?,
            archive: ArchiveService::open(&config.data)?,
            training: Training::open(&config.data)?,
            cluster: workers.map(|workers| Arc::new(StatusCache::new(workers))),
            moves: pool("move", searches, LONG_SEARCHES * searches)?,
            analyses: pool("analysis", searches, 0)?,
            reviews: pool("review", 1, LONG_SEARCHES)?,
            players,
            runtime,
            shared_url: urls.shared,
            next_id: AtomicU64::new(1),
            config,
        })))
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    /// A number that is unique in this process.
    pub(crate) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }
}

impl Shared {
    /// Stops all searches and closes the library for writing.
    pub(crate) fn close(&self) {
        self.library.close();
        self.archive.close();
        self.training.stop();
        [&self.moves, &self.analyses, &self.reviews].into_iter().for_each(SearchPool::close);
    }

    /// Builds the engines of player lines.
    pub(crate) fn player_factory(&self) -> PlayerFactory {
        self.config.player_factory()
    }

    /// Checks the player line of a seat.
    pub(crate) fn check_player(&self, entry: &'static dyn GameEntry, line: &str) -> ApiResult<()> {
        self.config.check_player(entry, line)
    }
}

impl Config {
    /// Builds the engines of player lines.
    pub(crate) fn player_factory(&self) -> PlayerFactory {
        let permissions = Permissions { programs: self.allow_engines, files: false };
        let setup = PlayerSetup { permissions, ..PlayerSetup::default() };
        let jobs = Store::in_folder(&self.data);
        let files = self.player_files();
        PlayerFactory { setup, jobs, files, memory_mb: self.memory_mb }
    }

    /// The player files of the data folder.
    pub(crate) fn player_files(&self) -> PlayerFiles {
        PlayerFiles::in_folder(&self.data)
    }

    /// Checks a player line, which may be `human`.
    pub(crate) fn check_player(&self, entry: &'static dyn GameEntry, line: &str) -> ApiResult<()> {
        if line.trim() == HUMAN {
            return Ok(());
        }
        self.check_engine(entry, line)
    }

    /// Checks an engine's player line: it must be valid and within the server's limits.
    pub(crate) fn check_engine(&self, entry: &'static dyn GameEntry, line: &str) -> ApiResult<()> {
        self.check_limits(line)?;
        Ok(self.player_factory().check(entry, line)?)
    }

    /// Checks a player line against the server's limits.
    pub(crate) fn check_limits(&self, line: &str) -> ApiResult<()> {
        if line.len() > MAX_PLAYER_LINE {
            return Err(Problem::PlayerLineTooLong { max: MAX_PLAYER_LINE }.into());
        }
        let parsed: PlayerLine = line.parse()?;
        for (name, max) in [
            ("threads", self.limits.threads as u64),
            ("hash", self.limits.hash_mb as u64),
            ("memory", self.limits.hash_mb as u64),
        ] {
            let value: Option<u64> = parsed.option(name).and_then(|value| value.parse().ok());
            if value.is_some_and(|value| value > max) {
                return Err(Problem::SearchLimit { option: name.into(), max }.into());
            }
        }
        let time = parsed.option("time").and_then(parse_duration);
        if time.is_some_and(|time| time.as_millis() as u64 > self.limits.move_ms) {
            return Err(Problem::MoveTimeLimit { max_ms: self.limits.move_ms }.into());
        }
        Ok(())
    }
}
