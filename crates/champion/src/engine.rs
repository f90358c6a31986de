//! The engine: iterative deepening over depth and selectivity, threads, progress reports.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;
use std::time::Duration;

use tablero_core::{LazyTable, spawn_helper};

use crate::Board;
use crate::clock::StopSignal;
use crate::endgame;
use crate::eval::Weights;
use crate::search::{Root, RootPv, Selectivity, Shared, SplitPool, Worker};
use crate::tt::{TransTable, TtEntry, new_table};

/// The Othello engine: its tables, and weights that it owns or borrows.
///
/// ```
/// use tablero_champion::engine::Engine;
/// use tablero_champion::eval::Weights;
/// use tablero_champion::Board;
/// use tablero_core::{Notation, StandardRules};
/// use tablero_othello::Othello;
///
/// let text = "XXXXXXXOXXXXXXOOXXXXXXOOXXXXXXOOXXXXXXOOXXXXXXOOXXXXXXOOOOOOOO-- X";
/// let position = Othello::parse_position(text, StandardRules).expect("a position");
/// let mut engine = Engine::new(Weights::embedded(), 1 << 20, 1);
/// let (score, _) = engine.solve(Board::from(&position));
/// assert_eq!(score % 2, 0, "an exact score in discs");
/// ```
pub struct Engine<W> {
    weights: W,
    tt: LazyTable<TtEntry>,
    /// Endgame tables, one per thread.
    endgame_tables: Vec<LazyTable<TtEntry>>,
}

/// Depth and selectivity of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iteration {
    /// Plies; the number of empties for a search to the end.
    pub depth: u32,
    /// Confidence of Multi-ProbCut.
    pub selectivity: Selectivity,
}

/// A position to search, and its limits.
pub struct Request<'a> {
    /// The position; one side can move.
    pub board: Board,
    /// The root moves to search, as a set of squares.
    pub searchmoves: u64,
    /// The last iteration.
    pub goal: Iteration,
    /// Number of principal variations.
    pub multi_pv: usize,
    /// Win/loss/draw: searches to the end only need the sign of the score.
    pub wld: bool,
    /// Stops the search when set.
    pub stop: &'a AtomicBool,
    /// Hard time limit.
    pub time_limit: Option<Duration>,
    /// Node limit.
    pub node_limit: Option<u64>,
    /// Called after every iteration; true stops the search.
    pub should_stop: &'a dyn Fn(&Progress) -> bool,
}

/// Progress of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// The last complete iteration.
    pub iteration: Iteration,
    /// The principal variations, the best first.
    pub pvs: Vec<Variation>,
    /// Nodes searched.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// Iterations since the best move last changed.
    pub stability: u32,
    /// Occupancy of the transposition table, in permille.
    pub hashfull: u32,
}

/// A principal variation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variation {
    /// Value in discs, for the side to move.
    pub value: i32,
    /// Squares of its moves; 64 is a pass.
    pub squares: Vec<u8>,
}

impl Progress {
    /// The best move: a square, or 64 for a pass.
    pub fn best_move(&self) -> u8 {
        self.pvs.first().and_then(|line| line.squares.first()).copied().unwrap_or(64)
    }

    /// The value of the best move, in discs.
    pub fn value(&self) -> i32 {
        self.pvs.first().map_or(0, |line| line.value)
    }
}

impl<W: Borrow<Weights>> Engine<W> {
    /// An engine with a transposition table of this size, allocated by the first search.
    pub fn new(weights: W, table_bytes: usize, threads: usize) -> Self {
        Self {
            weights,
            tt: new_table(table_bytes),
            endgame_tables: (0..threads.max(1)).map(|_| endgame::endgame_table()).collect(),
        }
    }

    /// Clears the tables.
    pub fn clear(&mut self) {
        self.tt.clear(self.endgame_tables.len());
        self.endgame_tables.iter_mut().for_each(|table| table.clear(1));
    }

    /// Bytes allocated for tables.
    pub fn memory(&self) -> usize {
        self.tt.memory() + self.endgame_tables.iter().map(LazyTable::memory).sum::<usize>()
    }

    /// Frees the tables until the next search.
    pub fn release_memory(&mut self) {
        self.tt.release();
        self.endgame_tables.iter_mut().for_each(LazyTable::release);
    }

    /// Searches a position; reports after every iteration and, in long ones, now and then.
    pub fn search(&mut self, request: &Request<'_>, report: &mut dyn FnMut(&Progress)) -> Progress {
        if request.board.moves() == 0 {
            return self.search_after_pass(request, report);
        }
        let shared = Shared {
            weights: self.weights.borrow(),
            tt: self.tt.new_search(),
            split_pool: SplitPool::new(),
            stop_signal: StopSignal::new(request.stop, request.time_limit),
            node_limit: request.node_limit.unwrap_or(u64::MAX),
            nodes: AtomicU64::new(0),
        };
        let Some((first, others)) = self.endgame_tables.split_first_mut() else {
            unreachable!("there is at least one thread");
        };
        thread::scope(|scope| {
            for endgame_table in others {
                let shared = &shared;
                let help = move || Worker::new(shared, endgame_table.get()).idle_loop();
                if !spawn_helper(scope, help) {
                    break;
                }
            }
            let progress = iterative_deepening(&shared, first.get(), request, report);
            shared.stop_signal.stop();
            shared.split_pool.wake();
            progress
        })
    }

