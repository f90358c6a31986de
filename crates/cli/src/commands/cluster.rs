use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use tablero_cluster::Status;

use crate::nats::{NatsArgs, connect};
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero cluster status --nats nats://server:4222
  watch tablero cluster status --nats nats://server:4222";

/// Show the state of a cluster.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cluster {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show queue, workers, runs and failed tasks.
    Status {
        #[command(flatten)]
        nats: NatsArgs,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

impl Cluster {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Action::Status { nats, json } = self.action;
        let status = connect(&nats.required()?)?.status()?;
        if json {
            out::json(&status);
        } else {
            print(&status);
        }
        Ok(())
    }
}

fn print(status: &Status) {
    let bold = anstyle::Style::new().bold();
    let heading = |text: &str| out::line(format_args!("{bold}{text}{bold:#}"));
    out::line(format_args!(
        "{} (nats-server {}): {} batches queued, {} of them delivered to workers; {} results, {:.1} MB",
        status.server,
        status.server_version,
        status.queued,
        status.ack_pending,
        status.reports,
        status.bytes as f64 / 1e6
    ));
    heading(&format!("workers: {}, {:.1} games/s", status.workers.len(), status.games_per_second));
    for worker in &status.workers {
        let run = if worker.run.is_empty() { "idle" } else { &worker.run };
        out::line(format_args!(
            "  {:<24} {:>3} threads  {:>8} games  {:>8.1} games/s  {} failed  {run}  (version {})",
            worker.id,
            worker.threads,
            worker.games,
            worker.games_per_second,
            worker.failed,
            worker.version
        ));
    }
    heading(&format!("runs: {}", status.runs.len()));
    for run in &status.runs {
        out::line(format_args!(
            "  {:<16} {:<8} {:>7} of {} tasks ({})  from {}, version {}, {}",
            run.name,
            run.state,
            run.done,
            run.tasks,
            run.kind,
            run.host,
            run.version,
            ago(run.updated)
        ));
    }
    heading(&format!("failed tasks: {}", status.dead_letters));
    for dead in &status.recent_dead_letters {
        out::line(format_args!("  {} {}: {} ({})", dead.run, dead.kind, dead.reason, ago(dead.at)));
    }
}

/// The age of a Unix time.
fn ago(time: f64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |now| now.as_secs_f64());
    match (now - time).max(0.0) {
        seconds if seconds < 120.0 => format!("{seconds:.0} s ago"),
        seconds if seconds < 7200.0 => format!("{:.0} min ago", seconds / 60.0),
        seconds => format!("{:.0} h ago", seconds / 3600.0),
    }
}
