//! Perft, solvers and reviews.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use pyo3::prelude::*;
use serde_json::json;
use tablero_core::{AnyPosition, ForMover, Game, Limits, in_parallel, machine_memory};
use tablero_jobs::{CancellationToken, Progress};
use tablero_registry::SolveLimits;
use tablero_review::{ReviewError, Reviewer};

use crate::arguments::{Entry, find, seconds, threads};
use crate::errors::{player_error, runtime_error, value_error};
use crate::player::Player;
use crate::position::Position;
use crate::record::Record;
use crate::session;

/// The number of move sequences of `depth` plies from a position. A pass is a ply.
#[pyfunction]
#[pyo3(signature = (position, depth, *, distinct=false, threads=None))]
pub(crate) fn perft(
    py: Python<'_>,
    position: &Bound<'_, Position>,
    depth: u32,
    distinct: bool,
    threads: Option<usize>,
) -> PyResult<u64> {
    if depth > 30 {
        return Err(value_error(format!("depth must be 0 to 30, not {depth}")));
    }
    let position = position.try_borrow()?.clone();
    let count = Count { entry: position.entry, distinct, threads: self::threads(threads)? };
    session::run(py, &CancellationToken::default(), None, |session| {
        count.parallel(position.history.position(), depth, session.cancel.flag())
    })
}

/// A perft that can be stopped.
struct Count {
    entry: Entry,
    distinct: bool,
    threads: usize,
}

impl Count {
    /// Subtrees of this depth are counted in one go: milliseconds.
    const UNINTERRUPTED: u32 = 5;
    /// Plies until the tree is split among threads.
    const SPLIT: u32 = 2;

    fn parallel(&self, position: &AnyPosition, depth: u32, stop: &AtomicBool) -> u64 {
        if depth <= Self::UNINTERRUPTED {
            return self.count(position, depth, stop);
        }
        let mut subtrees = vec![(position.clone(), depth)];
        for _ in 0..Self::SPLIT {
            subtrees = subtrees
                .iter()
                .flat_map(|(position, depth)| self.split(position, *depth))
                .collect();
        }
        let leaves = AtomicU64::new(0);
        in_parallel(
            subtrees,
            self.threads,
            || (),
            |(), (position, depth)| {
                leaves.fetch_add(self.count(&position, depth, stop), Ordering::Relaxed);
            },
        );
        leaves.into_inner()
    }

    /// The children, or the position itself where the game is over: how it counts depends on the game.
    fn split(&self, position: &AnyPosition, depth: u32) -> Vec<(AnyPosition, u32)> {
        if depth == 0 || position.outcome().is_some() {
            return vec![(position.clone(), depth)];
        }
        let mut children = Vec::new();
        let add = |m| children.push((position.after(m), depth - 1));
        match self.distinct {
            true => position.each_distinct_move(add),
            false => position.each_move(add),
        }
        children
    }

    fn count(&self, position: &AnyPosition, depth: u32, stop: &AtomicBool) -> u64 {
        if stop.load(Ordering::Relaxed) {
            return 0;
        }
        if depth > Self::UNINTERRUPTED && position.outcome().is_none() {
            let children = self.split(position, depth).into_iter();
            return children.map(|(child, depth)| self.count(&child, depth, stop)).sum();
        }
        match self.distinct {
            true => self.entry.perft_distinct(position, depth),
            false => self.entry.perft(position, depth, 1),
        }
    }
}

/// Solves a position exactly, as JSON; games with a solver are Othello and Connect Four.
#[pyfunction]
#[pyo3(signature = (position, *, wld=false, hash_mb=256, threads=None))]
pub(crate) fn solve(
    py: Python<'_>,
    position: &Bound<'_, Position>,
    wld: bool,
    hash_mb: usize,
    threads: Option<usize>,
) -> PyResult<String> {
    let position = position.try_borrow()?.clone();
    let memory = machine_memory().map_or(65_536, |bytes| bytes >> 20);
    if hash_mb as u64 > memory.min(65_536) {
        let problem = format!("hash_mb must be 0 to {}, not {hash_mb}", memory.min(65_536));
        return Err(value_error(problem));
    }
    let threads = self::threads(threads)?;
    let start = Instant::now();
    let found = session::run(py, &CancellationToken::default(), None, |session| {
        let mut solver = position.entry.solver(hash_mb, threads)?;
        let stop = session.cancel.flag();
        Some(solver.solve(position.history.position(), SolveLimits { wld }, stop))
    })?;
    let game = position.entry.game();
    let found = found.ok_or_else(|| value_error(format!("{game} has no solver")))?;
    let found = found.ok_or_else(|| runtime_error("the solver was stopped"))?;
    let ForMover(score) = found.score;
    let best = found.best.map(|m| position.history.position().move_text(m));
    let seconds = start.elapsed().as_secs_f64();
    let answer = json!({
        "score": score, "best": best, "nodes": found.nodes, "empties": found.empties, "seconds": seconds
    });
    Ok(answer.to_string())
}

/// Reviews a game move by move; returns the review as JSON and the annotated record.
#[pyfunction]
#[pyo3(signature = (record, player=None, *, time=0.3, threads=None, report=None))]
pub(crate) fn review(
    py: Python<'_>,
    record: &Bound<'_, Record>,
    player: Option<&Bound<'_, Player>>,
    time: f64,
    threads: Option<usize>,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, Record)> {
    let mut record = record.get().0.clone();
    let game = record.start.game();
    let entry = find(game.name())?;
    let player = match player {
        Some(player) => player.clone(),
        None => {
            let arguments = (game.name(), game.analyst());
            let options = pyo3::types::PyDict::new(py);
            options.set_item("threads", self::threads(threads)?)?;
            let class = py.get_type::<Player>();
            class.call(arguments, Some(&options))?.cast_into::<Player>()?
        }
    };
    let spec = &player.get().spec;
    if spec.entry.game() != entry.game() {
        return Err(value_error(format!("a player of {} cannot review {game}", spec.entry.game())));
    }
    let time = if spec.has_limit() { None } else { seconds(Some(time))? };
    let limits = Limits { time, ..Limits::default() };
    let cancel = CancellationToken::default();
    if let Some(function) = spec.function() {
        function.begin(&cancel);
    }
    let reviewed = session::run(py, &cancel, report, |session| {
        let mut player = spec.build(time.is_some()).map_err(value_error)?;
        let review = Reviewer::new(player.as_mut(), limits).review(&record, |progress| {
            session.report(&Progress::new(progress.done as u64, Some(progress.total as u64)));
            !session.cancel.is_cancelled()
        });
        review.map_err(|error| match error {
            ReviewError::Player(error) => player_error(&error),
            error => value_error(error),
        })
    })?;
    if let Some(function) = spec.function() {
        function.check()?;
    }
    let review = reviewed?.ok_or_else(|| runtime_error("the review was stopped"))?;
    let summary = serde_json::to_string(&review.summary(&record, spec.name()));
    review.annotate(&mut record);
    record.set_tag("Annotator", format!("Tablero, {}", spec.name()));
    Ok((summary.map_err(runtime_error)?, Record(record)))
}
