use super::prelude::*;
use crate::api::{
    ClusterView, ErrorBody, GameView, JobGames, JobGamesQuery, JobSummary, JobView, NewArenaJob,
};
use crate::error::ApiResult;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_jobs, create_arena_job))
        .routes(routes!(get_job, delete_job))
        .routes(routes!(stop_job))
        .routes(routes!(resume_job))
        .routes(routes!(job_games))
        .routes(routes!(open_job_game))
        .routes(routes!(cluster))
}

/// All jobs, newest first.
#[utoipa::path(
    get, path = "/api/jobs", tag = "jobs",
    responses((status = 200, body = Vec<JobSummary>), (status = "4XX", body = ErrorBody))
)]
async fn list_jobs(State(app): State<App>) -> ApiResult<Json<Vec<JobSummary>>> {
    respond(move || app.jobs.list()).await
}

/// Starts a match or a tournament.
#[utoipa::path(
    post, path = "/api/jobs", tag = "jobs",
    request_body = NewArenaJob,
    responses((status = 200, body = JobSummary), (status = "4XX", body = ErrorBody))
)]
async fn create_arena_job(
    State(app): State<App>,
    Json(body): Json<NewArenaJob>,
) -> ApiResult<Json<JobSummary>> {
    respond(move || app.jobs.create_arena(&body)).await
}

/// A job with its results so far.
#[utoipa::path(
    get, path = "/api/jobs/{id}", tag = "jobs",
    params(("id" = String, Path, description = "The job's id")),
    responses((status = 200, body = JobView), (status = "4XX", body = ErrorBody))
)]
async fn get_job(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<JobView>> {
    respond(move || app.jobs.view(&id)).await
}

/// Deletes a job that is not running, with its files.
#[utoipa::path(
    delete, path = "/api/jobs/{id}", tag = "jobs",
    params(("id" = String, Path, description = "The job's id")),
    responses((status = 204), (status = "4XX", body = ErrorBody))
)]
async fn delete_job(State(app): State<App>, Path(id): Path<String>) -> ApiResult<StatusCode> {
    run_blocking(move || app.jobs.delete(&id)).await.map(|()| StatusCode::NO_CONTENT)
}

/// Stops a job after its running games.
#[utoipa::path(
    post, path = "/api/jobs/{id}/stop", tag = "jobs",
    params(("id" = String, Path, description = "The job's id")),
    responses((status = 200, body = JobSummary), (status = "4XX", body = ErrorBody))
)]
async fn stop_job(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<JobSummary>> {
    respond(move || app.jobs.stop(&id)).await
}

/// Resumes a job.
#[utoipa::path(
    post, path = "/api/jobs/{id}/resume", tag = "jobs",
    params(("id" = String, Path, description = "The job's id")),
    responses((status = 200, body = JobSummary), (status = "4XX", body = ErrorBody))
)]
async fn resume_job(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<JobSummary>> {
    respond(move || app.jobs.resume(&id)).await
}

/// The games of a job.
#[utoipa::path(
    get, path = "/api/jobs/{id}/games", tag = "jobs",
    params(("id" = String, Path, description = "The job's id"), JobGamesQuery),
    responses((status = 200, body = JobGames), (status = "4XX", body = ErrorBody))
)]
async fn job_games(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<JobGamesQuery>,
) -> ApiResult<Json<JobGames>> {
    respond(move || app.jobs.games(&id, &query)).await
}

/// Copies a game of a job into the library, to replay and analyse it; one that was copied before is opened
/// again.
#[utoipa::path(
    post, path = "/api/jobs/{id}/games/{index}", tag = "jobs",
    params(("id" = String, Path, description = "The job's id"), ("index" = usize, Path, description = "The game's index, from 0")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn open_job_game(
    State(app): State<App>,
    Path((id, index)): Path<(String, usize)>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.open_copy(&format!("job {id} {index}"), || app.jobs.game(&id, index))).await
}

/// The status of the server's cluster; null if it has none.
#[utoipa::path(
    get, path = "/api/cluster", tag = "jobs",
    responses((status = 200, body = Option<ClusterView>), (status = "4XX", body = ErrorBody))
)]
async fn cluster(State(app): State<App>) -> ApiResult<Json<Option<ClusterView>>> {
    respond(move || Ok(app.cluster.as_ref().map(|cluster| cluster.status()))).await
}
