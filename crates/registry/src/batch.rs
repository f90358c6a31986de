//! Many positions of a game in one object.

use std::any::Any;

use tablero_core::{AnyGame, AnyGameHistory, AnyPosition, Outcome, Side};
use tablero_nets::{EncodingSpec, NetKind};
use thiserror::Error;

/// Games in progress of one game, handled together: for callers to whom a call per position is too slow, such as
/// Python. Moves are numbers of the game's action space ([`Encoding::action`](tablero_core::Encoding::action)).
///
/// Results do not depend on the number of threads.
pub trait PositionBatch: Any + Send + Sync {
    /// The game.
    fn game(&self) -> AnyGame;

    /// The sizes of its encoding.
    fn spec(&self) -> EncodingSpec;

    /// The size of its action space.
    fn actions(&self) -> usize;

    /// The policy outputs of every action of a side in networks of this kind
    /// ([`Encoding::action_outputs`](tablero_core::Encoding::action_outputs)).
    fn action_outputs(&self, kind: &NetKind, side: Side) -> Vec<[usize; 2]>;

    /// The number of positions.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the current position of a game; false if it is of another game.
    fn push(&mut self, game: &AnyGameHistory) -> bool;

    /// Adds the positions of another batch; false if they are of another game.
    fn extend(&mut self, other: &dyn PositionBatch) -> bool;

    /// The positions with these indices, in this order; `None` if one is out of range.
    fn select(&self, indices: &[usize]) -> Option<Box<dyn PositionBatch>>;

    /// The images under a board symmetry.
    fn transform(&self, symmetry: usize) -> Box<dyn PositionBatch>;

    /// The position with an index.
    fn position(&self, index: usize) -> Option<AnyPosition>;

    /// The sides to move, 0 or 1.
    fn sides(&self) -> Vec<u8>;

    /// Plies since each position's game began, as far as known.
    fn plies(&self) -> Vec<u32>;

    /// The hash keys.
    fn keys(&self) -> Vec<u64>;

    /// The outcomes of the games that are over, on the board or by a forced draw.
    fn outcomes(&self, threads: usize) -> Vec<Option<Outcome>>;

    /// The actions of all legal moves, in the order of [`AnyPosition::moves`]; none where the game is over.
    fn legal_actions(&self, threads: usize) -> LegalActions;

    /// Sets the legal actions in `mask`, which is all false and has [`actions`](Self::actions) elements per position.
    fn write_legal_mask(&self, mask: &mut [bool], threads: usize);

    /// A random legal action of every position, or -1 where the game is over.
    fn sample_actions(&self, seed: u64, threads: usize) -> Vec<i64>;

    /// Plays an action in every position; -1 leaves it as it is. Nothing is played if one is not legal.
    fn play(&mut self, actions: &[i64], threads: usize) -> Result<(), IllegalAction>;

    /// Plays up to `plies` random moves in every position; returns the number of moves.
    fn play_random(&mut self, plies: u32, seed: u64, threads: usize) -> u64;

    /// Plays `count` random games of at most `max_plies` plies from every position.
    fn playouts(&self, count: usize, max_plies: u32, seed: u64, threads: usize) -> Vec<Playout>;

    /// Encodes the positions as a network of this kind sees them, which must [fit](NetKind::check) the game; `input`
    /// is all 0.
    fn encode(&self, kind: &NetKind, input: &mut [f32], threads: usize);

    /// The policy outputs of the legal moves of a position, in the order of [`AnyPosition::moves`].
    fn policy_indices(&self, kind: &NetKind, index: usize) -> Vec<[usize; 2]>;
}

/// The legal actions of many positions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LegalActions {
    /// Those of all positions, one after the other.
    pub actions: Vec<u32>,
    /// The number of actions of each position.
    pub counts: Vec<u32>,
}

/// The end of a random game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Playout {
    /// The outcome; a draw where the game reached the limit.
    pub outcome: Outcome,
    /// Its length in plies.
    pub plies: u32,
}

/// Why [`PositionBatch::play`] played nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IllegalAction {
    /// The number of actions is not that of positions.
    #[error("{found} actions for {expected} positions")]
    Count {
        /// Actions.
        found: usize,
        /// Positions.
        expected: usize,
    },
    /// An action is not legal.
    #[error("action {action} is not legal in position {index}: {position}")]
    NotLegal {
        /// The position.
        index: usize,
        /// The action.
        action: i64,
        /// The position as text.
        position: String,
    },
    /// A game is over.
    #[error("the game of position {index} is over: its action must be -1")]
    Over {
        /// The position.
        index: usize,
    },
}
