//! Networks: files, weights, evaluation in batches.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablero_core::{Side, in_parallel};
use tablero_jobs::atomic_write;
use tablero_nets::{
    EncodingSpec, Evaluator, NetFormat, NetKind, Network as Packed, Tensor, Weights, tensor_specs,
};
use tablero_registry::PositionBatch;

use crate::arguments::{Entry, find, floats, input_shape, threads, view};
use crate::errors::{net_error, os_error, value_error};
use crate::player::Player;
use crate::positions::Positions;

/// Positions that a thread takes at a time.
const CHUNK: usize = 16;

/// A network of a game: "mlp 65-128-64-32-1" or "resnet 6x64" with its weights.
#[pyclass(module = "tablero", frozen)]
pub(crate) struct Network {
    entry: Entry,
    weights: Arc<Weights>,
    packed: Arc<Packed>,
}

impl Network {
    fn new(entry: Entry, weights: Weights) -> PyResult<Self> {
        let packed = Packed::new(&weights, &spec(entry)).map_err(|error| net_error(&error))?;
        Ok(Self { entry, weights: Arc::new(weights), packed: Arc::new(packed) })
    }

    pub(crate) fn weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    fn parse_kind(entry: Entry, kind: &str) -> PyResult<NetKind> {
        let kind: NetKind = kind.parse().map_err(value_error)?;
        kind.check(&spec(entry)).map_err(value_error)?;
        Ok(kind)
    }

    /// The outputs for encoded positions.
    fn run(&self, input: &[f32], threads: usize) -> Outputs {
        let spec = spec(self.entry);
        let (size, policy_size) = (self.packed.inputs(), spec.policy_size());
        let rows = input.len() / size;
        let evaluator = || Evaluator::new(Arc::clone(&self.packed));
        let NetKind::Resnet(resnet) = self.packed.kind() else {
            let mut outputs = Outputs { values: vec![0.0; rows], policy: None, ownership: None };
            let work = input.chunks(CHUNK * size).zip(outputs.values.chunks_mut(CHUNK)).collect();
            in_parallel(
                work,
                threads,
                evaluator,
                |evaluator, (input, values): (&[f32], &mut [f32])| {
                    for (input, value) in input.chunks(size).zip(values) {
                        *value = evaluator.run(input).value;
                    }
                },
            );
            return outputs;
        };
        let squares = spec.squares();
        let has_ownership = resnet.ownership;
        let (mut values, mut policy) = (vec![0.0; rows], vec![0.0; rows * policy_size]);
        let mut ownership = vec![0.0; if has_ownership { rows * squares } else { rows }];
        let owner_size = if has_ownership { squares } else { 1 };
        let work = input
            .chunks(CHUNK * size)
            .zip(values.chunks_mut(CHUNK))
            .zip(policy.chunks_mut(CHUNK * policy_size))
            .zip(ownership.chunks_mut(CHUNK * owner_size))
            .collect();
        in_parallel(work, threads, evaluator, |evaluator, (((input, values), policy), owners)| {
            for (row, (input, value)) in input.chunks(size).zip(values).enumerate() {
                let output = evaluator.run(input);
                *value = output.value;
                if let Some(logits) = output.policy {
                    policy[row * policy_size..][..policy_size]
                        .copy_from_slice(&logits[..policy_size]);
                }
                if let Some(found) = output.ownership {
                    owners[row * squares..][..squares].copy_from_slice(found);
                }
            }
        });
        Outputs { values, policy: Some(policy), ownership: has_ownership.then_some(ownership) }
    }

    /// Values for the sides to move and priors of all actions.
    fn evaluate_batch(
        &self,
        batch: &dyn PositionBatch,
        threads: usize,
    ) -> (Vec<f32>, Option<Vec<f32>>) {
        let kind = self.packed.kind();
        let mut input = vec![0.0; batch.len() * self.packed.inputs()];
        batch.encode(kind, &mut input, threads);
        let Outputs { mut values, policy, .. } = self.run(&input, threads);
        for (value, side) in values.iter_mut().zip(batch.sides()) {
            *value = kind.value_for(Side::BOTH[usize::from(side)], *value);
        }
        let priors = policy.map(|policy| priors(kind, batch, &policy, threads));
        (values, priors)
    }
}

/// The outputs of a network, one row per position.
struct Outputs {
    values: Vec<f32>,
    policy: Option<Vec<f32>>,
    ownership: Option<Vec<f32>>,
}

