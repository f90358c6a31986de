//! The progress of a run: a bar on a terminal, otherwise a log.

use std::cell::Cell;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tablero_jobs::{CancellationToken, Progress};

use super::RunOptions;
use crate::out;

/// The format of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people.
    Text,
    /// A JSON object a line.
    Json,
}

/// Time between lines of a log, besides one a generation.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Shows the progress of a run, and enforces --hours.
pub(super) struct RunProgress {
    bar: ProgressBar,
    format: LogFormat,
    started: Instant,
    /// When the last line was logged.
    logged: Cell<Option<Instant>>,
    cancel: CancellationToken,
    deadline: Option<Instant>,
}

impl RunProgress {
    pub(super) fn new(cancel: CancellationToken, options: &RunOptions<'_>) -> Self {
        let bar = match options.log_format {
            Some(LogFormat::Json) => {
                ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden())
            }
            _ => ProgressBar::new(1),
        };
        let style = "{bar:30} {pos}/{len}  {msg}  {prefix}  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let started = Instant::now();
        Self {
            bar,
            format: options.log_format.unwrap_or(LogFormat::Text),
            started,
            logged: Cell::new(None),
            cancel,
            deadline: options.hours.and_then(|time| started.checked_add(time)),
        }
    }

    pub(super) fn update(&self, progress: &Progress) {
        if self.bar.is_hidden() {
            self.log(progress);
        } else {
            self.draw(progress);
        }
        if self.is_timed_out() {
            self.cancel.cancel();
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    pub(super) fn is_timed_out(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn draw(&self, progress: &Progress) {
        if progress.message != self.bar.message() {
            self.bar.reset();
        }
        self.bar.set_length(progress.total.unwrap_or(progress.done));
        self.bar.set_position(progress.done);
        self.bar.set_message(progress.message.clone());
        let shown =
            |metric: &&tablero_jobs::Metric| ["loss", "games/h", "score"].contains(&&*metric.name);
        let metrics = progress.metrics.iter().filter(shown);
        let metrics: Vec<_> = metrics.map(|m| format!("{} {:.3}", m.name, m.value)).collect();
        self.bar.set_prefix(metrics.join("  "));
    }

    /// A line a generation, whose events belong to no stage, and a line a minute.
    fn log(&self, progress: &Progress) {
        let is_due = self.logged.get().is_none_or(|logged| logged.elapsed() >= LOG_INTERVAL);
        if progress.stage.is_some() && !is_due {
            return;
        }
        self.logged.set(Some(Instant::now()));
        match self.format {
            LogFormat::Text => out::note(line(self.started.elapsed(), progress)),
            LogFormat::Json => out::note(json(self.started.elapsed(), progress)),
        }
    }
}

fn line(elapsed: Duration, progress: &Progress) -> String {
    let seconds = elapsed.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut line = format!("{hours:02}:{minutes:02}:{seconds:02} {}", progress.message);
    if let (Some(_), Some(total)) = (&progress.stage, progress.total) {
        let _ = write!(line, " {}/{total}", progress.done);
    }
    // The message names the generation.
    for metric in progress.metrics.iter().filter(|metric| metric.name != "generation") {
        let _ = match metric.value.abs() {
            large if large >= 100.0 => write!(line, ", {} {:.0}", metric.name, metric.value),
            _ => write!(line, ", {} {:.3}", metric.name, metric.value),
        };
    }
    line
}

fn json(elapsed: Duration, progress: &Progress) -> serde_json::Value {
    let mut value = serde_json::to_value(progress).expect("plain data");
    value["seconds"] = elapsed.as_secs().into();
    value
}
