use std::num::ParseIntError;

use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse;

use tablero_core::AnyGame;

use super::prelude::*;
use super::share;
use crate::api::{
    Branch, ErrorBody, ExportQuery, GameView, ImportQuery, Imported, LibraryPage, LibraryQuery,
    NewGame, Problem, Share, ShareQuery, Tag,
};
use crate::error::{ApiResult, find_game};
use crate::game_file::{GameFile, SHARED, now};
use crate::games::{self, Exported, Game, file_from_history, new_history};
use crate::progress::adaptive_level;
use crate::random::random_below;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_games, create_game))
        .routes(routes!(delete_game))
        .routes(routes!(export_game))
        .routes(routes!(share_game))
        .routes(routes!(open_share))
        .routes(routes!(import))
        .routes(routes!(branch_game))
}

/// The library: all games, most recently changed first.
#[utoipa::path(
    get, path = "/api/games", tag = "library",
    params(LibraryQuery),
    responses((status = 200, body = LibraryPage), (status = "4XX", body = ErrorBody))
)]
async fn list_games(
    State(app): State<App>,
    Query(query): Query<LibraryQuery>,
) -> ApiResult<Json<LibraryPage>> {
    respond(move || Ok(app.library.list(&query))).await
}

/// Starts a game.
#[utoipa::path(
    post, path = "/api/games", tag = "library",
    request_body = NewGame,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn create_game(
    State(app): State<App>,
    Json(body): Json<NewGame>,
) -> ApiResult<Json<GameView>> {
    respond(move || app.create_game(new_game(&app, body)?)).await
}

/// Deletes a game.
#[utoipa::path(
    delete, path = "/api/games/{id}", tag = "library",
    params(("id" = String, Path, description = "The game's id")),
    responses((status = 204), (status = "4XX", body = ErrorBody))
)]
async fn delete_game(State(app): State<App>, Path(id): Path<String>) -> ApiResult<StatusCode> {
    run_blocking(move || app.delete_game(&id)).await.map(|()| StatusCode::NO_CONTENT)
}

/// A game as a file. Names that the format cannot represent are replaced; the header `tablero-renamed` lists
/// them.
#[utoipa::path(
    get, path = "/api/games/{id}/export", tag = "library",
    params(("id" = String, Path, description = "The game's id"), ExportQuery),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), (status = "4XX", body = ErrorBody))
)]
async fn export_game(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<ExportQuery>,
) -> ApiResult<Response> {
    run_blocking(move || export(&app, &id, &query)).await
}

/// A line of a game as short text, for the fragment of a URL.
#[utoipa::path(
    get, path = "/api/games/{id}/share", tag = "library",
    params(("id" = String, Path, description = "The game's id"), ShareQuery),
    responses((status = 200, body = Share), (status = "4XX", body = ErrorBody))
)]
async fn share_game(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<ShareQuery>,
) -> ApiResult<Json<Share>> {
    respond(move || {
        let handle = app.library.get(&id)?;
        let game = handle.lock();
        let file = game.file_to(query.node.unwrap_or_else(|| game.current()))?;
        Ok(Share { text: share::write(&file) })
    })
    .await
}

/// Starts a game from shared text; the same text opens the same game, as long as no move was added to it.
#[utoipa::path(
    post, path = "/api/share", tag = "library",
    request_body = Share,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn open_share(State(app): State<App>, Json(body): Json<Share>) -> ApiResult<Json<GameView>> {
    respond(move || {
        let file = share::read(&body.text)?;
        app.open_copy(&format!("{SHARED}{}", body.text), || Ok(file))
    })
    .await
}

/// Imports a file or text in any format; the body is the file itself.
#[utoipa::path(
    post, path = "/api/import", tag = "library",
    params(ImportQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Imported), (status = "4XX", body = ErrorBody))
)]
async fn import(
    State(app): State<App>,
    Query(query): Query<ImportQuery>,
    Raw(body): Raw,
) -> ApiResult<Json<Imported>> {
    respond(move || import_into(&app, &query, &body)).await
}

