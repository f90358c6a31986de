use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use etcetera::BaseStrategy;
use tablero_arena::PlayerPool;
use tablero_cluster::{Access, Cluster, ClusterError, Worker as ClusterWorker};
use tablero_core::{PlayerLine, player_budget};
use tablero_jobs::{BuildInfo, CancellationToken};

use crate::args::{ThreadsArg, hash_size};
use crate::job_args::cancel_on_interrupt;
use crate::nats::{NatsArgs, connect};
use crate::out::{self, usage};
use crate::tasks::kinds;

/// Delay between connection attempts.
const RETRY_DELAY: Duration = Duration::from_secs(2);

const EXAMPLES: &str = "Examples:
  tablero worker --nats nats://server:4222
  TABLERO_NATS_PASSWORD=... tablero worker --nats tls://server --nats-user ana --threads 8
  tablero worker --nats nats://server --allow \"uci /usr/games/stockfish\"";

/// Run a cluster worker.
///
/// Executes the tasks of matches, tournaments and other jobs that are started with the same `--nats URL`.
/// Ctrl-C finishes the running tasks and returns the others to the queue. The worker reconnects when the
/// server was down. See docs/reference/cluster.md.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Worker {
    #[command(flatten)]
    nats: NatsArgs,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Allow tasks to start the external engine of this player: exactly this program, arguments and
    /// options, with any depth=, nodes=, time= or elo=; may be repeated.
    #[arg(long, value_name = "PLAYER")]
    allow: Vec<String>,
    /// Memory of the players of all running tasks, in MB; tasks wait for it, larger ones are refused [default:
    /// 4096, or half of the machine's memory].
    #[arg(long, value_name = "MB", value_parser = hash_size)]
    memory: Option<u32>,
    /// Directory of files received with tasks [default: the user's cache directory].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

impl Worker {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let access = self.nats.required()?;
        let allowed: Result<Vec<PlayerLine>, _> =
            self.allow.iter().map(|line| line.parse()).collect();
        let memory = self.memory.map_or_else(player_budget, |megabytes| (megabytes as usize) << 20);
        let pool = Arc::new(PlayerPool::new(memory));
        let kinds = kinds(allowed.map_err(usage)?, pool);
        let threads = NonZeroUsize::new(self.threads.count()).unwrap_or(NonZeroUsize::MIN);
        let cache = self.cache()?;
        let cancel = cancel_on_interrupt()?;
        let Some(cluster) = connect_with_retry(&access, &cancel)? else { return Ok(()) };
        let server = cluster.url().to_owned();
        let worker = ClusterWorker::new(cluster, kinds, threads, &cache)?;
        out::note(format_args!(
            "worker {} (version {}, {threads} threads) connected to {server}; press Ctrl-C to stop it",
            worker.id(),
            BuildInfo::current().id()
        ));
        let tally = worker.run(&cancel)?;
        out::note(format_args!(
            "done: {} tasks, {} games, {} failed",
            tally.tasks, tally.games, tally.failed
        ));
        Ok(())
    }

    fn cache(&self) -> anyhow::Result<PathBuf> {
        if let Some(dir) = &self.cache {
            return Ok(dir.clone());
        }
        let base =
            etcetera::choose_base_strategy().context("no home directory; use --cache DIR")?;
        Ok(base.cache_dir().join("tablero").join("files"))
    }
}

/// Connects, retrying until the server is reachable; none if cancelled.
fn connect_with_retry(
    access: &Access,
    cancel: &CancellationToken,
) -> Result<Option<Cluster>, ClusterError> {
    let mut is_reported = false;
    loop {
        match connect(access) {
            Err(error @ ClusterError::Unreachable { .. }) => {
                if !is_reported {
                    out::note(format_args!("{error} Retrying."));
                }
                is_reported = true;
            }
            connected => return connected.map(Some),
        }
        if cancel.is_cancelled() {
            return Ok(None);
        }
        thread::sleep(RETRY_DELAY);
    }
}
