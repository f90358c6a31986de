use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use tablero_think::Tree;

use super::prelude::*;
use crate::api::{ErrorBody, ThinkRequest};
use crate::error::{ApiResult, find_game};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(think))
}

/// The search tree of a position: how an engine thinks. The response comes when the search is done.
#[utoipa::path(
    post, path = "/api/think/{game}", tag = "think",
    params(("game" = String, Path, description = "The game's name")),
    request_body = ThinkRequest,
    responses((status = 200, body = Tree), (status = "4XX", body = ErrorBody))
)]
async fn think(
    State(app): State<App>,
    Path(name): Path<String>,
    Json(body): Json<ThinkRequest>,
) -> ApiResult<Response> {
    let entry = find_game(&name).map_err(|error| error.with_status(StatusCode::NOT_FOUND))?;
    let owner = format!("think {}", app.next_id());
    let thinking = run_blocking(move || app.think(&owner, entry, &body)).await?;
    let tree = thinking.finish().await?;
    Ok(([(CONTENT_TYPE, "application/json")], tree).into_response())
}