/// Starts a new game from a node.
#[utoipa::path(
    post, path = "/api/games/{id}/branch", tag = "library",
    params(("id" = String, Path, description = "The game's id")),
    request_body = Branch,
    responses((status = 200, body = GameView), (status = "4XX", body = ErrorBody))
)]
async fn branch_game(
    State(app): State<App>,
    Path(id): Path<String>,
    Json(body): Json<Branch>,
) -> ApiResult<Json<GameView>> {
    respond(move || {
        let handle = app.library.get(&id)?;
        let file = branch(&handle.lock(), &body)?;
        for seat in &file.players {
            app.check_player(find_game(&file.game)?, &seat.player)?;
        }
        app.create_game(file)
    })
    .await
}

/// The player line of the level that is about as strong as the person.
const ADAPTIVE: &str = "level adaptive";

/// The new game of a request.
fn new_game(app: &App, request: NewGame) -> ApiResult<GameFile> {
    let entry = find_game(&request.game)?;
    let (rules, position) = (request.rules.as_deref(), request.position.as_deref());
    let game = entry.game();
    let number = request.start_number.or_else(|| {
        let starts =
            game.rules_or_default(rules).ok().map_or(0, |rules| starts(game, rules.name()));
        // One of several, where neither a position nor a number is given (Chess960).
        (starts > 0 && position.is_none()).then(|| random_below(starts))
    });
    let start = new_history(game, rules, position, number)?;
    let mut file = file_from_history(&start);
    request.clock.check()?;
    for seat in request.players.iter().flatten().filter(|seat| seat.player.trim() != ADAPTIVE) {
        app.check_player(entry, &seat.player)?;
    }
    file.players = request.players.unwrap_or(file.players);
    for seat in file.players.iter_mut().filter(|seat| seat.player.trim() == ADAPTIVE) {
        let finished = app.library.finished(Some(entry.game().name()));
        seat.player = format!("level {}", adaptive_level(entry.game(), finished));
    }
    (file.clock, file.paused, file.delay_ms) = (request.clock, request.paused, request.delay_ms);
    file.tags = vec![Tag { name: "Date".into(), value: date(now()) }];
    Ok(file)
}

/// The number of numbered starting positions of a rules variant.
fn starts(game: AnyGame, rules: &str) -> u32 {
    let variants = game.presentation().variants;
    variants.iter().find(|variant| variant.name == rules).map_or(0, |variant| variant.starts)
}

/// A Unix time as a PGN date: `2026.11.15`.
fn date(seconds: f64) -> String {
    // Years start in March, so that the leap day is the last (Hinnant, "chrono-Compatible Low-Level Date
    // Algorithms").
    let days = (seconds / 86_400.0) as i64 + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}.{month:02}.{day:02}")
}

/// A new game from a node of another.
fn branch(game: &Game, request: &Branch) -> ApiResult<GameFile> {
    let mut file = game.file_to(request.node)?;
    if request.position_only {
        let position = &game.node(request.node)?.position;
        let fresh = new_history(game.entry.game(), Some(&file.rules), Some(position), None)?;
        let fresh = file_from_history(&fresh);
        file = GameFile { players: file.players, clock: file.clock, tags: file.tags, ..fresh };
    }
    let now = now();
    file.players = request.players.clone().unwrap_or(file.players);
    // It is another game now, and the clocks belong to the old one.
    file.origin = None;
    file.nodes.iter_mut().for_each(|node| node.clock_ms = None);
    (file.created, file.changed, file.ended, file.paused) = (now, now, None, false);
    Ok(file)
}

