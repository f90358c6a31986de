use tablero_core::AnyGameHistory;
use tablero_training::Puzzle;

use super::archive::opening_of;
use super::prelude::*;
use crate::api::{
    BoardQuery, BoardView, ErrorBody, MakePuzzles, Problem, ProgressView, PuzzleAttempt,
    PuzzleFileQuery, PuzzleResult, PuzzleSource, PuzzleView, PuzzlesMade, PuzzlesSummary,
    TrainingQuery,
};
use crate::describe::cell;
use crate::error::{ApiError, ApiResult, find_game};
use crate::game_file::GameFile;
use crate::games::legal_moves;
use crate::progress;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(show_board))
        .routes(routes!(puzzles_summary, make_puzzles, stop_making_puzzles))
        .routes(routes!(add_puzzle_file))
        .routes(routes!(next_puzzle))
        .routes(routes!(attempt_puzzle))
        .routes(routes!(remove_puzzle))
        .routes(routes!(show_progress))
}

/// The largest file of puzzles.
pub(super) const MAX_FILE_BYTES: usize = 8 << 20;
/// The most puzzles that one search looks for.
const MAX_MADE: u32 = 500;

/// A position with its legal moves.
#[utoipa::path(
    get, path = "/api/board", tag = "training",
    params(BoardQuery),
    responses((status = 200, body = BoardView), (status = "4XX", body = ErrorBody))
)]
async fn show_board(Query(query): Query<BoardQuery>) -> ApiResult<Json<BoardView>> {
    respond(move || board(&query.game, query.rules.as_deref(), &query.position)).await
}

/// The puzzles of a game, and results with them.
#[utoipa::path(
    get, path = "/api/puzzles", tag = "training",
    params(TrainingQuery),
    responses((status = 200, body = PuzzlesSummary), (status = "4XX", body = ErrorBody))
)]
async fn puzzles_summary(
    State(app): State<App>,
    Query(query): Query<TrainingQuery>,
) -> ApiResult<Json<PuzzlesSummary>> {
    respond(move || {
        find_game(&query.game)?;
        let summary = app.training.puzzles.summary(&query.game)?;
        Ok(PuzzlesSummary {
            total: summary.total,
            new: summary.new,
            due: summary.due,
            by_source: summary.by_source,
            attempts: summary.attempts,
            rating: summary.rating.value,
            deviation: summary.rating.deviation,
            history: summary.history,
            making: app.training.making().filter(|making| making.game == query.game),
        })
    })
    .await
}

/// Makes puzzles from mistakes in reviewed games, at once, or from games of the archive, in the background.
#[utoipa::path(
    post, path = "/api/puzzles", tag = "training",
    request_body = MakePuzzles,
    responses((status = 200, body = PuzzlesMade), (status = "4XX", body = ErrorBody))
)]
async fn make_puzzles(
    State(app): State<App>,
    Json(body): Json<MakePuzzles>,
) -> ApiResult<Json<PuzzlesMade>> {
    respond(move || {
        let entry = find_game(&body.game)?;
        let mut made = PuzzlesMade { added: 0, skipped: 0 };
        match body.source {
            PuzzleSource::Mistake => {
                for (_, file) in reviewed(&app, &body.game) {
                    let of_game = app.training.add_mistakes(entry, &file)?;
                    made.added += of_game.added;
                    made.skipped += of_game.skipped;
                }
            }
            PuzzleSource::Archive => {
                Problem::check_range("count", body.count.into(), 1, MAX_MADE.into())?;
                app.training.make_from_archive(entry, &app.archive, body.count.into())?;
            }
            PuzzleSource::Suite => {
                let reason = "send the file to /api/puzzles/file".into();
                return Err(Problem::InvalidRequest { reason }.into());
            }
        }
        Ok(made)
    })
    .await
}

/// Stops the search for puzzles.
#[utoipa::path(
    delete, path = "/api/puzzles", tag = "training",
    responses((status = 204), (status = "4XX", body = ErrorBody))
)]
async fn stop_making_puzzles(State(app): State<App>) -> ApiResult<StatusCode> {
    app.training.stop();
    Ok(StatusCode::NO_CONTENT)
}

/// Adds the positions of a test suite (EPD with `bm`, OBF); the body is the file itself.
#[utoipa::path(
    post, path = "/api/puzzles/file", tag = "training",
    params(PuzzleFileQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = PuzzlesMade), (status = "4XX", body = ErrorBody))
)]
async fn add_puzzle_file(
    State(app): State<App>,
    Query(query): Query<PuzzleFileQuery>,
    Raw(body): Raw,
) -> ApiResult<Json<PuzzlesMade>> {
    respond(move || app.training.add_suite(query.name.as_deref(), &body)).await
}

