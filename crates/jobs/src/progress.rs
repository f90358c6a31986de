use serde::{Deserialize, Serialize};

/// The progress of a job: steps, message and metrics, for terminal and page.
///
/// ```
/// use tablero_jobs::Progress;
/// let progress = Progress::new(30, Some(100)).with_message("round 3").with_metric("elo", 12.5);
/// assert_eq!(progress.metric("elo"), Some(12.5));
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Steps done (games, generations, ...).
    pub done: u64,
    /// Total steps, if known.
    pub total: Option<u64>,
    /// The current activity; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The current stage, if the job has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Metrics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Metric>,
}

/// A stage of a job that works in generations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stage {
    /// Its name: `games`, `training`, `evaluation`, ...
    pub name: String,
    /// The generation, from 1.
    pub generation: u64,
}

/// A named measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metric {
    /// Its name: `games/s`, `elo`, ...
    pub name: String,
    /// Its value; always finite.
    pub value: f64,
}

/// A [`Progress`] with a timestamp.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Seconds since the Unix epoch.
    pub at: f64,
    /// The progress.
    #[serde(flatten)]
    pub progress: Progress,
}

impl Progress {
    /// `done` steps of `total`.
    pub const fn new(done: u64, total: Option<u64>) -> Self {
        Self { done, total, message: String::new(), stage: None, metrics: Vec::new() }
    }

    /// Sets the message.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Sets the stage.
    #[must_use]
    pub fn with_stage(mut self, name: impl Into<String>, generation: u64) -> Self {
        self.stage = Some(Stage { name: name.into(), generation });
        self
    }

    /// Adds a metric, unless it is not finite: JSON and plots have no such numbers.
    #[must_use]
    pub fn with_metric(mut self, name: impl Into<String>, value: f64) -> Self {
        if value.is_finite() {
            self.metrics.push(Metric { name: name.into(), value });
        }
        self
    }

    /// The value of metric `name`.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.name == name).map(|metric| metric.value)
    }
}
