//! Learning runs.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use tablero_catalog::players::{PlayerLine, Setup, build};
use tablero_core::{Ending, ForFirst, Match, Outcome, Player};
use tablero_jobs::{Executor, Job, JobError, Progress, Stop};
use tablero_learn::{
    GameData, GenerationPast, LearnConfig, LearnError, Learned, generation_file, read_games,
    run_learning,
};
use tablero_nets::GameNet;
use tablero_search::puct::PolicyValue;

use super::facts::cells;
use super::{Describe, Maker, records, rules_called};
use crate::api::{
    GameEnd, LearningGame, LearningPoint, LearningView, MoveOpinion, NewLearningJob, Opinion,
};
use crate::error::{ApiError, ApiResult};
use crate::file::GameFile;

/// Bounds that a page may ask for.
const MOST_GENERATIONS: usize = 10_000;
const MOST_GAMES: u64 = 100_000;
const MOST_SIMULATIONS: u64 = 10_000;
/// What a page is shown.
const LATEST: usize = 12;
const MOST_MOVES: usize = 16;
/// Where a run keeps what it has learned.
const CHECKPOINT: &str = "learned";

/// What is to be learned, from a request whose teacher was checked.
pub(super) fn config<G: Describe>(request: &NewLearningJob) -> ApiResult<LearnConfig> {
    let within = |what: &str, asked: Option<u64>, most: u64| match asked {
        Some(asked) if !(1..=most).contains(&asked) => {
            Err(ApiError::bad(format!("{what} is {asked}; this server allows 1 to {most}")))
        }
        _ => Ok(()),
    };
    let generations = request.generations.map(|generations| generations as u64);
    within("generations", generations, MOST_GENERATIONS as u64)?;
    within("games", request.games, MOST_GAMES)?;
    within("sims", request.sims, MOST_SIMULATIONS)?;
    rules_called::<G>(request.rules.as_deref())?;
    let mut config = match request.quick {
        true => LearnConfig::quick::<G>(""),
        false => LearnConfig::usual::<G>(""),
    };
    config.rules = request.rules.clone().unwrap_or_default();
    config.net = request.net.clone().unwrap_or(config.net);
    config.generations = request.generations.or(config.generations);
    config.games = request.games.unwrap_or(config.games);
    config.style.sims = request.sims.unwrap_or(config.style.sims);
    config.style.fast_sims = config.style.fast_sims.min(config.style.sims);
    if let Some(teacher) = &request.teacher {
        config = config.with_teacher::<G>(teacher);
    }
    config.check::<G>().map_err(ApiError::bad)?;
    Ok(config)
}

pub(super) fn run<G: Describe>(
    job: Job,
    maker: &Maker,
    executor: &dyn Executor,
    threads: usize,
    stop: &Stop,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), String> {
    let folder = job.folder().to_owned();
    let maker = maker.clone();
    let factory = move |line: &str| -> Result<Box<dyn Player<G>>, String> {
        let player = match names_own_network(line, &folder) {
            true => build::<G>(line, &Setup { may_read_files: true, ..maker.setup }),
            false => maker.build::<G>(line),
        };
        player.map_err(|error| error.to_string())
    };
    let learned = run_learning::<G>(job, &factory, executor, threads, stop, progress);
    learned.map(drop).map_err(|error| error.to_string())
}

/// Whether a line is one of the run itself: with a network of its own folder.
fn names_own_network(line: &str, folder: &Path) -> bool {
    let line: Option<PlayerLine> = line.parse().ok();
    let net = line.as_ref().and_then(|line| line.option("net")).map(Path::new);
    net.is_some_and(|net| net.parent() == Some(folder))
}

fn failed(error: JobError) -> ApiError {
    ApiError::internal(error)
}

fn learned(job: &Job) -> ApiResult<Learned> {
    let kept = match job.result().map_err(failed)? {
        Some(learned) => Some(learned),
        None => job.checkpoint(CHECKPOINT).map_err(failed)?,
    };
    Ok(kept.unwrap_or_default())
}

