//! Many positions at once.

use numpy::{Element, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PySlice};
use tablero_core::{AnyGameHistory, Outcome};
use tablero_registry::PositionBatch;

use crate::arguments::{Entry, find, input_shape, integers, rules, threads, view};
use crate::errors::value_error;
use crate::position::Position;

/// Many games in progress of one game, handled without a Python call for each.
///
/// Positions("othello", 1000) are 1000 starting positions; Positions.of(list) those of a list. Moves are numbers of
/// the game's action space (`actions` is its size); -1 stands for no move. Calls release the GIL and use all cores
/// for large batches, unless `threads` says otherwise; results do not depend on the number of threads.
#[pyclass(module = "tablero")]
pub(crate) struct Positions {
    entry: Entry,
    batch: Box<dyn PositionBatch>,
}

/// Two arrays.
type Pair<'py, A, B> = (Bound<'py, A>, Bound<'py, B>);

/// The most positions that are created at once.
const MAX_POSITIONS: usize = 100_000_000;

impl Positions {
    pub(crate) fn new(batch: Box<dyn PositionBatch>) -> PyResult<Self> {
        Ok(Self { entry: find(batch.game().name())?, batch })
    }

    pub(crate) fn batch(&self) -> &dyn PositionBatch {
        &*self.batch
    }

    fn select(&self, indices: &[usize]) -> PyResult<Self> {
        let batch = self.batch.select(indices);
        let batch = batch.ok_or_else(|| PyIndexError::new_err("index out of range"))?;
        Ok(Self { entry: self.entry, batch })
    }

    /// An index from 0, of one that may count from the end.
    fn index(&self, index: i64) -> PyResult<usize> {
        let length = self.batch.len() as i64;
        let from_start = if index < 0 { index + length } else { index };
        if (0..length).contains(&from_start) {
            return Ok(from_start as usize);
        }
        Err(PyIndexError::new_err(format!("index {index} is out of range for {length} positions")))
    }

    /// The indices of an array of integers, or of the true elements of a mask.
    fn indices(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
        let is_mask = array.getattr("dtype")?.getattr("kind")?.extract::<String>()? == "b";
        if !is_mask {
            return integers(&array, "index")?.into_iter().map(|index| self.index(index)).collect();
        }
        let mask: Vec<bool> = array.extract()?;
        if mask.len() != self.batch.len() {
            let (found, expected) = (mask.len(), self.batch.len());
            return Err(PyIndexError::new_err(format!(
                "the mask has {found} elements for {expected} positions"
            )));
        }
        Ok((0..mask.len()).filter(|&index| mask[index]).collect())
    }
}

#[pymethods]
impl Positions {
    #[new]
    #[pyo3(signature = (game, count=1, *, text="start", rules=None))]
    fn py_new(game: &str, count: usize, text: &str, rules: Option<&str>) -> PyResult<Self> {
        let entry = find(game)?;
        if count > MAX_POSITIONS {
            let problem = format!("count must be at most {MAX_POSITIONS}, not {count}");
            return Err(value_error(problem));
        }
        let rules = self::rules(entry, rules)?;
        let history = entry.game().parse_history(text, rules).map_err(value_error)?;
        let mut one = entry.batch();
        one.push(&history);
        let mut positions = Self { entry, batch: one };
        positions = positions.select(&vec![0; count])?;
        Ok(positions)
    }