    /// Searches a position whose side to move must pass, from the opponent's side.
    fn search_after_pass(
        &mut self,
        request: &Request<'_>,
        report: &mut dyn FnMut(&Progress),
    ) -> Progress {
        let mirror = |mut progress: Progress| {
            for line in &mut progress.pvs {
                line.value = -line.value;
                line.squares.insert(0, 64);
            }
            progress
        };
        let request =
            Request { board: request.board.pass(), searchmoves: !0, multi_pv: 1, ..*request };
        if request.board.moves() == 0 {
            let line = Variation { value: -request.board.margin(), squares: Vec::new() };
            let mut progress = Progress::empty();
            progress.pvs.push(line);
            return progress;
        }
        let progress = self.search(&request, &mut |progress| report(&mirror(progress.clone())));
        mirror(progress)
    }

    /// Value in discs and best move (64 for a pass) of a search to `depth`.
    pub fn value(&mut self, board: Board, depth: u32, selectivity: Selectivity) -> (i32, u8) {
        let stop = AtomicBool::new(false);
        let request = Request::new(board, Iteration { depth, selectivity }, &stop);
        let progress = self.search(&request, &mut |_| {});
        (progress.value(), progress.best_move())
    }

    /// Exact score and best move (64 for a pass).
    pub fn solve(&mut self, board: Board) -> (i32, u8) {
        self.value(board, 60, Selectivity::NONE)
    }
}

impl<'a> Request<'a> {
    /// All moves, one principal variation, no limits.
    pub const fn new(board: Board, goal: Iteration, stop: &'a AtomicBool) -> Self {
        Self {
            board,
            searchmoves: !0,
            goal,
            multi_pv: 1,
            wld: false,
            stop,
            time_limit: None,
            node_limit: None,
            should_stop: &|_: &Progress| false,
        }
    }
}

impl Progress {
    fn empty() -> Self {
        Self {
            iteration: Iteration { depth: 0, selectivity: Selectivity::LOWEST_CONFIDENCE },
            pvs: Vec::new(),
            nodes: 0,
            time: Duration::ZERO,
            stability: 0,
            hashfull: 0,
        }
    }

    fn update(&mut self, shared: &Shared<'_>, nodes: u64) {
        self.nodes = nodes;
        self.time = shared.stop_signal.elapsed();
        self.hashfull = shared.tt.hashfull();
    }
}

impl From<RootPv> for Variation {
    fn from(line: RootPv) -> Self {
        Self { value: line.value, squares: line.squares }
    }
}

/// The iterations up to `goal`.
fn iterations(empties: u32, goal: Iteration) -> Vec<Iteration> {
    let depth = goal.depth.clamp(1, empties);
    let iteration = |depth, selectivity| Iteration { depth, selectivity };
    if depth < empties {
        return (1..=depth).map(|depth| iteration(depth, goal.selectivity)).collect();
    }
    // A search to the end costs less than the last midgame plies before it.
    let midgame = (1..=empties.saturating_sub(10))
        .map(|depth| iteration(depth, Selectivity::LOWEST_CONFIDENCE));
    let selectivities = preparatory_selectivities(empties);
    let selectivities = selectivities.iter().copied().filter(|&level| level < goal.selectivity);
    let endgame = selectivities.chain([goal.selectivity]).map(|level| iteration(empties, level));
    midgame.chain(endgame).collect()
}

/// Selective searches to the end before the last one: they find the best move and fill the table,
/// so that the last one mostly confirms. The more empties, the more of them pay.
fn preparatory_selectivities(empties: u32) -> &'static [Selectivity] {
    let count = match empties {
        0..=14 => 0,
        15..=23 => 1,
        24..=26 => 2,
        27..=29 => 3,
        _ => 5,
    };
    &Selectivity::ALL[..count]
}

fn iterative_deepening(
    shared: &Shared<'_>,
    endgame_table: &TransTable,
    request: &Request<'_>,
    report: &mut dyn FnMut(&Progress),
) -> Progress {
    let mut root = Root::new(request.board, request.searchmoves);
    let reporter = RefCell::new((Progress::empty(), report));
    let mut on_progress = |nodes| {
        let (progress, report) = &mut *reporter.borrow_mut();
        if !progress.pvs.is_empty() {
            progress.update(shared, nodes);
            report(progress);
        }
    };
    let mut worker = Worker::new(shared, endgame_table).with_progress(&mut on_progress);
    for iteration in iterations(root.empties(), request.goal) {
        let best = root.best_move();
        let to_the_end = iteration.depth == root.empties();
        let bounds = if request.wld && to_the_end { (-1, 1) } else { (-64, 64) };
        let Iteration { depth, selectivity } = iteration;
        let complete = worker.search_root(&mut root, depth, selectivity, request.multi_pv, bounds);
        let (progress, report) = &mut *reporter.borrow_mut();
        progress.stability = if root.best_move() == best { progress.stability + 1 } else { 0 };
        if complete {
            progress.iteration = iteration;
        }
        let lines = root.lines(request.multi_pv, shared.tt).into_iter().map(Variation::from);
        let lines: Vec<_> = lines.collect();
        if !lines.is_empty() {
            progress.pvs = lines;
        }
        progress.update(shared, worker.flush_nodes());
        if !complete {
            break;
        }
        report(progress);
        if (request.should_stop)(progress) {
            break;
        }
    }
    let (mut progress, _) = reporter.into_inner();
    if progress.pvs.is_empty() {
        // Stopped before the first iteration: any move will do.
        progress.pvs.push(Variation { value: 0, squares: vec![root.best_move()] });
    }
    progress
}
