//! What all requests share.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tablero_core::{Permissions, PlayerLine, PlayerSetup, parse_duration};
use tablero_jobs::Store;
use tablero_registry::GameEntry;
use tokio::runtime::Handle;

use crate::api::Problem;
use crate::cluster::{Watch, Workers};
use crate::config::Config;
use crate::error::ApiResult;
use crate::file::HUMAN;
use crate::games::Library;
use crate::jobs::Jobs;
use crate::players::{PlayerFactory, PlayerPool};
use crate::pool::Pool;

/// A running server's inside; clones are the same server.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) library: Library,
    pub(crate) jobs: Arc<Jobs>,
    /// The cluster, if there is one.
    pub(crate) cluster: Option<Arc<Watch>>,
    /// For machines' moves, analyses and reviews: none of them waits for the others.
    pub(crate) moves: Pool,
    pub(crate) analyses: Pool,
    pub(crate) reviews: Pool,
    /// Machines that wait for their next move.
    pub(crate) players: Arc<PlayerPool>,
    pub(crate) runtime: Handle,
    tickets: AtomicU64,
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// No player line is longer.
const LONGEST_LINE: usize = 500;

impl App {
    /// Opens what is kept in the data folder.
    pub(crate) fn new(
        config: Config,
        workers: Option<Arc<dyn Workers>>,
        runtime: Handle,
    ) -> Result<Self, String> {
        let pool = |name: &str, workers: usize| {
            Pool::new(name, workers).map_err(|error| format!("no threads to search with: {error}"))
        };
        let searches = config.limits.searches.max(1);
        Ok(Self(Arc::new(Shared {
            library: Library::open(&config.data)?,
            jobs: Jobs::open(&config, workers.clone())?,
            cluster: workers.map(|workers| Arc::new(Watch::new(workers))),
            moves: pool("move", searches)?,
            analyses: pool("analysis", searches)?,
            reviews: pool("review", 1)?,
            players: PlayerPool::new(config.memory_mb << 20),
            runtime,
            tickets: AtomicU64::new(1),
            config,
        })))
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    /// A number that was not given before.
    pub(crate) fn ticket(&self) -> u64 {
        self.tickets.fetch_add(1, Ordering::Relaxed)
    }
}

impl Shared {
    /// Ends all searches; nothing is written to the library any more.
    pub(crate) fn close(&self) {
        self.library.close();
        [&self.moves, &self.analyses, &self.reviews].into_iter().for_each(Pool::close);
    }

    /// Who makes machines.
    pub(crate) fn player_factory(&self) -> PlayerFactory {
        self.config.player_factory()
    }

    /// What is wrong with a seat's line, if anything.
    pub(crate) fn check_player(&self, entry: &'static dyn GameEntry, line: &str) -> ApiResult<()> {
        self.config.check_player(entry, line)
    }
}

impl Config {
    /// Who makes machines.
    pub(crate) fn player_factory(&self) -> PlayerFactory {
        let permissions = Permissions { programs: self.allow_engines, files: false };
        let setup = PlayerSetup { permissions, ..PlayerSetup::default() };
        PlayerFactory { setup, jobs: Store::in_folder(&self.data) }
    }

    /// What is wrong with a player line (`human` included), if anything.
    pub(crate) fn check_player(&self, entry: &'static dyn GameEntry, line: &str) -> ApiResult<()> {
        if line.trim() == HUMAN {
            return Ok(());
        }
        self.check_machine(entry, line)
    }

    /// What is wrong with a machine's line, if anything: it must be right, and ask for no more than
    /// the server gives.
    pub(crate) fn check_machine(&self, entry: &'static dyn GameEntry, line: &str) -> ApiResult<()> {
        self.check_bounds(line)?;
        let checked = self.player_factory().check(entry, line);
        checked.map_err(|error| Problem::player(line, error).into())
    }

    /// Whether a line asks for more than the server gives.
    pub(crate) fn check_bounds(&self, line: &str) -> ApiResult<()> {
        if line.len() > LONGEST_LINE {
            return Err(Problem::PlayerLineTooLong { most: LONGEST_LINE }.into());
        }
        let parsed: PlayerLine = line.parse().map_err(|error| Problem::player(line, error))?;
        for (name, most) in [
            ("threads", self.limits.threads as u64),
            ("hash", self.limits.hash_mb as u64),
            ("memory", self.limits.hash_mb as u64),
        ] {
            let asked: Option<u64> = parsed.option(name).and_then(|value| value.parse().ok());
            if asked.is_some_and(|asked| asked > most) {
                return Err(Problem::SearchLimit { option: name.into(), most }.into());
            }
        }
        let time = parsed.option("time").and_then(parse_duration);
        if time.is_some_and(|time| time.as_millis() as u64 > self.limits.move_ms) {
            return Err(Problem::MoveTimeLimit { most_ms: self.limits.move_ms }.into());
        }
        Ok(())
    }
}
