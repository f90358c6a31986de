//! Evaluations explained term by term.

use tablero_core::{Explanation, Plane, RatedMove, Term, TermCell, ValueUnit};
use tablero_registry::GameEntry;
use tokio::sync::Semaphore;

use crate::api::{
    CellValue, EvaluationView, ExplanationRequest, ExplanationUnit, ExplanationView,
    NetworkInsight, PlaneView, Problem, RatedMoveView, TermView,
};
use crate::app::App;
use crate::describe::cell;
use crate::error::ApiResult;
use crate::games::history_after;

/// Explanations at the same time: a network is loaded for each, and evaluates a position per piece.
pub(crate) static RUNNING: Semaphore = Semaphore::const_new(2);

/// Moves of a policy that are sent.
const MAX_MOVES: usize = 12;

/// The shipped evaluations and networks of a game.
pub(crate) fn evaluations(entry: &dyn GameEntry) -> Vec<EvaluationView> {
    let view = |known: tablero_registry::Explainable| EvaluationView {
        name: known.name,
        player: known.player,
        about: known.about.into(),
    };
    entry.explainable().into_iter().map(view).collect()
}

impl App {
    /// Explains the evaluation of a position.
    pub(crate) fn explain(
        &self,
        entry: &'static dyn GameEntry,
        request: &ExplanationRequest,
    ) -> ApiResult<ExplanationView> {
        let (rules, position) = (request.rules.as_deref(), request.position.as_deref());
        let game = history_after(entry.game(), rules, position, &request.moves)?;
        let position = game.position();
        if position.outcome().is_some() {
            return Err(Problem::GameOver.into());
        }
        self.config.check_engine(entry, &request.player)?;
        let spec = self.player_factory().resolve(entry, &request.player)?;
        let explanation = spec.explainer()?.explain(position);
        let cells = position.cells_text();
        Ok(view(explanation, cells, position.side().into()))
    }
}

fn view(explanation: Explanation, cells: String, turn: crate::api::Side) -> ExplanationView {
    let term = |term: Term| TermView {
        name: term.name,
        about: term.about.into(),
        value: finite(term.value),
        weight: finite(term.weight),
        contribution: finite(term.contribution),
        cells: values(&term.cells),
    };
    let plane = |plane: Plane| PlaneView {
        about: plane.about.into(),
        constant: plane.constant.map(finite),
        cells: values(&plane.cells),
    };
    let rated = |rated: RatedMove| RatedMoveView {
        name: rated.name,
        label: rated.label,
        shape: rated.shape.into(),
        rating: finite(rated.rating),
    };
    let network = explanation.network.map(|network| NetworkInsight {
        planes: network.planes.into_iter().map(plane).collect(),
        policy: network.policy.into_iter().take(MAX_MOVES).map(rated).collect(),
        ownership: values(&network.ownership),
    });
    ExplanationView {
        cells,
        turn,
        value: finite(explanation.value),
        unit: match explanation.unit {
            ValueUnit::Points => ExplanationUnit::Points,
            ValueUnit::Result => ExplanationUnit::Result,
        },
        terms: explanation.terms.into_iter().map(term).collect(),
        facts: explanation.facts.into_iter().map(Into::into).collect(),
        network,
    }
}

fn values(cells: &[TermCell]) -> Vec<CellValue> {
    cells.iter().map(|at| CellValue { cell: cell(at.cell), value: finite(at.value) }).collect()
}

/// JSON has no other numbers; only damaged weights give them.
const fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}
