use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;

use crate::{ForMover, Game, Match, Value};

/// Someone who chooses moves: a search, an engine at the other end of a pipe, a person.
pub trait Player<G: Game>: Send {
    /// Chooses a move in a match that is not over.
    ///
    /// `limits` bound this decision in addition to whatever bounds the player was made with. A
    /// player looks at [`Control::stopped`] at least every few milliseconds and then answers with
    /// the best move it has, one of [`Control::only`] if that is set.
    fn choose(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<Choice<G>, PlayerError>;

    /// The results that it expects, from -1 to 1, of moves of its last decision. Only a search that reckons in
    /// results says any; the values of others are those of an evaluation.
    fn expected(&self) -> Vec<(G::Move, ForMover<f64>)> {
        Vec::new()
    }

    /// Like [`expected`](Self::expected), of replies to moves: for whoever would reply.
    fn expected_replies(&self) -> Vec<([G::Move; 2], ForMover<f64>)> {
        Vec::new()
    }

    /// Bytes that its tables and trees take now.
    fn memory(&self) -> usize {
        0
    }

    /// Drops tables and trees: the next move takes longer to find, but is as good. What the last decision
    /// [`expected`](Self::expected) may be gone too.
    fn release_memory(&mut self) {}

    /// Forgets earlier games; whatever the player does at random from now on comes from `seed`.
    fn new_game(&mut self, seed: u64);
}

/// What bounds one decision; what is not set does not bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Plies to look ahead.
    pub depth: Option<u32>,
    /// Positions to look at (iterations, for a search that counts those).
    pub nodes: Option<u64>,
    /// Time for this move.
    pub time: Option<Duration>,
    /// A clock for the rest of the game.
    pub clock: Option<Clock>,
}

/// The clock of the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Time left.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until more time is added, if the game is played so.
    pub moves_to_go: Option<u32>,
}

/// The line between a player that thinks and whoever waits for it.
pub struct Control<'a, G: Game> {
    stop: &'a AtomicBool,
    report: &'a mut dyn FnMut(&Info<G>),
    only: Option<&'a [G::Move]>,
}

/// What a player found out so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Info<G: Game> {
    /// Plies looked ahead everywhere.
    pub depth: u32,
    /// Plies looked ahead along the longest line.
    pub deepest: u32,
    /// Positions (or iterations) looked at.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
    /// How full the table of seen positions is, in thousandths, if there is one.
    pub table_full: Option<u32>,
    /// Whether the values are those of perfect play: the search saw the end of the game everywhere,
    /// and left nothing out.
    pub exact: bool,
    /// The best lines, the best first; more than one only if asked for.
    pub lines: Vec<Line<G>>,
}

/// A line of play and what it is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct Line<G: Game> {
    /// The worth, for the side to move at its start.
    pub value: ForMover<Value>,
    /// The moves, from the present position on.
    pub moves: Vec<G::Move>,
}

/// A decision.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice<G: Game> {
    /// The move to play.
    pub m: G::Move,
    /// What the player knew when it decided.
    pub info: Info<G>,
}

/// Why a player could not choose.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// There is nothing to choose.
    #[error("the game is over")]
    GameOver,
    /// Another program failed.
    #[error("{player} {what}")]
    Failed {
        /// Which one.
        player: String,
        /// What it did: "ended", "answered `x`, which is not a legal move", ...
        what: String,
    },
    /// The player gives the game up.
    #[error("the player resigns")]
    Resigned,
}

impl<'a, G: Game> Control<'a, G> {
    /// Stops when `stop` is set; hands what is found out to `report`.
    pub const fn new(stop: &'a AtomicBool, report: &'a mut dyn FnMut(&Info<G>)) -> Self {
        Self { stop, report, only: None }
    }

    /// Leaves the player only these moves to choose from: legal ones, and at least one.
    #[must_use]
    pub const fn with_only(mut self, moves: &'a [G::Move]) -> Self {
        self.only = Some(moves);
        self
    }

    /// The moves to choose from, if not all legal ones.
    pub const fn only(&self) -> Option<&'a [G::Move]> {
        self.only
    }

    /// Whether to stop now.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag itself, for threads that help.
    pub const fn stop_flag(&self) -> &'a AtomicBool {
        self.stop
    }

    /// Tells what was found out.
    pub fn report(&mut self, info: &Info<G>) {
        (self.report)(info);
    }
}

impl<G: Game> Default for Info<G> {
    fn default() -> Self {
        Self {
            depth: 0,
            deepest: 0,
            nodes: 0,
            time: Duration::ZERO,
            table_full: None,
            exact: false,
            lines: Vec::new(),
        }
    }
}

impl<G: Game> Info<G> {
    /// Positions looked at in a second.
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

impl Limits {
    /// Both bounds at once: the tighter of each.
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

    /// Nothing bounds the decision.
    pub fn is_unlimited(self) -> bool {
        self == Self::default()
    }
}
