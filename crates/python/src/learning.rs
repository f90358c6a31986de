//! Learning: supervised training, self-play, evolution, tuning, experiments. Options are JSON with the names of the
//! command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tablero_core::Permissions;
use tablero_evolve::{
    EvolutionConfig, EvolutionSummary, EvolveError, EvolveOptions, interrupted_writer,
    read_generations, run_evolution_job,
};
use tablero_experiments::{
    ExperimentConfig, ExperimentError, Results, TEMPLATES, names, run_experiment_job,
};
use tablero_jobs::{CancellationToken, Job, Progress, Status, Store, Threads, user_data_folder};
use tablero_learn::LearnOptions;
use tablero_learn::generations::RunContext;
use tablero_learn::supervised::{TrainOptions, Trained, train_on_games};
use tablero_registry::{LearningRun, RunRequest, TuneOptions};

use crate::arguments::{Entry, find, threads};
use crate::errors::{learn_error, os_error, runtime_error, value_error};
use crate::session;

/// Reads options. The errors name the option and say what is right; all options have defaults.
fn read_options<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    let options: Map<String, Value> = serde_json::from_str(text).map_err(value_error)?;
    for (name, value) in &options {
        let one = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        let Err(error) = serde_json::from_value::<T>(one) else { continue };
        let problem = error.to_string();
        return Err(match problem.strip_prefix("unknown field ") {
            Some(problem) => PyTypeError::new_err(format!("no option {problem}")),
            None => value_error(format!("{name}: {problem}")),
        });
    }
    serde_json::from_value(Value::Object(options)).map_err(value_error)
}

fn executor(count: usize) -> Threads {
    Threads::new(NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN))
}

/// The jobs of a data folder, by default the user's.
fn store(data: Option<PathBuf>) -> PyResult<Store> {
    let folder = data.or_else(user_data_folder);
    let folder = folder.ok_or_else(|| os_error("no home folder; give data=FOLDER"))?;
    Ok(Store::in_folder(&folder))
}

/// Trains a network on recorded games; returns JSON.
#[pyfunction]
#[pyo3(signature = (game, options, *, threads=None, report=None))]
pub(crate) fn train(
    py: Python<'_>,
    game: &str,
    options: &str,
    threads: Option<usize>,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (entry, threads) = (find(game)?, self::threads(threads)?);
    let options: TrainOptions = read_options(options)?;
    let trained = session::run(py, &CancellationToken::default(), report, |session| {
        let mut report = |progress: &Progress| session.report(progress);
        train_on_games(entry.learning(), &options, threads, &session.cancel, &mut report)
    })?;
    let answer = match trained.map_err(learn_error)? {
        Trained::Network(network) => json!({"training": network, "epochs": network.epochs}),
        Trained::Nnue(nnue) => json!({"training": nnue, "epochs": nnue.epochs}),
    };
    Ok(answer.to_string())
}

/// The options of a learning run.
#[pyfunction]
pub(crate) fn learn_options() -> PyResult<Vec<String>> {
    match serde_json::to_value(LearnOptions::default()).map_err(runtime_error)? {
        Value::Object(options) => Ok(options.into_iter().map(|(name, _)| name).collect()),
        _ => Ok(Vec::new()),
    }
}

