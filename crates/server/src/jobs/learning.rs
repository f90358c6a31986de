//! Learning runs.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use tablero_arena::Factory;
use tablero_core::{AnyGame, AnyMatch, AnyMove, AnyPlayer, Ending, ForFirst, Outcome, PlayerLine};
use tablero_jobs::{Job, Progress};
use tablero_learn::generations::{CHECKPOINT, Place};
use tablero_learn::{
    GameData, GenerationPast, LearnConfig, LearnError, Learned, generation_file, read_games,
};
use tablero_registry::GameEntry;

use crate::api::{
    GameEnd, LearningGame, LearningPoint, LearningView, MoveOpinion, NewLearningJob, Opinion,
    Problem,
};
use crate::error::{ApiError, ApiResult};
use crate::file::GameFile;
use crate::games::{file_of_match, play_on};
use crate::players::PlayerFactory;

/// Bounds that a page may ask for.
const MOST_GENERATIONS: usize = 10_000;
const MOST_GAMES: u64 = 100_000;
const MOST_SIMULATIONS: u64 = 10_000;
/// What a page is shown.
const LATEST: usize = 12;
const MOST_MOVES: usize = 16;

/// What is to be learned, from a request whose teacher was checked.
pub(super) fn config(entry: &dyn GameEntry, request: &NewLearningJob) -> ApiResult<LearnConfig> {
    let within = |what: &str, asked: Option<u64>, most: u64| match asked {
        Some(asked) => Problem::check_range(what, asked, 1, most),
        None => Ok(()),
    };
    let generations = request.generations.map(|generations| generations as u64);
    within("generations", generations, MOST_GENERATIONS as u64)?;
    within("games", request.games, MOST_GAMES)?;
    within("sims", request.sims, MOST_SIMULATIONS)?;
    let game = entry.game();
    game.rules_or_default(request.rules.as_deref())?;
    let mut config = match request.quick {
        true => LearnConfig::quick(game, ""),
        false => LearnConfig::usual(game, ""),
    };
    config.rules = request.rules.clone().unwrap_or_default();
    config.net = request.net.clone().unwrap_or(config.net);
    config.generations = request.generations.or(config.generations);
    config.games = request.games.unwrap_or(config.games);
    config.style.sims = request.sims.unwrap_or(config.style.sims);
    config.style.fast_sims = config.style.fast_sims.min(config.style.sims);
    if let Some(teacher) = &request.teacher {
        config = config.with_teacher(game, teacher);
    }
    let checked = config.check(&entry.learning().spec());
    checked.map_err(|reason| Problem::InvalidLearningRun { reason })?;
    Ok(config)
}

pub(super) fn run(
    entry: &'static dyn GameEntry,
    job: Job,
    players: &PlayerFactory,
    place: Place<'_>,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), String> {
    let folder = job.folder().to_owned();
    let mut own = players.setup;
    own.permissions.files = true;
    let make = |line: &str| -> Result<Box<AnyPlayer>, String> {
        let player = match names_own_network(line, &folder) {
            true => entry.build(line, &own),
            false => players.build(entry, line),
        };
        player.map_err(|error| error.to_string())
    };
    let factory = Factory { game: entry.game(), make: &make };
    let learned = entry.learning().run(job, factory, place, progress);
    learned.map(drop).map_err(|error| error.to_string())
}

/// Whether a line is one of the run itself: with a network of its own folder.
fn names_own_network(line: &str, folder: &Path) -> bool {
    let line: Option<PlayerLine> = line.parse().ok();
    let net = line.as_ref().and_then(|line| line.option("net")).map(Path::new);
    net.is_some_and(|net| net.parent() == Some(folder))
}

fn learned(job: &Job) -> ApiResult<Learned> {
    let kept = match job.result()? {
        Some(learned) => Some(learned),
        None => job.checkpoint(CHECKPOINT)?,
    };
    Ok(kept.unwrap_or_default())
}

