use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use etcetera::BaseStrategy;
use tablero_cluster::{Access, Cluster, ClusterError, Worker as ClusterWorker};
use tablero_core::PlayerLine;
use tablero_jobs::Stop;

use crate::args::ThreadsArg;
use crate::nats::{NatsArgs, connect};
use crate::out::{self, usage};
use crate::series::stop_on_interrupt;
use crate::tasks::kinds;

/// How long to wait before the server is tried again.
const PAUSE: Duration = Duration::from_secs(2);

const EXAMPLES: &str = "Examples:
  tablero worker --nats nats://server:4222
  TABLERO_NATS_PASSWORD=... tablero worker --nats tls://server --nats-user ana --threads 8
  tablero worker --nats nats://server --allow \"uci /usr/games/stockfish\"";

/// Joins a cluster: does the tasks of matches, tournaments and other long work that others start with
/// the same `--nats URL`.
///
/// Ctrl-C finishes the tasks under way and gives back the others. If the server goes away, the worker
/// waits until it is back. See docs/cluster.md.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Worker {
    #[command(flatten)]
    nats: NatsArgs,
    #[command(flatten)]
    threads: ThreadsArg,
    /// A player line that may start another program here: just this program with these arguments and
    /// options, and any depth=, nodes=, time=, elo=. May be given several times.
    #[arg(long, value_name = "PLAYER")]
    allow: Vec<String>,
    /// Where files that tasks need are kept [default: the user's cache folder].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

impl Worker {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let access = self.nats.needed()?;
        let allowed: Result<Vec<PlayerLine>, _> =
            self.allow.iter().map(|line| line.parse()).collect();
        let kinds = kinds(allowed.map_err(usage)?);
        let threads = NonZeroUsize::new(self.threads.count()).unwrap_or(NonZeroUsize::MIN);
        let cache = self.cache()?;
        let stop = stop_on_interrupt()?;
        let Some(cluster) = patiently(&access, &stop)? else { return Ok(()) };
        let place = cluster.place().to_owned();
        let worker = ClusterWorker::new(cluster, kinds, threads, &cache)?;
        out::note(format_args!(
            "worker {} of version {} with {threads} threads is at {place}; Ctrl-C ends it",
            worker.id(),
            env!("CARGO_PKG_VERSION")
        ));
        let tally = worker.run(&stop)?;
        out::note(format_args!(
            "done: {} tasks, {} games, {} failed",
            tally.tasks, tally.games, tally.failed
        ));
        Ok(())
    }

    fn cache(&self) -> anyhow::Result<PathBuf> {
        if let Some(folder) = &self.cache {
            return Ok(folder.clone());
        }
        let folders =
            etcetera::choose_base_strategy().context("there is no home folder; say --cache DIR")?;
        Ok(folders.cache_dir().join("tablero").join("files"))
    }
}

/// Connects; a server that is not there yet is waited for. None if asked to stop meanwhile.
fn patiently(access: &Access, stop: &Stop) -> Result<Option<Cluster>, ClusterError> {
    let mut told = false;
    loop {
        match connect(access) {
            Err(error @ ClusterError::Unreachable { .. }) => {
                if !told {
                    out::note(format_args!("{error} Trying again."));
                }
                told = true;
            }
            connected => return connected.map(Some),
        }
        if stop.is_requested() {
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}
