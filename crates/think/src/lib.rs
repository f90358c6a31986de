//! The trees of searches for people to see.
//!
//! A search records its [`SearchTree`](tablero_core::SearchTree); a [`Tree`] is the same with moves in the game's
//! notation. It is written as JSON (everything recorded), as DOT for Graphviz or as an SVG picture (the most important
//! nodes).
//!
//! - `model`: the types; `text`: a node in words; `top`: the most important nodes; `dot`, `svg`: the writers.

mod dot;
mod model;
mod svg;
mod text;
mod top;

use std::path::Path;

pub use model::{
    Bound, Choice, ChoiceReason, Cut, CutCount, FullWidth, Growth, Iteration, Jump, Leaf, Node,
    Outcome, Proven, Search, Step, Tree,
};

/// Nodes that are recorded if nobody says otherwise.
pub const DEFAULT_NODES: usize = 200_000;
/// Nodes of a DOT file; Graphviz takes long for more.
const DOT_NODES: usize = 1000;
/// Nodes of a picture.
const SVG_NODES: usize = 60;

/// The formats of tree files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeFormat {
    /// Everything that was recorded.
    Json,
    /// The most important nodes, for Graphviz.
    Dot,
    /// A picture of the most important nodes.
    Svg,
}

impl TreeFormat {
    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "json" => Some(Self::Json),
            "dot" | "gv" => Some(Self::Dot),
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }
}

impl Tree {
    /// The tree in this format.
    pub fn write(&self, format: TreeFormat) -> Vec<u8> {
        match format {
            // Only maps with keys that are no strings cannot be written, and there are none.
            TreeFormat::Json => serde_json::to_vec(self).unwrap_or_default(),
            TreeFormat::Dot => dot::write(self, DOT_NODES).into_bytes(),
            TreeFormat::Svg => svg::write(self, SVG_NODES).into_bytes(),
        }
    }
}
