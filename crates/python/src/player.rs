//! Players: searches, networks, engines, and Python functions in their place.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use tablero_core::{
    AnyControl, AnyGameHistory, AnyInfo, AnyMove, AnyPlayer, AnyPosition, AnySearchResult,
    BuildResult, Limits, PlayerLine, PlayerSetup, Pv, Recording,
};
use tablero_jobs::{CancellationToken, Progress};
use tablero_nets::Weights;
use tablero_registry::NetSource;
use tablero_think::{DEFAULT_NODES, Tree};

use crate::arguments::{Entry, find, seconds, threads};
use crate::errors::{player_error, value_error};
use crate::function::Function;
use crate::network::Network;
use crate::position::Position;
use crate::session;
use crate::tree::{self, RecordedTree};

/// Where a player's evaluation comes from.
#[derive(Clone)]
enum Source {
    /// What the line says.
    Line,
    Evaluation(Arc<Function>),
    Net(Arc<Function>),
    Weights(Arc<Weights>),
}

/// All that is needed to build a player.
#[derive(Clone)]
pub(crate) struct Spec {
    pub(crate) entry: Entry,
    line: String,
    setup: PlayerSetup,
    source: Source,
    name: String,
}

impl Spec {
    /// The player of a line, in matches: single-threaded.
    pub(crate) fn of_line(entry: Entry, line: &str) -> Self {
        Self::with_setup(entry, line, PlayerSetup::LOCAL)
    }

