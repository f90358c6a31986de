//! Which tasks of a list wait, are under way, or are done.

use std::collections::{BTreeSet, HashMap, VecDeque};

use crate::wire::task_id;

/// How long the tasks of a bundle should take, in seconds: long enough that sending them costs little,
/// short enough that nobody waits long for the last one.
const BUNDLE_SECONDS: f64 = 0.3;
/// Less work than this costs more to send than it gains by being shared.
const LEAST_SECONDS: f64 = 0.016;
/// The most bytes that tasks or outputs of a bundle should have.
const BUNDLE_BYTES: usize = 400_000;

/// The tasks of a list. Two that are the same are done once, for both.
pub(crate) struct Pending<'a> {
    tasks: &'a [String],
    ids: Vec<String>,
    /// The places of tasks that are not done.
    places: HashMap<String, Vec<usize>>,
    unsent: BTreeSet<usize>,
    /// The bundle that each task was last sent in.
    bundles: HashMap<usize, u64>,
    /// How many tasks of each bundle are not done.
    open: HashMap<u64, usize>,
    done: Vec<bool>,
    /// All before this one are done.
    first_open: usize,
    /// Reports that were read, in the order of their sequence: the number, and the last task in it.
    read: VecDeque<(u64, usize)>,
}

impl<'a> Pending<'a> {
    pub(crate) fn new(kind: &str, tasks: &'a [String]) -> Self {
        let ids: Vec<String> = tasks.iter().map(|task| task_id(kind, task)).collect();
        let (mut places, mut unsent) = (HashMap::<_, Vec<usize>>::new(), BTreeSet::new());
        for (index, id) in ids.iter().enumerate() {
            let same = places.entry(id.clone()).or_default();
            if same.is_empty() {
                unsent.insert(index);
            }
            same.push(index);
        }
        Self {
            tasks,
            ids,
            places,
            unsent,
            bundles: HashMap::new(),
            open: HashMap::new(),
            done: vec![false; tasks.len()],
            first_open: 0,
            read: VecDeque::new(),
        }
    }

    pub(crate) fn ids(&self) -> &[String] {
        &self.ids
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.places.is_empty()
    }

    /// How many are not even sent.
    pub(crate) fn unsent(&self) -> usize {
        self.unsent.len()
    }

    /// How many bundles are under way.
    pub(crate) fn under_way(&self) -> usize {
        self.open.len()
    }

    /// Takes the next tasks to be sent in `bundle`, up to `most` of them.
    pub(crate) fn send(&mut self, bundle: u64, most: usize) -> Vec<&'a str> {
        let (mut chosen, mut bytes) = (Vec::new(), 0);
        for &index in &self.unsent {
            bytes += self.tasks[index].len();
            if chosen.len() == most || (bytes > BUNDLE_BYTES && !chosen.is_empty()) {
                break;
            }
            chosen.push(index);
        }
        self.open.insert(bundle, chosen.len());
        for &index in &chosen {
            self.unsent.remove(&index);
            self.bundles.insert(index, bundle);
        }
        chosen.into_iter().map(|index| self.tasks[index].as_str()).collect()
    }

    /// A bundle that did not arrive is to be sent again.
    pub(crate) fn take_back(&mut self, bundle: u64) {
        self.open.remove(&bundle);
        let mine = self.bundles.iter().filter(|(_, of)| **of == bundle).map(|(index, _)| *index);
        let mine: Vec<usize> = mine.collect();
        for index in mine {
            self.bundles.remove(&index);
            self.unsent.insert(index);
        }
    }

    /// All that is under way is to be sent again.
    pub(crate) fn take_all_back(&mut self) {
        let open: Vec<u64> = self.open.keys().copied().collect();
        open.into_iter().for_each(|bundle| self.take_back(bundle));
    }

    /// The places of the task called `id`, which is now done; none if it was done before.
    pub(crate) fn finish(&mut self, id: &str) -> Vec<usize> {
        let places = self.places.remove(id).unwrap_or_default();
        for &index in &places {
            self.done[index] = true;
            self.unsent.remove(&index);
            let Some(bundle) = self.bundles.remove(&index) else { continue };
            if let Some(left) = self.open.get_mut(&bundle) {
                *left -= 1;
                if *left == 0 {
                    self.open.remove(&bundle);
                }
            }
        }
        while self.done.get(self.first_open) == Some(&true) {
            self.first_open += 1;
        }
        places
    }

    /// The report with this number was read; `last` is the last of its tasks.
    pub(crate) fn read(&mut self, sequence: u64, last: usize) {
        self.read.push_back((sequence, last));
    }

    /// The number of the last report that nobody needs any more: all tasks up to its last one are
    /// done, and therefore kept by whoever wants them in order. Reports before it are forgotten.
    pub(crate) fn settled(&mut self) -> Option<u64> {
        let mut settled = None;
        while let Some(&(sequence, last)) = self.read.front()
            && last < self.first_open
        {
            settled = Some(sequence);
            self.read.pop_front();
        }
        settled
    }
}

