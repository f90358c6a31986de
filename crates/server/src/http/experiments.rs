use super::prelude::*;
use crate::api::{
    ErrorBody, ExperimentInfo, JobSummary, NewExperimentJob, PlanText, TemplateInfo, TemplateQuery,
};
use crate::error::ApiResult;
use crate::jobs;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_experiments, create_experiment))
        .routes(routes!(list_templates))
        .routes(routes!(fill_template))
}

/// The experiments of earlier works.
#[utoipa::path(
    get, path = "/api/experiments", tag = "jobs",
    responses((status = 200, body = Vec<ExperimentInfo>), (status = "4XX", body = ErrorBody))
)]
async fn list_experiments() -> ApiResult<Json<Vec<ExperimentInfo>>> {
    respond(jobs::experiments).await
}

/// The templates of plans.
#[utoipa::path(
    get, path = "/api/experiment-templates", tag = "jobs",
    responses((status = 200, body = Vec<TemplateInfo>), (status = "4XX", body = ErrorBody))
)]
async fn list_templates() -> ApiResult<Json<Vec<TemplateInfo>>> {
    Ok(Json(jobs::templates()))
}

/// The plan of a template for a game, to be edited.
#[utoipa::path(
    get, path = "/api/experiment-templates/{name}", tag = "jobs",
    params(("name" = String, Path, description = "The template's name"), TemplateQuery),
    responses((status = 200, body = PlanText), (status = "4XX", body = ErrorBody))
)]
async fn fill_template(
    Path(name): Path<String>,
    Query(query): Query<TemplateQuery>,
) -> ApiResult<Json<PlanText>> {
    jobs::fill_template(&name, &query.game).map(Json)
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
