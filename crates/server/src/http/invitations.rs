use axum::Extension;
use axum::http::HeaderValue;
use axum::http::header::SET_COOKIE;
use axum::response::IntoResponse as _;

use super::prelude::*;
use crate::api::{ErrorBody, GameView, NewInvitation, SeatName, SeatView, Takeback};
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use crate::security::AuthGuard;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(invite, withdraw_invitation))
        .routes(routes!(get_seat))
        .routes(routes!(takeback))
        .routes(routes!(name_seat))
}

/// Invites a remote player to a game of two humans. The response has a cookie with the secret of the own
/// seat. Links of an earlier invitation become invalid. While the game goes on, only the players of the seats
/// may change it, by moves and offers.
#[utoipa::path(
    post, path = "/api/games/{id}/invitation", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = NewInvitation,
    responses((status = 200, body = SeatView), (status = "4XX", body = ErrorBody))
)]
async fn invite(
    State(app): State<App>,
    Path(id): Path<String>,
    mut caller: Caller,
    Extension(guard): Extension<AuthGuard>,
    Json(body): Json<NewInvitation>,
) -> ApiResult<Response> {
    let (secret, seat) = run_blocking({
        let id = id.clone();
        move || {
            let secret = app.invite(&id, body.side)?;
            caller.secrets.push((id.clone(), secret.clone()));
            Ok((secret, app.seat(&id, &caller)?))
        }
    })
    .await?;
    let cookie = HeaderValue::from_str(&guard.seat_cookie(&id, &secret));
    let cookie = cookie.map_err(ApiError::internal)?;
    Ok(([(SET_COOKIE, cookie)], Json(seat)).into_response())
}

/// Withdraws an invitation: its links become invalid, and both sides are played at this machine again.
#[utoipa::path(
    delete, path = "/api/games/{id}/invitation", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn withdraw_invitation(
    State(app): State<App>,
    Path(id): Path<String>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.withdraw_invitation(&id)).await
}

/// The caller's seat, by the secret in its cookie.
#[utoipa::path(
    get, path = "/api/games/{id}/seat", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    responses((status = 200, body = SeatView), (status = "4XX", body = ErrorBody))
)]
async fn get_seat(
    State(app): State<App>,
    Path(id): Path<String>,
    caller: Caller,
) -> ApiResult<Json<SeatView>> {
    respond(move || app.seat(&id, &caller)).await
}

/// Takes back a move by consent, in a game with an invitation: one side asks, the other accepts.
#[utoipa::path(
    post, path = "/api/games/{id}/takeback", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = Takeback,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn takeback(
    State(app): State<App>,
    Path(id): Path<String>,
    caller: Caller,
    Json(body): Json<Takeback>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.takeback(&id, &caller, body)).await
}

/// Names the caller's seat in a game with an invitation.
#[utoipa::path(
    put, path = "/api/games/{id}/name", tag = "games",
    params(("id" = String, Path, description = "The game's id")),
    request_body = SeatName,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn name_seat(
    State(app): State<App>,
    Path(id): Path<String>,
    caller: Caller,
    Json(body): Json<SeatName>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.name_seat(&id, &caller, body.name)).await
}
