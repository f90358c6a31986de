use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse as _;

use super::library::with_renamed;
use super::prelude::*;
use crate::api::{BulkExportQuery, ErrorBody, LibraryQuery, Problem};
use crate::error::{ApiResult, find_game};
use crate::games::{self, Exported};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(export_games))
}

/// The most games in a file.
const MAX_GAMES: usize = 20_000;

/// All games of the library that match, in one file, oldest change last. Names that the format cannot
/// represent are replaced; the header `tablero-renamed` lists them.
#[utoipa::path(
    get, path = "/api/export", tag = "library",
    params(BulkExportQuery),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), (status = "4XX", body = ErrorBody))
)]
async fn export_games(
    State(app): State<App>,
    Query(query): Query<BulkExportQuery>,
) -> ApiResult<Response> {
    run_blocking(move || export(&app, query)).await
}

fn export(app: &App, query: BulkExportQuery) -> ApiResult<Response> {
    let game = find_game(&query.game)?.game();
    let format = query.format.as_deref().unwrap_or("pgn");
    let companion = query.companion.as_deref();
    let matching = LibraryQuery {
        game: Some(query.game.clone()),
        player: query.player,
        result: query.result,
        started: true,
        folder: query.folder,
        text: query.text,
        ..LibraryQuery::default()
    };
    let ids = app.library.ids(&matching);
    if ids.len() > MAX_GAMES {
        return Err(Problem::TooManyExported { max: MAX_GAMES, count: ids.len() }.into());
    }
    // A game that was deleted in the meantime is left out.
    let files = ids.iter().filter_map(|id| app.library.get(id).ok());
    let files: Vec<_> = files.map(|handle| handle.lock().exported()).collect();
    if files.is_empty() {
        return Err(Problem::NothingToExport.into());
    }
    let Exported { outputs, renamed } = games::export_all(game, &files, format)?;
    let output = outputs.into_iter().find(|output| output.companion == companion);
    let output = output.ok_or_else(|| Problem::UnknownCompanion {
        format: format.into(),
        extension: companion.unwrap_or_default().into(),
    })?;
    let known = game.formats().into_iter().find(|known| known.name == format);
    let default = known.and_then(|known| known.extensions.first().copied()).unwrap_or("txt");
    let extension = output.companion.unwrap_or(default);
    let name = format!("attachment; filename=\"{}-{}-games.{extension}\"", query.game, files.len());
    let content = [(CONTENT_TYPE, "application/octet-stream"), (CONTENT_DISPOSITION, &name)];
    Ok(with_renamed((content, output.bytes).into_response(), &renamed))
}
