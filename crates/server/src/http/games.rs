use super::prelude::*;
use crate::api::{EndGame, ErrorBody, GameChange, GameView, GoTo, PlayMove, StepRequest};
use crate::caller::Caller;
use crate::error::ApiResult;
use crate::games::Game;

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
    respond(move || Ok(app.library.get(&id)?.lock().view())).await
}

/// Changes players, pause, speed and folder.
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
    respond(move || app.change_game(&id, body)).await
}

/// Plays a move; an engine on the other side then replies.
#[utoipa::path(
    post, path = "/api/games/{id}/moves", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = PlayMove,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn play_move(
    State(app): State<App>,
    Path(id): Path<String>,
    caller: Caller,
    Json(body): Json<PlayMove>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.play_move_as(&id, &caller, body.node, &body.name)).await
}

/// Takes back a move: one ply, or two against an engine.
#[utoipa::path(
    post, path = "/api/games/{id}/undo", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn undo(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<GameView>> {
    respond(move || app.update_game(&id, Game::undo)).await
}

/// Replays the move last taken back.
#[utoipa::path(
    post, path = "/api/games/{id}/redo", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn redo(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<GameView>> {
    respond(move || app.update_game(&id, Game::redo)).await
}

/// Makes another node the current one. Nothing is deleted.
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
    respond(move || app.update_game(&id, |game| game.go_to(body.node))).await
}

/// Lets an engine make the next move. The response shows it thinking; the move arrives over the WebSocket.
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
    respond(move || app.step(&id, body.player.as_deref())).await
}

/// Resigns, offers, agrees on or claims a draw.
#[utoipa::path(
    post, path = "/api/games/{id}/end", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = EndGame,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn end_game(
    State(app): State<App>,
    Path(id): Path<String>,
    caller: Caller,
    Json(body): Json<EndGame>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.end_game_as(&id, &caller, body)).await
}