/// The softmax over the legal moves, by action.
fn priors(kind: &NetKind, batch: &dyn PositionBatch, policy: &[f32], threads: usize) -> Vec<f32> {
    let (actions, size) = (batch.actions(), batch.spec().policy_size());
    let legal = batch.legal_actions(threads);
    let mut priors = vec![0.0; batch.len() * actions];
    let mut first = 0;
    for (row, &count) in legal.counts.iter().enumerate() {
        let of_position = &legal.actions[first..first + count as usize];
        first += count as usize;
        let logits = &policy[row * size..][..size];
        // The output after the last one is a constant 0.
        let output = |index: usize| logits.get(index).copied().unwrap_or(0.0);
        let indices = batch.policy_indices(kind, row);
        let logits: Vec<f32> = indices.iter().map(|&[a, b]| output(a) + output(b)).collect();
        let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = logits.iter().map(|logit| (logit - max).exp()).sum();
        for (&action, logit) in of_position.iter().zip(&logits) {
            priors[row * actions + action as usize] = (logit - max).exp() / sum;
        }
    }
    priors
}

fn spec(entry: Entry) -> EncodingSpec {
    entry.learning().spec().encoding
}

/// The entry of the game that a safetensors file names, if none is given.
fn game_of(game: Option<&str>, path: &Path) -> PyResult<Entry> {
    match game {
        Some(game) => find(game),
        None => match Weights::read(path) {
            Ok(weights) => find(&weights.game),
            Err(error @ tablero_nets::NetError::Io { .. }) => Err(net_error(&error)),
            Err(error) => {
                Err(value_error(format!("{error} (for files of other programs give game=...)")))
            }
        },
    }
}

#[pymethods]
impl Network {
    /// Reads a file: safetensors, Keras (.keras, .h5) or ONNX. `game` is needed unless the file names it.
    #[staticmethod]
    #[pyo3(signature = (path, *, game=None))]
    fn load(py: Python<'_>, path: PathBuf, game: Option<&str>) -> PyResult<Self> {
        py.detach(|| {
            let entry = game_of(game, &path)?;
            let weights =
                Weights::read_any(&path, &spec(entry)).map_err(|error| net_error(&error))?;
            Self::new(entry, weights)
        })
    }

    /// A network that ships with the program (see tablero.weights).
    #[staticmethod]
    fn shipped(name: &str) -> PyResult<Self> {
        let entries = tablero_registry::games().iter();
        let mut files = entries
            .flat_map(|entry| entry.game().shipped_nets().iter().map(move |file| (*entry, file)));
        let Some((entry, file)) = files.clone().find(|(_, file)| file.name == name) else {
            let known: Vec<_> = files.by_ref().map(|(_, file)| file.name).collect();
            return Err(value_error(format!(
                "no network `{name}`; there are {}",
                known.join(", ")
            )));
        };
        let weights = Weights::from_bytes(file.bytes).map_err(|error| net_error(&error))?;
        Self::new(entry, weights)
    }

    /// A network with random weights (He initialization).
    #[staticmethod]
    #[pyo3(signature = (game, kind, *, seed=1))]
    fn random(game: &str, kind: &str, seed: u64) -> PyResult<Self> {
        let entry = find(game)?;
        let kind = Self::parse_kind(entry, kind)?;
        let weights =
            Weights::random(kind, &spec(entry), seed).map_err(|error| net_error(&error))?;
        Self::new(entry, weights)
    }

    /// A network of tensors by name: arrays of NumPy, or of PyTorch on the CPU (a state_dict of tablero.torch). Names
    /// and shapes are those of tablero.tensor_shapes.
    #[staticmethod]
    #[pyo3(signature = (game, kind, tensors, *, provenance=None))]
    fn from_tensors(
        game: &str,
        kind: &str,
        tensors: &Bound<'_, PyDict>,
        provenance: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let entry = find(game)?;
        let kind = Self::parse_kind(entry, kind)?;
        let mut found = BTreeMap::new();
        for (name, value) in tensors.iter() {
            let Ok(name) = name.extract::<String>() else {
                return Err(PyTypeError::new_err("the names of tensors must be str"));
            };
            let (data, shape) = floats(&value, &format!("tensor `{name}`"))?;
            found.insert(name, Tensor { shape, data });
        }
        let spec = spec(entry);
        let weights = Weights {
            game: spec.game.into(),
            version: spec.version_for(&kind),
            provenance: provenance.unwrap_or_else(|| vec!["tensors from Python".into()]),
            kind,
            tensors: found,
        };
        Self::new(entry, weights)
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &'static str {
        self.entry.game().name()
    }

    /// The architecture: "resnet 6x64", ...
    #[getter]
    fn kind(&self) -> String {
        self.weights.kind.to_string()
    }

    /// How the weights were made.
    #[getter]
    fn provenance(&self) -> Vec<String> {
        self.weights.provenance.clone()
    }

    /// The number of parameters.
    #[getter]
    fn parameters(&self) -> usize {
        self.weights.tensors.values().map(|tensor| tensor.data.len()).sum()
    }

    /// The shape of the input of one position.
    #[getter]
    fn input_shape(&self) -> Vec<usize> {
        input_shape(self.packed.kind(), &spec(self.entry))
    }

