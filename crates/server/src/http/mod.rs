//! The HTTP handlers, one file per subject. They only decode requests and encode responses.

mod archive;
mod catalog;
mod evolution;
mod experiments;
mod export;
mod games;
mod invitations;
mod jobs;
mod learning;
mod library;
mod nodes;
mod player_files;
mod prelude;
mod results;
mod share;
mod think;
mod training;

use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::{ClientMessage, Language, ResultFilter, ServerMessage};
use crate::app::App;

/// The OpenAPI document, except for routes and their types.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tablero",
        description = "Games, analysis and jobs of a Tablero server. Requests and responses are JSON; \
            errors have a status of 4xx or 5xx and an `ErrorBody`. The WebSocket `/api/ws` receives \
            `ClientMessage` and sends `ServerMessage`."
    ),
    components(schemas(ClientMessage, Language, ResultFilter, ServerMessage)),
    tags(
        (name = "catalog", description = "Games, rules, players, positions."),
        (name = "library", description = "Games: list, start, import, export, share."),
        (name = "archive", description = "The games database: import, search, explorer."),
        (name = "training", description = "Puzzles and progress."),
        (name = "think", description = "The trees of searches."),
        (name = "games", description = "A live game."),
        (name = "nodes", description = "The move tree of a game."),
        (name = "jobs", description = "Matches, tournaments, evolutions, learning runs, experiments."),
        (name = "socket", description = "Live updates of games and jobs, analysis, review.")
    )
)]
struct Base;

/// Limit of request bodies, except for files.
const MAX_BODY_BYTES: usize = 256 << 10;

/// The limit of the body of a request for `path`.
pub(crate) fn max_body_bytes(path: &str) -> usize {
    match path {
        "/api/archive/upload" => archive::MAX_UPLOAD_BYTES,
        "/api/import" => library::MAX_FILE_BYTES,
        "/api/puzzles/file" => training::MAX_FILE_BYTES,
        "/api/player-files" => crate::player_files::MAX_BYTES,
        _ => MAX_BODY_BYTES,
    }
}

/// The routes of the API, and the document that describes them.
pub(crate) fn api() -> (axum::Router<App>, Document) {
    OpenApiRouter::with_openapi(Base::openapi())
        .merge(catalog::routes())
        .merge(library::routes())
        .merge(export::routes())
        .merge(archive::routes())
        .merge(training::routes())
        .merge(think::routes())
        .merge(games::routes())
        .merge(invitations::routes())
        .merge(nodes::routes())
        .merge(jobs::routes())
        .merge(evolution::routes())
        .merge(learning::routes())
        .merge(experiments::routes())
        .merge(player_files::routes())
        .merge(results::routes())
        .routes(routes!(crate::socket::open))
        .split_for_parts()
}
