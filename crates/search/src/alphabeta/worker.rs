//! One thread of the search: what it remembers, when it stops.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tablero_core::{Evaluation, Info, Match, Tactics};

use super::options::AlphaBetaOptions;
use super::ordering::{Hints, History, Ranked};
use super::root::Root;
use super::table::Table;
use crate::budget::Budget;
use crate::repetition::RepetitionHistory;
use crate::score;

/// No line is longer.
pub(super) const MAX_PLY: usize = 128;
/// No search is deeper: extensions and quiescence have room left.
pub(super) const MAX_DEPTH: u32 = 100;

/// What all threads of one search share.
pub(super) struct Team<'a, G: Tactics> {
    pub(super) options: &'a AlphaBetaOptions,
    pub(super) evaluation: &'a dyn Evaluation<G>,
    pub(super) table: &'a Table,
    pub(super) budget: Budget,
    /// Somebody outside wants the move now.
    pub(super) stop: &'a AtomicBool,
    /// The decision is made.
    pub(super) halt: AtomicBool,
    /// Positions looked at by all threads, as far as they have told.
    pub(super) nodes: AtomicU64,
}

/// What a thread keeps from one move of a game to the next.
pub(super) struct Memory<G: Tactics> {
    pub(super) frames: Vec<Frame<G>>,
    pub(super) history: History,
    pub(super) reductions: Reductions,
}

/// What a thread keeps for each ply of the line that it looks at.
pub(super) struct Frame<G: Tactics> {
    pub(super) moves: Vec<Ranked<G::Move>>,
    pub(super) killers: [Option<G::Move>; 2],
    /// The best line from here on.
    pub(super) line: Vec<G::Move>,
    /// The mover's opponent has just skipped a turn.
    pub(super) skipped: bool,
}

/// Where a thread tells what it found out.
pub(super) type Report<'a, G> = &'a mut dyn FnMut(&Info<G>);

/// One thread at work on one decision.
pub(super) struct Worker<'a, G: Tactics> {
    pub(super) team: &'a Team<'a, G>,
    pub(super) memory: &'a mut Memory<G>,
    pub(super) repetition: RepetitionHistory<G>,
    pub(super) root: Root<G>,
    pub(super) nodes: u64,
    pub(super) deepest: usize,
    /// How often something went into a value that a deeper search could find to be otherwise: an
    /// evaluation, a short cut, a draw that depends on the line.
    pub(super) guesses: u64,
    /// The search ends: values are no longer to be believed.
    pub(super) halted: bool,
    told: u64,
    lookout: Lookout,
    report: Option<Report<'a, G>>,
}

/// When to look at the clock, so that it costs nothing but is never late by much.
struct Lookout {
    next: u64,
    interval: u64,
    last: Duration,
    reported: Duration,
}

impl<'a, G: Tactics> Worker<'a, G> {
    /// A thread that has yet to start; the one that makes the decision has someone to report to.
    pub(super) fn new(
        team: &'a Team<'a, G>,
        memory: &'a mut Memory<G>,
        game: &Match<G>,
        only: Option<&[G::Move]>,
        report: Option<Report<'a, G>>,
    ) -> Self {
        memory.prepare();
        let position = game.position();
        let judged = score::of_evaluation(team.evaluation, position, None);
        let hints = Hints {
            best: team.table.probe(position.key()).and_then(|entry| entry.best),
            killers: [None; 2],
            history: &memory.history,
        };
        Self {
            team,
            root: Root::new(position, only, judged, &hints),
            memory,
            repetition: RepetitionHistory::new(game),
            nodes: 0,
            deepest: 0,
            guesses: 0,
            halted: false,
            told: 0,
            lookout: Lookout {
                next: 1,
                interval: 1,
                last: Duration::ZERO,
                reported: Duration::ZERO,
            },
            report,
        }
    }

    /// Whether this is the thread that makes the decision.
    pub(super) const fn decides(&self) -> bool {
        self.report.is_some()
    }

