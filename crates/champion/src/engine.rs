//! Searching one position: the stages of a search, the threads, what it tells on the way.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;
use std::time::Duration;

use tablero_core::LazyTable;

use crate::Board;
use crate::clock::Watch;
use crate::endgame;
use crate::eval::Weights;
use crate::search::{Root, RootLine, Selectivity, Shared, Team, Worker};
use crate::table::{Entry, Table, table_of};

/// A search with its memory, and weights that it owns or borrows.
pub struct Engine<W> {
    weights: W,
    table: LazyTable<Entry>,
    /// For the endgame, one for each thread.
    small_tables: Vec<LazyTable<Entry>>,
}

/// How far to look, and with what short cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Plies; as many as there are empty squares is to the end of the game.
    pub depth: u32,
    /// How sure to be.
    pub selectivity: Selectivity,
}

/// What to search, and what bounds it.
pub struct Request<'a> {
    /// The position; somebody can move.
    pub board: Board,
    /// The squares to choose from.
    pub only: u64,
    /// The last stage.
    pub goal: Stage,
    /// How many moves to find the values of.
    pub lines: usize,
    /// At the end of the game only win, draw or loss is asked for: the sign of a value.
    pub outcome_only: bool,
    /// Break off when this is set.
    pub stop: &'a AtomicBool,
    /// Break off after this time.
    pub time: Option<Duration>,
    /// Break off after so many positions.
    pub nodes: Option<u64>,
    /// Start no new stage if this says so.
    pub enough: &'a dyn Fn(&Progress) -> bool,
}

/// What a search has found out.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// The last complete stage.
    pub stage: Stage,
    /// The best lines, the best first; 64 is a pass.
    pub lines: Vec<FoundLine>,
    /// Positions looked at.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
    /// For how many stages the best move has been the same.
    pub stable: u32,
    /// How full the table is, in thousandths.
    pub table_full: u32,
}

/// A line of play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundLine {
    /// Its worth in discs, for the side to move.
    pub value: i32,
    /// Its squares; 64 is a pass.
    pub squares: Vec<u8>,
}

impl Progress {
    /// The best move: a square, or 64 for a pass.
    pub fn best(&self) -> u8 {
        self.lines.first().and_then(|line| line.squares.first()).copied().unwrap_or(64)
    }

    /// The value of the best move, in discs.
    pub fn value(&self) -> i32 {
        self.lines.first().map_or(0, |line| line.value)
    }
}