/// The next puzzle: one that is due, otherwise a new one near the person's rating; null if there is none.
#[utoipa::path(
    get, path = "/api/puzzles/next", tag = "training",
    params(TrainingQuery),
    responses((status = 200, body = Option<PuzzleView>), (status = "4XX", body = ErrorBody))
)]
async fn next_puzzle(
    State(app): State<App>,
    Query(query): Query<TrainingQuery>,
) -> ApiResult<Json<Option<PuzzleView>>> {
    respond(move || {
        find_game(&query.game)?;
        app.training.puzzles.next(&query.game)?.map(view).transpose()
    })
    .await
}

/// Tries to solve a puzzle.
#[utoipa::path(
    post, path = "/api/puzzles/{id}/attempts", tag = "training",
    params(("id" = i64, Path, description = "The puzzle's id")),
    request_body = PuzzleAttempt,
    responses((status = 200, body = PuzzleResult), (status = "4XX", body = ErrorBody))
)]
async fn attempt_puzzle(
    State(app): State<App>,
    Path(id): Path<i64>,
    Json(body): Json<PuzzleAttempt>,
) -> ApiResult<Json<PuzzleResult>> {
    respond(move || {
        let puzzle = app.training.puzzles.get(id)?;
        let attempt = app.training.puzzles.attempt(id, &body.name)?;
        let game = find_game(&puzzle.game)?.game();
        let rules = game.rules(&puzzle.rules)?;
        let position = rules.parse_position(&puzzle.position).map_err(Problem::position)?;
        let label = |name: &String| {
            position.parse_move(name).map_or_else(|_| name.clone(), |m| position.move_text(m))
        };
        Ok(PuzzleResult {
            solved: attempt.solved,
            solutions: puzzle.solutions.iter().map(label).collect(),
            line: puzzle.line,
            ratings: [attempt.before.value, attempt.after.value],
            deviation: attempt.after.deviation,
            days: attempt.interval_days,
        })
    })
    .await
}

/// Deletes a puzzle.
#[utoipa::path(
    delete, path = "/api/puzzles/{id}", tag = "training",
    params(("id" = i64, Path, description = "The puzzle's id")),
    responses((status = 204), (status = "4XX", body = ErrorBody))
)]
async fn remove_puzzle(State(app): State<App>, Path(id): Path<i64>) -> ApiResult<StatusCode> {
    run_blocking(move || Ok(app.training.puzzles.remove(id)?))
        .await
        .map(|()| StatusCode::NO_CONTENT)
}

/// A person's progress in a game: rating against levels, accuracy, mistakes.
#[utoipa::path(
    get, path = "/api/progress", tag = "training",
    params(TrainingQuery),
    responses((status = 200, body = ProgressView), (status = "4XX", body = ErrorBody))
)]
async fn show_progress(
    State(app): State<App>,
    Query(query): Query<TrainingQuery>,
) -> ApiResult<Json<ProgressView>> {
    respond(move || {
        let game = find_game(&query.game)?.game();
        let finished = app.library.finished(Some(&query.game));
        Ok(progress::progress(game, finished, &reviewed(&app, &query.game)))
    })
    .await
}

/// The finished games that were reviewed.
fn reviewed(app: &App, game: &str) -> Vec<(String, GameFile)> {
    let read = |id: String| {
        let file = app.library.get(&id).ok()?.lock().file();
        file.review.is_some().then_some((id, file))
    };
    app.library.finished(Some(game)).into_iter().filter_map(|summary| read(summary.id)).collect()
}

fn board(game: &str, rules: Option<&str>, position: &str) -> ApiResult<BoardView> {
    let game = find_game(game)?.game();
    Ok(board_of(&game.parse_history(position, game.rules_or_default(rules)?)?))
}

fn board_of(history: &AnyGameHistory) -> BoardView {
    let position = history.position();
    BoardView {
        position: position.position_text(),
        cells: position.cells_text(),
        turn: position.side().into(),
        moves: legal_moves(history),
        check: position.check().map(cell),
        opening: opening_of(history),
    }
}

fn view(puzzle: Puzzle) -> ApiResult<PuzzleView> {
    Ok(PuzzleView {
        board: board(&puzzle.game, Some(&puzzle.rules), &puzzle.position)?,
        id: puzzle.id,
        rating: puzzle.rating.value,
        source: match puzzle.source {
            tablero_training::PuzzleSource::Mistake => PuzzleSource::Mistake,
            tablero_training::PuzzleSource::Archive => PuzzleSource::Archive,
            tablero_training::PuzzleSource::Suite => PuzzleSource::Suite,
        },
        game: puzzle.game,
        rules: puzzle.rules,
        origin: puzzle.origin,
        is_repeated: puzzle.is_repeated,
    })
}

impl From<tablero_training::PuzzleError> for Problem {
    fn from(error: tablero_training::PuzzleError) -> Self {
        match error {
            tablero_training::PuzzleError::NotFound(id) => Self::PuzzleNotFound { id },
            error => ApiError::internal(error).into_problem(),
        }
    }
}
