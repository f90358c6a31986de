//! A game in progress.

use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use tablero_core::{
    AnyGameHistory, AnyMove, AnyPosition, AnyRecord, Game, GameEnd, IllegalMove, excerpt,
};
use tablero_registry::PositionBatch;

use crate::arguments::{Entry, find, input_shape, rules, view};
use crate::errors::value_error;
use crate::record::Record;
use crate::svg;

/// How a game ended.
#[pyclass(module = "tablero", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Outcome {
    /// The side that won, 0 or 1; None for a draw.
    #[pyo3(get)]
    winner: Option<usize>,
    /// The margin of the first side: discs in Othello, otherwise 1, 0 or -1.
    #[pyo3(get)]
    margin: i16,
    /// What ended it: "normal", "repetition", "resignation", ...
    #[pyo3(get)]
    ending: String,
}

impl From<GameEnd> for Outcome {
    fn from(end: GameEnd) -> Self {
        Self {
            winner: end.outcome.winner().map(|side| side.index()),
            margin: end.outcome.margin().0,
            ending: end.ending.to_string(),
        }
    }
}

#[pymethods]
impl Outcome {
    /// The result of the first side: 1, 0 or -1.
    #[getter]
    fn result(&self) -> i16 {
        self.margin.signum()
    }

    fn __repr__(&self) -> String {
        let winner = self.winner.map_or_else(|| "None".into(), |winner| winner.to_string());
        format!("Outcome(winner={winner}, margin={}, ending='{}')", self.margin, self.ending)
    }
}

/// A position with the history of its game.
///
/// Position("othello") is the start; Position("chess", FEN) any position; "start moves f5 d6" plays moves. Moves are
/// text in the game's notation, or numbers of its action space.
#[pyclass(module = "tablero")]
#[derive(Clone)]
pub(crate) struct Position {
    pub(crate) entry: Entry,
    pub(crate) history: AnyGameHistory,
}

impl Position {
    /// A position without history.
    pub(crate) fn new(position: AnyPosition) -> PyResult<Self> {
        let entry = find(position.game().name())?;
        Ok(Self { entry, history: AnyGameHistory::new(position) })
    }

    fn position(&self) -> &AnyPosition {
        self.history.position()
    }

    /// This position alone, as a batch.
    pub(crate) fn batch(&self) -> Box<dyn PositionBatch> {
        let mut batch = self.entry.batch();
        batch.push(&self.history);
        batch
    }

    /// The move of a text or an action.
    fn parse(&self, m: &Bound<'_, PyAny>) -> PyResult<AnyMove> {
        if let Some(end) = self.history.end() {
            let ending = end.ending;
            return Err(value_error(format!("the game is over ({ending}): no move is legal")));
        }
        if let Ok(text) = m.cast::<PyString>() {
            let text = text.to_str()?;
            let parsed = self.position().parse_move(text);
            return parsed.map_err(|error| value_error(format!("{error}; {}", self.legal_list())));
        }
        let Ok(action) = m.extract::<i64>() else {
            let kind = m.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a move is a str or an int, not {kind}")));
        };
        self.move_of_action(action)
    }

    fn move_of_action(&self, action: i64) -> PyResult<AnyMove> {
        let actions = self.batch().legal_actions(1).actions;
        let index = actions.iter().position(|&legal| i64::from(legal) == action);
        let m = index.and_then(|index| self.position().moves().get(index).copied());
        m.ok_or_else(|| value_error(format!("action {action} is not legal; {}", self.legal_list())))
    }

    /// `legal are f5, d6, ...`.
    fn legal_list(&self) -> String {
        const SHOWN: usize = 12;
        let moves = self.legal_moves();
        let more = if moves.len() > SHOWN { ", ..." } else { "" };
        let shown: Vec<_> = moves.iter().take(SHOWN).map(String::as_str).collect();
        format!("legal are {}{more}", shown.join(", "))
    }

