use serde::{Deserialize, Serialize};

/// How far a job is, for people: a bar in the terminal, curves on the page.
///
/// ```
/// use tablero_jobs::Progress;
/// let progress = Progress::new(30, Some(100)).message("round 3").figure("elo", 12.5);
/// assert_eq!(progress.get("elo"), Some(12.5));
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Steps done (games, generations, ...).
    pub done: u64,
    /// Steps in all, if that is known.
    pub total: Option<u64>,
    /// What is going on, or what just happened; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Numbers worth watching.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
}

/// A named number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// What it measures: `games/s`, `elo`, ...
    pub name: String,
    /// How much; always a finite number.
    pub value: f64,
}

/// A [`Progress`] with its time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Seconds since 1970 began (UTC).
    pub at: f64,
    /// What was told.
    #[serde(flatten)]
    pub progress: Progress,
}

impl Progress {
    /// So many steps of so many.
    pub const fn new(done: u64, total: Option<u64>) -> Self {
        Self { done, total, message: String::new(), figures: Vec::new() }
    }

    /// Adds what is going on.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Adds a number; one that is not finite is left out, as it can be neither drawn nor kept.
    #[must_use]
    pub fn figure(mut self, name: impl Into<String>, value: f64) -> Self {
        if value.is_finite() {
            self.figures.push(Figure { name: name.into(), value });
        }
        self
    }

    /// The number called `name`.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }
}
