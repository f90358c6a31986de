//! The trees of searches.

use numpy::PyArray1;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablero_think::{Node, Tree, TreeFormat};

use crate::errors::{runtime_error, value_error};

/// The tree of a search; tablero.SearchTree is its Python half.
#[pyclass(module = "tablero", frozen)]
pub(crate) struct RecordedTree {
    tree: Tree,
    /// Everything but the nodes and the growth, as JSON.
    summary: String,
}

impl RecordedTree {
    pub(crate) fn new(mut tree: Tree) -> PyResult<Self> {
        let (nodes, growth) = (std::mem::take(&mut tree.nodes), tree.growth.take());
        let summary = serde_json::to_string(&tree).map_err(runtime_error)?;
        (tree.nodes, tree.growth) = (nodes, growth);
        Ok(Self { tree, summary })
    }

    fn text(&self, format: TreeFormat) -> PyResult<String> {
        String::from_utf8(self.tree.write(format)).map_err(runtime_error)
    }
}

/// The numbers of nodes that arrays show: NaN where a node has none.
type Column = (&'static str, fn(&Node) -> Option<f64>);
const COLUMNS: [Column; 15] = [
    ("value", |node| node.value),
    ("visits", |node| node.visits.map(|visits| visits as f64)),
    ("prior", |node| node.prior),
    ("exploitation", |node| node.bound.map(|bound| bound[0])),
    ("exploration", |node| node.bound.map(|bound| bound[1])),
    ("network_value", |node| node.network_value),
    ("nodes", |node| node.nodes.map(|nodes| nodes as f64)),
    ("depth", |node| node.depth.map(f64::from)),
    ("reduction", |node| node.reduction.map(f64::from)),
    ("alpha", |node| node.window.and_then(|window| window[0])),
    ("beta", |node| node.window.and_then(|window| window[1])),
    ("static_eval", |node| node.static_eval),
    ("moves", |node| node.moves.map(f64::from)),
    ("best_rank", |node| node.best_rank.map(f64::from)),
    ("transposes_to", |node| node.transposes_to.map(f64::from)),
];

#[pymethods]
impl RecordedTree {
    fn __len__(&self) -> usize {
        self.tree.nodes.len()
    }

    /// Everything but the nodes, as JSON.
    fn _summary(&self) -> &str {
        &self.summary
    }

    /// A node as JSON.
    fn _node(&self, id: usize) -> PyResult<String> {
        let node = self.tree.nodes.get(id).ok_or_else(|| {
            PyIndexError::new_err(format!("no node {id}: there are {}", self.tree.nodes.len()))
        })?;
        serde_json::to_string(node).map_err(runtime_error)
    }

    /// The nodes as arrays: parent, side, and the numbers that this search has.
    fn _arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (arrays, nodes) = (PyDict::new(py), &self.tree.nodes);
        let parent = |node: &Node| node.parent.map_or(-1, i64::from);
        arrays.set_item("parent", PyArray1::from_iter(py, nodes.iter().map(parent)))?;
        arrays
            .set_item("side", PyArray1::from_iter(py, nodes.iter().map(|node| node.side as i8)))?;
        for (name, number) in COLUMNS {
            if nodes.iter().any(|node| number(node).is_some()) {
                let column = nodes.iter().map(|node| number(node).unwrap_or(f64::NAN));
                arrays.set_item(name, PyArray1::from_iter(py, column))?;
            }
        }
        Ok(arrays)
    }

    /// The moves to the nodes; None where a node has the position of its parent.
    fn _moves(&self) -> Vec<Option<&str>> {
        self.tree.nodes.iter().map(|node| node.m.as_deref()).collect()
    }

    /// The growth of a tree of mcts or puct: the node at which each iteration ended, and its value.
    fn _growth<'py>(&self, py: Python<'py>) -> Option<Growth<'py>> {
        let growth = self.tree.growth.as_ref()?;
        let leaves = growth.leaves.iter().map(|&leaf| i64::from(leaf));
        Some((
            PyArray1::from_iter(py, leaves),
            PyArray1::from_iter(py, growth.values.iter().copied()),
        ))
    }

    /// Everything that was recorded, as JSON.
    fn json(&self) -> PyResult<String> {
        self.text(TreeFormat::Json)
    }

    /// The most searched nodes for Graphviz.
    fn dot(&self) -> PyResult<String> {
        self.text(TreeFormat::Dot)
    }

    /// A picture of the most searched nodes.
    fn svg(&self) -> PyResult<String> {
        self.text(TreeFormat::Svg)
    }
}

/// Leaves and values.
type Growth<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>);

/// The largest number of nodes to record.
pub(crate) fn max_nodes(given: usize) -> PyResult<usize> {
    const RANGE: std::ops::RangeInclusive<usize> = 100..=5_000_000;
    match RANGE.contains(&given) {
        true => Ok(given),
        false => Err(value_error(format!("max_nodes must be 100 to 5000000, not {given}"))),
    }
}
