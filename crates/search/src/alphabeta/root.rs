//! The root: iterative deepening, aspiration windows, several lines.

use tablero_core::{Line, Tactics};

use super::node::Step;
use super::ordering::{self, Hints};
use super::window::Window;
use super::worker::Worker;
use crate::score;

/// The moves of the position to decide on, and how far the search has come.
pub(super) struct Root<G: Tactics> {
    position: G,
    /// The best first.
    moves: Vec<RootMove<G>>,
    /// The last iteration that is complete.
    pub(super) depth: u32,
    /// The iteration under way.
    pub(super) depth_now: u32,
    /// For how many iterations the best move has been the same.
    stable: u32,
    /// Of the last complete iteration: the moves whose values are exact, the best first.
    pub(super) exact: Vec<(G::Move, i32)>,
}

struct RootMove<G: Tactics> {
    m: G::Move,
    /// What this iteration found; nothing yet, or only that the move is not best.
    value: Option<i32>,
    /// What earlier iterations found; before them, what the position looks like.
    previous: i32,
    line: Vec<G::Move>,
}

/// Iterations from here on start with a small window around the last value.
const ASPIRE_FROM: u32 = 4;
/// Half the width of that window.
const ASPIRE: i32 = 30;
/// A move that is the only one is not thought about more deeply on the clock: this is for the value.
const FORCED_DEPTH: u32 = 8;

impl<G: Tactics> Root<G> {
    /// With all moves, or `only` with some of them; the position looks to be worth `judged`.
    pub(super) fn new(
        position: &G,
        only: Option<&[G::Move]>,
        judged: i32,
        hints: &Hints<'_, G::Move>,
    ) -> Self {
        let mut ranked = Vec::new();
        let mut add = |m| ranked.push(hints.rank(position, m, ranked.len() as u16));
        match only {
            Some(moves) => {
                moves.iter().copied().filter(|&m| position.is_legal(m)).for_each(&mut add)
            }
            None => position.each_distinct_move(&mut add),
        }
        ordering::sort(&mut ranked);
        let root_move = |m| RootMove { m, value: None, previous: judged, line: vec![m] };
        Self {
            position: position.clone(),
            moves: ranked.iter().map(|ranked| root_move(ranked.m)).collect(),
            depth: 0,
            depth_now: 0,
            stable: 0,
            exact: Vec::new(),
        }
    }

    /// The best move so far; none where there are no moves.
    pub(super) fn best(&self) -> Option<G::Move> {
        self.moves.first().map(|best| best.m)
    }

    /// The best lines so far.
    pub(super) fn lines(&self, count: usize) -> Vec<Line<G>> {
        let line = |root_move: &RootMove<G>| Line {
            value: score::to_value::<G>(root_move.known()),
            moves: root_move.line.clone(),
        };
        self.moves.iter().take(count.max(1)).map(line).collect()
    }

    /// Puts `moves[from..]` in order of their values; those without one stay in the order that they
    /// had.
    fn sort(&mut self, from: usize) {
        self.moves[from..].sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
    }
}

impl<G: Tactics> RootMove<G> {
    fn known(&self) -> i32 {
        self.value.unwrap_or(self.previous)
    }
}

impl<G: Tactics> Worker<'_, G> {
    /// Looks ever deeper until something ends the search.
    pub(super) fn deepen(&mut self, from: u32) {
        for depth in from..=self.team.budget.depth {
            let (guesses, best) = (self.guesses, self.root.best());
            self.iterate(depth);
            if self.halted {
                return;
            }
            self.root.depth = depth;
            self.root.stable = if self.root.best() == best { self.root.stable + 1 } else { 0 };
            self.report();
            if self.guesses == guesses || self.is_decided() || self.is_enough() {
                return;
            }
        }
    }

    /// Looks at all moves with `depth` plies.
    fn iterate(&mut self, depth: u32) {
        self.root.depth_now = depth;
        for root_move in &mut self.root.moves {
            root_move.previous = root_move.known();
            root_move.value = None;
        }
        let temper = self.team.options.temper;
        let wanted = if temper.is_some() { usize::MAX } else { self.team.options.multi_pv.max(1) };
        let mut exact = Vec::new();
        let mut floor = -score::INFINITE;
        for line in 0..self.root.moves.len().min(wanted) {
            let value = self.aspire(depth, line, floor);
            if self.halted {
                return;
            }
            if value <= floor {
                break;
            }
            exact.push((self.root.moves[line].m, value));
            if line == 0
                && let Some(temper) = temper
            {
                floor = value - temper.within - 1;
            }
        }
        // A later line can turn out to be better where short cuts made an earlier one look bad.
        self.root.sort(0);
        self.root.exact = exact;
    }

    /// The value of the best of `moves[line..]`, which comes to `line`; `floor` or below if none is
    /// above it. Starts with a narrow window and opens it until the value lies inside.
    fn aspire(&mut self, depth: u32, line: usize, floor: i32) -> i32 {
        let mut width = ASPIRE;
        let centre = self.root.moves[line].known();
        let mut window = if depth < ASPIRE_FROM || score::is_decided(centre) {
            Window::FULL
        } else {
            Window { alpha: centre - width, beta: (centre + width).max(floor + 2) }
        };
        loop {
            window.alpha = window.alpha.max(floor);
            let value = self.search_root(depth, window, line);
            width = if score::is_decided(value) {
                score::INFINITE
            } else {
                (3 * width).min(score::INFINITE)
            };
            let is_inside = value > window.alpha && value < window.beta;
            if self.halted || is_inside || value <= floor {
                return value;
            }
            if value <= window.alpha {
                window.alpha = (value - width).max(-score::INFINITE);
            } else {
                window.beta = (value + width).min(score::INFINITE);
            }
        }
    }

    fn search_root(&mut self, depth: u32, mut window: Window, line: usize) -> i32 {
        let position = self.root.position.clone();
        let mut best = -score::INFINITE;
        for at in line..self.root.moves.len() {
            let m = self.root.moves[at].m;
            let child = position.after(m);
            let step = Step { position: &child, from: Some((&position, m)), ply: 1 };
            let value = self.child(&step, depth as i32 - 1, 0, window, at - line);
            if self.halted {
                break;
            }
            let root_move = &mut self.root.moves[at];
            root_move.value = None;
            if at == line || value > window.alpha {
                root_move.value = Some(value);
                self.memory.lead(0, root_move.m);
                root_move.line.clone_from(&self.memory.frames[0].line);
            }
            best = best.max(value);
            window.alpha = window.alpha.max(value);
            if window.is_empty() {
                break;
            }
        }
        self.root.sort(line);
        best
    }

    /// Whether every line that is asked for ends the game within the plies looked at, so that no
    /// deeper search can find anything else.
    fn is_decided(&self) -> bool {
        self.root.exact.iter().all(|&(_, value)| {
            score::plies_to_end::<G>(value).is_some_and(|plies| plies <= self.root.depth)
        })
    }

    /// Whether the decision should not take longer.
    fn is_enough(&self) -> bool {
        let time = &self.team.budget.time;
        self.decides()
            && (time.is_enough(time.elapsed(), self.root.stable)
                || time.is_timed() && self.root.moves.len() == 1 && self.root.depth >= FORCED_DEPTH)
    }
}