impl<W: Borrow<Weights>> Engine<W> {
    /// A search with a table of so many bytes, taken when it first searches, and so many threads.
    pub fn new(weights: W, table_bytes: usize, threads: usize) -> Self {
        Self {
            weights,
            table: table_of(table_bytes),
            small_tables: (0..threads.max(1)).map(|_| endgame::small_table()).collect(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear(self.small_tables.len());
        self.small_tables.iter_mut().for_each(|table| table.clear(1));
    }

    /// Bytes that the tables take now.
    pub fn memory(&self) -> usize {
        self.table.memory() + self.small_tables.iter().map(LazyTable::memory).sum::<usize>()
    }

    /// Forgets everything and gives the memory of the tables back until the next search.
    pub fn release_memory(&mut self) {
        self.table.release();
        self.small_tables.iter_mut().for_each(LazyTable::release);
    }

    /// Searches; tells what it found after every stage, and in long ones how far it has come.
    pub fn search(&mut self, request: &Request<'_>, report: &mut dyn FnMut(&Progress)) -> Progress {
        if request.board.moves() == 0 {
            return self.search_after_pass(request, report);
        }
        let shared = Shared {
            weights: self.weights.borrow(),
            table: self.table.new_search(),
            team: Team::new(),
            watch: Watch::new(request.stop, request.time),
            node_limit: request.nodes.unwrap_or(u64::MAX),
            nodes: AtomicU64::new(0),
        };
        let Some((first, others)) = self.small_tables.split_first_mut() else {
            unreachable!("there is at least one thread");
        };
        thread::scope(|scope| {
            for small_table in others {
                let shared = &shared;
                scope.spawn(move || Worker::new(shared, small_table.get()).help());
            }
            let progress = deepen(&shared, first.get(), request, report);
            shared.watch.halt();
            shared.team.wake();
            progress
        })
    }

    /// The search of a position whose mover must pass: that of the other side's.
    fn search_after_pass(
        &mut self,
        request: &Request<'_>,
        report: &mut dyn FnMut(&Progress),
    ) -> Progress {
        let mirror = |mut progress: Progress| {
            for line in &mut progress.lines {
                line.value = -line.value;
                line.squares.insert(0, 64);
            }
            progress
        };
        let request = Request { board: request.board.pass(), only: !0, lines: 1, ..*request };
        if request.board.moves() == 0 {
            let line = FoundLine { value: -request.board.margin(), squares: Vec::new() };
            let mut progress = Progress::nothing();
            progress.lines.push(line);
            return progress;
        }
        let progress = self.search(&request, &mut |progress| report(&mirror(progress.clone())));
        mirror(progress)
    }

    /// The value in discs and the best square (64 for a pass) of a position after `depth` plies.
    pub fn value(&mut self, board: Board, depth: u32, selectivity: Selectivity) -> (i32, u8) {
        let stop = AtomicBool::new(false);
        let request = Request::new(board, Stage { depth, selectivity }, &stop);
        let progress = self.search(&request, &mut |_| {});
        (progress.value(), progress.best())
    }

    /// The exact value and the best square (64 for a pass) of a position.
    pub fn solve(&mut self, board: Board) -> (i32, u8) {
        self.value(board, 60, Selectivity::NONE)
    }
}

impl<'a> Request<'a> {
    /// All moves, one line, no bounds.
    pub const fn new(board: Board, goal: Stage, stop: &'a AtomicBool) -> Self {
        let (time, nodes) = (None, None);
        let (only, lines, outcome_only, enough) = (!0, 1, false, &|_: &Progress| false);
        Self { board, only, goal, lines, outcome_only, stop, time, nodes, enough }
    }
}

impl Progress {
    fn nothing() -> Self {
        Self {
            stage: Stage { depth: 0, selectivity: Selectivity::BOLDEST },
            lines: Vec::new(),
            nodes: 0,
            time: Duration::ZERO,
            stable: 0,
            table_full: 0,
        }
    }

    fn count(&mut self, shared: &Shared<'_>, nodes: u64) {
        self.nodes = nodes;
        self.time = shared.watch.elapsed();
        self.table_full = shared.table.hashfull();
    }
}

impl From<RootLine> for FoundLine {
    fn from(line: RootLine) -> Self {
        Self { value: line.value, squares: line.squares }
    }
}

/// The stages that lead to `goal`.
fn stages(empties: u32, goal: Stage) -> Vec<Stage> {
    let depth = goal.depth.clamp(1, empties);
    let stage = |depth, selectivity| Stage { depth, selectivity };
    if depth < empties {
        let deepen = |depth| stage(depth, goal.selectivity);
        return (1..=depth).map(deepen).collect();
    }
    // A search to the end costs less than the last plies before it.
    let bold = (1..=empties.saturating_sub(10)).map(|depth| stage(depth, Selectivity::BOLDEST));
    let passes = passes(empties).into_iter().filter(|&sure| sure < goal.selectivity);
    let passes = passes.chain([goal.selectivity]).map(|selectivity| stage(empties, selectivity));
    bold.chain(passes).collect()
}

/// The passes to the end of the game before the one that counts: they find the best move and fill
/// the table, so that the last one mostly confirms. The more there is to do, the more of them pay.
fn passes(empties: u32) -> Vec<Selectivity> {
    let count = match empties {
        0..=14 => 0,
        15..=23 => 1,
        24..=26 => 2,
        27..=29 => 3,
        _ => 5,
    };
    Selectivity::ALL[..count].to_vec()
}

fn deepen(
    shared: &Shared<'_>,
    small_table: &Table,
    request: &Request<'_>,
    report: &mut dyn FnMut(&Progress),
) -> Progress {
    let mut root = Root::new(request.board, request.only);
    let telling = RefCell::new((Progress::nothing(), report));
    let mut pulse = |nodes| {
        let (progress, report) = &mut *telling.borrow_mut();
        if !progress.lines.is_empty() {
            progress.count(shared, nodes);
            report(progress);
        }
    };
    let mut worker = Worker::new(shared, small_table).with_pulse(&mut pulse);
    for stage in stages(root.empties(), request.goal) {
        let best = root.best();
        let to_the_end = stage.depth == root.empties();
        let bounds = if request.outcome_only && to_the_end { (-1, 1) } else { (-64, 64) };
        let Stage { depth, selectivity } = stage;
        let complete = worker.search_root(&mut root, depth, selectivity, request.lines, bounds);
        let (progress, report) = &mut *telling.borrow_mut();
        progress.stable = if root.best() == best { progress.stable + 1 } else { 0 };
        if complete {
            progress.stage = stage;
        }
        let lines = root.lines(request.lines, shared.table).into_iter().map(FoundLine::from);
        let lines: Vec<_> = lines.collect();
        if !lines.is_empty() {
            progress.lines = lines;
        }
        progress.count(shared, worker.tell_nodes());
        if !complete {
            break;
        }
        report(progress);
        if (request.enough)(progress) {
            break;
        }
    }
    let (mut progress, _) = telling.into_inner();
    if progress.lines.is_empty() {
        // Broken off at once: any move is better than none.
        progress.lines.push(FoundLine { value: 0, squares: vec![root.best()] });
    }
    progress
}