/// Starts or resumes a learning run; returns its history as JSON.
#[pyfunction]
#[pyo3(signature = (game, options, command, *, net=None, dir=None, quick=false, seed=None, hours=None, threads=None, device=None, report=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn learn(
    py: Python<'_>,
    game: &str,
    options: &str,
    command: &str,
    net: Option<&str>,
    dir: Option<PathBuf>,
    quick: bool,
    seed: Option<u64>,
    hours: Option<f64>,
    threads: Option<usize>,
    device: Option<&str>,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (entry, threads) = (find(game)?, self::threads(threads)?);
    let options = &read_options(options)?;
    let deadline = deadline(hours)?;
    let device = device.map(str::parse).transpose();
    let device = device.map_err(|problem: String| value_error(format!("device: {problem}")))?;
    let request = RunRequest { net, dir: dir.as_deref(), quick, seed, device, command, options };
    let run = LearningRun::open(entry, &request).map_err(learn_error)?;
    let folder = run.job().folder().to_owned();
    let cancel = CancellationToken::default();
    let learned = session::run(py, &cancel, report, |session| {
        let executor = &executor(threads);
        let context = RunContext { executor, threads, device, cancel: &session.cancel };
        run.run(context, &mut |progress| {
            session.report(progress);
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                session.cancel.cancel();
            }
        })
    })?;
    let learned = learned.map_err(learn_error)?;
    let best = learned.best().map(|file| folder.join(file));
    let answer = json!({
        "folder": folder,
        "best": best,
        "is_finished": !cancel.is_cancelled(),
        "history": learned.json(),
    });
    Ok(answer.to_string())
}

fn deadline(hours: Option<f64>) -> PyResult<Option<Instant>> {
    let Some(hours) = hours else { return Ok(None) };
    let time = (hours > 0.0).then(|| Duration::try_from_secs_f64(3600.0 * hours).ok()).flatten();
    let time = time.ok_or_else(|| value_error("hours: expected a number above 0"))?;
    Ok(Instant::now().checked_add(time))
}

/// Starts or resumes an evolution; returns its result as JSON.
#[pyfunction]
#[pyo3(signature = (game, options, command, *, seed=1, data=None, threads=None, report=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn evolve(
    py: Python<'_>,
    game: &str,
    options: &str,
    command: &str,
    seed: u64,
    data: Option<PathBuf>,
    threads: Option<usize>,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (entry, executor) = (find(game)?, executor(self::threads(threads)?));
    let options: EvolveOptions = read_options(options)?;
    let (job, skipped) = evolution(entry, &options, command, seed, &store(data)?)?;
    let (id, folder) = (job.id().to_owned(), job.folder().to_owned());
    let config: EvolutionConfig = job.config().map_err(os_error)?;
    let evolved = session::run(py, &CancellationToken::default(), report, |session| {
        let mut report = |progress: &Progress| session.report(progress);
        run_evolution_job(job, entry.evolution(), &executor, &session.cancel, &mut report)
    })?;
    let genomes = evolved.map_err(evolve_error)?;
    let genomes = genomes.ok_or_else(|| runtime_error("the evolution was stopped"))?;
    let generations = read_generations(&folder).map_err(evolve_error)?;
    let summary = EvolutionSummary::new(&id, config.out.as_deref(), &genomes, &generations);
    let generation = |one: &tablero_evolve::Generation| {
        json!({
            "generation": one.generation, "games": one.games, "nodes": one.nodes, "seconds": one.seconds,
            "best": one.best, "mean": one.mean, "worst": one.worst, "diversity": one.diversity, "sigma": one.sigma,
        })
    };
    let generations: Vec<Value> = generations.iter().map(generation).collect();
    let answer = json!({
        "summary": summary, "genomes": genomes, "generations": generations, "skipped": skipped
    });
    Ok(answer.to_string())
}

/// The job of an evolution: that which was interrupted, or a new one; and the games that cannot be read.
fn evolution(
    entry: Entry,
    options: &EvolveOptions,
    command: &str,
    seed: u64,
    store: &Store,
) -> PyResult<(Job, Vec<String>)> {
    if let Some(path) = &options.resume
        && let Some(job) = interrupted_writer(store, path).map_err(evolve_error)?
    {
        return Ok((job, Vec::new()));
    }
    let config = options.config(entry.game(), command).map_err(evolve_error)?;
    let mut skipped = Vec::new();
    if let Some(games) = &config.games {
        let (records, _) = games.records(entry.game()).map_err(evolve_error)?;
        skipped = records.skipped().iter().map(ToString::to_string).collect();
    }
    let job = config.create_job(entry.evolution(), store, seed).map_err(evolve_error)?;
    Ok((job, skipped))
}

