//! Learning runs.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use tablero_arena::Factory;
use tablero_core::{AnyGame, AnyGameHistory, AnyMove, Ending, ForFirst, Outcome, PlayerLine};
use tablero_jobs::{Job, Progress};
use tablero_learn::generations::{CHECKPOINT, RunContext};
use tablero_learn::{
    Finding, GameData, GenerationStats, LearnConfig, LearnError, LearningHistory, generation_file,
    read_games,
};
use tablero_registry::GameEntry;

use super::artifacts;
use crate::api::{
    GameEnd, LearningFinding, LearningGeneration, LearningView, MovePrior, NetworkEvaluation,
    NewLearningJob, Problem, TrainingGame, TrainingReplay,
};
use crate::error::{ApiError, ApiResult};
use crate::game_file::GameFile;
use crate::games::{file_from_history, file_from_record, load_tree, play_moves};
use crate::players::PlayerFactory;

/// Limits of a request.
const MAX_GENERATIONS: usize = 10_000;
const MAX_GAMES: u64 = 100_000;
const MAX_SIMULATIONS: u64 = 10_000;
/// Limits of a view.
const MAX_LATEST: usize = 12;
const MAX_MOVES: usize = 16;

/// The configuration of a request whose teacher was checked.
pub(super) fn config(entry: &dyn GameEntry, request: &NewLearningJob) -> ApiResult<LearnConfig> {
    let check_range = |name: &str, value: Option<u64>, max: u64| match value {
        Some(value) => Problem::check_range(name, value, 1, max),
        None => Ok(()),
    };
    let generations = request.generations.map(|generations| generations as u64);
    check_range("generations", generations, MAX_GENERATIONS as u64)?;
    check_range("games", request.games, MAX_GAMES)?;
    check_range("sims", request.sims, MAX_SIMULATIONS)?;
    let game = entry.game();
    game.rules_or_default(request.rules.as_deref())?;
    let mut config = match request.quick {
        true => LearnConfig::quick(game, ""),
        false => LearnConfig::for_game(game, ""),
    };
    config.rules = request.rules.clone().unwrap_or_default();
    config.net = request.net.clone().unwrap_or(config.net);
    config.generations = request.generations.or(config.generations);
    config.games = request.games.unwrap_or(config.games);
    config.self_play.sims = request.sims.unwrap_or(config.self_play.sims);
    config.self_play.fast_sims = config.self_play.fast_sims.min(config.self_play.sims);
    if let Some(teacher) = &request.teacher {
        config = config.with_teacher(game, teacher);
    }
    config.check(&entry.learning().spec())?;
    Ok(config)
}

pub(super) fn run(
    entry: &'static dyn GameEntry,
    job: Job,
    players: &PlayerFactory,
    place: RunContext<'_>,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), String> {
    let folder = job.folder().to_owned();
    let mut with_files = players.setup;
    with_files.permissions.files = true;
    let make = |line: &str| match names_own_network(line, &folder) {
        true => entry.build(line, &with_files),
        false => players.build(entry, line),
    };
    let factory = Factory { game: entry.game(), make: &make };
    let learned = entry.learning().run(job, factory, place, progress);
    learned.map(drop).map_err(|error| error.to_string())
}

/// Whether a line is the run's own: its network is in the run's folder.
fn names_own_network(line: &str, folder: &Path) -> bool {
    let line: Option<PlayerLine> = line.parse().ok();
    let net = line.as_ref().and_then(|line| line.option("net")).map(Path::new);
    net.is_some_and(|net| net.parent() == Some(folder))
}

fn learned(job: &Job) -> ApiResult<LearningHistory> {
    let stored = match job.result()? {
        Some(learned) => Some(learned),
        None => job.checkpoint(CHECKPOINT)?,
    };
    Ok(stored.unwrap_or_default())
}

pub(super) fn view(entry: &dyn GameEntry, job: &Job) -> ApiResult<LearningView> {
    let config: LearnConfig = job.config()?;
    let learned = learned(job)?;
    let last = learned.generations.len() + 1;
    let has_network = |number: &usize| generation_file(job.folder(), *number).is_file();
    let has_games = |number: &usize| games_file(job, *number).is_file();
    Ok(LearningView {
        net: config.net,
        teacher: config.teacher.map(|teacher| teacher.player),
        rules: Some(config.rules).filter(|rules| !rules.is_empty()),
        best: learned.best,
        findings: learned.findings().into_iter().map(finding).collect(),
        networks: (0..=last).filter(has_network).collect(),
        replays: (1..=last).filter(has_games).collect(),
        latest: latest(entry.game(), job, last)?,
        generations: learned.generations.into_iter().map(point).collect(),
    })
}

const fn finding(finding: Finding) -> LearningFinding {
    match finding {
        Finding::Overfitting { before, after, generations } => {
            LearningFinding::Overfitting { before, after, generations }
        }
        Finding::Stalled { since, elo, now, error } => {
            LearningFinding::Stalled { since, elo, now, error }
        }
    }
}

fn point(stats: GenerationStats) -> LearningGeneration {
    LearningGeneration {
        generation: stats.generation,
        player: stats.player,
        games: stats.games,
        plies: stats.mean_plies,
        results: stats.results,
        positions: stats.buffer_positions,
        steps: stats.steps,
        training_value_loss: stats.training.map(|loss| loss.value),
        training_policy_loss: stats.training.map(|loss| loss.policy),
        value_loss: stats.held_out.value,
        value_error: stats.held_out.value_error,
        policy_loss: stats.held_out.policy,
        score: stats.score,
        elo: stats.elo,
        elo_error: stats.elo_error,
        accepted: stats.promoted,
        seconds: stats.seconds,
    }
}

