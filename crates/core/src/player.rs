use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;

use crate::{ForMover, Game, GameHistory, Recording, SearchTree, Value};

/// Chooses moves: a search, or an engine at the other end of a pipe.
///
/// The [crate's front page](crate) has an example of an implementation; searches are in
/// `tablero-search`.
pub trait Player<G: Game>: Send {
    /// Chooses a move in a game that is not over.
    ///
    /// `limits` apply in addition to the player's own. A player polls [`Control::is_stopped`] at least
    /// every few milliseconds and then returns the best move so far, one of
    /// [`Control::searchmoves`] if that is set.
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError>;

    /// The Q values, from -1 to 1, of the root moves of the last search. Only tree searches that
    /// average results have any; the scores of others come from an evaluation.
    fn root_q_values(&self) -> Vec<(G::Move, ForMover<f64>)> {
        Vec::new()
    }

    /// Like [`root_q_values`](Self::root_q_values) one ply deeper, for the side to reply.
    fn reply_q_values(&self) -> Vec<([G::Move; 2], ForMover<f64>)> {
        Vec::new()
    }

    /// Whether its searches fill a [`Recording`]: it searches a tree and shows it.
    fn records_tree(&self) -> bool {
        false
    }

    /// Bytes allocated for tables and trees.
    fn memory(&self) -> usize {
        0
    }

    /// Drops tables and trees. The next search starts cold; [`root_q_values`](Self::root_q_values) may
    /// be lost.
    fn release_memory(&mut self) {}

    /// Clears all state of earlier games and reseeds the player's randomness.
    fn new_game(&mut self, seed: u64);
}

/// Limits of one search, as those of UCI's `go`; `None` does not limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes (iterations or simulations for tree searches).
    pub nodes: Option<u64>,
    /// Time for this move (`movetime`).
    pub time: Option<Duration>,
    /// The clock, from which a search allocates its own time.
    pub clock: Option<Clock>,
}

/// The clock of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Time left.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves to the next time control, if there is one.
    pub moves_to_go: Option<u32>,
}

/// Connects a search with its caller: stop flag, progress reports, root move restriction, recording of the tree.
pub struct Control<'a, G: Game> {
    stop: &'a AtomicBool,
    report: &'a mut dyn FnMut(&Info<G>),
    searchmoves: Option<&'a [G::Move]>,
    recording: Option<&'a mut Recording<G::Move>>,
}

/// The state of a search, as in UCI's `info`.
#[derive(Clone, PartialEq, Debug)]
pub struct Info<G: Game> {
    /// Completed depth in plies.
    pub depth: u32,
    /// Selective search depth: the longest line searched.
    pub seldepth: u32,
    /// Nodes (or iterations) searched.
    pub nodes: u64,
    /// Elapsed time.
    pub time: Duration,
    /// Transposition table occupancy in permill, if there is a table.
    pub hashfull: Option<u32>,
    /// Whether the scores are game-theoretic values: the search reached the end of the game
    /// everywhere, without unsound pruning.
    pub exact: bool,
    /// Principal variations, the best first; several only with multi-PV.
    pub lines: Vec<Pv<G>>,
}

/// A principal variation with its score.
#[derive(Clone, PartialEq, Debug)]
pub struct Pv<G: Game> {
    /// The score for the side to move at the root.
    pub value: ForMover<Value>,
    /// The moves from the root.
    pub moves: Vec<G::Move>,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult<G: Game> {
    /// The move to play.
    pub m: G::Move,
    /// The final state of the search.
    pub info: Info<G>,
}

/// Why a player chose no move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// There is no legal move.
    #[error("the game is over")]
    GameOver,
    /// An external engine failed.
    #[error("{player} {what}")]
    Failed {
        /// Its name.
        player: String,
        /// What happened: "ended", "answered `x`, which is not a legal move", ...
        what: String,
    },
    /// An external engine exceeded its time limit.
    #[error("{player} ran out of time: {what}")]
    Timeout {
        /// Its name.
        player: String,
        /// What happened: "no move within 1.5 s", ...
        what: String,
    },
    /// The player resigns.
    #[error("the player resigns")]
    Resigned,
}

impl<'a, G: Game> Control<'a, G> {
    /// A search that ends when `stop` is set and passes its progress to `report`.
    pub const fn new(stop: &'a AtomicBool, report: &'a mut dyn FnMut(&Info<G>)) -> Self {
        Self { stop, report, searchmoves: None, recording: None }
    }

    /// Restricts the root to these moves (`searchmoves`): legal ones, at least one.
    #[must_use]
    pub const fn with_searchmoves(mut self, moves: &'a [G::Move]) -> Self {
        self.searchmoves = Some(moves);
        self
    }

    /// Records the tree of the search, if the player [does](Player::records_tree).
    #[must_use]
    pub fn with_recording(mut self, recording: &'a mut Recording<G::Move>) -> Self {
        self.recording = Some(recording);
        self
    }

    /// The largest tree to record, in nodes; `None` if nobody wants it.
    pub fn max_tree_nodes(&self) -> Option<usize> {
        self.recording.as_ref().map(|recording| recording.max_nodes)
    }

    /// Hands over the tree of the search.
    pub fn record(&mut self, tree: SearchTree<G::Move>) {
        if let Some(recording) = &mut self.recording {
            recording.tree = Some(tree);
        }
    }

    /// The root moves to search, if restricted.
    pub const fn searchmoves(&self) -> Option<&'a [G::Move]> {
        self.searchmoves
    }

    /// Whether the search must stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The stop flag, for helper threads.
    pub const fn stop_flag(&self) -> &'a AtomicBool {
        self.stop
    }

    /// Reports progress.
    pub fn report(&mut self, info: &Info<G>) {
        (self.report)(info);
    }
}

impl<G: Game> Default for Info<G> {
    fn default() -> Self {
        Self {
            depth: 0,
            seldepth: 0,
            nodes: 0,
            time: Duration::ZERO,
            hashfull: None,
            exact: false,
            lines: Vec::new(),
        }
    }
}

impl<G: Game> Info<G> {
    /// Search speed (nps).
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

impl Limits {
    /// The tighter of both limits, field by field.
    ///
    /// ```
    /// use tablero_core::Limits;
    /// let own = Limits { depth: Some(8), ..Limits::default() };
    /// let requested = Limits { depth: Some(5), nodes: Some(1000), ..Limits::default() };
    /// assert_eq!(own.and(requested), requested);
    /// ```
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        fn tighter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            [a, b].into_iter().flatten().min()
        }
        Self {
            depth: tighter(self.depth, other.depth),
            nodes: tighter(self.nodes, other.nodes),
            time: tighter(self.time, other.time),
            clock: other.clock.or(self.clock),
        }
    }

    /// Whether nothing is limited.
    pub fn is_unlimited(self) -> bool {
        self == Self::default()
    }
}
