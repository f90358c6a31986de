//! The coordinator's state of a run, kept from one task list to the next.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use sha2::{Digest, Sha256};
use tablero_jobs::{OnOutput, Output};

use crate::assets::{result_subject, task_subject};
use crate::batch_sizer::BatchSizer;
use crate::pending::PendingTasks;
use crate::registry::WorkerRegistry;
use crate::report_reader::ReportReader;
use crate::wire::{Report, RunInfo, hex, host, now};
use crate::{Cluster, Run};

/// Timeout for a report that is known to be stored.
const REPORT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often the run's progress is published.
const STATUS_INTERVAL: Duration = Duration::from_secs(2);
/// How long a run waits for a first worker before it logs a warning.
const NO_WORKER_WARNING: Duration = Duration::from_secs(4);

pub(crate) struct Session {
    /// Prefix of batch names, unique per process: the server drops a name that it has seen (deduplication).
    pub(crate) id: String,
    /// Batches published so far.
    pub(crate) batches: u64,
    pub(crate) reader: ReportReader,
    /// Stream sequence up to which reports were deleted.
    pub(crate) pruned: u64,
    /// [`Assets::queue_id`](crate::assets::Assets::queue_id): a new queue has lost our batches.
    pub(crate) queue_id: String,
    /// Consecutive stalls in which the queue held none of our batches.
    pub(crate) empty_stalls: usize,
    /// Outputs by task id that workers reported to an earlier process of this run.
    recovered: HashMap<String, String>,
    /// Hashes of uploaded files.
    pub(crate) files: BTreeMap<String, String>,
    /// By kind of task.
    pub(crate) sizers: HashMap<&'static str, BatchSizer>,
    pub(crate) registry: WorkerRegistry,
    pub(crate) info: RunInfo,
    last_status: Option<Instant>,
    last_worker: Instant,
    /// The last warning about missing workers.
    warning: String,
    /// Whether the last attempt to publish failed, which is logged once.
    pub(crate) is_queue_blocked: bool,
}

impl Session {
    /// Starts or resumes the run: batches of an earlier process are purged, reports to it are kept.
    pub(crate) async fn start(cluster: &Cluster, run: &Run) -> Self {
        let Cluster { client, assets, settings, .. } = cluster;
        let tasks = format!("{}.>", task_subject(&settings.version, &run.id));
        let _ = assets.tasks.purge().filter(tasks).await;
        let results = result_subject(&run.id);
        let mut reader = ReportReader::new(&results);
        let mut recovered = HashMap::new();
        let stored = match assets.results.info_with_subjects(format!("{results}.>")).await {
            Ok(info) => info.count().await,
            Err(_) => 0,
        };
        for _ in 0..stored {
            let Some((_, report)) = reader.next(assets, REPORT_TIMEOUT).await else { break };
            for output in report.outputs {
                let id = output.task.clone();
                // Failed tasks run again: the cause may have been fixed.
                recovered.extend(output.into_result().ok().map(|output| (id, output)));
            }
        }
        let unique = format!("{} {} {:.6}", host(), std::process::id(), now());
        Self {
            id: hex(&Sha256::digest(unique)[..6]),
            batches: 0,
            reader,
            pruned: 0,
            queue_id: assets.queue_id(),
            empty_stalls: 0,
            recovered,
            files: BTreeMap::new(),
            sizers: HashMap::new(),
            registry: WorkerRegistry::start(client.clone()),
            info: RunInfo {
                name: run.name.clone(),
                host: host(),
                version: settings.version.clone(),
                state: "running".into(),
                ..RunInfo::default()
            },
            last_status: None,
            last_worker: Instant::now(),
            warning: String::new(),
            is_queue_blocked: false,
        }
    }

    /// Passes on the outputs that an earlier process did not read.
    pub(crate) fn replay_recovered(
        &mut self,
        pending: &mut PendingTasks<'_>,
        done: &mut OnOutput<'_>,
    ) -> ControlFlow<()> {
        if self.recovered.is_empty() {
            return ControlFlow::Continue(());
        }
        for id in pending.ids().to_vec() {
            let Some(output) = self.recovered.remove(&id) else { continue };
            for index in pending.complete(&id) {
                self.info.done += 1;
                done(index, Ok(Output::Json(output.clone())))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Passes on the outputs of a report.
    pub(crate) fn handle_report(
        &mut self,
        kind: &'static str,
        sequence: u64,
        report: Report,
        pending: &mut PendingTasks<'_>,
        done: &mut OnOutput<'_>,
    ) -> ControlFlow<()> {
        let (count, mut bytes, mut last) = (report.outputs.len(), 0, 0);
        for output in report.outputs {
            let indices = pending.complete(&output.task);
            let result = output.into_result();
            bytes += result.as_ref().map_or(0, String::len);
            for index in indices {
                last = last.max(index);
                self.info.done += 1;
                done(index, result.clone().map(Output::Json))?;
            }
        }
        pending.add_report(sequence, last);
        // Dead-lettered tasks did not run.
        if report.seconds_per_task > 0.0 {
            let sizer = self.sizers.entry(kind).or_default();
            sizer.add(report.seconds_per_task, bytes as f64 / count.max(1) as f64);
        }
        ControlFlow::Continue(())
    }

    /// Publishes the progress and warns of missing workers, every [`STATUS_INTERVAL`].
    pub(crate) async fn publish_status(&mut self, cluster: &Cluster, run: &Run) {
        if self.last_status.is_some_and(|last| last.elapsed() < STATUS_INTERVAL) {
            return;
        }
        self.last_status = Some(Instant::now());
        self.info.updated = now();
        cluster.assets.put_run_info(&run.id, &self.info).await;
        let version = &cluster.settings.version;
        if self.registry.slots(version) > 0 {
            self.last_worker = Instant::now();
            self.warning.clear();
        } else if self.last_worker.elapsed() > NO_WORKER_WARNING {
            let others: Vec<_> = self.registry.other_versions(version).into_iter().collect();
            let text = if others.is_empty() {
                format!("no workers; start one with: tablero worker --nats {}", cluster.url())
            } else {
                format!(
                    "all workers have version {}, this is version {version}: start workers of this version",
                    others.join(", ")
                )
            };
            if text != self.warning {
                cluster.log(&text);
                self.warning = text;
            }
        }
    }
}
