use super::prelude::*;
use crate::api::{ErrorBody, GameView, LegalMoves, NodeChange};
use crate::error::ApiResult;
use crate::games;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(legal_moves))
        .routes(routes!(change_node, delete_node))
        .routes(routes!(promote_node))
}

/// The legal moves of a node.
#[utoipa::path(
    get, path = "/api/games/{id}/nodes/{node}/moves", tag = "nodes",
    params(("id" = String, Path, description = "The game's id"), ("node" = u32, Path, description = "The node's id")),
    responses((status = 200, body = LegalMoves), (status = "4XX", body = ErrorBody))
)]
async fn legal_moves(
    State(app): State<App>,
    Path((id, node)): Path<(String, u32)>,
) -> ApiResult<Json<LegalMoves>> {
    respond(move || {
        let handle = app.library.get(&id)?;
        let game = handle.lock();
        Ok(LegalMoves { node, moves: games::legal_moves(&game.history_to(node)?) })
    })
    .await
}

/// Changes the comment and glyphs of a node.
#[utoipa::path(
    patch, path = "/api/games/{id}/nodes/{node}", tag = "nodes",
    params(("id" = String, Path, description = "The game's id"), ("node" = u32, Path, description = "The node's id")),
    request_body = NodeChange,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn change_node(
    State(app): State<App>,
    Path((id, node)): Path<(String, u32)>,
    Json(body): Json<NodeChange>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.update_game(&id, |game| game.change_node(node, body))).await
}

/// Deletes a node and its descendants.
#[utoipa::path(
    delete, path = "/api/games/{id}/nodes/{node}", tag = "nodes",
    params(("id" = String, Path, description = "The game's id"), ("node" = u32, Path, description = "The node's id")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn delete_node(
    State(app): State<App>,
    Path((id, node)): Path<(String, u32)>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.update_game(&id, |game| game.delete_node(node))).await
}

/// Promotes the variation of a node to the main line where it branches off.
#[utoipa::path(
    post, path = "/api/games/{id}/nodes/{node}/promote", tag = "nodes",
    params(("id" = String, Path, description = "The game's id"), ("node" = u32, Path, description = "The node's id")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn promote_node(
    State(app): State<App>,
    Path((id, node)): Path<(String, u32)>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.update_game(&id, |game| game.promote(node))).await
}
