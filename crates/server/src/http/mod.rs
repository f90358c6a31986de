//! The requests, one file a subject. Handlers only take requests apart and put answers together.

mod catalog;
mod evolution;
mod games;
mod jobs;
mod learning;
mod library;
mod nodes;
mod prelude;
mod share;

use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::{ClientMessage, Language, ResultFilter, ServerMessage};
use crate::app::App;

/// What the document says beside routes and types.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tablero",
        description = "Games, analysis and jobs of a Tablero server. Requests and answers are JSON; \
            a request that cannot be met is answered with a status of 4xx or 5xx and `ErrorBody`. \
            The WebSocket `/api/ws` takes `ClientMessage` and sends `ServerMessage`."
    ),
    components(schemas(ClientMessage, Language, ResultFilter, ServerMessage)),
    tags(
        (name = "catalog", description = "What there is: games, rules, players, positions."),
        (name = "library", description = "All games: list, start, import, export, share."),
        (name = "games", description = "A game under way."),
        (name = "nodes", description = "The tree of a game."),
        (name = "jobs", description = "Long work: matches, tournaments, evolutions, learning runs."),
        (name = "socket", description = "What happens now: games that are watched, searches, jobs.")
    )
)]
struct Base;

/// The routes of the API, and the document that describes them.
pub(crate) fn api() -> (axum::Router<App>, Document) {
    OpenApiRouter::with_openapi(Base::openapi())
        .merge(catalog::routes())
        .merge(library::routes())
        .merge(games::routes())
        .merge(nodes::routes())
        .merge(jobs::routes())
        .merge(evolution::routes())
        .merge(learning::routes())
        .routes(routes!(crate::socket::open))
        .split_for_parts()
}
