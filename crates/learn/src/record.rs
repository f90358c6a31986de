//! Records of games that any player played: files to which games are only ever added.

use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tablero_arena::Factory;
use tablero_jobs::{Ended, Executor, Log, Progress, Runner, Stop};

use crate::{Block, GamesTask, GamesWork, LearnError, LearningGame};

/// Games in a task.
const BATCH: u64 = 2;

/// A line of a record. The first one says how the games were played.
#[derive(Serialize, Deserialize)]
struct Line {
    index: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<GamesTask>,
    output: Block,
}

/// What came of adding games to a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Recorded {
    /// Games in the record.
    pub games: u64,
    /// Of these, games that were there before.
    pub before: u64,
    /// Bytes of a torn last line that were cut off.
    pub torn: u64,
    /// Whether all games are there.
    pub is_done: bool,
}

/// Plays the games of `plan` that are not yet in the record at `path`, and adds them. A record that a
/// crash has torn goes on behind its last whole line; one of other games is an error.
pub fn record_games(
    game: &dyn LearningGame,
    path: &Path,
    plan: &GamesTask,
    factory: Factory<'_>,
    executor: &dyn Executor,
    stop: &Stop,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Recorded, LearnError> {
    let mut log = Log::open(path)?;
    let (done, before) = known(&log, plan, path)?;
    let tasks: Vec<GamesTask> = (0..plan.count)
        .step_by(BATCH as usize)
        .map(|first| GamesTask { first, count: BATCH.min(plan.count - first), ..plan.clone() })
        .collect();
    let mut recorded = Recorded { games: before, before, torn: log.torn(), is_done: false };
    let work = GamesWork::new(game, factory);
    let mut failure = Ok(());
    let left = tasks.get(done..).unwrap_or_default();
    let ended = Runner::new(executor, stop).run(&work, left, |index, output| {
        recorded.games += output.games().len() as u64;
        let index = done + index;
        let line = Line { index, plan: (index == 0).then(|| plan.clone()), output };
        failure = log.append(&line);
        tell(&Progress::new(recorded.games, Some(plan.count)).message("games"));
        if failure.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    failure?;
    recorded.is_done = ended == Ended::Done;
    Ok(recorded)
}

/// How many lines and games of the plan a record holds.
fn known(log: &Log, plan: &GamesTask, path: &Path) -> Result<(usize, u64), LearnError> {
    let (mut lines, mut games) = (0, 0);
    for line in log.read::<Line>()? {
        let line = line?;
        let is_same = line.plan.is_none_or(|found| {
            // More games may be asked for than before, and the player may have been rated.
            GamesTask { count: plan.count, rating: plan.rating, ..found } == *plan
        });
        if !is_same || line.index != lines {
            return Err(LearnError::File {
                path: path.to_owned(),
                problem: "it holds other games; choose another file".into(),
            });
        }
        lines += 1;
        games += line.output.games().len() as u64;
    }
    if !games.is_multiple_of(BATCH) && games < plan.count {
        return Err(LearnError::File {
            path: path.to_owned(),
            problem: format!("it was finished with {games} games; choose another file"),
        });
    }
    Ok((lines, games))
}
