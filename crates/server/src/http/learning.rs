use super::prelude::*;
use crate::api::{ErrorBody, GameView, JobSummary, NewLearningJob, Opinion, OpinionQuery};
use crate::error::ApiResult;

/// The routes of this file.
pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_learning))
        .routes(routes!(open_lesson))
        .routes(routes!(opinion))
}

/// Starts a learning run.
#[utoipa::path(
    post, path = "/api/learnings", tag = "jobs",
    request_body = NewLearningJob,
    responses((status = 200, body = JobSummary), (status = "4XX", body = ErrorBody))
)]
async fn create_learning(
    State(app): State<App>,
    Json(body): Json<NewLearningJob>,
) -> ApiResult<Json<JobSummary>> {
    answer(move || app.jobs.create_learning(&body)).await
}

/// Puts a game that a run learned from into the library, to replay and analyse it.
#[utoipa::path(
    post, path = "/api/jobs/{id}/lessons/{generation}/{index}", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job's id"),
        ("generation" = usize, Path, description = "The generation that learns from it"),
        ("index" = usize, Path, description = "The game's number, from 0"),
    ),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn open_lesson(
    State(app): State<App>,
    Path((id, generation, index)): Path<(String, usize, usize)>,
) -> ApiResult<Json<GameView>> {
    answer(move || app.create_game(app.jobs.lesson(&id, generation, index)?)).await
}

/// What the network of a generation thinks of a position, without any search.
#[utoipa::path(
    get, path = "/api/jobs/{id}/networks/{generation}/opinion", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job's id"),
        ("generation" = usize, Path, description = "Whose network; 0 is what the run began with"),
        OpinionQuery,
    ),
    responses((status = 200, body = Opinion), (status = "4XX", body = ErrorBody))
)]
async fn opinion(
    State(app): State<App>,
    Path((id, generation)): Path<(String, usize)>,
    Query(query): Query<OpinionQuery>,
) -> ApiResult<Json<Opinion>> {
    answer(move || app.jobs.opinion(&id, generation, &query.moves)).await
}