    /// The positions of a list, at least one, all of the same game.
    #[staticmethod]
    fn of(positions: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut found: Option<Self> = None;
        for item in positions.try_iter()? {
            let item = item?;
            let Ok(position) = item.cast::<Position>() else {
                let kind = item.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "expected a list of Position, not {kind}"
                )));
            };
            let position = position.try_borrow()?;
            let all = found.get_or_insert_with(|| Self {
                entry: position.entry,
                batch: position.entry.batch(),
            });
            if !all.batch.push(&position.history) {
                return Err(value_error("all positions must be of the same game"));
            }
        }
        found.ok_or_else(|| value_error("expected at least one position"))
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &'static str {
        self.entry.game().name()
    }

    /// The size of the game's action space.
    #[getter]
    fn actions(&self) -> usize {
        self.batch.actions()
    }

    fn __len__(&self) -> usize {
        self.batch.len()
    }

    /// A position (without its history) for an integer, otherwise the selected positions.
    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        if let Ok(slice) = index.cast::<PySlice>() {
            let slice = slice.indices(self.batch.len() as isize)?;
            let at = |step: usize| (slice.start + step as isize * slice.step) as usize;
            let indices: Vec<usize> = (0..slice.slicelength).map(at).collect();
            return Ok(Bound::new(py, self.select(&indices)?)?.into_any());
        }
        if !index.is_instance_of::<PyBool>()
            && let Ok(number) = index.extract::<i64>()
        {
            let position = self.batch.position(self.index(number)?);
            let position = position.ok_or_else(|| PyIndexError::new_err("index out of range"))?;
            return Ok(Bound::new(py, Position::new(position)?)?.into_any());
        }
        Ok(Bound::new(py, self.select(&self.indices(index)?)?)?.into_any())
    }

    /// A copy.
    fn copy(&self) -> PyResult<Self> {
        let all: Vec<usize> = (0..self.batch.len()).collect();
        self.select(&all)
    }

    /// Adds the positions of another batch of the same game.
    fn extend(&mut self, other: &Bound<'_, Self>) -> PyResult<()> {
        if let Ok(other) = other.try_borrow() {
            return match self.batch.extend(other.batch()) {
                true => Ok(()),
                false => Err(value_error("all positions must be of the same game")),
            };
        }
        // The same object: it is borrowed already.
        let copy = self.copy()?;
        self.batch.extend(copy.batch());
        Ok(())
    }

    /// The side to move of each position, int8: 0 or 1.
    #[getter]
    fn sides<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_vec(py, self.batch.sides().into_iter().map(|side| side as i8).collect())
    }

    /// The plies of each game, uint32.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_vec(py, self.batch.plies())
    }

    /// The hash key of each position, uint64.
    #[getter]
    fn keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_vec(py, self.batch.keys())
    }

    /// Each position on one line.
    fn texts(&self) -> Vec<String> {
        let text = |index| self.batch.position(index).map(|position| position.position_text());
        (0..self.batch.len()).filter_map(text).collect()
    }

    /// Whether each game is over, bool.
    #[pyo3(signature = (*, threads=None))]
    fn is_over<'py>(
        &self,
        py: Python<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let threads = self::threads(threads)?;
        let outcomes = py.detach(|| self.batch.outcomes(threads));
        Ok(PyArray1::from_vec(py, outcomes.iter().map(Option::is_some).collect()))
    }

    /// The margin of the first side in each game that is over, int16 (the sign is its result); 0 in the others.
    #[pyo3(signature = (*, threads=None))]
    fn margins<'py>(
        &self,
        py: Python<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i16>>> {
        let threads = self::threads(threads)?;
        let margins = py.detach(|| margins(&self.batch.outcomes(threads)));
        Ok(PyArray1::from_vec(py, margins))
    }

    /// The legal actions of all positions, one after the other, uint32, and offsets, int64: those of position i are
    /// actions[offsets[i]:offsets[i + 1]]. There are none where the game is over.
    #[pyo3(signature = (*, threads=None))]
    fn legal_actions<'py>(
        &self,
        py: Python<'py>,
        threads: Option<usize>,
    ) -> PyResult<Pair<'py, PyArray1<u32>, PyArray1<i64>>> {
        let threads = self::threads(threads)?;
        let (actions, offsets) = py.detach(|| {
            let legal = self.batch.legal_actions(threads);
            let mut offsets = Vec::with_capacity(legal.counts.len() + 1);
            offsets.push(0);
            let mut sum = 0;
            offsets.extend(legal.counts.iter().map(|&count| {
                sum += i64::from(count);
                sum
            }));
            (legal.actions, offsets)
        });
        Ok((PyArray1::from_vec(py, actions), PyArray1::from_vec(py, offsets)))
    }

    /// Which actions are legal, bool of shape (positions, actions); legal_actions is faster where most actions are not.
    /// `out`, an array of this shape, is filled and returned instead of a new one.
    #[pyo3(signature = (*, out=None, threads=None))]
    fn legal_mask<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArrayDyn<bool>>> {
        let threads = self::threads(threads)?;
        let shape = [self.batch.len(), self.batch.actions()];
        write_array(py, out, &shape, "bool", |mask| self.batch.write_legal_mask(mask, threads))
    }

    /// A uniformly random legal action of each position, int64; -1 where the game is over.
    #[pyo3(signature = (seed=1, *, threads=None))]
    fn sample_actions<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let threads = self::threads(threads)?;
        let actions = py.detach(|| self.batch.sample_actions(seed, threads));
        Ok(PyArray1::from_vec(py, actions))
    }

    /// Plays an action in each position; -1 leaves it as it is. Nothing is played if one action is not legal.
    #[pyo3(signature = (actions, *, threads=None))]
    fn play(
        &mut self,
        py: Python<'_>,
        actions: &Bound<'_, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<()> {
        let threads = self::threads(threads)?;
        let actions = integers(actions, "actions")?;
        py.detach(|| self.batch.play(&actions, threads)).map_err(value_error)
    }

    /// Plays up to `plies` random moves in each position; returns the number of all moves played.
    #[pyo3(signature = (plies=1, seed=1, *, threads=None))]
    fn play_random(
        &mut self,
        py: Python<'_>,
        plies: u32,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<u64> {
        let threads = self::threads(threads)?;
        Ok(py.detach(|| self.batch.play_random(plies, seed, threads)))
    }

    /// Plays random games to their end from each position, which stay as they are. Returns the margins of the first
    /// side, int16, and the lengths in plies, uint32, both of shape (positions, count). A game that lasts longer
    /// than `max_plies` is a draw.
    #[pyo3(signature = (count=1, seed=1, *, max_plies=10_000, threads=None))]
    fn playouts<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        seed: u64,
        max_plies: u32,
        threads: Option<usize>,
    ) -> PyResult<Pair<'py, PyArray2<i16>, PyArray2<u32>>> {
        let threads = self::threads(threads)?;
        let rows = self.batch.len();
        if rows.saturating_mul(count) > 10 * MAX_POSITIONS {
            return Err(value_error(format!("{rows} times {count} games are too many at once")));
        }
        let (margins, plies) = py.detach(|| {
            let playouts = self.batch.playouts(count, max_plies, seed, threads);
            let margins = playouts.iter().map(|playout| playout.outcome.margin().0).collect();
            (margins, playouts.iter().map(|playout| playout.plies).collect())
        });
        Ok((
            PyArray1::from_vec(py, margins).reshape([rows, count])?,
            PyArray1::from_vec(py, plies).reshape([rows, count])?,
        ))
    }

    /// The positions as a network sees them, float32 of shape (positions, planes, rows, columns); see
    /// Position.planes. `out`, an array of this shape, is filled and returned instead of a new one.
    #[pyo3(signature = (view="planes", *, out=None, threads=None))]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        view: &str,
        out: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let threads = self::threads(threads)?;
        let spec = self.batch.spec();
        let kind = self::view(view, &spec)?;
        let mut shape = vec![self.batch.len()];
        shape.extend(input_shape(&kind, &spec));
        let encode = |input: &mut [f32]| self.batch.encode(&kind, input, threads);
        write_array(py, out, &shape, "float32", encode)
    }

    /// The images under a board symmetry; see Position.transform.
    fn transform(&self, symmetry: usize) -> PyResult<Self> {
        let (game, count) = (self.entry.game(), self.entry.game().info().symmetries);
        if symmetry >= count {
            let problem = format!("{game} has symmetries 0 to {}, not {symmetry}", count - 1);
            return Err(value_error(problem));
        }
        Ok(Self { entry: self.entry, batch: self.batch.transform(symmetry) })
    }

    /// A list of the positions, without their histories.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let position = |index| self.batch.position(index).map(AnyGameHistory::new);
        let positions = (0..self.batch.len()).filter_map(position);
        let positions: Vec<Position> =
            positions.map(|history| Position { entry: self.entry, history }).collect();
        PyList::new(py, positions)
    }

    fn __repr__(&self) -> String {
        format!("Positions('{}', {})", self.game(), self.batch.len())
    }
}