pub(super) fn view(entry: &dyn GameEntry, job: &Job) -> ApiResult<LearningView> {
    let config: LearnConfig = job.config()?;
    let learned = learned(job)?;
    let last = learned.generations.len() + 1;
    let has_network = |number: &usize| generation_file(job.folder(), *number).is_file();
    Ok(LearningView {
        net: config.net,
        teacher: config.teacher.map(|teacher| teacher.line),
        rules: Some(config.rules).filter(|rules| !rules.is_empty()),
        best: learned.best,
        networks: (0..=last).filter(has_network).collect(),
        latest: latest(entry.game(), job, last)?,
        generations: learned.generations.into_iter().map(point).collect(),
    })
}

fn point(past: GenerationPast) -> LearningPoint {
    LearningPoint {
        generation: past.generation,
        player: past.player,
        games: past.games,
        plies: past.plies,
        results: past.results,
        positions: past.positions,
        steps: past.steps,
        value_loss: past.held_out.value,
        value_error: past.held_out.value_error,
        policy_loss: past.held_out.moves,
        score: past.score,
        elo: past.elo,
        elo_error: past.elo_error,
        accepted: past.accepted,
        seconds: past.seconds,
    }
}

fn games_file(job: &Job, generation: usize) -> PathBuf {
    job.folder().join(format!("games-{generation}.jsonl"))
}

fn unreadable(error: LearnError) -> ApiError {
    ApiError::internal(error)
}

/// The newest games, of generation `last` or the one before.
fn latest(played: AnyGame, job: &Job, last: usize) -> ApiResult<Vec<LearningGame>> {
    let newest = [last, last - 1].into_iter().find(|number| games_file(job, *number).is_file());
    let Some(generation) = newest else { return Ok(Vec::new()) };
    let (mut games, mut index) = (VecDeque::new(), 0);
    let visit = |game: GameData| {
        games.push_front(LearningGame {
            generation,
            index,
            plies: game.moves.len(),
            end: end_of(played, &game),
        });
        games.truncate(LATEST);
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

/// Game `index` of a generation, for the library.
pub(super) fn lesson(
    entry: &dyn GameEntry,
    job: &Job,
    generation: usize,
    index: usize,
) -> ApiResult<GameFile> {
    let (mut at, mut found) = (0, None);
    let visit = |game: GameData| {
        found = if at == index { Some(game) } else { found.take() };
        at += 1;
        Ok(())
    };
    read_games(&games_file(job, generation), visit).map_err(unreadable)?;
    let missing = || Problem::LessonNotFound { job: job.id().into(), generation, index };
    let data = found.ok_or_else(missing)?;
    let game = data.replay(entry.game()).map_err(ApiError::internal)?;
    let mut file = file_of_match(&game);
    for seat in &mut file.players {
        seat.name = format!("{}, generation {}", job.id(), generation.saturating_sub(1));
    }
    Ok(file)
}

/// The file of a generation's network, if it is there.
pub(super) fn network(job: &Job, generation: usize) -> Result<PathBuf, Problem> {
    let path = generation_file(job.folder(), generation);
    let missing =
        || Problem::GenerationNotFound { job: job.id().into(), generation: generation as u64 };
    if path.is_file() { Ok(path) } else { Err(missing()) }
}

/// What a generation's network thinks of the position after some moves.
pub(super) fn opinion(
    entry: &dyn GameEntry,
    job: &Job,
    generation: usize,
    moves: &str,
) -> ApiResult<Opinion> {
    let path = network(job, generation)?;
    let config: LearnConfig = job.config()?;
    let rules = Some(config.rules.as_str()).filter(|rules| !rules.is_empty());
    let rules = entry.game().rules_or_default(rules)?;
    let mut game = AnyMatch::new(rules.start());
    play_on(&mut game, moves.split_whitespace())?;
    let position = game.position();
    let mut output = entry.learning().evaluate(&path, position).map_err(ApiError::internal)?;
    output.priors.sort_by(|a, b| b.1.total_cmp(&a.1));
    output.priors.truncate(MOST_MOVES);
    let judged = |(m, prior): (AnyMove, f32)| MoveOpinion {
        name: position.move_name(m),
        label: position.move_text(m),
        shape: position.shape(m).into(),
        prior: f64::from(prior),
    };
    Ok(Opinion {
        cells: position.cells_text(),
        turn: position.side().into(),
        value: output.value.map(|value| f64::from(value.0)),
        moves: output.priors.into_iter().map(judged).collect(),
    })
}
