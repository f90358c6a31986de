//! How many tasks go into a batch.
//!
//! A batch should run for [`TARGET_SECONDS`]: long enough to amortize the messages, short enough to balance the
//! load. The time per task is a moving average over the reports. Near the end of a list batches shrink: half
//! of the unsent tasks is divided among all slots (factoring: Hummel, Schonberg and Flynn, 1992).

use crate::wire::MAX_BATCH_TASKS;

/// Target run time of a batch.
const TARGET_SECONDS: f64 = 0.3;
/// Smaller batches cost more in messages than better balance gains.
const MIN_SECONDS: f64 = 0.016;
/// Target for the bytes of a batch's tasks, and of its outputs.
pub(crate) const TARGET_BYTES: usize = 400_000;
/// Weight of a new report in the moving average.
const SMOOTHING: f64 = 0.2;

/// Time per task and size per output of one kind of tasks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BatchSizer {
    seconds_per_task: Option<f64>,
    max_output_bytes: f64,
}

impl BatchSizer {
    /// Adds the means of a report.
    pub(crate) fn add(&mut self, seconds_per_task: f64, bytes_per_output: f64) {
        let old = self.seconds_per_task.unwrap_or(seconds_per_task);
        self.seconds_per_task = Some(old + SMOOTHING * (seconds_per_task - old));
        self.max_output_bytes = self.max_output_bytes.max(bytes_per_output);
    }

    /// The size of the next batch, with `unsent` tasks left and `slots` threads of workers.
    pub(crate) fn size(&self, unsent: usize, slots: usize) -> usize {
        let Some(seconds) = self.seconds_per_task else { return 1 };
        let by_time = (TARGET_SECONDS / seconds.max(1e-6)) as usize;
        let by_bytes = TARGET_BYTES / (self.max_output_bytes as usize).max(1);
        let least = (MIN_SECONDS / seconds.max(1e-6)) as usize;
        let fair_share = unsent.div_ceil(2 * slots.max(1)).max(least);
        by_time.min(by_bytes).min(fair_share).clamp(1, MAX_BATCH_TASKS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_follows_time_bytes_and_remaining_tasks() {
        let mut sizer = BatchSizer::default();
        assert_eq!(sizer.size(1000, 2), 1, "no report yet");
        sizer.add(0.01, 100.0);
        assert_eq!(sizer.size(1000, 2), 30);
        assert_eq!(sizer.size(12, 2), 3, "the last tasks are shared");
        sizer.add(0.01, 100_000.0);
        assert_eq!(sizer.size(1000, 2), 4, "large outputs");
        let mut slow = BatchSizer::default();
        slow.add(60.0, 1.0);
        assert_eq!(slow.size(1000, 2), 1);
        let mut fast = BatchSizer::default();
        fast.add(0.001, 1.0);
        assert_eq!(fast.size(12, 2), 16, "too little to share");
    }
}
