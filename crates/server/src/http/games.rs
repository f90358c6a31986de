use super::prelude::*;
use crate::api::{EndGame, ErrorBody, GameChange, GameView, GoTo, PlayMove, StepRequest};
use crate::error::ApiResult;
use crate::games::Game;

/// The routes of this file.
pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_game, change_game))
        .routes(routes!(play_move))
        .routes(routes!(undo))
        .routes(routes!(redo))
        .routes(routes!(go_to))
        .routes(routes!(step))
        .routes(routes!(end_game))
}

/// A whole game.
#[utoipa::path(
    get, path = "/api/games/{id}", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn get_game(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<GameView>> {
    answer(move || Ok(app.library.get(&id)?.lock().view())).await
}

/// Changes players, pause and speed.
#[utoipa::path(
    patch, path = "/api/games/{id}", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = GameChange,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn change_game(
    State(app): State<App>,
    Path(id): Path<String>,
    Json(body): Json<GameChange>,
) -> ApiResult<Json<GameView>> {
    answer(move || app.change_game(&id, body)).await
}

/// Plays a move; a machine on the other side then answers by itself.
#[utoipa::path(
    post, path = "/api/games/{id}/moves", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = PlayMove,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn play_move(
    State(app): State<App>,
    Path(id): Path<String>,
    Json(body): Json<PlayMove>,
) -> ApiResult<Json<GameView>> {
    answer(move || app.play_move(&id, body.node, &body.name)).await
}

/// Goes back to the person's last turn: one ply, or two against a machine.
#[utoipa::path(
    post, path = "/api/games/{id}/undo", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn undo(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<GameView>> {
    answer(move || app.act(&id, Game::undo)).await
}

/// Goes forward again along the line last played.
#[utoipa::path(
    post, path = "/api/games/{id}/redo", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn redo(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<GameView>> {
    answer(move || app.act(&id, Game::redo)).await
}

/// Goes on from another node. Nothing is deleted.
#[utoipa::path(
    put, path = "/api/games/{id}/current", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = GoTo,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn go_to(
    State(app): State<App>,
    Path(id): Path<String>,
    Json(body): Json<GoTo>,
) -> ApiResult<Json<GameView>> {
    answer(move || app.act(&id, |game| game.go_to(body.node))).await
}

/// Lets a machine make the next move now. The answer shows it thinking; the move comes over the WebSocket.
#[utoipa::path(
    post, path = "/api/games/{id}/step", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = StepRequest,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn step(
    State(app): State<App>,
    Path(id): Path<String>,
    Json(body): Json<StepRequest>,
) -> ApiResult<Json<GameView>> {
    answer(move || app.step(&id, body.player.as_deref())).await
}

/// Resigns, agrees on a draw or claims one.
#[utoipa::path(
    post, path = "/api/games/{id}/end", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = EndGame,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn end_game(
    State(app): State<App>,
    Path(id): Path<String>,
    Json(body): Json<EndGame>,
) -> ApiResult<Json<GameView>> {
    answer(move || app.act(&id, |game| game.end(body))).await
}