fn games_file(job: &Job, generation: usize) -> PathBuf {
    job.folder().join(format!("games-{generation}.jsonl"))
}

fn unreadable(error: LearnError) -> ApiError {
    ApiError::internal(error)
}

/// The latest training games, of generation `last` or the one before.
fn latest(played: AnyGame, job: &Job, last: usize) -> ApiResult<Vec<TrainingGame>> {
    let newest = [last, last - 1].into_iter().find(|number| games_file(job, *number).is_file());
    let Some(generation) = newest else { return Ok(Vec::new()) };
    let (mut games, mut index) = (VecDeque::new(), 0);
    let visit = |game: GameData| {
        games.push_front(TrainingGame {
            generation,
            index,
            plies: game.moves.len(),
            end: end_of(played, &game),
        });
        games.truncate(MAX_LATEST);
        index += 1;
        Ok(())
    };
    read_games(&games_file(job, generation), visit).map_err(unreadable)?;
    Ok(games.into())
}

fn end_of(played: AnyGame, game: &GameData) -> GameEnd {
    let outcome = Outcome::by_margin(ForFirst(game.margin));
    let ending = Ending::from_text(&game.ending).unwrap_or(Ending::Unknown);
    GameEnd::new(tablero_core::GameEnd { outcome, ending }, played.info().margin.is_some())
}

/// The game `index` of a generation, and the number of its games.
fn find_game_data(job: &Job, generation: usize, index: usize) -> ApiResult<(GameData, usize)> {
    let (mut games, mut found) = (0, None);
    let visit = |game: GameData| {
        found = if games == index { Some(game) } else { found.take() };
        games += 1;
        Ok(())
    };
    read_games(&games_file(job, generation), visit).map_err(unreadable)?;
    let missing = || Problem::TrainingGameNotFound { job: job.id().into(), generation, index };
    Ok((found.ok_or_else(missing)?, games))
}

/// The generation whose network plays the games of `generation`; none if a teacher does.
fn player_of(job: &Job, generation: usize) -> ApiResult<Option<usize>> {
    let learned = learned(job)?;
    if let Some(stats) = learned.generations.iter().find(|stats| stats.generation == generation) {
        return Ok(stats.playing_generation());
    }
    let config: LearnConfig = job.config()?;
    Ok(config.teacher_of(generation).is_none().then_some(learned.best))
}

/// A training game of a generation, move by move.
pub(super) fn replay(
    entry: &dyn GameEntry,
    job: &Job,
    generation: usize,
    index: usize,
) -> ApiResult<TrainingReplay> {
    let (data, games) = find_game_data(job, generation, index)?;
    let record = data.record(entry.game()).map_err(ApiError::internal)?;
    Ok(TrainingReplay {
        generation,
        index,
        games,
        played_by: player_of(job, generation)?,
        nodes: load_tree(entry.game(), &file_from_record(&record))?,
        end: end_of(entry.game(), &data),
    })
}

/// A training game of a generation, for the library.
pub(super) fn training_game(
    entry: &dyn GameEntry,
    job: &Job,
    generation: usize,
    index: usize,
) -> ApiResult<GameFile> {
    let (data, _) = find_game_data(job, generation, index)?;
    let game = data.replay(entry.game()).map_err(ApiError::internal)?;
    let mut file = file_from_history(&game);
    let player = player_of(job, generation)?;
    for seat in &mut file.players {
        let Some(player) = player else {
            seat.name = format!("{}, teacher", job.id());
            continue;
        };
        seat.name = format!("{}, generation {player}", job.id());
        if network(job, player).is_ok() {
            seat.player = format!("puct net={}{}/{player} sims=200", artifacts::PREFIX, job.id());
        }
    }
    // It is a replay: the players go on only when they are asked to.
    file.paused = true;
    Ok(file)
}

/// The file of a generation's network.
pub(super) fn network(job: &Job, generation: usize) -> Result<PathBuf, Problem> {
    let path = generation_file(job.folder(), generation);
    let missing =
        || Problem::GenerationNotFound { job: job.id().into(), generation: generation as u64 };
    if path.is_file() { Ok(path) } else { Err(missing()) }
}

/// The evaluation by a generation's network of the position after `moves`.
pub(super) fn evaluate(
    entry: &dyn GameEntry,
    job: &Job,
    generation: usize,
    moves: &str,
) -> ApiResult<NetworkEvaluation> {
    let path = network(job, generation)?;
    let config: LearnConfig = job.config()?;
    let rules = Some(config.rules.as_str()).filter(|rules| !rules.is_empty());
    let rules = entry.game().rules_or_default(rules)?;
    let mut game = AnyGameHistory::new(rules.start());
    play_moves(&mut game, moves.split_whitespace())?;
    let position = game.position();
    let mut output = entry.learning().evaluate(&path, position).map_err(ApiError::internal)?;
    output.priors.sort_by(|a, b| b.1.total_cmp(&a.1));
    output.priors.truncate(MAX_MOVES);
    let prior = |(m, prior): (AnyMove, f32)| MovePrior {
        name: position.move_name(m),
        label: position.move_text(m),
        shape: position.shape(m).into(),
        prior: f64::from(prior),
    };
    Ok(NetworkEvaluation {
        cells: position.cells_text(),
        turn: position.side().into(),
        value: output.value.map(|value| f64::from(value.0)),
        moves: output.priors.into_iter().map(prior).collect(),
    })
}
