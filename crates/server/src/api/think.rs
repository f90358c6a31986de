use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A search whose tree is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ThinkRequest {
    /// The rules variant; the default if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The position as text; the default start if left out.
    #[serde(default)]
    pub position: Option<String>,
    /// Moves from there, in any notation of the game.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The player line of the engine: minimax, alphabeta, mcts or puct. It searches for at most ten seconds.
    pub player: String,
    /// The largest number of nodes, from 100 to 100000; beyond it the tree is summarised. 20000 if left out.
    #[serde(default)]
    pub max_nodes: Option<usize>,
    /// Random seed.
    #[serde(default)]
    pub seed: u64,
}
