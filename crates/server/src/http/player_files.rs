use super::prelude::*;
use crate::api::{ErrorBody, PlayerFile, PlayerFileQuery};
use crate::error::ApiResult;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_player_files, add_player_file))
        .routes(routes!(delete_player_file))
}

/// The player files of the data folder, newest first.
#[utoipa::path(
    get, path = "/api/player-files", tag = "catalog",
    responses((status = 200, body = Vec<PlayerFile>), (status = "4XX", body = ErrorBody))
)]
async fn list_player_files(State(app): State<App>) -> ApiResult<Json<Vec<PlayerFile>>> {
    respond(move || app.config.player_files().list()).await
}

/// Checks and keeps a player file: evolved genomes (`.evl`, `.genes`), weights (`.weights`) or a network
/// (`.safetensors`, Keras' `.keras` and `.h5`); the body is the file itself.
#[utoipa::path(
    post, path = "/api/player-files", tag = "catalog",
    params(PlayerFileQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = PlayerFile), (status = "4XX", body = ErrorBody))
)]
async fn add_player_file(
    State(app): State<App>,
    Query(query): Query<PlayerFileQuery>,
    Raw(body): Raw,
) -> ApiResult<Json<PlayerFile>> {
    respond(move || app.config.player_files().add(&query.name, &body)).await
}

/// Deletes a player file.
#[utoipa::path(
    delete, path = "/api/player-files/{name}", tag = "catalog",
    params(("name" = String, Path, description = "The file's name")),
    responses((status = 204), (status = "4XX", body = ErrorBody))
)]
async fn delete_player_file(
    State(app): State<App>,
    Path(name): Path<String>,
) -> ApiResult<StatusCode> {
    let delete = move || app.config.player_files().delete(&name);
    run_blocking(delete).await.map(|()| StatusCode::NO_CONTENT)
}