/// Lets `write` fill a zeroed array of this shape, without the GIL: `out` if given, otherwise a new one.
fn write_array<'py, T: Element + Copy + Default + Send>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyAny>>,
    shape: &[usize],
    dtype: &str,
    write: impl FnOnce(&mut [T]) + Send,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let Some(out) = out else {
        let values = py.detach(|| {
            let mut values = vec![T::default(); shape.iter().product()];
            write(&mut values);
            values
        });
        return PyArray1::from_vec(py, values).reshape(shape);
    };
    let wrong = |problem: &str| {
        let problem =
            format!("out: expected a writable {dtype} array of shape {shape:?}, {problem}");
        PyTypeError::new_err(problem)
    };
    let Ok(array) = out.cast::<PyArrayDyn<T>>() else {
        let dtype = out.getattr("dtype").and_then(|dtype| dtype.str());
        let found = dtype.or_else(|_| out.get_type().name()?.str())?;
        return Err(wrong(&format!("found {found}")));
    };
    if array.shape() != shape {
        return Err(wrong(&format!("found shape {:?}", array.shape())));
    }
    // A slice of an array in Fortran order would be one, too.
    if !array.is_c_contiguous() {
        return Err(wrong("in C order"));
    }
    let mut borrowed = array.try_readwrite().map_err(|_| wrong("found a read-only or used one"))?;
    let values = borrowed.as_slice_mut().map_err(|_| wrong("in C order"))?;
    py.detach(|| {
        values.fill(T::default());
        write(values);
    });
    Ok(array.clone())
}

/// The margins of the first side; 0 where the game goes on.
fn margins(outcomes: &[Option<Outcome>]) -> Vec<i16> {
    outcomes.iter().map(|outcome| outcome.map_or(0, |outcome| outcome.margin().0)).collect()
}