pub(super) fn view<G: Describe>(job: &Job) -> ApiResult<LearningView> {
    let config: LearnConfig = job.config().map_err(failed)?;
    let learned = learned(job)?;
    let last = learned.generations.len() + 1;
    let has_network = |number: &usize| generation_file(job.folder(), *number).is_file();
    Ok(LearningView {
        net: config.net,
        teacher: config.teacher.map(|teacher| teacher.line),
        rules: Some(config.rules).filter(|rules| !rules.is_empty()),
        best: learned.best,
        networks: (0..=last).filter(has_network).collect(),
        latest: latest::<G>(job, last)?,
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
fn latest<G: Describe>(job: &Job, last: usize) -> ApiResult<Vec<LearningGame>> {
    let newest = [last, last - 1].into_iter().find(|number| games_file(job, *number).is_file());
    let Some(generation) = newest else { return Ok(Vec::new()) };
    let (mut games, mut index) = (VecDeque::new(), 0);
    let visit = |game: GameData| {
        games.push_front(LearningGame {
            generation,
            index,
            plies: game.moves.len(),
            end: end_of::<G>(&game),
        });
        games.truncate(LATEST);
        index += 1;
        Ok(())
    };
    read_games(&games_file(job, generation), visit).map_err(unreadable)?;
    Ok(games.into())
}

fn end_of<G: Describe>(game: &GameData) -> GameEnd {
    let outcome = Outcome::by_margin(ForFirst(game.margin));
    let ending = Ending::from_text(&game.ending).unwrap_or(Ending::Unknown);
    GameEnd::new(tablero_core::GameEnd { outcome, ending }, G::MARGIN.is_some())
}

/// Game `index` of a generation, for the library.
pub(super) fn lesson<G: Describe>(
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
    let missing = || {
        ApiError::not_found(format!("{} has no game {index} of generation {generation}", job.id()))
    };
    let data = found.ok_or_else(missing)?;
    let game: Match<G> = data.replay().map_err(ApiError::internal)?;
    let mut file = records::file_of_match(&game);
    for seat in &mut file.players {
        seat.name = format!("{}, generation {}", job.id(), generation.saturating_sub(1));
    }
    Ok(file)
}

/// The file of a generation's network, if it is there.
pub(crate) fn network_of(job: &Job, generation: usize) -> Result<PathBuf, String> {
    let path = generation_file(job.folder(), generation);
    let missing = || format!("{} has no generation {generation}", job.id());
    if path.is_file() { Ok(path) } else { Err(missing()) }
}

/// What a generation's network thinks of the position after some moves.
pub(super) fn opinion<G: Describe>(
    job: &Job,
    generation: usize,
    moves: &str,
) -> ApiResult<Opinion> {
    let path = network_of(job, generation).map_err(ApiError::not_found)?;
    let config: LearnConfig = job.config().map_err(failed)?;
    let rules = Some(config.rules.as_str()).filter(|rules| !rules.is_empty());
    let mut position = G::start(rules_called::<G>(rules)?);
    for (number, name) in (1..).zip(moves.split_whitespace()) {
        let wrong = |error: &dyn std::fmt::Display| {
            ApiError::bad(format!("move {number} (`{name}`): {error}"))
        };
        let m = position.parse_move(name).map_err(|error| wrong(&error))?;
        position.play(m);
    }
    let legal = position.moves();
    let mut priors = vec![0.0; legal.len()];
    let value = match legal.is_empty() {
        true => None,
        false => {
            let mut net = GameNet::<G>::read(&path).map_err(ApiError::internal)?;
            let value = PolicyValue::judge(&mut net, &position, 0, &legal, &mut priors);
            Some(f64::from(value.0))
        }
    };
    let mut judged: Vec<_> = legal.into_iter().zip(priors).collect();
    judged.sort_by(|a, b| b.1.total_cmp(&a.1));
    let judged = judged.into_iter().take(MOST_MOVES).map(|(m, prior)| MoveOpinion {
        name: position.move_name(m),
        label: position.move_text(m),
        shape: position.shape(m),
        prior: f64::from(prior),
    });
    Ok(Opinion {
        cells: cells(&position),
        turn: position.side().into(),
        value,
        moves: judged.collect(),
    })
}
