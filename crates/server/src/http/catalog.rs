use crate::api::*;
use crate::error::{ApiError, ApiResult};
use crate::http::prelude::*;

/// The routes of this file.
pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(about))
        .routes(routes!(games))
        .routes(routes!(rules_text))
        .routes(routes!(players))
        .routes(routes!(check_player))
        .routes(routes!(check_position))
}

/// What the server is and allows.
#[utoipa::path(
    get, path = "/api/about", tag = "catalog",
    responses((status = 200, body = About), (status = "4XX", body = ErrorBody))
)]
async fn about(State(app): State<App>) -> ApiResult<Json<About>> {
    Err(ApiError::internal("not yet"))
}

/// The games there are.
#[utoipa::path(
    get, path = "/api/catalog", tag = "catalog",
    responses((status = 200, body = Vec<GameKind>), (status = "4XX", body = ErrorBody))
)]
async fn games(State(app): State<App>) -> ApiResult<Json<Vec<GameKind>>> {
    Err(ApiError::internal("not yet"))
}

/// The rules of a game in a few lines.
#[utoipa::path(
    get, path = "/api/catalog/{game}/rules", tag = "catalog",
    params(("game" = String, Path, description = "The game's name"), LanguageQuery),
    responses((status = 200, body = RulesText), (status = "4XX", body = ErrorBody))
)]
async fn rules_text(
    State(app): State<App>,
    Path(game): Path<String>,
    Query(query): Query<LanguageQuery>,
) -> ApiResult<Json<RulesText>> {
    Err(ApiError::internal("not yet"))
}

/// Who can play a game: levels, and kinds of players with their options.
#[utoipa::path(
    get, path = "/api/catalog/{game}/players", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    responses((status = 200, body = Players), (status = "4XX", body = ErrorBody))
)]
async fn players(State(app): State<App>, Path(game): Path<String>) -> ApiResult<Json<Players>> {
    Err(ApiError::internal("not yet"))
}

/// Whether a player line is right.
#[utoipa::path(
    post, path = "/api/catalog/{game}/check-player", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    request_body = PlayerCheck,
    responses((status = 200, body = PlayerChecked), (status = "4XX", body = ErrorBody))
)]
async fn check_player(
    State(app): State<App>,
    Path(game): Path<String>,
    Json(body): Json<PlayerCheck>,
) -> ApiResult<Json<PlayerChecked>> {
    Err(ApiError::internal("not yet"))
}

/// Whether games can start from a position, and what is wrong if not.
#[utoipa::path(
    post, path = "/api/catalog/{game}/check-position", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    request_body = PositionRequest,
    responses((status = 200, body = PositionChecked), (status = "4XX", body = ErrorBody))
)]
async fn check_position(
    State(app): State<App>,
    Path(game): Path<String>,
    Json(body): Json<PositionRequest>,
) -> ApiResult<Json<PositionChecked>> {
    Err(ApiError::internal("not yet"))
}
