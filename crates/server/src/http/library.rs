use crate::api::*;
use crate::error::{ApiError, ApiResult};
use crate::http::prelude::*;

/// The routes of this file.
pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_games, create_game))
        .routes(routes!(delete_game))
        .routes(routes!(export_game))
        .routes(routes!(share_game))
        .routes(routes!(open_share))
        .routes(routes!(import))
        .routes(routes!(branch_game))
}

/// The library: all games, the last changed first.
#[utoipa::path(
    get, path = "/api/games", tag = "library",
    params(LibraryQuery),
    responses((status = 200, body = LibraryPage), (status = "4XX", body = ErrorBody))
)]
async fn list_games(
    State(app): State<App>,
    Query(query): Query<LibraryQuery>,
) -> ApiResult<Json<LibraryPage>> {
    Err(ApiError::internal("not yet"))
}

/// Starts a game.
#[utoipa::path(
    post, path = "/api/games", tag = "library",
    request_body = NewGame,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn create_game(
    State(app): State<App>,
    Json(body): Json<NewGame>,
) -> ApiResult<Json<GameView>> {
    Err(ApiError::internal("not yet"))
}

/// Deletes a game.
#[utoipa::path(
    delete, path = "/api/games/{id}", tag = "library",
    params(("id" = String, Path, description = "The game's id")),
    responses((status = 204), (status = "4XX", body = ErrorBody))
)]
async fn delete_game(State(app): State<App>, Path(id): Path<String>) -> ApiResult<StatusCode> {
    Err(ApiError::internal("not yet"))
}

/// A game as a file.
#[utoipa::path(
    get, path = "/api/games/{id}/export", tag = "library",
    params(("id" = String, Path, description = "The game's id"), ExportQuery),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), (status = "4XX", body = ErrorBody))
)]
async fn export_game(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<ExportQuery>,
) -> ApiResult<Response> {
    Err(ApiError::internal("not yet"))
}

/// A line of a game as short text for the fragment of an address.
#[utoipa::path(
    get, path = "/api/games/{id}/share", tag = "library",
    params(("id" = String, Path, description = "The game's id"), ShareQuery),
    responses((status = 200, body = Share), (status = "4XX", body = ErrorBody))
)]
async fn share_game(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<ShareQuery>,
) -> ApiResult<Json<Share>> {
    Err(ApiError::internal("not yet"))
}

/// Starts a game from shared text.
#[utoipa::path(
    post, path = "/api/share", tag = "library",
    request_body = Share,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn open_share(State(app): State<App>, Json(body): Json<Share>) -> ApiResult<Json<GameView>> {
    Err(ApiError::internal("not yet"))
}

/// Reads a file or text in any format; the body is the file as it is.
#[utoipa::path(
    post, path = "/api/import", tag = "library",
    params(ImportQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Imported), (status = "4XX", body = ErrorBody))
)]
async fn import(
    State(app): State<App>,
    Query(query): Query<ImportQuery>,
    body: Bytes,
) -> ApiResult<Json<Imported>> {
    Err(ApiError::internal("not yet"))
}

/// Starts a game of its own from a node.
#[utoipa::path(
    post, path = "/api/games/{id}/branch", tag = "library",
    params(("id" = String, Path, description = "The game's id")),
    request_body = Branch,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn branch_game(
    State(app): State<App>,
    Path(id): Path<String>,
    Json(body): Json<Branch>,
) -> ApiResult<Json<GameView>> {
    Err(ApiError::internal("not yet"))
}
