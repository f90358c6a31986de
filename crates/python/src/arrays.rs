//! Games as NumPy arrays.

use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablero_core::{AnyGameHistory, AnyMove, AnyPosition, AnyRecord, Outcome, Wdl};
use tablero_learn::{FIXED_POINT_ONE, GameData, SearchTarget, distinct_moves};
use tablero_nets::NetKind;

use crate::arguments::{Entry, input_shape, view};
use crate::errors::value_error;

/// A game from its start, with the results of its searches.
pub(crate) struct PlayedGame<'a> {
    start: AnyPosition,
    moves: Vec<AnyMove>,
    outcome: Option<Outcome>,
    targets: &'a [SearchTarget],
}

impl<'a> PlayedGame<'a> {
    pub(crate) fn of_record(record: &AnyRecord) -> PlayedGame<'static> {
        PlayedGame {
            start: record.start.clone(),
            moves: record.plies.iter().map(|ply| ply.m).collect(),
            outcome: record.end.map(|end| end.outcome),
            targets: &[],
        }
    }

    pub(crate) fn of_data(entry: Entry, data: &'a GameData) -> PyResult<Self> {
        let history = data.replay(entry.game()).map_err(value_error)?;
        let outcome = Outcome::by_margin(tablero_core::ForFirst(data.margin));
        Ok(Self {
            start: history.start().clone(),
            moves: history.played().collect(),
            outcome: Some(outcome),
            targets: &data.targets,
        })
    }

    /// Visits all positions with the move that was played there.
    pub(crate) fn visit(
        &self,
        mut visit: impl FnMut(usize, &AnyGameHistory, Option<AnyMove>) -> PyResult<()>,
    ) -> PyResult<()> {
        let mut history = AnyGameHistory::new(self.start.clone());
        for (ply, &m) in self.moves.iter().enumerate() {
            visit(ply, &history, Some(m))?;
            let illegal = |error| value_error(format!("move {}: {error}", ply + 1));
            history.play_on(m).map_err(illegal)?;
        }
        visit(self.moves.len(), &history, None)
    }
}

/// The columns of [`arrays`] but the inputs.
#[derive(Default)]
struct Columns {
    game: Vec<i32>,
    ply: Vec<i32>,
    side: Vec<i8>,
    /// Index of the move among the legal ones, then its action.
    action: Vec<i64>,
    result: Vec<f32>,
    margin: Vec<i16>,
    value: Vec<f32>,
    policy: Policy,
}

/// Policy targets, sparse.
#[derive(Default)]
struct Policy {
    /// Indices of moves among the legal ones, then their actions.
    actions: Vec<i64>,
    probs: Vec<f32>,
    offsets: Vec<i64>,
}

impl Columns {
    fn add(
        &mut self,
        number: usize,
        ply: usize,
        position: &AnyPosition,
        m: AnyMove,
        game: &PlayedGame<'_>,
    ) {
        self.game.push(number as i32);
        self.ply.push(ply as i32);
        self.side.push(position.side().index() as i8);
        let moves = position.moves();
        let index =
            |m: AnyMove| moves.iter().position(|legal| *legal == m).map_or(-1, |at| at as i64);
        self.action.push(index(m));
        self.result.push(game.outcome.map_or(
            f32::NAN,
            |outcome| match outcome.wdl(position.side()) {
                Wdl::Win => 1.0,
                Wdl::Draw => 0.0,
                Wdl::Loss => -1.0,
            },
        ));
        self.margin.push(game.outcome.map_or(0, |outcome| outcome.margin().0));
        let target = game.targets.iter().find(|target| usize::from(target.ply) == ply);
        let fixed = |value: f64| (value / FIXED_POINT_ONE) as f32;
        self.value.push(target.map_or(f32::NAN, |target| fixed(target.value.into())));
        let policy = target.map_or(&[][..], |target| &target.policy);
        if !policy.is_empty() {
            let distinct = distinct_moves(position);
            let known = policy
                .iter()
                .filter_map(|&(at, prob)| Some((*distinct.get(usize::from(at))?, prob)));
            for (m, prob) in known {
                self.policy.actions.push(index(m));
                self.policy.probs.push(fixed(prob.into()));
            }
        }
        self.policy.offsets.push(self.policy.actions.len() as i64);
    }
}

/// The positions of games in which a move was played: `input`, `action`, `result` and `value` for the side to move,
/// `margin` of the first side, `side`, `game`, `ply`, and policy targets as `policy_actions`, `policy_probs` and
/// `policy_offsets`.
pub(crate) fn arrays<'py>(
    py: Python<'py>,
    entry: Entry,
    games: &[PlayedGame<'_>],
    view: &str,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let kind = self::view(view, &entry.learning().spec().encoding)?;
    let (columns, input) = py.detach(|| encode(entry, games, &kind, threads))?;
    let rows = columns.game.len();
    let spec = entry.learning().spec().encoding;
    let mut shape = vec![rows];
    shape.extend(input_shape(&kind, &spec));
    let arrays = PyDict::new(py);
    arrays.set_item("input", PyArray1::from_vec(py, input).reshape(shape)?)?;
    set(&arrays, "action", columns.action)?;
    set(&arrays, "result", columns.result)?;
    set(&arrays, "value", columns.value)?;
    set(&arrays, "margin", columns.margin)?;
    set(&arrays, "side", columns.side)?;
    set(&arrays, "game", columns.game)?;
    set(&arrays, "ply", columns.ply)?;
    set(&arrays, "policy_actions", columns.policy.actions)?;
    set(&arrays, "policy_probs", columns.policy.probs)?;
    set(&arrays, "policy_offsets", columns.policy.offsets)?;
    Ok(arrays)
}

fn set<T: Element>(arrays: &Bound<'_, PyDict>, name: &str, values: Vec<T>) -> PyResult<()> {
    arrays.set_item(name, PyArray1::from_vec(arrays.py(), values))
}

fn encode(
    entry: Entry,
    games: &[PlayedGame<'_>],
    kind: &NetKind,
    threads: usize,
) -> PyResult<(Columns, Vec<f32>)> {
    let mut batch = entry.batch();
    let mut columns = Columns::default();
    columns.policy.offsets.push(0);
    for (number, game) in games.iter().enumerate() {
        game.visit(|ply, history, m| {
            let Some(m) = m else { return Ok(()) };
            if !batch.push(history) {
                return Err(value_error("all games must be of the same kind"));
            }
            columns.add(number, ply, history.position(), m, game);
            Ok(())
        })?;
    }
    let legal = batch.legal_actions(threads);
    let mut first = 0;
    for (row, &count) in legal.counts.iter().enumerate() {
        let of_position = &legal.actions[first..first + count as usize];
        let action = |index: &mut i64| {
            let found = usize::try_from(*index).ok().and_then(|index| of_position.get(index));
            *index = found.map_or(-1, |&action| i64::from(action));
        };
        action(&mut columns.action[row]);
        let targets =
            columns.policy.offsets[row] as usize..columns.policy.offsets[row + 1] as usize;
        columns.policy.actions[targets].iter_mut().for_each(action);
        first += count as usize;
    }
    let mut input = vec![0.0; batch.len() * kind.inputs(&batch.spec())];
    batch.encode(kind, &mut input, threads);
    Ok((columns, input))
}