fn evolve_error(error: EvolveError) -> PyErr {
    match error {
        EvolveError::Job(_) | EvolveError::GamesIo { .. } => os_error(error),
        error => value_error(error),
    }
}

/// Tunes the weights of an evaluation on games; returns JSON.
#[pyfunction]
#[pyo3(signature = (game, options, *, report=None))]
pub(crate) fn tune(
    py: Python<'_>,
    game: &str,
    options: &str,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let entry = find(game)?;
    let options: TuneOptions = read_options(options)?;
    let tuned = session::run(py, &CancellationToken::default(), report, |session| {
        let mut report = |progress: &Progress| session.report(progress);
        tablero_registry::tune(entry, &options, &session.cancel, &mut report)
    })?;
    serde_json::to_string(&tuned.map_err(learn_error)?).map_err(runtime_error)
}

/// The experiments of earlier works, and the templates for new ones, as JSON.
#[pyfunction]
pub(crate) fn experiments() -> PyResult<String> {
    let experiment = |name: &str| {
        let found = tablero_experiments::find(name).map_err(experiment_error)?;
        Ok(json!({
            "name": name, "game": found.game, "title": found.title, "work": found.source,
            "expect": found.expected_result,
        }))
    };
    let works = names().map(experiment).collect::<PyResult<Vec<_>>>()?;
    let template = |template: &tablero_experiments::Template| json!({"name": template.name, "about": template.about.en});
    let templates: Vec<_> = TEMPLATES.iter().map(template).collect();
    Ok(json!({"works": works, "templates": templates}).to_string())
}

/// The plan of a new experiment, TOML.
#[pyfunction]
pub(crate) fn experiment_plan(template: &str, game: &str) -> PyResult<String> {
    tablero_experiments::template(template, find(game)?).map_err(experiment_error)
}

/// Runs or resumes an experiment; returns its results as JSON.
#[pyfunction]
#[pyo3(signature = (name, *, quick=false, out=None, seed=None, again=false, data=None, threads=None, report=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn experiment(
    py: Python<'_>,
    name: &str,
    quick: bool,
    out: Option<PathBuf>,
    seed: Option<u64>,
    again: bool,
    data: Option<PathBuf>,
    threads: Option<usize>,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (store, executor) = (store(data)?, executor(self::threads(threads)?));
    let mut config = ExperimentConfig::open(name, quick, seed).map_err(experiment_error)?;
    if let Some(folder) = &out {
        config = config.with_report(folder).map_err(experiment_error)?;
    }
    let known = if again { None } else { config.find_job(&store).map_err(os_error)? };
    let is_finished = |job: &Job| job.state().is_ok_and(|state| state.status == Status::Finished);
    let results: Results = match known {
        Some(job) if is_finished(&job) => {
            let result = job.result().map_err(os_error)?;
            result.ok_or_else(|| os_error(format!("{} has no result", job.id())))?
        }
        known => {
            let job = known.map_or_else(|| config.create_job(&store), Ok).map_err(os_error)?;
            let results = session::run(py, &CancellationToken::default(), report, |session| {
                let mut report = |progress: &Progress| session.report(progress);
                run_experiment_job(job, Permissions::ALL, &executor, &session.cancel, &mut report)
            })?;
            let results = results.map_err(experiment_error)?;
            results.ok_or_else(|| runtime_error("the experiment was stopped"))?
        }
    };
    let page = tablero_experiments::report(&config.experiment, &results);
    if let Some(folder) = &config.out {
        page.write(folder).map_err(os_error)?;
    }
    let tables: Vec<_> = page.tables.iter().map(ToString::to_string).collect();
    let answer = json!({
        "name": config.name,
        "title": config.experiment.title,
        "results": results,
        "tables": tables,
        "report": config.out.map(|folder| folder.join("report.md")),
    });
    Ok(answer.to_string())
}

fn experiment_error(error: ExperimentError) -> PyErr {
    match error {
        ExperimentError::Job(_) | ExperimentError::Report(_) => os_error(error),
        error => value_error(error),
    }
}
