use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse;

use super::prelude::*;
use crate::api::{
    ErrorBody, EvolutionOptions, GenerationFileQuery, GenerationView, JobSummary, NewEvolutionJob,
};
use crate::error::{ApiResult, find_game};
use crate::jobs;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(evolution_options))
        .routes(routes!(create_evolution))
        .routes(routes!(generation))
        .routes(routes!(generation_file))
}

/// The genomes and schemes of a game.
#[utoipa::path(
    get, path = "/api/catalog/{game}/evolution", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    responses((status = 200, body = EvolutionOptions), (status = "4XX", body = ErrorBody))
)]
async fn evolution_options(Path(name): Path<String>) -> ApiResult<Json<EvolutionOptions>> {
    let entry = find_game(&name).map_err(|error| error.with_status(StatusCode::NOT_FOUND))?;
    Ok(Json(jobs::evolution_options(entry)))
}

/// Starts an evolution.
#[utoipa::path(
    post, path = "/api/evolutions", tag = "jobs",
    request_body = NewEvolutionJob,
    responses((status = 200, body = JobSummary), (status = "4XX", body = ErrorBody))
)]
async fn create_evolution(
    State(app): State<App>,
    Json(body): Json<NewEvolutionJob>,
) -> ApiResult<Json<JobSummary>> {
    respond(move || app.jobs.create_evolution(&body)).await
}

/// The population of a generation.
#[utoipa::path(
    get, path = "/api/jobs/{id}/generations/{number}", tag = "jobs",
    params(("id" = String, Path, description = "The job's id"), ("number" = u64, Path, description = "The generation, from 1")),
    responses((status = 200, body = GenerationView), (status = "4XX", body = ErrorBody))
)]
async fn generation(
    State(app): State<App>,
    Path((id, number)): Path<(String, u64)>,
) -> ApiResult<Json<GenerationView>> {
    respond(move || app.jobs.generation(&id, number)).await
}

/// A generation as a file, for `eval=FILE` of a player line and `tablero evolve --resume`.
#[utoipa::path(
    get, path = "/api/jobs/{id}/generations/{number}/file", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job's id"),
        ("number" = u64, Path, description = "The generation, from 1"),
        GenerationFileQuery,
    ),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), (status = "4XX", body = ErrorBody))
)]
async fn generation_file(
    State(app): State<App>,
    Path((id, number)): Path<(String, u64)>,
    Query(query): Query<GenerationFileQuery>,
) -> ApiResult<Response> {
    run_blocking(move || {
        let format = query.format.as_deref().unwrap_or("genes");
        let text = app.jobs.generation_file(&id, number, format)?;
        let name = format!("attachment; filename=\"{id}-{number}.{format}\"");
        let content = [(CONTENT_TYPE, "application/octet-stream"), (CONTENT_DISPOSITION, &name)];
        Ok((content, text).into_response())
    })
    .await
}
