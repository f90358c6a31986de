use tablero_catalog::GameName;

use super::prelude::*;
use crate::api::{
    About, ErrorBody, GameKind, Language, LanguageQuery, PlayerCheck, PlayerChecked, Players,
    PositionChecked, PositionRequest, RulesText,
};
use crate::error::{ApiError, ApiResult};
use crate::kind::{AnyGame, game, game_called};

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
    Ok(Json(About {
        version: env!("CARGO_PKG_VERSION").into(),
        allows_engines: app.config.allow_engines,
        limits: app.config.limits,
    }))
}

/// The games there are.
#[utoipa::path(
    get, path = "/api/catalog", tag = "catalog",
    responses((status = 200, body = Vec<GameKind>), (status = "4XX", body = ErrorBody))
)]
async fn games() -> ApiResult<Json<Vec<GameKind>>> {
    Ok(Json(GameName::ALL.iter().map(|&name| game(name).about()).collect()))
}

/// The rules of a game in a few lines.
#[utoipa::path(
    get, path = "/api/catalog/{game}/rules", tag = "catalog",
    params(("game" = String, Path, description = "The game's name"), LanguageQuery),
    responses((status = 200, body = RulesText), (status = "4XX", body = ErrorBody))
)]
async fn rules_text(
    Path(name): Path<String>,
    Query(query): Query<LanguageQuery>,
) -> ApiResult<Json<RulesText>> {
    let game: GameName = name.parse().map_err(ApiError::not_found)?;
    let text = match query.lang {
        Language::En => tablero_catalog::rules_text(game),
        Language::Es => tablero_catalog::rules_text_es(game),
    };
    Ok(Json(RulesText { text: text.into() }))
}

/// Who can play a game: levels, and kinds of players with their options.
#[utoipa::path(
    get, path = "/api/catalog/{game}/players", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    responses((status = 200, body = Players), (status = "4XX", body = ErrorBody))
)]
async fn players(Path(name): Path<String>) -> ApiResult<Json<Players>> {
    Ok(Json(kind(&name)?.players()))
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
    Path(name): Path<String>,
    Json(body): Json<PlayerCheck>,
) -> ApiResult<Json<PlayerChecked>> {
    let kind = kind(&name)?;
    answer(move || {
        let problem = app.check_player(kind, &body.player).err().map(|error| error.to_string());
        Ok(PlayerChecked { problem })
    })
    .await
}

/// Whether games can start from a position, and what is wrong if not.
#[utoipa::path(
    post, path = "/api/catalog/{game}/check-position", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    request_body = PositionRequest,
    responses((status = 200, body = PositionChecked), (status = "4XX", body = ErrorBody))
)]
async fn check_position(
    Path(name): Path<String>,
    Json(body): Json<PositionRequest>,
) -> ApiResult<Json<PositionChecked>> {
    Ok(Json(kind(&name)?.check_position(&body)))
}

/// The game called so in a path.
fn kind(name: &str) -> ApiResult<&'static dyn AnyGame> {
    game_called(name).map_err(|error| error.with_status(StatusCode::NOT_FOUND))
}
