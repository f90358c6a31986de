use std::sync::PoisonError;

use tablero_archive::{GameHeader, GameResult, Query as Search};
use tablero_core::{AnyGameHistory, Openings};

use super::prelude::*;
use crate::api::{
    ArchiveGameStats, ArchiveImport, ArchivePage, ArchiveQuery, ArchiveStats, ArchivedGame,
    ErrorBody, Exploration, ExploreQuery, ExploredMove, ExploredPlayer, GameEnd, GameView,
    OpeningView, Problem, ResultFilter, Tag, UploadQuery,
};
use crate::error::{ApiError, ApiResult, find_game};
use crate::games::file_from_record;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(search_archive))
        .routes(routes!(open_archived_game))
        .routes(routes!(explore))
        .routes(routes!(archive_stats))
        .routes(routes!(list_imports, begin_import))
        .routes(routes!(upload_file))
        .routes(routes!(start_import))
        .routes(routes!(remove_import))
        .routes(routes!(list_openings))
}

/// The largest file that can be uploaded for an import.
pub(super) const MAX_UPLOAD_BYTES: usize = 512 << 20;
const MAX_PER_PAGE: usize = 200;
const PER_PAGE: usize = 50;
/// The latest games that the explorer lists.
const LATEST: usize = 8;

/// Finds games in the archive.
#[utoipa::path(
    get, path = "/api/archive/games", tag = "archive",
    params(ArchiveQuery),
    responses((status = 200, body = ArchivePage), (status = "4XX", body = ErrorBody))
)]
async fn search_archive(
    State(app): State<App>,
    Query(query): Query<ArchiveQuery>,
) -> ApiResult<Json<ArchivePage>> {
    respond(move || {
        let search = search(&query)?;
        let (page, per_page) = (query.page, search.limit);
        let found = app.archive.archive.search(&search)?;
        let games = found.games.into_iter().map(archived).collect();
        Ok(ArchivePage { total: found.total, page, per_page, games })
    })
    .await
}

/// Opens a game of the archive in the library; a game that was opened before is not copied again.
#[utoipa::path(
    post, path = "/api/archive/games/{id}/open", tag = "archive",
    params(("id" = i64, Path, description = "The game's number")),
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn open_archived_game(
    State(app): State<App>,
    Path(id): Path<i64>,
) -> ApiResult<Json<GameView>> {
    respond(move || {
        let mut opened = app.archive.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let known = opened.get(&id).and_then(|game| app.library.get(game).ok());
        if let Some(handle) = known {
            return Ok(handle.lock().view());
        }
        let record = app.archive.archive.game(id)?;
        let mut file = file_from_record(&record);
        file.tags.push(Tag { name: "Archive".into(), value: id.to_string() });
        let view = app.create_game(file)?;
        opened.insert(id, view.id.clone());
        Ok(view)
    })
    .await
}

/// What was played in a position.
#[utoipa::path(
    get, path = "/api/archive/explore", tag = "archive",
    params(ExploreQuery),
    responses((status = 200, body = Exploration), (status = "4XX", body = ErrorBody))
)]
async fn explore(
    State(app): State<App>,
    Query(query): Query<ExploreQuery>,
) -> ApiResult<Json<Exploration>> {
    respond(move || {
        let history = history(&query.game, query.rules.as_deref(), &query.position)?;
        let position = history.position();
        let explored = app.archive.archive.explore(position, LATEST)?;
        let moves = explored.moves.iter().map(|played| ExploredMove {
            name: position.move_name(played.m),
            label: position.move_text(played.m),
            games: played.games,
            wins: played.wins,
            draws: played.draws,
            losses: played.losses,
        });
        let player = |player: tablero_archive::PlayerScore| ExploredPlayer {
            name: player.name,
            games: player.games,
            score: player.score,
        };
        Ok(Exploration {
            opening: opening_of(&history),
            games: explored.games,
            moves: moves.collect(),
            players: explored.players.into_iter().map(player).collect(),
            players_of: explored.players_of,
            latest: explored.latest.into_iter().map(archived).collect(),
        })
    })
    .await
}

/// What the archive holds.
#[utoipa::path(
    get, path = "/api/archive/stats", tag = "archive",
    responses((status = 200, body = ArchiveStats), (status = "4XX", body = ErrorBody))
)]
async fn archive_stats(State(app): State<App>) -> ApiResult<Json<ArchiveStats>> {
    respond(move || {
        let stats = app.archive.archive.stats()?;
        let of_game = |game: &tablero_archive::GameStats| ArchiveGameStats {
            game: game.game.to_string(),
            games: game.games,
        };
        Ok(ArchiveStats {
            games: stats.games,
            players: stats.players,
            events: stats.events,
            bytes: stats.bytes,
            by_game: stats.by_game.iter().map(of_game).collect(),
        })
    })
    .await
}

/// The imports of this server, running and past.
#[utoipa::path(
    get, path = "/api/archive/imports", tag = "archive",
    responses((status = 200, body = Vec<ArchiveImport>), (status = "4XX", body = ErrorBody))
)]
async fn list_imports(State(app): State<App>) -> ApiResult<Json<Vec<ArchiveImport>>> {
    respond(move || Ok(app.archive.list())).await
}

