//! Recorded games and their files.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablero_core::{AnyRecord, Input, MAX_GAME_FILE_BYTES, Side, read_bounded};
use tablero_jobs::atomic_write;
use tablero_registry::open;

use crate::arguments::{find, threads};
use crate::arrays::{PlayedGame, arrays};
use crate::errors::{os_error, value_error};
use crate::position::{Outcome, Position};
use crate::positions::Positions;

/// A recorded game: players, moves, result, tags.
#[pyclass(module = "tablero", frozen, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct Record(pub(crate) AnyRecord);

impl Record {
    /// The format called `name`, or that of an extension.
    fn write(records: &[AnyRecord], name: &str) -> PyResult<Vec<tablero_core::Output>> {
        let Some(first) = records.first() else {
            return Err(value_error("there is no game to write"));
        };
        let game = first.start.game();
        if records.iter().any(|record| record.start.game() != game) {
            return Err(value_error("all games must be of the same kind"));
        }
        let formats = game.formats();
        let is_wanted = |format: &&tablero_core::FileFormat| {
            format.name == name || format.extensions.contains(&name)
        };
        let Some(format) = formats.iter().find(is_wanted) else {
            let known: Vec<_> = formats.iter().map(|format| format.name).collect();
            let problem =
                format!("`{name}` is not a format of {game}; known are {}", known.join(", "));
            return Err(value_error(problem));
        };
        (format.write)(records).map_err(value_error)
    }
}

#[pymethods]
impl Record {
    /// The game's name.
    #[getter]
    fn game(&self) -> &'static str {
        self.0.start.game().name()
    }

    /// The players, the first side's first; "" if unknown.
    #[getter]
    fn players(&self) -> (&str, &str) {
        (self.0.player(Side::First), self.0.player(Side::Second))
    }

    /// The moves of the main line.
    #[getter]
    fn moves(&self) -> Vec<String> {
        let moves: Vec<_> = self.0.plies.iter().map(|ply| ply.m).collect();
        self.0.start.line_text(&moves)
    }

    /// The score after each move as text, from the first side's point of view; None where there is none.
    #[getter]
    fn values(&self) -> Vec<Option<String>> {
        self.0.plies.iter().map(|ply| ply.value.map(|value| value.0.to_string())).collect()
    }

    /// How it ended; None if unknown.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.0.end.map(Outcome::from)
    }

    /// Event, date, ratings and others.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tags = PyDict::new(py);
        for (name, value) in &self.0.tags {
            tags.set_item(name, value)?;
        }
        Ok(tags)
    }

    /// The starting position.
    #[getter]
    fn start(&self) -> PyResult<Position> {
        Position::new(self.0.start.clone())
    }

    /// The last position, with the history of the game.
    #[getter]
    fn position(&self) -> PyResult<Position> {
        let entry = find(self.game())?;
        let history = self
            .0
            .replay()
            .map_err(|(ply, error)| value_error(format!("move {}: {error}", ply + 1)))?;
        Ok(Position { entry, history })
    }

    /// All positions, the start first.
    fn positions(&self) -> PyResult<Positions> {
        let entry = find(self.game())?;
        let mut batch = entry.batch();
        PlayedGame::of_record(&self.0).visit(|_, history, _| {
            batch.push(history);
            Ok(())
        })?;
        Positions::new(batch)
    }

    /// The game in a file format: "pgn", "ggf", ...
    #[pyo3(signature = (format="pgn"))]
    fn text(&self, format: &str) -> PyResult<String> {
        let outputs = Self::write(std::slice::from_ref(&self.0), format)?;
        let main = outputs.into_iter().find(|output| output.companion.is_none());
        let bytes = main.map(|output| output.bytes).unwrap_or_default();
        String::from_utf8(bytes).map_err(|_| value_error(format!("{format} is not a text format")))
    }

    fn __len__(&self) -> usize {
        self.0.plies.len()
    }

    fn __repr__(&self) -> String {
        let (first, second) = self.players();
        let result = self.0.end.map_or(0, |end| end.outcome.margin().0);
        format!(
            "Record('{}', '{first}' - '{second}', {} moves, {result:+})",
            self.game(),
            self.0.plies.len()
        )
    }
}

/// The records of a list.
pub(crate) fn records(given: &Bound<'_, PyAny>) -> PyResult<Vec<AnyRecord>> {
    let record = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item?;
        let Ok(record) = item.cast::<Record>() else {
            let kind = item.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected a list of Record, not {kind}")));
        };
        Ok(record.get().0.clone())
    };
    given.try_iter()?.map(record).collect()
}

/// Reads the games of a file; game and format are detected unless given. Returns the games and why others were
/// skipped.
#[pyfunction]
#[pyo3(signature = (path, *, game=None, format=None))]
pub(crate) fn read_games(
    py: Python<'_>,
    path: PathBuf,
    game: Option<&str>,
    format: Option<&str>,
) -> PyResult<(Vec<Record>, Vec<String>)> {
    let game = game.map(find).transpose()?.map(|entry| entry.game());
    py.detach(|| {
        let bytes = read_bounded(&path, MAX_GAME_FILE_BYTES);
        let bytes = bytes.map_err(|error| os_error(format!("{}: {error}", path.display())))?;
        let opened = open(&Input { bytes: &bytes, path: Some(&path) }, game, format);
        let (records, _) =
            opened.map_err(|error| value_error(format!("{}: {error}", path.display())))?;
        let skipped = records.skipped().iter().map(ToString::to_string).collect();
        Ok((records.into_vec().into_iter().map(Record).collect(), skipped))
    })
}

/// Writes games to a file; the extension tells the format unless it is given.
#[pyfunction]
#[pyo3(signature = (path, games, *, format=None))]
pub(crate) fn write_games(
    path: PathBuf,
    games: &Bound<'_, PyAny>,
    format: Option<&str>,
) -> PyResult<()> {
    let records = records(games)?;
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    for output in Record::write(&records, format.unwrap_or(&extension))? {
        let path = output
            .companion
            .map_or_else(|| path.clone(), |extension| path.with_extension(extension));
        atomic_write(&path, &output.bytes).map_err(os_error)?;
    }
    Ok(())
}

/// The positions of records as NumPy arrays.
#[pyfunction]
#[pyo3(signature = (games, *, view="planes", threads=None))]
pub(crate) fn record_arrays<'py>(
    py: Python<'py>,
    games: &Bound<'py, PyAny>,
    view: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let records = records(games)?;
    let Some(first) = records.first() else {
        return Err(value_error("there is no game"));
    };
    let entry = find(first.start.game().name())?;
    let games = records.iter().map(PlayedGame::of_record).collect::<Vec<_>>();
    arrays(py, entry, &games, view, self::threads(threads)?)
}
