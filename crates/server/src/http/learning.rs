use super::prelude::*;
use crate::api::{
    ErrorBody, GameView, JobSummary, NetworkEvaluation, NetworkQuery, NewLearningJob,
    TrainingReplay,
};
use crate::error::ApiResult;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_learning))
        .routes(routes!(show_training_game, open_training_game))
        .routes(routes!(evaluate))
}

/// Starts a learning run.
#[utoipa::path(
    post, path = "/api/learning-runs", tag = "jobs",
    request_body = NewLearningJob,
    responses((status = 200, body = JobSummary), (status = "4XX", body = ErrorBody))
)]
async fn create_learning(
    State(app): State<App>,
    Json(body): Json<NewLearningJob>,
) -> ApiResult<Json<JobSummary>> {
    respond(move || app.jobs.create_learning(&body)).await
}

/// A training game of a run, move by move.
#[utoipa::path(
    get, path = "/api/jobs/{id}/training-games/{generation}/{index}", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job's id"),
        ("generation" = usize, Path, description = "The generation trained on it"),
        ("index" = usize, Path, description = "The game's index, from 0"),
    ),
    responses((status = 200, body = TrainingReplay), (status = "4XX", body = ErrorBody))
)]
async fn show_training_game(
    State(app): State<App>,
    Path((id, generation, index)): Path<(String, usize, usize)>,
) -> ApiResult<Json<TrainingReplay>> {
    respond(move || app.jobs.training_replay(&id, generation, index)).await
}

/// Copies a training game of a run into the library, to replay and analyse it; one that was copied before
/// is opened again.
#[utoipa::path(
    post, path = "/api/jobs/{id}/training-games/{generation}/{index}", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job's id"),
        ("generation" = usize, Path, description = "The generation trained on it"),
        ("index" = usize, Path, description = "The game's index, from 0"),
    ),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn open_training_game(
    State(app): State<App>,
    Path((id, generation, index)): Path<(String, usize, usize)>,
) -> ApiResult<Json<GameView>> {
    respond(move || {
        app.open_copy(&format!("job {id} {generation} {index}"), || {
            app.jobs.training_game(&id, generation, index)
        })
    })
    .await
}

/// The evaluation of a position by the network of a generation, without search.
#[utoipa::path(
    get, path = "/api/jobs/{id}/networks/{generation}/evaluation", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job's id"),
        ("generation" = usize, Path, description = "The generation; 0 is the initial network"),
        NetworkQuery,
    ),
    responses((status = 200, body = NetworkEvaluation), (status = "4XX", body = ErrorBody))
)]
async fn evaluate(
    State(app): State<App>,
    Path((id, generation)): Path<(String, usize)>,
    Query(query): Query<NetworkQuery>,
) -> ApiResult<Json<NetworkEvaluation>> {
    respond(move || app.jobs.evaluate(&id, generation, &query.moves)).await
}