/// Begins an import: upload its files, then start it.
#[utoipa::path(
    post, path = "/api/archive/imports", tag = "archive",
    responses((status = 200, body = ArchiveImport), (status = "4XX", body = ErrorBody))
)]
async fn begin_import(State(app): State<App>) -> ApiResult<Json<ArchiveImport>> {
    respond(move || app.archive.begin()).await
}

/// Receives a file of an import; the body is the file itself. Files that hold names for others (`.jou`, `.trn`) belong
/// to the same import.
#[utoipa::path(
    post, path = "/api/archive/upload", tag = "archive",
    params(UploadQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 204), (status = "4XX", body = ErrorBody))
)]
async fn upload_file(
    State(app): State<App>,
    Query(query): Query<UploadQuery>,
    Raw(body): Raw,
) -> ApiResult<StatusCode> {
    let upload = move || app.archive.upload(&query.import, &query.name, &body);
    run_blocking(upload).await.map(|()| StatusCode::NO_CONTENT)
}

/// Starts an import whose files are uploaded.
#[utoipa::path(
    post, path = "/api/archive/imports/{id}/start", tag = "archive",
    params(("id" = String, Path, description = "The import")),
    responses((status = 200, body = ArchiveImport), (status = "4XX", body = ErrorBody))
)]
async fn start_import(
    State(app): State<App>,
    Path(id): Path<String>,
) -> ApiResult<Json<ArchiveImport>> {
    respond(move || app.archive.start(&id)).await
}

/// Cancels an import; removes one that ended from the list.
#[utoipa::path(
    delete, path = "/api/archive/imports/{id}", tag = "archive",
    params(("id" = String, Path, description = "The import")),
    responses((status = 204), (status = "4XX", body = ErrorBody))
)]
async fn remove_import(State(app): State<App>, Path(id): Path<String>) -> ApiResult<StatusCode> {
    run_blocking(move || app.archive.remove(&id)).await.map(|()| StatusCode::NO_CONTENT)
}

/// The named openings of a game.
#[utoipa::path(
    get, path = "/api/catalog/{game}/openings", tag = "catalog",
    params(("game" = String, Path, description = "The game")),
    responses((status = 200, body = Vec<OpeningView>), (status = "4XX", body = ErrorBody))
)]
async fn list_openings(Path(game): Path<String>) -> ApiResult<Json<Vec<OpeningView>>> {
    respond(move || {
        let game = find_game(&game)?.game();
        let view = |opening: &tablero_core::Opening| {
            let mut position = game.start();
            let labels = position.line_text(&opening.moves);
            let mut moves = Vec::new();
            for &m in &opening.moves {
                moves.push(position.move_name(m));
                position.play(m);
            }
            let (name, cells) = (opening.name.into(), position.cells_text());
            OpeningView { name, moves, labels, cells }
        };
        Ok(Openings::of(game).all().iter().map(view).collect())
    })
    .await
}

fn history(game: &str, rules: Option<&str>, position: &str) -> ApiResult<AnyGameHistory> {
    let game = find_game(game)?.game();
    Ok(game.parse_history(position, game.rules_or_default(rules)?)?)
}

/// The last named opening of a line.
pub(super) fn opening_of(history: &AnyGameHistory) -> Option<String> {
    let openings = Openings::of(history.position().game());
    openings.of_history(history).map(|opening| opening.name.into())
}

fn search(query: &ArchiveQuery) -> ApiResult<Search> {
    let game = query.game.as_deref().map(find_game).transpose()?.map(|entry| entry.game());
    let position = match (&query.position, &query.game) {
        (None, _) => None,
        (Some(text), Some(game)) => {
            Some(history(game, query.rules.as_deref(), text)?.position().clone())
        }
        (Some(_), None) => {
            let reason = "a position needs a game".into();
            return Err(Problem::InvalidRequest { reason }.into());
        }
    };
    let limit = query.per_page.unwrap_or(PER_PAGE).clamp(1, MAX_PER_PAGE);
    Ok(Search {
        game,
        player: query.player.clone(),
        side: query.side.map(Into::into),
        opponent: query.opponent.clone(),
        from_year: query.from,
        to_year: query.to,
        event: query.event.clone(),
        opening: query.opening.clone(),
        result: query.result.map(|result| match result {
            ResultFilter::First => GameResult::First,
            ResultFilter::Second => GameResult::Second,
            ResultFilter::Draw => GameResult::Draw,
            ResultFilter::Unfinished => GameResult::Unknown,
        }),
        position,
        offset: query.page.saturating_mul(limit),
        limit,
    })
}

fn archived(header: GameHeader) -> ArchivedGame {
    let has_margin = header.game.info().margin.is_some();
    ArchivedGame {
        id: header.id,
        game: header.game.to_string(),
        players: header.players,
        event: header.event,
        date: header.date,
        opening: header.opening,
        end: header.end.map(|end| GameEnd::new(end, has_margin)),
        plies: header.plies,
    }
}

impl From<tablero_archive::ArchiveError> for Problem {
    fn from(error: tablero_archive::ArchiveError) -> Self {
        match error {
            tablero_archive::ArchiveError::NoGame(id) => Self::ArchivedGameNotFound { id },
            error => ApiError::internal(error).into_problem(),
        }
    }
}