    /// Counts a position; false if the search must end.
    #[inline]
    pub(super) fn enter(&mut self, ply: usize) -> bool {
        if self.halted {
            return false;
        }
        self.nodes += 1;
        self.deepest = self.deepest.max(ply);
        if self.nodes >= self.lookout.next {
            self.look_around();
        }
        !self.halted
    }

    #[cold]
    fn look_around(&mut self) {
        let Team { budget, .. } = self.team;
        let (total, elapsed) = (self.tell_nodes(), budget.time.elapsed());
        self.halted = self.team.stop.load(Ordering::Relaxed)
            || self.team.halt.load(Ordering::Relaxed)
            || total >= budget.nodes
            || self.decides() && budget.time.is_spent(elapsed);
        let interval = self.lookout.pace(elapsed);
        self.lookout.next = self.nodes + interval.min(budget.nodes.saturating_sub(total));
        if elapsed >= self.lookout.reported + Duration::from_secs(1) {
            self.report();
        }
    }

    /// Adds what this thread has counted to the team's sum and gives the sum.
    pub(super) fn tell_nodes(&mut self) -> u64 {
        let new = self.nodes - self.told;
        self.told = self.nodes;
        self.team.nodes.fetch_add(new, Ordering::Relaxed) + new
    }

    /// Reports what is known, if there is someone to report to.
    pub(super) fn report(&mut self) {
        if let Some(report) = self.report.take() {
            let info = self.info();
            self.lookout.reported = info.time;
            report(&info);
            self.report = Some(report);
        }
    }

    /// What is known.
    pub(super) fn info(&mut self) -> Info<G> {
        Info {
            depth: self.root.depth,
            deepest: self.deepest as u32,
            nodes: self.tell_nodes(),
            time: self.team.budget.time.elapsed(),
            table_full: Some(self.team.table.hashfull()),
            lines: self.root.lines(self.team.options.multi_pv),
            ..Info::default()
        }
    }
}

impl Lookout {
    /// How many positions to look at until the next look around: about a millisecond's worth.
    fn pace(&mut self, now: Duration) -> u64 {
        const MOST: u64 = 4096;
        let since = now.saturating_sub(self.last);
        self.last = now;
        if since > Duration::from_millis(1) {
            self.interval = (self.interval / 2).max(1);
        } else if since < Duration::from_micros(400) {
            self.interval = (self.interval * 2).min(MOST);
        }
        self.interval
    }
}

impl<G: Tactics> Memory<G> {
    pub(super) fn new() -> Self {
        Self {
            frames: (0..=MAX_PLY).map(|_| Frame::new()).collect(),
            history: History::new(G::HISTORY_SLOTS),
            reductions: Reductions::new(),
        }
    }

    /// Forgets what it learned.
    pub(super) fn clear(&mut self) {
        self.history.clear();
    }

    fn prepare(&mut self) {
        self.history.fade();
        for frame in &mut self.frames {
            frame.killers = [None; 2];
            frame.skipped = false;
        }
    }

    /// Makes the best line from `ply` on begin with `m`.
    pub(super) fn lead(&mut self, ply: usize, m: G::Move) {
        let (here, below) = self.frames.split_at_mut(ply + 1);
        let line = &mut here[ply].line;
        line.clear();
        line.push(m);
        line.extend_from_slice(&below[0].line);
    }
}

impl<G: Tactics> Frame<G> {
    fn new() -> Self {
        Self { moves: Vec::new(), killers: [None; 2], line: Vec::new(), skipped: false }
    }
}

/// By how many plies to look less deeply at a move that comes late.
pub(super) struct Reductions(Box<[[u8; Self::SIZE]; Self::SIZE]>);

impl Reductions {
    const SIZE: usize = 64;

    fn new() -> Self {
        let mut table = Box::new([[0; Self::SIZE]; Self::SIZE]);
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, plies) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (number as f64).ln();
                *plies = (0.4 + product / 2.2) as u8;
            }
        }
        Self(table)
    }

    /// For move `number` (the first is 0) with so many plies to go.
    #[inline]
    pub(super) fn get(&self, depth: i32, number: usize) -> i32 {
        let depth = (depth.max(0) as usize).min(Self::SIZE - 1);
        i32::from(self.0[depth][number.min(Self::SIZE - 1)])
    }
}