    pub(crate) fn with_setup(entry: Entry, line: &str, setup: PlayerSetup) -> Self {
        Self { entry, line: line.into(), setup, source: Source::Line, name: line.into() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn line(&self) -> &str {
        &self.line
    }

    /// The weights given instead of those of the line.
    pub(crate) fn weights(&self) -> Option<&Weights> {
        match &self.source {
            Source::Weights(weights) => Some(weights),
            _ => None,
        }
    }

    pub(crate) fn function(&self) -> Option<&Arc<Function>> {
        match &self.source {
            Source::Evaluation(function) | Source::Net(function) => Some(function),
            Source::Line | Source::Weights(_) => None,
        }
    }

    pub(crate) fn build(&self, limited_by_caller: bool) -> BuildResult {
        let setup = PlayerSetup { limited_by_caller, ..self.setup };
        let (entry, line) = (self.entry, &self.line[..]);
        match &self.source {
            Source::Line => entry.build(line, &setup),
            Source::Evaluation(function) => {
                entry.build_with_evaluation(line, &setup, Arc::clone(function) as _)
            }
            Source::Net(function) => {
                let net = NetSource::Function(Arc::clone(function) as _);
                entry.build_with_net(line, &setup, net)
            }
            Source::Weights(weights) => {
                entry.build_with_net(line, &setup, NetSource::Weights(weights))
            }
        }
    }

    /// Whether the line limits its searches.
    pub(crate) fn has_limit(&self) -> bool {
        self.line.parse::<PlayerLine>().is_ok_and(|line| line.has_limit())
    }
}

/// A player of one game, built from a player line such as "alphabeta depth=6" (see tablero.players).
///
/// `evaluation` is a function that replaces the evaluation of greedy, minimax or alphabeta: it takes Positions and
/// returns their scores for the sides to move, in units of the game (discs, pawns). `network` replaces that of puct or
/// mcts: a Network, or a function that takes Positions and returns their values for the sides to move, from -1 to 1,
/// or a tuple of values and a policy, probabilities of shape (positions, actions).
#[pyclass(module = "tablero", frozen)]
pub(crate) struct Player {
    pub(crate) spec: Spec,
    built: Mutex<Option<Built>>,
}

struct Built {
    player: Box<AnyPlayer>,
    is_limited: bool,
}

impl Player {
    /// Searches a position with limits in addition to those of the line.
    fn search(
        &self,
        py: Python<'_>,
        game: &AnyGameHistory,
        limits: Limits,
        recording: Option<&mut Recording<AnyMove>>,
        report: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<AnySearchResult> {
        if game.end().is_some() {
            return Err(value_error("the game is over: there is no move to search"));
        }
        let cancel = CancellationToken::default();
        if let Some(function) = self.spec.function() {
            function.begin(&cancel);
        }
        let result = session::run(py, &cancel, report, |session| {
            let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
            let player = self.ready(&mut built, !limits.is_unlimited())?;
            let mut progress = |info: &AnyInfo| session.report(&depth_progress(info));
            let mut control = AnyControl::new(session.cancel.flag(), &mut progress);
            if let Some(recording) = recording {
                if !player.records_tree() {
                    let line = &self.spec.line;
                    return Err(value_error(format!(
                        "`{line}` has no tree to show: use minimax, alphabeta, mcts or puct"
                    )));
                }
                control = control.with_recording(recording);
            }
            player.choose(game, &limits, &mut control).map_err(|error| player_error(&error))
        })?;
        if let Some(function) = self.spec.function() {
            function.check()?;
        }
        result
    }

    /// The player, built anew if it must be with or without a limit of its own.
    fn ready<'a>(
        &self,
        built: &'a mut Option<Built>,
        is_limited: bool,
    ) -> PyResult<&'a mut AnyPlayer> {
        if built.as_ref().is_none_or(|built| built.is_limited != is_limited) {
            let mut player = self.spec.build(is_limited).map_err(value_error)?;
            player.new_game(1);
            *built = Some(Built { player, is_limited });
        }
        let built = built.as_mut().ok_or_else(|| value_error("no player"))?;
        Ok(&mut *built.player)
    }

    fn check_game(&self, position: &Position) -> PyResult<()> {
        let (own, other) = (self.spec.entry.game(), position.entry.game());
        if own == other {
            return Ok(());
        }
        Err(value_error(format!("a player of {own} cannot play {other}")))
    }
}

fn depth_progress(info: &AnyInfo) -> Progress {
    Progress::new(u64::from(info.depth), None).with_metric("nodes", info.nodes as f64)
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (game, line, *, evaluation=None, network=None, name=None, threads=1, hash_mb=None, multipv=1))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn py_new(
        py: Python<'_>,
        game: &str,
        line: &str,
        evaluation: Option<&Bound<'_, PyAny>>,
        network: Option<&Bound<'_, PyAny>>,
        name: Option<String>,
        threads: Option<usize>,
        hash_mb: Option<usize>,
        multipv: usize,
    ) -> PyResult<Self> {
        let entry = find(game)?;
        let multi_pv = match multipv {
            1..=500 => multipv,
            _ => return Err(value_error(format!("multipv must be 1 to 500, not {multipv}"))),
        };
        let threads = self::threads(threads)?;
        let setup = PlayerSetup { threads, hash_mb, multi_pv, ..PlayerSetup::LOCAL };
        setup.check().map_err(value_error)?;
        let source = match (evaluation, network) {
            (None, None) => Source::Line,
            (Some(function), None) => Source::Evaluation(Function::new(function, "evaluation")?),
            (None, Some(network)) => net_source(entry, network)?,
            (Some(_), Some(_)) => {
                return Err(PyTypeError::new_err("give an evaluation or a network, not both"));
            }
        };
        let mut spec = Spec { entry, line: line.into(), setup, source, name: line.into() };
        if let Some(function) = spec.function() {
            spec.name = format!("{line} with {}", function.name(py));
        }
        spec.name = name.unwrap_or(spec.name);
        // Errors are raised here, not by the first search.
        let built = Built { player: spec.build(false).map_err(value_error)?, is_limited: false };
        let player = Self { spec, built: Mutex::new(Some(built)) };
        player.new_game(1);
        Ok(player)
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &'static str {
        self.spec.entry.game().name()
    }

    /// The player line.
    #[getter]
    fn line(&self) -> &str {
        &self.spec.line
    }

    /// The name in records and tables.
    #[getter]
    fn name(&self) -> &str {
        &self.spec.name
    }

