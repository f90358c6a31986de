//! Two players compared.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use tablero_core::{AnyPlayer, Limits, PlayerSetup};
use tablero_jobs::{CancellationToken, Progress};
use tablero_review::{Comparer, ReviewError};

use crate::arguments::{Entry, find, seconds, threads};
use crate::errors::{player_error, runtime_error, value_error};
use crate::player::{Player, Spec};
use crate::record::Record;
use crate::session;

/// A player that compares or judges, with its limits.
struct Searcher {
    spec: Spec,
    limits: Limits,
}

impl Searcher {
    fn new(entry: Entry, given: &Bound<'_, PyAny>, time: f64, threads: usize) -> PyResult<Self> {
        let setup = PlayerSetup { threads, ..PlayerSetup::LOCAL };
        let spec = if let Ok(line) = given.cast::<PyString>() {
            Spec::with_setup(entry, line.to_str()?, setup)
        } else if let Ok(player) = given.cast::<Player>() {
            player.get().spec.clone()
        } else {
            let kind = given.get_type().name()?;
            let problem = format!("a player is a line (str) or a Player, not {kind}");
            return Err(PyTypeError::new_err(problem));
        };
        if spec.entry.game() != entry.game() {
            let (found, game) = (spec.entry.game(), entry.game());
            return Err(value_error(format!("a player of {found} cannot play {game}")));
        }
        let time = seconds(Some(time))?.filter(|_| !spec.has_limit());
        Ok(Self { spec, limits: Limits { time, ..Limits::default() } })
    }

    fn build(&self) -> PyResult<Box<AnyPlayer>> {
        self.spec.build(self.limits.time.is_some()).map_err(value_error)
    }
}

/// Compares two players in the positions of a game from ply `from` on, as JSON; `judge` decides who is right.
#[pyfunction]
#[pyo3(signature = (record, first, second, judge=None, *, from_ply=0, time=0.3, judge_time=1.0, threads=None, report=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn compare(
    py: Python<'_>,
    record: &Bound<'_, Record>,
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    judge: Option<&Bound<'_, PyAny>>,
    from_ply: usize,
    time: f64,
    judge_time: f64,
    threads: Option<usize>,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let record = &record.get().0;
    let (entry, threads) = (find(record.start.game().name())?, self::threads(threads)?);
    let searcher = |given, time| Searcher::new(entry, given, time, threads);
    let players = [searcher(first, time)?, searcher(second, time)?];
    let judge = judge.map(|judge| searcher(judge, judge_time)).transpose()?;
    let functions = players.iter().chain(&judge).filter_map(|searcher| searcher.spec.function());
    let cancel = CancellationToken::default();
    functions.clone().for_each(|function| function.begin(&cancel));
    let compared = session::run(py, &cancel, report, |session| {
        let [mut a, mut b] = [players[0].build()?, players[1].build()?];
        let mut judging = judge.as_ref().map(Searcher::build).transpose()?;
        let limits = [players[0].limits, players[1].limits];
        let mut comparer = Comparer::new([&mut *a, &mut *b], limits);
        comparer = comparer.with_stop(session.cancel.flag());
        if let (Some(player), Some(judge)) = (&mut judging, &judge) {
            comparer = comparer.with_judge(&mut **player, judge.limits);
        }
        let compared = comparer.compare(record, from_ply, |progress| {
            session.report(&Progress::new(progress.done as u64, Some(progress.total as u64)));
            !session.cancel.is_cancelled()
        });
        compared.map_err(|error| match error {
            ReviewError::Player(error) => player_error(&error),
            error => value_error(error),
        })
    })?;
    functions.clone().try_for_each(|function| function.check())?;
    let compared = compared?.ok_or_else(|| runtime_error("the comparison was stopped"))?;
    let names = [players[0].spec.name(), players[1].spec.name()];
    let summary = compared.summary(record, names, judge.as_ref().map(|judge| judge.spec.name()));
    serde_json::to_string(&summary).map_err(runtime_error)
}
