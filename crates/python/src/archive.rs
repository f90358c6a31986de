//! The database of games.

use std::path::PathBuf;

use pyo3::prelude::*;
use serde_json::json;
use tablero_archive::{ArchiveError, GameHeader, GameResult, ImportOptions, Query, Source};
use tablero_core::{AnyGame, Side};
use tablero_jobs::{CancellationToken, Progress};

use crate::arguments::find;
use crate::errors::{os_error, value_error};
use crate::position::Position;
use crate::record::{Record, records};
use crate::session;

/// A database of games in a folder, as `tablero archive` uses it.
#[pyclass(module = "tablero", frozen, subclass)]
pub(crate) struct Archive(tablero_archive::Archive);

fn archive_error(error: ArchiveError) -> PyErr {
    match error {
        ArchiveError::Open { .. } => value_error(error),
        error => os_error(error),
    }
}

#[pymethods]
impl Archive {
    #[new]
    fn new(folder: PathBuf) -> PyResult<Self> {
        let games: Vec<AnyGame> =
            tablero_registry::games().iter().map(|entry| entry.game()).collect();
        tablero_archive::Archive::open(&folder, &games).map(Self).map_err(archive_error)
    }

    /// The database file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.path().into()
    }

    /// Imports files of games; returns a report as JSON.
    #[pyo3(signature = (paths, *, game=None, format=None, report=None))]
    fn _import(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
        game: Option<&str>,
        format: Option<String>,
        report: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let game = game.map(find).transpose()?.map(|entry| entry.game());
        let cancel = CancellationToken::default();
        let options = ImportOptions { game, format, cancel: cancel.clone() };
        let sources: Vec<Source<'_>> = paths.iter().map(|path| Source::file(path)).collect();
        let done = session::run(py, &cancel, report, |session| {
            self.0.import(&sources, &options, &mut |progress| {
                session.report(&Progress::new(progress.done, Some(progress.total)));
            })
        })?;
        let done = done.map_err(archive_error)?;
        let problems: Vec<_> = done
            .problems
            .iter()
            .map(|problem| json!({"file": problem.file, "game": problem.game, "reason": problem.reason}))
            .collect();
        let answer = json!({
            "games": done.games, "skipped": done.skipped, "duplicates": done.duplicates,
            "seconds": done.seconds, "problems": problems,
        });
        Ok(answer.to_string())
    }

    /// Adds records; returns the number of those that were new.
    fn add(&self, games: &Bound<'_, PyAny>) -> PyResult<u64> {
        let records = records(games)?;
        self.0.add_all(records.into_iter()).map_err(archive_error)
    }

    /// Finds games; returns a page of headers as JSON.
    #[pyo3(signature = (
        *, game=None, player=None, side=None, opponent=None, from_year=None, to_year=None, event=None, opening=None,
        result=None, position=None, offset=0, limit=50
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn _search(
        &self,
        py: Python<'_>,
        game: Option<&str>,
        player: Option<String>,
        side: Option<usize>,
        opponent: Option<String>,
        from_year: Option<u16>,
        to_year: Option<u16>,
        event: Option<String>,
        opening: Option<String>,
        result: Option<&str>,
        position: Option<&Bound<'_, Position>>,
        offset: usize,
        limit: usize,
    ) -> PyResult<String> {
        let position = match position {
            Some(position) => Some(position.try_borrow()?.history.position().clone()),
            None => None,
        };
        let query = Query {
            game: game.map(find).transpose()?.map(|entry| entry.game()),
            player,
            side: side.map(side_of).transpose()?,
            opponent,
            from_year,
            to_year,
            event,
            opening,
            result: result.map(result_of).transpose()?,
            position,
            offset,
            limit,
        };
        let found = py.detach(|| self.0.search(&query)).map_err(archive_error)?;
        let games: Vec<_> = found.games.iter().map(header).collect();
        Ok(json!({"total": found.total, "games": games}).to_string())
    }

    /// The game with an id.
    fn record(&self, id: i64) -> PyResult<Record> {
        self.0.game(id).map(Record).map_err(|error| value_error(format!("game {id}: {error}")))
    }

    /// What was played in a position, up to symmetry, as JSON.
    #[pyo3(signature = (position, *, games=0))]
    fn _explore(
        &self,
        py: Python<'_>,
        position: &Bound<'_, Position>,
        games: usize,
    ) -> PyResult<String> {
        let position = position.try_borrow()?.history.position().clone();
        let found = py.detach(|| self.0.explore(&position, games)).map_err(archive_error)?;
        let moves: Vec<_> = found
            .moves
            .iter()
            .map(|m| {
                json!({
                    "move": position.move_text(m.m), "games": m.games, "wins": m.wins,
                    "draws": m.draws, "losses": m.losses,
                })
            })
            .collect();
        let latest: Vec<_> = found.latest.iter().map(header).collect();
        Ok(json!({"games": found.games, "moves": moves, "latest": latest}).to_string())
    }

    /// The numbers of games, players and events, as JSON.
    fn _stats(&self, py: Python<'_>) -> PyResult<String> {
        let stats = py.detach(|| self.0.stats()).map_err(archive_error)?;
        let by_game: Vec<_> = stats
            .by_game
            .iter()
            .map(|game| {
                json!({
                    "game": game.game.name(), "games": game.games, "first": game.first,
                    "draws": game.draws, "second": game.second,
                })
            })
            .collect();
        let answer = json!({
            "games": stats.games, "players": stats.players, "events": stats.events,
            "bytes": stats.bytes, "by_game": by_game,
        });
        Ok(answer.to_string())
    }

    fn __repr__(&self) -> String {
        format!("Archive('{}')", self.0.path().display())
    }
}

fn side_of(side: usize) -> PyResult<Side> {
    Side::BOTH
        .get(side)
        .copied()
        .ok_or_else(|| value_error(format!("side must be 0 or 1, not {side}")))
}

fn result_of(result: &str) -> PyResult<GameResult> {
    match result {
        "first" => Ok(GameResult::First),
        "draw" => Ok(GameResult::Draw),
        "second" => Ok(GameResult::Second),
        "unknown" => Ok(GameResult::Unknown),
        _ => {
            let known = "expected first, draw, second or unknown";
            Err(value_error(format!("no result `{result}`: {known}")))
        }
    }
}

fn header(header: &GameHeader) -> serde_json::Value {
    json!({
        "id": header.id,
        "game": header.game.name(),
        "first": header.players[0],
        "second": header.players[1],
        "event": header.event,
        "date": header.date,
        "opening": header.opening,
        "margin": header.end.map(|end| end.outcome.margin().0),
        "ending": header.end.map(|end| end.ending.to_string()),
        "plies": header.plies,
    })
}