    /// A dict of the tensors, float32, by name.
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tensors = PyDict::new(py);
        for (name, tensor) in &self.weights.tensors {
            let array = PyArray1::from_slice(py, &tensor.data).reshape(tensor.shape.clone())?;
            tensors.set_item(name, array)?;
        }
        Ok(tensors)
    }

    /// Evaluates positions: their values for the sides to move, from -1 to 1, and a policy, the probabilities of all
    /// actions of shape (positions, actions), or None for a network without a policy.
    #[pyo3(signature = (positions, *, threads=None))]
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, Positions>,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyArray1<f32>>, Option<Bound<'py, PyArray2<f32>>>)> {
        let threads = self::threads(threads)?;
        let positions = positions.try_borrow()?;
        let batch = positions.batch();
        if batch.game() != self.entry.game() {
            let (own, other) = (self.entry.game(), batch.game());
            return Err(value_error(format!("a network of {own} cannot evaluate {other}")));
        }
        let (values, priors) = py.detach(|| self.evaluate_batch(batch, threads));
        let shape = [batch.len(), batch.actions()];
        let priors =
            priors.map(|priors| PyArray1::from_vec(py, priors).reshape(shape)).transpose()?;
        Ok((PyArray1::from_vec(py, values), priors))
    }

    /// The outputs for encoded positions (Positions.planes) as they are, in a dict: "value", of networks with a
    /// policy also "policy" (logits as planes), and "ownership" if there is that output.
    #[pyo3(signature = (inputs, *, threads=None))]
    fn forward<'py>(
        &self,
        inputs: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = inputs.py();
        let threads = self::threads(threads)?;
        let (values, shape) = floats(inputs, "inputs")?;
        let expected = self.input_shape();
        if shape.is_empty() || shape[1..] != expected {
            let kind = &self.weights.kind;
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            return Err(value_error(format!(
                "inputs of a {kind}: expected shape (positions, {}), found {shape:?}",
                expected.join(", ")
            )));
        }
        let outputs = py.detach(|| self.run(&values, threads));
        let spec = spec(self.entry);
        let planes = |data: Vec<f32>, planes: usize| -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
            PyArray1::from_vec(py, data).reshape(vec![shape[0], planes, spec.height, spec.width])
        };
        let answer = PyDict::new(py);
        answer.set_item("value", PyArray1::from_vec(py, outputs.values))?;
        if let Some(policy) = outputs.policy {
            answer.set_item("policy", planes(policy, spec.policy_planes)?)?;
        }
        if let Some(ownership) = outputs.ownership {
            answer.set_item("ownership", planes(ownership, 1)?)?;
        }
        Ok(answer)
    }

    /// Writes a file, whose extension tells the format: .safetensors, .onnx; .keras and .h5 for an mlp.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let Some(format) = NetFormat::of_extension(&extension) else {
            let known = NetFormat::ALL.map(NetFormat::extension).join(", ");
            let problem = format!("`{}`: expected an extension of {known}", path.display());
            return Err(value_error(problem));
        };
        let bytes = self.weights.to_format(format, &spec(self.entry));
        atomic_write(&path, &bytes.map_err(|error| net_error(&error))?).map_err(os_error)
    }

    /// A player with this network: line "puct sims=100" or "mcts iterations=500".
    #[pyo3(signature = (line="puct sims=100", *, name=None))]
    fn player<'py>(
        slf: &Bound<'py, Self>,
        line: &str,
        name: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(slf.py());
        options.set_item("network", slf)?;
        options.set_item("name", name)?;
        slf.py().get_type::<Player>().call((slf.get().game(), line), Some(&options))
    }

    fn __repr__(&self) -> String {
        format!("Network('{}', '{}')", self.game(), self.weights.kind)
    }
}

/// The policy outputs of every action, int64 of shape (actions, 2): its logit is the sum of the two, where the number
/// after the last output stands for 0. Those of the views "mover" and "attacks" of chess depend on the side to move, 0
/// or 1.
#[pyfunction]
#[pyo3(signature = (game, view="planes", side=0))]
pub(crate) fn action_outputs<'py>(
    py: Python<'py>,
    game: &str,
    view: &str,
    side: usize,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let batch = find(game)?.batch();
    let kind = self::view(view, &batch.spec())?;
    let Some(&side) = [Side::First, Side::Second].get(side) else {
        return Err(value_error(format!("side must be 0 or 1, not {side}")));
    };
    let outputs = batch.action_outputs(&kind, side);
    let flat: Vec<i64> = outputs.iter().flatten().map(|&output| output as i64).collect();
    PyArray1::from_vec(py, flat).reshape([outputs.len(), 2])
}

/// The names and shapes of the tensors of a network.
#[pyfunction]
pub(crate) fn tensor_shapes<'py>(
    py: Python<'py>,
    game: &str,
    kind: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let entry = find(game)?;
    let kind = Network::parse_kind(entry, kind)?;
    let shapes = PyDict::new(py);
    for tensor in tensor_specs(&kind, &spec(entry)) {
        shapes.set_item(tensor.name, pyo3::types::PyTuple::new(py, tensor.shape)?)?;
    }
    Ok(shapes)
}
