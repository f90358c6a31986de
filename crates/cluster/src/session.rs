//! What whoever leads a run remembers from one list of tasks to the next.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use sha2::{Digest, Sha256};
use tablero_jobs::{OnOutput, Output};

use crate::crew::Crew;
use crate::layout::{result_subject, task_subject};
use crate::pending::{Pace, Pending};
use crate::reader::Reader;
use crate::wire::{Report, RunInfo, hex, host, now};
use crate::{Cluster, Run};

/// How long to wait for a report that is there.
const WAIT: Duration = Duration::from_secs(2);
/// How often the run's state is told, and who must be missed for how long to be called for.
const TELL: Duration = Duration::from_secs(2);

pub(crate) struct Session {
    /// Makes the names of bundles new each time: the server takes none twice.
    pub(crate) name: String,
    pub(crate) bundles: u64,
    pub(crate) reader: Reader,
    pub(crate) cleaned: u64,
    /// [`Layout::queue`](crate::layout::Layout::queue): another one has nothing of ours in it.
    pub(crate) queue: String,
    /// How often, one after the other, we waited in vain and nothing of ours was in the queue.
    pub(crate) empty_stalls: usize,
    /// Outputs from before this process began.
    known: HashMap<String, String>,
    /// Files that were sent, and their hashes.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) paces: HashMap<&'static str, Pace>,
    pub(crate) crew: Crew,
    pub(crate) info: RunInfo,
    told: Option<Instant>,
    alone_since: Instant,
    /// What people were told about workers that are missing.
    told_missing: String,
    /// Whether people were told that nothing can be sent.
    pub(crate) told_full: bool,
}

impl Session {
    /// Takes up the run: what an earlier process left in the queue is sent again in due time, what
    /// workers finished for it is kept.
    pub(crate) async fn begin(cluster: &Cluster, run: &Run) -> Self {
        let Cluster { client, layout, settings, .. } = cluster;
        let tasks = format!("{}.>", task_subject(&settings.version, &run.id));
        let _ = layout.tasks.purge().filter(tasks).await;
        let results = result_subject(&run.id);
        let mut reader = Reader::new(&results);
        let mut known = HashMap::new();
        let there = match layout.results.info_with_subjects(format!("{results}.>")).await {
            Ok(info) => info.count().await,
            Err(_) => 0,
        };
        for _ in 0..there {
            let Some((_, report)) = reader.next(layout, WAIT).await else { break };
            for output in report.outputs {
                let id = output.task.clone();
                // What failed is tried again: whoever resumes has perhaps mended it.
                known.extend(output.into_result().ok().map(|output| (id, output)));
            }
        }
        let moment = format!("{} {} {:.6}", host(), std::process::id(), now());
        Self {
            name: hex(&Sha256::digest(moment)[..6]),
            bundles: 0,
            reader,
            cleaned: 0,
            queue: layout.queue(),
            empty_stalls: 0,
            known,
            files: BTreeMap::new(),
            paces: HashMap::new(),
            crew: Crew::watch(client.clone()),
            info: RunInfo {
                name: run.name.clone(),
                host: host(),
                version: settings.version.clone(),
                state: "running".into(),
                ..RunInfo::default()
            },
            told: None,
            alone_since: Instant::now(),
            told_missing: String::new(),
            told_full: false,
        }
    }

    /// Hands over outputs that were there before we began.
    pub(crate) fn take_known(
        &mut self,
        pending: &mut Pending<'_>,
        done: &mut OnOutput<'_>,
    ) -> ControlFlow<()> {
        if self.known.is_empty() {
            return ControlFlow::Continue(());
        }
        for id in pending.ids().to_vec() {
            let Some(output) = self.known.remove(&id) else { continue };
            for index in pending.finish(&id) {
                self.info.done += 1;
                done(index, Ok(Output::Text(output.clone())))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Hands over what a worker reports.
    pub(crate) fn take(
        &mut self,
        kind: &'static str,
        sequence: u64,
        report: Report,
        pending: &mut Pending<'_>,
        done: &mut OnOutput<'_>,
    ) -> ControlFlow<()> {
        let (count, mut bytes, mut last) = (report.outputs.len(), 0, 0);
        for output in report.outputs {
            let places = pending.finish(&output.task);
            let result = output.into_result();
            bytes += result.as_ref().map_or(0, String::len);
            for index in places {
                last = last.max(index);
                self.info.done += 1;
                done(index, result.clone().map(Output::Text))?;
            }
        }
        pending.read(sequence, last);
        // Tasks that were given up took no time.
        if report.seconds > 0.0 {
            let pace = self.paces.entry(kind).or_default();
            pace.add(report.seconds, bytes as f64 / count.max(1) as f64);
        }
        ControlFlow::Continue(())
    }

    /// From time to time, tells how far we are, and whether workers are missing.
    pub(crate) async fn look_around(&mut self, cluster: &Cluster, run: &Run) {
        if self.told.is_some_and(|told| told.elapsed() < TELL) {
            return;
        }
        self.told = Some(Instant::now());
        self.info.updated = now();
        cluster.layout.tell(&run.id, &self.info).await;
        let version = &cluster.settings.version;
        if self.crew.slots(version) > 0 {
            self.alone_since = Instant::now();
            self.told_missing.clear();
        } else if self.alone_since.elapsed() > 2 * TELL {
            let others: Vec<_> = self.crew.other_versions(version).into_iter().collect();
            let text = if others.is_empty() {
                format!(
                    "no worker is there; start one with: tablero worker --nats {}",
                    cluster.place()
                )
            } else {
                format!(
                    "the workers there have version {}, this is version {version}: start workers of \
                     this version",
                    others.join(", ")
                )
            };
            if text != self.told_missing {
                cluster.note(&text);
                self.told_missing = text;
            }
        }
    }
}
