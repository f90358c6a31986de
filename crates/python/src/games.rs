//! Self-play games.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablero_arena::Factory;
use tablero_jobs::{CancellationToken, Threads};
use tablero_learn::{
    BoardTable, CSV_HEADER, GameData, SelfPlayConfig, SelfPlayTask, Source, board_csv, csv_rows,
    read_games, record_games,
};

use crate::arguments::{Entry, find, threads};
use crate::arrays::{PlayedGame, arrays};
use crate::errors::{learn_error, os_error, value_error};
use crate::player::{Player, Spec};
use crate::record::Record;
use crate::session;

/// Self-play games with the results of their searches, as tablero.selfplay and `tablero selfplay` record them.
#[pyclass(module = "tablero", frozen)]
pub(crate) struct Games {
    entry: Entry,
    games: Vec<GameData>,
}

impl Games {
    fn load(entry: Option<Entry>, path: &Path) -> PyResult<Self> {
        let mut games = Vec::new();
        let plans = read_games(path, |game| {
            games.push(game);
            Ok(())
        });
        let plans = plans.map_err(learn_error)?;
        let entry = match (entry, plans.first()) {
            (Some(entry), _) => entry,
            (None, Some(plan)) => find(&plan.game)?,
            (None, None) => {
                let path = path.display();
                return Err(value_error(format!("{path} does not name its game: give game=...")));
            }
        };
        Ok(Self { entry, games })
    }

    fn played(&self) -> PyResult<Vec<PlayedGame<'_>>> {
        self.games.iter().map(|data| PlayedGame::of_data(self.entry, data)).collect()
    }
}

#[pymethods]
impl Games {
    /// Reads a file of recorded games, .jsonl.
    #[staticmethod]
    #[pyo3(signature = (path, *, game=None))]
    fn read(py: Python<'_>, path: PathBuf, game: Option<&str>) -> PyResult<Self> {
        let entry = game.map(find).transpose()?;
        if !path.is_file() {
            return Err(os_error(format!("no such file: {}", path.display())));
        }
        py.detach(|| Self::load(entry, &path))
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &'static str {
        self.entry.game().name()
    }

    fn __len__(&self) -> usize {
        self.games.len()
    }

    /// The number of positions in which a move was played.
    #[getter]
    fn positions(&self) -> usize {
        self.games.iter().map(|game| game.moves.len()).sum()
    }

    /// The games as records.
    fn records(&self) -> PyResult<Vec<Record>> {
        let record =
            |data: &GameData| data.record(self.entry.game()).map(Record).map_err(value_error);
        self.games.iter().map(record).collect()
    }

    /// The positions as NumPy arrays, in a dict; see tablero.arrays.
    #[pyo3(signature = (view="planes", *, threads=None))]
    fn arrays<'py>(
        &self,
        py: Python<'py>,
        view: &str,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let games = self.played()?;
        arrays(py, self.entry, &games, view, self::threads(threads)?)
    }

    /// The games as CSV: one row per position ("rows"), or boards as in Otelo, after ("otelo") or before ("squares")
    /// each move.
    #[pyo3(signature = (layout="rows"))]
    fn csv(&self, layout: &str) -> PyResult<String> {
        let game = self.entry.game();
        let table = match layout {
            "rows" => {
                let rows =
                    (1..).zip(&self.games).map(|(number, data)| csv_rows(game, number, data));
                let rows = rows.collect::<Result<Vec<_>, _>>().map_err(value_error)?;
                return Ok(format!("{CSV_HEADER}\n{}", rows.concat()));
            }
            "otelo" => BoardTable::AfterMove,
            "squares" => BoardTable::BeforeMove,
            _ => {
                return Err(value_error(format!(
                    "no layout `{layout}`: expected rows, otelo or squares"
                )));
            }
        };
        board_csv(game, &self.games, table).map_err(value_error)
    }

    fn __repr__(&self) -> String {
        format!(
            "Games('{}', {} games, {} positions)",
            self.game(),
            self.games.len(),
            self.positions()
        )
    }
}

/// Records self-play games in a .jsonl file; games that it has already are not played again.
#[pyfunction]
#[pyo3(signature = (
    player, games, path, *, rules=None, seed=1, random_plies=0, random_move_prob=0.0, max_plies=1000,
    threads=None, report=None
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn selfplay(
    py: Python<'_>,
    player: &Bound<'_, Player>,
    games: u64,
    path: PathBuf,
    rules: Option<&str>,
    seed: u64,
    random_plies: usize,
    random_move_prob: f64,
    max_plies: usize,
    threads: Option<usize>,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<Games> {
    let spec: &Spec = &player.get().spec;
    let (entry, game) = (spec.entry, spec.entry.game());
    crate::arguments::rules(entry, rules)?;
    if !(1..=100_000_000).contains(&games) || !(1..=100_000).contains(&max_plies) {
        return Err(value_error("games must be 1 to 100000000, max_plies 1 to 100000"));
    }
    let config = SelfPlayConfig {
        full_search_prob: 1.0,
        random_plies,
        random_move_prob,
        max_plies,
        ..SelfPlayConfig::for_game(game)
    };
    config.check().map_err(value_error)?;
    let plan = SelfPlayTask {
        game: game.name().into(),
        rules: rules.unwrap_or_default().into(),
        source: Source::Teacher(spec.name().into()),
        config,
        seed,
        first: 0,
        count: games,
        record_times: false,
        opponent: None,
        rating: None,
    };
    let threads = NonZeroUsize::new(self::threads(threads)?).unwrap_or(NonZeroUsize::MIN);
    let cancel = CancellationToken::default();
    if let Some(function) = spec.function() {
        function.begin(&cancel);
    }
    let recorded = session::run(py, &cancel, report, |session| {
        let make = |_: &str| spec.build(false);
        let factory = Factory { game, make: &make };
        let executor = Threads::new(threads);
        let mut report = |progress: &tablero_jobs::Progress| session.report(progress);
        record_games(
            entry.learning(),
            &path,
            &plan,
            factory,
            &executor,
            &session.cancel,
            &mut report,
        )
    })?;
    if let Some(function) = spec.function() {
        function.check()?;
    }
    recorded.map_err(learn_error)?;
    py.detach(|| Games::load(Some(entry), &path))
}