    fn check_symmetry(&self, symmetry: usize) -> PyResult<()> {
        let count = self.position().info().symmetries;
        if symmetry < count {
            return Ok(());
        }
        let game = self.entry.game();
        Err(value_error(format!("{game} has symmetries 0 to {}, not {symmetry}", count - 1)))
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (game, text="start", *, rules=None))]
    fn py_new(game: &str, text: &str, rules: Option<&str>) -> PyResult<Self> {
        let entry = find(game)?;
        let rules = self::rules(entry, rules)?;
        let history = entry.game().parse_history(text, rules).map_err(value_error)?;
        Ok(Self { entry, history })
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &'static str {
        self.entry.game().name()
    }

    /// The name of the rules variant.
    #[getter]
    fn rules(&self) -> &'static str {
        self.position().rules().name()
    }

    /// The side to move: 0 for the first player, 1 for the second.
    #[getter]
    fn side(&self) -> usize {
        self.position().side().index()
    }

    /// The name of the side to move: "black", "white", ...
    #[getter]
    fn side_name(&self) -> &'static str {
        self.position().info().sides[self.side()]
    }

    /// The number of moves played.
    #[getter]
    fn plies(&self) -> usize {
        self.history.plies()
    }

    /// The moves played.
    #[getter]
    fn moves(&self) -> Vec<String> {
        let moves: Vec<_> = self.history.played().collect();
        self.history.start().line_text(&moves)
    }

    /// The position on one line, as Position(game, text) reads it (FEN in chess).
    #[getter]
    fn text(&self) -> String {
        self.position().position_text()
    }

    /// The letter of the piece on each square, "." for none, row by row from the top.
    #[getter]
    fn cells(&self) -> String {
        self.position().cells_text()
    }

    /// A hash of everything that the continuation depends on.
    #[getter]
    fn key(&self) -> u64 {
        self.position().key()
    }

    /// The legal moves; none if the game is over.
    #[getter]
    fn legal_moves(&self) -> Vec<String> {
        let position = self.position();
        self.history.moves().into_iter().map(|m| position.move_text(m)).collect()
    }

    /// The legal moves as numbers of the action space, in the same order.
    #[getter]
    fn legal_actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_vec(py, self.batch().legal_actions(1).actions)
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.history.end().is_some()
    }

    /// How the game ended; None while it goes on.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.history.end().map(Outcome::from)
    }

    /// Whether the side to move may claim a draw (threefold repetition, fifty moves).
    #[getter]
    fn can_claim_draw(&self) -> bool {
        self.history.draw().is_some_and(|draw| !draw.forced)
    }

    /// Plays a move; returns this position.
    fn play<'py>(
        mut position: PyRefMut<'py, Self>,
        m: &Bound<'py, PyAny>,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let m = position.parse(m)?;
        let illegal = |error: IllegalMove| value_error(error);
        position.history.play(m).map_err(illegal)?;
        Ok(position)
    }

    /// Takes the last move back and returns it.
    fn undo(&mut self) -> PyResult<String> {
        let Some(m) = self.history.undo() else {
            return Err(PyIndexError::new_err("no move to undo: this is the starting position"));
        };
        Ok(self.position().move_text(m))
    }

    /// Plays the move again that was taken back last, and returns it.
    fn redo(&mut self) -> PyResult<String> {
        let before = self.position().clone();
        let Some(m) = self.history.redo() else {
            return Err(PyIndexError::new_err("no move to redo"));
        };
        Ok(before.move_text(m))
    }

    /// The position after a move; this one stays.
    fn after(&self, m: &Bound<'_, PyAny>) -> PyResult<Self> {
        let m = self.parse(m)?;
        let mut next = self.clone();
        next.history.play(m).map_err(value_error)?;
        Ok(next)
    }

    /// A copy with its history.
    fn copy(&self) -> Self {
        self.clone()
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    /// The number of a move in the game's action space.
    fn action(&self, m: &Bound<'_, PyAny>) -> PyResult<u32> {
        let m = self.parse(m)?;
        let index = self.position().moves().iter().position(|legal| *legal == m);
        let actions = self.batch().legal_actions(1).actions;
        let action = index.and_then(|index| actions.get(index).copied());
        action.ok_or_else(|| value_error("the move is not legal"))
    }

    /// The legal move with a number of the action space.
    fn move_text(&self, action: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(self.position().move_text(self.parse(action)?))
    }

    /// The position as a network sees it, float32: planes of shape (planes, rows, columns), of squares as in the
    /// board from the top; `view` "mover" and "attacks" (chess) likewise; "flat" and "absolute" are lists of numbers.
    #[pyo3(signature = (view="planes"))]
    fn planes<'py>(&self, py: Python<'py>, view: &str) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let batch = self.batch();
        let spec = batch.spec();
        let kind = self::view(view, &spec)?;
        let mut input = vec![0.0; kind.inputs(&spec)];
        batch.encode(&kind, &mut input, 1);
        PyArray1::from_vec(py, input).reshape(input_shape(&kind, &spec))
    }

    /// The policy outputs of the legal moves, in their order, of shape (moves, 2): a move's logit is the sum of the two
    /// outputs, where the number after the last output stands for 0.
    #[pyo3(signature = (view="planes"))]
    fn policy_indices<'py>(
        &self,
        py: Python<'py>,
        view: &str,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let batch = self.batch();
        let kind = self::view(view, &batch.spec())?;
        let indices = batch.policy_indices(&kind, 0);
        let flat: Vec<i64> = indices.iter().flatten().map(|&index| index as i64).collect();
        PyArray1::from_vec(py, flat).reshape([indices.len(), 2])
    }

    /// The number of board symmetries, the identity included.
    #[getter]
    fn symmetries(&self) -> usize {
        self.position().info().symmetries
    }

    /// The image under a board symmetry, without history; 0 is the identity.
    fn transform(&self, symmetry: usize) -> PyResult<Self> {
        self.check_symmetry(symmetry)?;
        Self::new(self.position().transform(symmetry))
    }

    /// The image of a move in transform(symmetry).
    fn transform_move(&self, m: &Bound<'_, PyAny>, symmetry: usize) -> PyResult<String> {
        self.check_symmetry(symmetry)?;
        let image = self.position().transform_move(self.parse(m)?, symmetry);
        Ok(self.position().transform(symmetry).move_text(image))
    }

    /// All symmetric copies, this position first.
    fn symmetric_copies(&self) -> PyResult<Vec<Self>> {
        (0..self.symmetries()).map(|symmetry| self.transform(symmetry)).collect()
    }

    /// The game so far as a record.
    fn record(&self) -> Record {
        Record(AnyRecord::from_history(&self.history))
    }

    /// The board as SVG; `size` is the length of its longer side in pixels.
    #[pyo3(signature = (size=360))]
    fn svg(&self, size: u32) -> String {
        let mut before = self.history.clone();
        let last = before.undo().map(|m| before.position().touched(m));
        svg::board(self.position(), &last.unwrap_or_default(), size)
    }

    fn _repr_svg_(&self) -> String {
        self.svg(360)
    }

    fn __str__(&self) -> String {
        let mut before = self.history.clone();
        let last = before.undo().map(|m| before.position().touched(m)).unwrap_or_default();
        let caption = match self.history.end() {
            Some(end) => format!("game over: {}", end.ending),
            None => format!("{} to move", self.side_name()),
        };
        let diagram = self.position().diagram();
        let cell =
            |index: usize, cell: &tablero_core::Cell| cell.plain_text(last.contains(&index), false);
        diagram.draw(&[caption], cell).trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}', '{}')", self.game(), excerpt(&self.text()))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>().ok().and_then(|other| other.try_borrow().ok());
        other.is_some_and(|other| self.position() == other.position())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let restore = py.import("tablero")?.getattr("_position")?;
        let start = self.history.start().position_text();
        let text = format!("{start} moves {}", self.moves().join(" "));
        let arguments = (self.game(), text, self.rules()).into_bound_py_any(py)?;
        Ok((restore, arguments))
    }
}
