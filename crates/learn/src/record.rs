//! Append-only records of the games of any player.

use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tablero_arena::Factory;
use tablero_arena::stats::RunningElo;
use tablero_core::{ForFirst, Outcome, Side, Wdl};
use tablero_jobs::{CancellationToken, Executor, Log, Progress, RunEnd, Runner};

use crate::{GameBatch, GameData, LearnError, LearningGame, SelfPlayTask, SelfPlayWork};

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
    let mut rating = PlayerRating::new(plan);
    let (done, existing) = count_existing(&log, plan, path, &mut rating)?;
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
        let output = rating.rate(output);
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

/// The player's rating in games against an opponent, updated game by game as in Hatchet1: K = 20, and the opponent
/// is rated 400.
struct PlayerRating(Option<RunningElo>);

impl PlayerRating {
    fn new(plan: &SelfPlayTask) -> Self {
        let rating = plan.rating.map_or(RunningElo::START, f64::from);
        Self(plan.opponent.is_some().then_some(RunningElo { rating, games: 0 }))
    }

    /// Updates the rating and writes it into the games.
    fn rate(&mut self, batch: GameBatch) -> GameBatch {
        let Some(rating) = &mut self.0 else { return batch };
        let rate = |game: &GameData| {
            let score = game.player_side.map(|side| {
                match Outcome::by_margin(ForFirst(game.margin)).wdl(Side::BOTH[side.min(1)]) {
                    Wdl::Win => 1.0,
                    Wdl::Draw => 0.5,
                    Wdl::Loss => 0.0,
                }
            });
            if let Some(score) = score {
                rating.update(RunningElo::START, score);
            }
            GameData { rating: Some(rating.rating.round() as i32), ..game.clone() }
        };
        GameBatch::new(batch.games().iter().map(rate).collect())
    }
}

/// The lines and games of the plan that a record already has; they count for the rating.
fn count_existing(
    log: &Log,
    plan: &SelfPlayTask,
    path: &Path,
    rating: &mut PlayerRating,
) -> Result<(usize, u64), LearnError> {
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
        rating.rate(line.output);
    }
    if !games.is_multiple_of(GAMES_PER_TASK) && games < plan.count {
        return Err(LearnError::File {
            path: path.to_owned(),
            problem: format!("the record was finished with {games} games; choose another file"),
        });
    }
    Ok((lines, games))
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_core::AnyGame;

    use super::*;
    use crate::{SelfPlayConfig, Source};

    fn game(margin: i16, player_side: usize) -> GameData {
        GameData {
            rules: String::new(),
            moves: Vec::new(),
            margin,
            ending: "normal".into(),
            targets: Vec::new(),
            alternatives: Vec::new(),
            replies: Vec::new(),
            resignation_was_right: None,
            median_micros: None,
            median_cpu_micros: None,
            player_side: Some(player_side),
            rating: None,
        }
    }

    /// R' = R + 20 (score - expected) against 400, worked out by hand: 400 + 10, then a loss that was expected to
    /// score 0.514387, then a draw.
    #[test]
    fn ratings_against_an_opponent_are_updated_game_by_game() {
        let plan = SelfPlayTask {
            game: "chess".into(),
            rules: String::new(),
            source: Source::Teacher("random".into()),
            config: SelfPlayConfig::for_game(AnyGame::of::<Chess>()),
            seed: 1,
            first: 0,
            count: 3,
            record_times: false,
            opponent: Some("random".into()),
            rating: None,
        };
        let mut rating = PlayerRating::new(&plan);
        let rated = rating.rate(GameBatch::new(vec![game(1, 0), game(1, 1)]));
        let ratings = |batch: &GameBatch| -> Vec<_> {
            batch.games().iter().filter_map(|game| game.rating).collect()
        };
        assert_eq!(ratings(&rated), [410, 400]);
        assert_eq!(rated.games()[1].player_side, Some(1));
        let rated = rating.rate(GameBatch::new(vec![game(0, 0)]));
        assert_eq!(ratings(&rated), [400]);
        assert!((rating.0.expect("rated").rating - 399.72).abs() < 0.01);
        let alone = SelfPlayTask { opponent: None, rating: Some(-7), ..plan };
        let batch = GameBatch::new(vec![GameData { rating: Some(-7), ..game(1, 0) }]);
        assert_eq!(PlayerRating::new(&alone).rate(batch.clone()), batch);
    }
}
