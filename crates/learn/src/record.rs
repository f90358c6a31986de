//! Append-only records of the games of any player.

use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tablero_arena::Factory;
use tablero_jobs::{CancellationToken, Executor, Log, Progress, RunEnd, Runner};

use crate::{GameBatch, LearnError, LearningGame, SelfPlayTask, SelfPlayWork};

/// Small, to lose little when interrupted.
const GAMES_PER_TASK: u64 = 2;

/// A line of a record; the first one has the settings.
#[derive(Serialize, Deserialize)]
struct Line {
    index: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<SelfPlayTask>,
    output: GameBatch,
}

/// The result of [`record_games`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RecordSummary {
    /// Games in the record.
    pub games: u64,
    /// Games that were in the record before.
    pub existing: u64,
    /// Bytes of a truncated last line that were dropped.
    pub truncated_bytes: u64,
    /// Whether the record is complete; otherwise the call was cancelled.
    pub is_done: bool,
}

/// Plays the games of `plan` that are not yet in the record at `path` and appends them. A truncated last line is
/// dropped; a record of other games is an error.
pub fn record_games(
    game: &dyn LearningGame,
    path: &Path,
    plan: &SelfPlayTask,
    factory: Factory<'_>,
    executor: &dyn Executor,
    cancel: &CancellationToken,
    on_progress: &mut dyn FnMut(&Progress),
) -> Result<RecordSummary, LearnError> {
    let mut log = Log::open(path)?;
    let (done, existing) = count_existing(&log, plan, path)?;
    let tasks: Vec<SelfPlayTask> = (0..plan.count)
        .step_by(GAMES_PER_TASK as usize)
        .map(|first| SelfPlayTask {
            first,
            count: GAMES_PER_TASK.min(plan.count - first),
            ..plan.clone()
        })
        .collect();
    let mut summary = RecordSummary {
        games: existing,
        existing,
        truncated_bytes: log.truncated_bytes(),
        is_done: false,
    };
    let work = SelfPlayWork::new(game, factory);
    let mut failure = Ok(());
    let left = tasks.get(done..).unwrap_or_default();
    let ended = Runner::new(executor, cancel).run(&work, left, |index, output| {
        summary.games += output.games().len() as u64;
        let index = done + index;
        let line = Line { index, plan: (index == 0).then(|| plan.clone()), output };
        failure = log.append(&line);
        on_progress(&Progress::new(summary.games, Some(plan.count)).with_message("games"));
        if failure.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    failure?;
    summary.is_done = ended == RunEnd::Completed;
    Ok(summary)
}

/// The lines and games of the plan that a record already has.
fn count_existing(log: &Log, plan: &SelfPlayTask, path: &Path) -> Result<(usize, u64), LearnError> {
    let (mut lines, mut games) = (0, 0);
    for line in log.read::<Line>()? {
        let line = line?;
        let is_same = line.plan.is_none_or(|found| {
            // The number of games may grow, and the player may have been rated since.
            SelfPlayTask { count: plan.count, rating: plan.rating, ..found } == *plan
        });
        if !is_same || line.index != lines {
            return Err(LearnError::File {
                path: path.to_owned(),
                problem: "the record has other games; choose another file".into(),
            });
        }
        lines += 1;
        games += line.output.games().len() as u64;
    }
    if !games.is_multiple_of(GAMES_PER_TASK) && games < plan.count {
        return Err(LearnError::File {
            path: path.to_owned(),
            problem: format!("the record was finished with {games} games; choose another file"),
        });
    }
    Ok((lines, games))
}
