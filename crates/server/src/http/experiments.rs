use super::prelude::*;
use crate::api::{ErrorBody, ExperimentInfo, JobSummary, NewExperimentJob};
use crate::error::ApiResult;
use crate::jobs;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_experiments, create_experiment))
}

/// The experiments of earlier works.
#[utoipa::path(
    get, path = "/api/experiments", tag = "jobs",
    responses((status = 200, body = Vec<ExperimentInfo>), (status = "4XX", body = ErrorBody))
)]
async fn list_experiments() -> ApiResult<Json<Vec<ExperimentInfo>>> {
    respond(jobs::experiments).await
}

/// Runs an experiment. Matches against external engines are left out unless the server may start them.
#[utoipa::path(
    post, path = "/api/experiments", tag = "jobs",
    request_body = NewExperimentJob,
    responses((status = 200, body = JobSummary), (status = "4XX", body = ErrorBody))
)]
async fn create_experiment(
    State(app): State<App>,
    Json(body): Json<NewExperimentJob>,
) -> ApiResult<Json<JobSummary>> {
    respond(move || app.jobs.create_experiment(&body)).await
}
