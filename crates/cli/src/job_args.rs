//! Arguments of jobs (long work that can be interrupted and resumed), and where their tasks run.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use tablero_arena::PlayerPool;
use tablero_cluster::{JetStreamExecutor, Run};
use tablero_jobs::{CancellationToken, Executor, Job, Store, Threads, user_data_folder};

use crate::args::ThreadsArg;
use crate::nats::{NatsArgs, connect};
use crate::out;
use crate::tasks::kinds;

/// Where and how a job runs.
#[derive(Args, Clone)]
pub(crate) struct JobArgs {
    #[command(flatten)]
    pub(crate) threads: ThreadsArg,
    /// Directory of jobs and games [default: the user's data directory].
    #[arg(long, value_name = "DIR", env = "TABLERO_DATA")]
    data: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) nats: NatsArgs,
}

/// The given directory, by default the user's data directory.
pub(crate) fn data_dir(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(dir) = given {
        return Ok(dir.to_owned());
    }
    user_data_folder().context("no home directory; use --data DIR")
}

impl JobArgs {
    pub(crate) fn store(&self) -> anyhow::Result<Store> {
        Ok(Store::in_folder(&data_dir(self.data.as_deref())?))
    }

    /// The error of an interrupted job whose games are written to `file`: the command that resumes it.
    pub(crate) fn interrupted(&self, id: &str, file: Option<&Path>) -> anyhow::Error {
        let option = |name: &str, path: Option<&Path>| {
            path.map_or_else(String::new, |path| format!(" --{name} '{}'", path.display()))
        };
        let (data, file) = (option("data", self.data.as_deref()), option("out", file));
        let url = self.nats.access().ok().flatten().map(|access| access.url());
        let nats = url.map_or_else(String::new, |url| format!(" --nats {url}"));
        out::interrupted(format_args!("resume with: tablero jobs resume {id}{data}{file}{nats}"))
    }

    /// Runs the tasks of a job, on local threads or on a cluster.
    pub(crate) fn executor(&self, job: &Job) -> anyhow::Result<Box<dyn Executor>> {
        executor(&self.nats, self.threads, Run::of_job(job))
    }
}

/// Runs tasks on local threads, or with `--nats` on the workers of a cluster.
pub(crate) fn executor(
    nats: &NatsArgs,
    threads: ThreadsArg,
    run: Run,
) -> anyhow::Result<Box<dyn Executor>> {
    let threads = NonZeroUsize::new(threads.count()).unwrap_or(NonZeroUsize::MIN);
    let threads = Threads::new(threads);
    let Some(access) = nats.access()? else { return Ok(Box::new(threads)) };
    let cluster = connect(&access)?;
    Ok(Box::new(JetStreamExecutor::new(
        cluster,
        kinds(Vec::new(), PlayerPool::shared()),
        run,
        threads,
    )))
}

/// The exit status after Ctrl-C.
const INTERRUPTED: i32 = 130;

/// A token that Ctrl-C cancels, so that running games are abandoned or, in self-play, finished; a second Ctrl-C exits
/// at once. Nothing is lost: jobs are resumed from what they have written.
pub(crate) fn cancel_on_interrupt() -> anyhow::Result<CancellationToken> {
    let cancel = CancellationToken::default();
    let flag = cancel.clone();
    ctrlc::set_handler(move || {
        if flag.is_cancelled() {
            std::process::exit(INTERRUPTED);
        }
        out::note("stopping; press Ctrl-C again to exit now");
        flag.cancel();
    })
    .context("cannot handle Ctrl-C")?;
    Ok(cancel)
}

/// Makes the next Ctrl-C exit at once. Nothing is lost: jobs and games are written as they proceed.
pub(crate) fn exit_on_interrupt() -> anyhow::Result<()> {
    ctrlc::set_handler(|| std::process::exit(INTERRUPTED)).context("cannot handle Ctrl-C")
}
