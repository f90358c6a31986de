//! Evaluations term by term.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::json;
use tablero_core::PlayerSetup;
use tablero_jobs::CancellationToken;
use tablero_registry::{Explained, Explainer, ExplanationSummary};

use crate::arguments::{Entry, find};
use crate::errors::value_error;
use crate::network::Network;
use crate::player::Player;
use crate::position::Position;
use crate::session;

/// An explainer with the name of what it explains.
type Named = (String, Box<dyn Explainer>);

/// The evaluations and networks of a game that ship with the package, as JSON.
#[pyfunction]
pub(crate) fn explainable(game: &str) -> PyResult<String> {
    let known = find(game)?.explainable();
    let known: Vec<_> = known
        .iter()
        .map(|known| json!({"name": known.name, "player": known.player, "about": known.about.en}))
        .collect();
    serde_json::to_string(&known).map_err(value_error)
}

/// The evaluation of a position term by term, as JSON with the labels of the board's columns and rows.
#[pyfunction]
#[pyo3(signature = (position, player=None, *, eval=None, net=None))]
pub(crate) fn explain(
    py: Python<'_>,
    position: &Bound<'_, Position>,
    player: Option<&Bound<'_, PyAny>>,
    eval: Option<&str>,
    net: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let position = position.try_borrow()?.clone();
    let (entry, position) = (position.entry, position.history.position());
    if position.outcome().is_some() {
        return Err(value_error("the game is over: there is nothing to evaluate"));
    }
    let (name, mut explainer) = match (player, eval, net) {
        (Some(player), None, None) => of_player(entry, player)?,
        (None, Some(name), None) => of(entry, Explained::Evaluation(name))?,
        (None, None, Some(net)) => of_net(entry, net)?,
        (None, None, None) => of(entry, Explained::Default)?,
        _ => return Err(PyTypeError::new_err("give a player, eval or net, not several")),
    };
    // Networks evaluate the position once more for every piece.
    let cancel = CancellationToken::default();
    let explanation = session::run(py, &cancel, None, |_| explainer.explain(position))?;
    let diagram = position.diagram();
    let answer = json!({
        "explanation": ExplanationSummary::new(&name, position, &explanation),
        "columns": diagram.columns,
        "rows": diagram.rows,
    });
    Ok(answer.to_string())
}

fn of(entry: Entry, explained: Explained<'_>) -> PyResult<Named> {
    let line = explained.line(entry).map_err(value_error)?;
    let explainer = entry.explainer(&line, &PlayerSetup::LOCAL).map_err(value_error)?;
    Ok((line, explainer))
}

/// The evaluation called so, or that of a player line, a player or a network.
fn of_player(entry: Entry, given: &Bound<'_, PyAny>) -> PyResult<Named> {
    if let Ok(text) = given.cast::<PyString>() {
        let text = text.to_str()?;
        let is_name = entry.explainable().iter().any(|known| known.name == text);
        let explained = if is_name { Explained::Evaluation(text) } else { Explained::Player(text) };
        return of(entry, explained);
    }
    let Ok(player) = given.cast::<Player>() else {
        return of_net(entry, given);
    };
    let spec = &player.get().spec;
    if spec.entry.game() != entry.game() {
        let (found, game) = (spec.entry.game(), entry.game());
        return Err(value_error(format!("a player of {found} cannot evaluate {game}")));
    }
    if spec.function().is_some() {
        return Err(value_error("a Python function has no terms to explain"));
    }
    match spec.weights() {
        Some(weights) => {
            let explainer = entry.net_explainer(weights).map_err(value_error)?;
            Ok((spec.name().into(), explainer))
        }
        None => of(entry, Explained::Player(spec.line())),
    }
}

/// A network, or one by its name or file.
fn of_net(entry: Entry, given: &Bound<'_, PyAny>) -> PyResult<Named> {
    if let Ok(name) = given.cast::<PyString>() {
        return of(entry, Explained::Net(name.to_str()?));
    }
    let Ok(network) = given.cast::<Network>() else {
        let kind = given.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "expected the name of an evaluation, a player line, a Player or a Network, not {kind}"
        )));
    };
    let weights = network.get().weights();
    if weights.game != entry.game().name() {
        let (found, game) = (&weights.game, entry.game());
        return Err(value_error(format!("the network is of {found}, not of {game}")));
    }
    Ok((weights.kind.to_string(), entry.net_explainer(weights).map_err(value_error)?))
}
