//! The coordinator's bookkeeping of one task list: unsent, in flight, done.

use std::collections::{BTreeSet, HashMap, VecDeque};

use crate::batch_sizer::TARGET_BYTES;
use crate::wire::task_id;

/// The tasks of a list, by index. Identical tasks have one id and run once.
pub(crate) struct PendingTasks<'a> {
    tasks: &'a [String],
    ids: Vec<String>,
    /// Indices of unfinished tasks, by id.
    indices: HashMap<String, Vec<usize>>,
    unsent: BTreeSet<usize>,
    /// The batch in which a task was last sent.
    batch_of: HashMap<usize, u64>,
    /// Unfinished tasks of each batch in flight.
    in_flight: HashMap<u64, usize>,
    done: Vec<bool>,
    /// The first unfinished task.
    first_unfinished: usize,
    /// Reports read, by stream sequence, with the largest task index in each.
    reports: VecDeque<(u64, usize)>,
}

impl<'a> PendingTasks<'a> {
    pub(crate) fn new(kind: &str, tasks: &'a [String]) -> Self {
        let ids: Vec<String> = tasks.iter().map(|task| task_id(kind, task)).collect();
        let (mut indices, mut unsent) = (HashMap::<_, Vec<usize>>::new(), BTreeSet::new());
        for (index, id) in ids.iter().enumerate() {
            let same = indices.entry(id.clone()).or_default();
            if same.is_empty() {
                unsent.insert(index);
            }
            same.push(index);
        }
        Self {
            tasks,
            ids,
            indices,
            unsent,
            batch_of: HashMap::new(),
            in_flight: HashMap::new(),
            done: vec![false; tasks.len()],
            first_unfinished: 0,
            reports: VecDeque::new(),
        }
    }

    pub(crate) fn ids(&self) -> &[String] {
        &self.ids
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.indices.is_empty()
    }

    /// Number of unsent tasks.
    pub(crate) fn unsent(&self) -> usize {
        self.unsent.len()
    }

    /// Number of batches in flight.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Takes the next tasks for `batch`, at most `max_tasks`.
    pub(crate) fn take_batch(&mut self, batch: u64, max_tasks: usize) -> Vec<&'a str> {
        let (mut chosen, mut bytes) = (Vec::new(), 0);
        for &index in &self.unsent {
            bytes += self.tasks[index].len();
            if chosen.len() == max_tasks || (bytes > TARGET_BYTES && !chosen.is_empty()) {
                break;
            }
            chosen.push(index);
        }
        self.in_flight.insert(batch, chosen.len());
        for &index in &chosen {
            self.unsent.remove(&index);
            self.batch_of.insert(index, batch);
        }
        chosen.into_iter().map(|index| self.tasks[index].as_str()).collect()
    }

    /// Returns the unfinished tasks of a lost batch to the unsent ones.
    pub(crate) fn requeue(&mut self, batch: u64) {
        self.in_flight.remove(&batch);
        let lost = self.batch_of.iter().filter(|(_, of)| **of == batch).map(|(index, _)| *index);
        let lost: Vec<usize> = lost.collect();
        for index in lost {
            self.batch_of.remove(&index);
            self.unsent.insert(index);
        }
    }

    /// Returns everything in flight to the unsent tasks.
    pub(crate) fn requeue_all(&mut self) {
        let batches: Vec<u64> = self.in_flight.keys().copied().collect();
        batches.into_iter().for_each(|batch| self.requeue(batch));
    }

    /// Marks the task with this id as done and returns its indices; none for a duplicate report.
    pub(crate) fn complete(&mut self, id: &str) -> Vec<usize> {
        let indices = self.indices.remove(id).unwrap_or_default();
        for &index in &indices {
            self.done[index] = true;
            self.unsent.remove(&index);
            let Some(batch) = self.batch_of.remove(&index) else { continue };
            if let Some(unfinished) = self.in_flight.get_mut(&batch) {
                *unfinished -= 1;
                if *unfinished == 0 {
                    self.in_flight.remove(&batch);
                }
            }
        }
        while self.done.get(self.first_unfinished) == Some(&true) {
            self.first_unfinished += 1;
        }
        indices
    }

    /// Records that the report with this stream sequence was read; `last` is its largest task index.
    pub(crate) fn add_report(&mut self, sequence: u64, last: usize) {
        self.reports.push_back((sequence, last));
    }

    /// The stream sequence up to which reports may be deleted, if it has advanced: all tasks up to their
    /// last one are done, so the job has logged them in order.
    pub(crate) fn ack_floor(&mut self) -> Option<u64> {
        let mut floor = None;
        while let Some(&(sequence, last)) = self.reports.front()
            && last < self.first_unfinished
        {
            floor = Some(sequence);
            self.reports.pop_front();
        }
        floor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).into()).collect()
    }

    #[test]
    fn every_task_is_completed_once() {
        let tasks = texts(&["a", "b", "a", "c"]);
        let mut pending = PendingTasks::new("k", &tasks);
        assert_eq!(pending.unsent(), 3, "two are identical");
        assert_eq!(pending.take_batch(1, 2), ["a", "b"]);
        assert_eq!(pending.take_batch(2, 9), ["c"]);
        assert_eq!((pending.unsent(), pending.in_flight()), (0, 2));
        assert_eq!(pending.complete(&task_id("k", "a")), [0, 2]);
        assert!(pending.complete(&task_id("k", "a")).is_empty(), "duplicate report");
        assert!(pending.complete("unknown").is_empty());
        pending.requeue_all();
        assert_eq!(pending.take_batch(3, 9), ["b", "c"], "finished tasks are not sent again");
        assert_eq!(pending.complete(&task_id("k", "b")), [1]);
        assert!(!pending.is_complete());
        assert_eq!(pending.complete(&task_id("k", "c")), [3]);
        assert!(pending.is_complete() && pending.in_flight() == 0);
    }

    #[test]
    fn reports_are_kept_while_an_earlier_task_is_unfinished() {
        let tasks = texts(&["a", "b", "c"]);
        let mut pending = PendingTasks::new("k", &tasks);
        for (sequence, index, text) in [(7, 1, "b"), (9, 0, "a"), (12, 2, "c")] {
            assert_eq!(pending.complete(&task_id("k", text)), [index]);
            pending.add_report(sequence, index);
            let floor = if sequence == 7 { None } else { Some(sequence) };
            assert_eq!(pending.ack_floor(), floor);
        }
    }
}