/// The response with a game as a file.
fn export(app: &App, id: &str, query: &ExportQuery) -> ApiResult<Response> {
    let handle = app.library.get(id)?;
    let game = handle.lock();
    let file = query.node.map_or_else(|| Ok(game.exported()), |node| game.file_to(node))?;
    let played = game.entry.game();
    drop(game);
    let format = query.format.as_deref().unwrap_or("pgn");
    let Exported { outputs, renamed } = games::export(played, &file, format)?;
    let wanted = query.companion.as_deref();
    let output =
        outputs.into_iter().find(|output| output.companion == wanted).ok_or_else(|| {
            let extension = wanted.unwrap_or_default().into();
            Problem::UnknownCompanion { format: format.into(), extension }
        })?;
    let known = played.formats().into_iter().find(|known| known.name == format);
    let default = known.and_then(|known| known.extensions.first().copied()).unwrap_or("txt");
    let extension = output.companion.unwrap_or(default);
    let name = format!("attachment; filename=\"{}-{id}.{extension}\"", file.game);
    let content = [(CONTENT_TYPE, "application/octet-stream"), (CONTENT_DISPOSITION, &name)];
    Ok(with_renamed((content, output.bytes).into_response(), &renamed))
}

/// A response with the replaced names in a header.
pub(super) fn with_renamed(mut response: Response, renamed: &[[String; 2]]) -> Response {
    if let Some(renamed) = ascii_json(renamed).filter(|_| !renamed.is_empty()) {
        response.headers_mut().insert(RENAMED, renamed);
    }
    response
}

/// The header with replaced names: `[["from", "to"], ...]`.
const RENAMED: &str = "tablero-renamed";

/// JSON for a header: non-ASCII characters are escaped.
fn ascii_json(names: &[[String; 2]]) -> Option<HeaderValue> {
    let mut text = String::new();
    for c in serde_json::to_string(names).ok()?.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text += &format!("\\u{unit:04x}");
            }
        }
    }
    HeaderValue::from_str(&text).ok()
}

pub(super) const MAX_FILE_BYTES: usize = 32 << 20;
/// The most records that are described.
const MAX_DESCRIBED: usize = 500;
/// The most games that one request may import.
const MAX_IMPORTED: usize = 1000;

fn import_into(app: &App, query: &ImportQuery, bytes: &[u8]) -> ApiResult<Imported> {
    let game = query.game.as_deref().map(|name| find_game(name).map(|entry| entry.game()));
    let picked = Picked::parse(query.pick.as_deref())?;
    // Only the extension is used: no other file is read.
    let extension = query.name.as_deref().and_then(|name| name.rsplit_once('.')).map(|(_, e)| e);
    let extension = extension.filter(|e| e.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let imported = games::import(
        bytes,
        extension,
        game.transpose()?,
        query.format.as_deref(),
        |index, count| picked.contains(index, count),
    )?;
    let games::Imported { game, format, mut summaries, skipped, mut skipped_games, games } =
        imported;
    let count = summaries.len();
    summaries.truncate(MAX_DESCRIBED);
    skipped_games.truncate(MAX_DESCRIBED);
    if games.len() > MAX_IMPORTED {
        return Err(Problem::TooManyImported { max: MAX_IMPORTED, count }.into());
    }
    let mut created = Vec::with_capacity(games.len());
    for file in games {
        created.push(app.create_game(file)?.id);
    }
    Ok(Imported {
        game: game.to_string(),
        format: format.into(),
        count,
        records: summaries,
        skipped,
        skipped_games,
        created,
    })
}

/// Which games of a file to import.
enum Picked {
    /// The game, if there is only one.
    Single,
    All,
    Numbers(Vec<usize>),
}

impl Picked {
    fn parse(text: Option<&str>) -> ApiResult<Self> {
        match text {
            None => Ok(Self::Single),
            Some("all") => Ok(Self::All),
            Some(list) => {
                let numbers: Result<_, ParseIntError> = list.split(',').map(str::parse).collect();
                let invalid = |_| Problem::InvalidPick { text: list.into() };
                Ok(numbers.map(Self::Numbers).map_err(invalid)?)
            }
        }
    }

    fn contains(&self, index: usize, count: usize) -> bool {
        match self {
            Self::Single => count == 1,
            Self::All => true,
            Self::Numbers(numbers) => numbers.contains(&index),
        }
    }
}
