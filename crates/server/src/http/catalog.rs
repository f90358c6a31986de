use tablero_jobs::BuildInfo;
use tablero_registry::GameEntry;

use super::prelude::*;
use crate::api::{
    About, ErrorBody, EvaluationView, ExplanationRequest, ExplanationView, GameKind, LanguageQuery,
    LineRequest, LineView, PlayerCheck, PlayerChecked, Players, PositionChecked, PositionRequest,
    Problem, RulesText,
};
use crate::caller::Caller;
use crate::describe::{describe_game, describe_players, describe_rules};
use crate::error::{ApiResult, find_game};
use crate::explain;
use crate::games::{check_position as check_position_of, line_view};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(about))
        .routes(routes!(games))
        .routes(routes!(rules_text))
        .routes(routes!(players))
        .routes(routes!(check_player))
        .routes(routes!(check_position))
        .routes(routes!(line))
        .routes(routes!(evaluations))
        .routes(routes!(explain))
}

/// Version and limits of the server.
#[utoipa::path(
    get, path = "/api/about", tag = "catalog",
    responses((status = 200, body = About), (status = "4XX", body = ErrorBody))
)]
async fn about(State(app): State<App>, caller: Caller) -> ApiResult<Json<About>> {
    let build = BuildInfo::current();
    Ok(Json(About {
        version: build.id(),
        date: build.date.into(),
        allows_engines: app.config.allow_engines,
        limits: app.config.limits,
        is_owner: caller.is_owner,
        shared_url: app.shared_url.clone(),
    }))
}

/// All games.
#[utoipa::path(
    get, path = "/api/catalog", tag = "catalog",
    responses((status = 200, body = Vec<GameKind>), (status = "4XX", body = ErrorBody))
)]
async fn games() -> ApiResult<Json<Vec<GameKind>>> {
    Ok(Json(tablero_registry::games().iter().map(|entry| describe_game(entry.game())).collect()))
}

/// The rules text of a game.
#[utoipa::path(
    get, path = "/api/catalog/{game}/rules", tag = "catalog",
    params(("game" = String, Path, description = "The game's name"), LanguageQuery),
    responses((status = 200, body = RulesText), (status = "4XX", body = ErrorBody))
)]
async fn rules_text(
    Path(name): Path<String>,
    Query(query): Query<LanguageQuery>,
) -> ApiResult<Json<RulesText>> {
    Ok(Json(describe_rules(find(&name)?.game(), query.lang)))
}

/// The levels and player kinds of a game.
#[utoipa::path(
    get, path = "/api/catalog/{game}/players", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    responses((status = 200, body = Players), (status = "4XX", body = ErrorBody))
)]
async fn players(Path(name): Path<String>) -> ApiResult<Json<Players>> {
    Ok(Json(describe_players(find(&name)?)))
}

/// Checks a player line.
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
    let entry = find(&name)?;
    respond(move || {
        let problem = app.check_player(entry, &body.player).err();
        let problem = problem.map(|error| error.into_problem().into());
        Ok(PlayerChecked { problem })
    })
    .await
}

/// Checks a position.
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
    Ok(Json(check_position_of(find(&name)?.game(), &body)))
}

/// The position at the end of a line of play, with its legal moves. Nothing is stored.
#[utoipa::path(
    post, path = "/api/catalog/{game}/line", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    request_body = LineRequest,
    responses((status = 200, body = LineView), (status = "4XX", body = ErrorBody))
)]
async fn line(
    Path(name): Path<String>,
    Json(body): Json<LineRequest>,
) -> ApiResult<Json<LineView>> {
    let game = find(&name)?.game();
    respond(move || line_view(game, &body)).await
}

/// The shipped evaluations and networks of a game.
#[utoipa::path(
    get, path = "/api/catalog/{game}/evaluations", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    responses((status = 200, body = Vec<EvaluationView>), (status = "4XX", body = ErrorBody))
)]
async fn evaluations(Path(name): Path<String>) -> ApiResult<Json<Vec<EvaluationView>>> {
    Ok(Json(explain::evaluations(find(&name)?)))
}

/// The evaluation of a position, term by term. Nothing is stored.
#[utoipa::path(
    post, path = "/api/catalog/{game}/explain", tag = "catalog",
    params(("game" = String, Path, description = "The game's name")),
    request_body = ExplanationRequest,
    responses((status = 200, body = ExplanationView), (status = "4XX", body = ErrorBody))
)]
async fn explain(
    State(app): State<App>,
    Path(name): Path<String>,
    Json(body): Json<ExplanationRequest>,
) -> ApiResult<Json<ExplanationView>> {
    let entry = find(&name)?;
    let running = explain::RUNNING.acquire().await.map_err(|_| Problem::ShuttingDown)?;
    respond(move || {
        let explained = app.explain(entry, &body);
        drop(running);
        explained
    })
    .await
}

/// The game of a path; 404 if there is none.
fn find(name: &str) -> ApiResult<&'static dyn GameEntry> {
    find_game(name).map_err(|error| error.with_status(StatusCode::NOT_FOUND))
}
