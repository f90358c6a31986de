//! Experiments of earlier works.

use tablero_core::Permissions;
use tablero_experiments::{
    Experiment, ExperimentConfig, ExperimentError, Results, find, names, report, run_experiment_job,
};
use tablero_jobs::{CancellationToken, Executor, Job, Progress};

use crate::api::{
    ExperimentInfo, ExperimentView, Localized, NewExperimentJob, PlotView, Problem, ReportView,
};
use crate::error::{ApiError, ApiResult};

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
    let es = experiment.es;
    ExperimentInfo {
        name: name.into(),
        game: experiment.game,
        title: Localized { en: experiment.title, es: es.title },
        source: experiment.source,
        description: Localized { en: experiment.description, es: es.description },
        expected_result: Localized { en: experiment.expected_result, es: es.expected_result },
    }
}

/// The configuration of a request.
pub(super) fn config(request: &NewExperimentJob) -> ApiResult<ExperimentConfig> {
    let mut experiment = plan(&request.name)?;
    experiment.seed = request.seed.unwrap_or(experiment.seed);
    Ok(ExperimentConfig { name: request.name.clone(), quick: request.quick, out: None, experiment })
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