    /// The best move of a position.
    #[pyo3(signature = (position, *, time=None, nodes=None, depth=None))]
    fn best(
        &self,
        py: Python<'_>,
        position: &Bound<'_, Position>,
        time: Option<f64>,
        nodes: Option<u64>,
        depth: Option<u32>,
    ) -> PyResult<String> {
        let position = position.try_borrow()?.clone();
        self.check_game(&position)?;
        let limits = limits(time, nodes, depth)?;
        let result = self.search(py, &position.history, limits, None, None)?;
        Ok(position.history.position().move_text(result.m))
    }

    /// The search of a position, as JSON.
    #[pyo3(signature = (position, *, time=None, nodes=None, depth=None, report=None))]
    fn _analyse(
        &self,
        py: Python<'_>,
        position: &Bound<'_, Position>,
        time: Option<f64>,
        nodes: Option<u64>,
        depth: Option<u32>,
        report: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let position = position.try_borrow()?.clone();
        self.check_game(&position)?;
        let limits = limits(time, nodes, depth)?;
        let result = self.search(py, &position.history, limits, None, report)?;
        Ok(analysis(position.history.position(), &result).to_string())
    }

    /// The tree of the search of a position, of at most `max_nodes` nodes.
    #[pyo3(signature = (position, *, time=None, nodes=None, depth=None, max_nodes=DEFAULT_NODES, report=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn _tree(
        &self,
        py: Python<'_>,
        position: &Bound<'_, Position>,
        time: Option<f64>,
        nodes: Option<u64>,
        depth: Option<u32>,
        max_nodes: usize,
        report: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<RecordedTree> {
        let position = position.try_borrow()?.clone();
        self.check_game(&position)?;
        let limits = limits(time, nodes, depth)?;
        let mut recording = Recording::new(tree::max_nodes(max_nodes)?);
        self.search(py, &position.history, limits, Some(&mut recording), report)?;
        let recorded = recording.tree.ok_or_else(|| {
            value_error(format!("`{}` recorded no tree for this position", self.spec.line))
        })?;
        py.detach(|| RecordedTree::new(Tree::new(position.history.position(), &recorded)))
    }

    /// Forgets earlier games and seeds the player's randomness.
    #[pyo3(signature = (seed=1))]
    fn new_game(&self, seed: u64) {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(built) = built.as_mut() {
            built.player.new_game(seed);
        }
    }

    fn __repr__(&self) -> String {
        format!("Player('{}', '{}')", self.game(), self.spec.name)
    }
}

fn net_source(entry: Entry, network: &Bound<'_, PyAny>) -> PyResult<Source> {
    let Ok(network) = network.cast::<Network>() else {
        return Ok(Source::Net(Function::new(network, "network")?));
    };
    let weights = network.get().weights();
    if weights.game != entry.game().name() {
        let (found, expected) = (&weights.game, entry.game());
        return Err(value_error(format!("the network is of {found}, not of {expected}")));
    }
    Ok(Source::Weights(Arc::clone(weights)))
}

fn limits(time: Option<f64>, nodes: Option<u64>, depth: Option<u32>) -> PyResult<Limits> {
    if nodes == Some(0) || depth == Some(0) {
        return Err(value_error("nodes and depth must be at least 1"));
    }
    Ok(Limits { depth, nodes, time: seconds(time)?, clock: None })
}

/// The names are those of `tablero best --json`.
fn analysis(position: &AnyPosition, result: &AnySearchResult) -> Value {
    let line = |line: &Pv<AnyPosition>| {
        let names = position.line_text(&line.moves);
        json!({
            "move": names.first(),
            "score": line.value.0.score(),
            "value": line.value.0.to_string(),
            "line": names,
        })
    };
    let info = &result.info;
    json!({
        "best": position.move_text(result.m),
        "lines": info.lines.iter().map(line).collect::<Vec<_>>(),
        "depth": info.depth,
        "seldepth": info.seldepth,
        "exact": info.exact,
        "nodes": info.nodes,
        "nps": info.nodes_per_second() as u64,
        "time": info.time.as_secs_f64(),
    })
}