/// How quickly tasks of a kind are done, and how large their outputs are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    seconds: Option<f64>,
    bytes: f64,
}

impl Pace {
    /// Tasks took so long each, and gave so many bytes each.
    pub(crate) fn add(&mut self, seconds: f64, bytes: f64) {
        const NEW: f64 = 0.2;
        let old = self.seconds.unwrap_or(seconds);
        self.seconds = Some(old + NEW * (seconds - old));
        self.bytes = self.bytes.max(bytes);
    }

    /// How many tasks make a good bundle, when so many are unsent and workers do so many at once.
    pub(crate) fn bundle(&self, unsent: usize, slots: usize) -> usize {
        let Some(seconds) = self.seconds else { return 1 };
        let by_time = (BUNDLE_SECONDS / seconds.max(1e-6)) as usize;
        let by_bytes = BUNDLE_BYTES / (self.bytes as usize).max(1);
        let least = (LEAST_SECONDS / seconds.max(1e-6)) as usize;
        let fair = unsent.div_ceil(2 * slots.max(1)).max(least);
        by_time.min(by_bytes).min(fair).clamp(1, crate::wire::MOST_TASKS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).into()).collect()
    }

    #[test]
    fn every_task_is_done_once() {
        let tasks = texts(&["a", "b", "a", "c"]);
        let mut pending = Pending::new("k", &tasks);
        assert_eq!(pending.unsent(), 3, "two are the same");
        assert_eq!(pending.send(1, 2), ["a", "b"]);
        assert_eq!(pending.send(2, 9), ["c"]);
        assert_eq!((pending.unsent(), pending.under_way()), (0, 2));
        assert_eq!(pending.finish(&task_id("k", "a")), [0, 2]);
        assert!(pending.finish(&task_id("k", "a")).is_empty(), "a second time");
        assert!(pending.finish("unknown").is_empty());
        pending.take_all_back();
        assert_eq!(pending.send(3, 9), ["b", "c"], "what is done is not sent again");
        assert_eq!(pending.finish(&task_id("k", "b")), [1]);
        assert!(!pending.is_complete());
        assert_eq!(pending.finish(&task_id("k", "c")), [3]);
        assert!(pending.is_complete() && pending.under_way() == 0);
    }

    #[test]
    fn reports_are_kept_while_an_earlier_task_is_open() {
        let tasks = texts(&["a", "b", "c"]);
        let mut pending = Pending::new("k", &tasks);
        for (sequence, index, text) in [(7, 1, "b"), (9, 0, "a"), (12, 2, "c")] {
            assert_eq!(pending.finish(&task_id("k", text)), [index]);
            pending.read(sequence, index);
            let settled = if sequence == 7 { None } else { Some(sequence) };
            assert_eq!(pending.settled(), settled);
        }
    }

    #[test]
    fn bundles_are_as_long_as_they_should_be() {
        let mut pace = Pace::default();
        assert_eq!(pace.bundle(1000, 2), 1, "nothing is known yet");
        pace.add(0.01, 100.0);
        assert_eq!(pace.bundle(1000, 2), 30);
        assert_eq!(pace.bundle(12, 2), 3, "the last ones are shared");
        pace.add(0.01, 100_000.0);
        assert_eq!(pace.bundle(1000, 2), 4, "large outputs");
        let mut slow = Pace::default();
        slow.add(60.0, 1.0);
        assert_eq!(slow.bundle(1000, 2), 1);
        let mut quick = Pace::default();
        quick.add(0.001, 1.0);
        assert_eq!(quick.bundle(12, 2), 16, "too little to be shared");
    }
}
