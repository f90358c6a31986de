//! Experiments of earlier works.

use tablero_core::{Permissions, PlayerLineError, PlayerSetup};
use tablero_experiments::{
    Experiment, ExperimentConfig, ExperimentError, Results, TEMPLATES, Template, find, names,
    report, run_experiment_job, template,
};
use tablero_jobs::{CancellationToken, Executor, Job, Progress};

use crate::api::{
    ExperimentInfo, ExperimentView, Localized, NewExperimentJob, PlanText, PlotView, Problem,
    ReportView, TemplateInfo,
};
use crate::config::Config;
use crate::error::{ApiError, ApiResult, find_game};

/// The longest name of a plan.
const MAX_NAME: usize = 60;

/// All experiments.
pub(crate) fn experiments() -> ApiResult<Vec<ExperimentInfo>> {
    names().map(|name| Ok(describe(name, plan(name)?))).collect()
}

fn plan(name: &str) -> ApiResult<Experiment> {
    find(name).map_err(|error| match error {
        ExperimentError::Unknown { name, .. } => {
            Problem::UnknownExperiment { name, available: names().collect() }.into()
        }
        error => ApiError::internal(error),
    })
}

fn describe(name: &str, experiment: Experiment) -> ExperimentInfo {
    // Plans of users have one language.
    let both =
        |en: String, es: String| Localized { es: if es.is_empty() { en.clone() } else { es }, en };
    let es = experiment.es;
    ExperimentInfo {
        name: name.into(),
        game: experiment.game,
        title: both(experiment.title, es.title),
        source: experiment.source,
        description: both(experiment.description, es.description),
        expected_result: both(experiment.expected_result, es.expected_result),
    }
}

/// All templates of plans.
pub(crate) fn templates() -> Vec<TemplateInfo> {
    let info = |template: &Template| TemplateInfo {
        name: template.name.into(),
        about: template.about.into(),
    };
    TEMPLATES.iter().map(info).collect()
}

/// The plan of a template for a game.
pub(crate) fn fill_template(name: &str, game: &str) -> ApiResult<PlanText> {
    let plan = template(name, find_game(game)?).map_err(|error| {
        ApiError::from(invalid(&error)).with_status(axum::http::StatusCode::NOT_FOUND)
    })?;
    Ok(PlanText { plan })
}

fn invalid(error: &dyn std::fmt::Display) -> Problem {
    Problem::InvalidPlan { reason: error.to_string() }
}

/// Reads a plan of a user. Its players read no files but the networks and genomes of the plan itself.
fn user_plan(text: &str, config: &Config) -> ApiResult<Experiment> {
    let plan = Experiment::parse(text).map_err(|error| invalid(&error))?;
    let entry = find_game(&plan.game)?;
    let ids: Vec<String> = plan.file_ids().collect();
    let kinds = entry.player_kinds();
    for line in plan.lines(false).into_iter().chain(plan.lines(true)) {
        config.check_limits(&line)?;
        let mut own_file = |name: &str| match ids.iter().any(|id| id == name) {
            true => Ok(name.to_owned()),
            false => Err("files are not read here".to_owned()),
        };
        let checked = kinds.replace_files(&line, &mut own_file);
        let line = checked.map_err(|error| invalid(&format_args!("`{line}`: {error}")))?;
        // The line was checked by `replace_files`.
        let Ok(kind) = kinds.check(&line) else { continue };
        if kind.starts_program && !config.allow_engines {
            let error = PlayerLineError::ProgramNotPermitted { kind: line.kind };
            return Err(invalid(&error).into());
        }
        let megabytes = kind.memory_mb(&line, &PlayerSetup::default());
        if megabytes > config.memory_mb {
            return Err(Problem::PlayerTooLarge { megabytes, budget: config.memory_mb }.into());
        }
    }
    plan.check(entry).map_err(|error| invalid(&error))?;
    Ok(plan)
}

/// The configuration of a request.
pub(super) fn config(request: &NewExperimentJob, config: &Config) -> ApiResult<ExperimentConfig> {
    let mut experiment = match &request.plan {
        Some(text) => user_plan(text, config)?,
        None => plan(&request.name)?,
    };
    experiment.seed = request.seed.unwrap_or(experiment.seed);
    let name =
        request.name.chars().filter(|c| !c.is_control() && *c != ',').take(MAX_NAME).collect();
    Ok(ExperimentConfig { name, quick: request.quick, out: None, experiment })
}

pub(super) fn run(
    job: Job,
    allow_engines: bool,
    executor: &dyn Executor,
    stop: &CancellationToken,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), String> {
    // The networks that an experiment trains are files.
    let permissions = Permissions { programs: allow_engines, files: true };
    let results = run_experiment_job(job, permissions, executor, stop, progress);
    results.map(drop).map_err(|error| error.to_string())
}

/// The experiment of a job, with its report if it is finished.
pub(super) fn view(job: &Job) -> ApiResult<ExperimentView> {
    let config: ExperimentConfig = job.config()?;
    let results: Option<Results> = job.result()?;
    let report = results.map(|results| {
        let report = report(&config.experiment, &results);
        let plot = |plot: tablero_report::Plot| PlotView {
            file: plot.file,
            title: plot.title,
            svg: plot.svg,
        };
        ReportView { page: report.page, plots: report.plots.into_iter().map(plot).collect() }
    });
    Ok(ExperimentView {
        experiment: describe(&config.name, config.experiment),
        quick: config.quick,
        report,
    })
}
