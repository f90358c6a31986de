use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tablero_champion::engine::{Engine, Request, Stage};
use tablero_champion::eval::Weights;
use tablero_champion::{Board, Selectivity};
use tablero_core::Game;
use tablero_othello::Square;
use tablero_othello::files::obf;

use crate::args::ThreadsArg;
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero solve ffo-40-49.obf
  tablero solve ffo-40-49.obf --threads 1 --json
  tablero solve ffo-40-49.obf --wld          who wins, not by how much";

/// Solves Othello endgames exactly.
///
/// The file has a position a line, with the scores of its moves if they are known:
/// `...OX... X; A2:+38; C7:+36;`. The answers are compared with them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Solve {
    /// The file of positions (.obf).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Find out only who wins.
    #[arg(long)]
    wld: bool,
    /// Only the position of this number, counted from 1.
    #[arg(long, value_name = "N")]
    number: Option<usize>,
    /// Megabytes for seen positions.
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(0..=65_536))]
    hash: u32,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print one JSON object a line, the totals last.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Solved {
    /// The line of the file, counted from 1 without empty ones.
    index: usize,
    empties: u32,
    /// Discs, for the side to move; with `--wld` 1, 0 or -1.
    score: i32,
    best: String,
    nodes: u64,
    seconds: f64,
    /// The score in the file.
    expected: Option<i32>,
    /// Whether score and move are those of the file; nothing if it has none.
    ok: Option<bool>,
}

#[derive(Serialize)]
struct Totals {
    positions: usize,
    /// Positions whose score and move are those of the file.
    right: usize,
    /// Positions whose score or move are not.
    wrong: usize,
    nodes: u64,
    seconds: f64,
    nps: u64,
    threads: usize,
}

impl Solve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let name = self.file.display();
        let text =
            std::fs::read_to_string(&self.file).with_context(|| format!("cannot read {name}"))?;
        let entries = obf::read(&text).with_context(|| name.to_string())?;
        if self.number.is_some_and(|number| !(1..=entries.len()).contains(&number)) {
            return Err(usage(format!("--number is 1 to {} here", entries.len())));
        }
        if !self.json {
            out::line("  #  empties  score  best         nodes    seconds     nodes/s");
        }
        let mut totals = Totals {
            positions: 0,
            right: 0,
            wrong: 0,
            nodes: 0,
            seconds: 0.0,
            nps: 0,
            threads: self.threads.count(),
        };
        let threads = totals.threads;
        let mut engine = Engine::new(Weights::embedded(), (self.hash as usize) << 20, threads);
        for (index, entry) in (1..).zip(&entries) {
            if self.number.is_some_and(|number| number != index) {
                continue;
            }
            let solved = self.solve(&mut engine, index, entry);
            totals.add(&solved);
            if self.json {
                out::json(&solved);
            } else {
                solved.print();
            }
        }
        if self.json {
            out::json(&totals);
        } else {
            totals.print();
        }
        anyhow::ensure!(totals.wrong == 0, "{} answers differ from the file's", totals.wrong);
        Ok(())
    }

    fn solve(&self, engine: &mut Engine<&Weights>, index: usize, entry: &obf::Entry) -> Solved {
        let begin = Instant::now();
        let board = Board::from(&entry.position);
        let stop = AtomicBool::new(false);
        engine.clear();
        let goal = Stage { depth: board.empties().count_ones(), selectivity: Selectivity::NONE };
        let request = Request { outcome_only: self.wld, ..Request::new(board, goal, &stop) };
        let found = engine.search(&request, &mut |_| {});
        let score = if self.wld { found.value().signum() } else { found.value() };
        let best = Square::new(found.best()).unwrap_or(Square::PASS);
        let is_over = entry.position.outcome().is_some();
        let scores = || entry.scores.iter().map(|&(m, score)| (m, self.meaning(score.0)));
        let expected = scores().map(|(_, score)| score).max();
        let best_is_known = scores().any(|(m, score)| m == best && Some(score) == expected);
        Solved {
            index,
            empties: board.empties().count_ones(),
            score,
            best: if is_over { String::new() } else { best.to_string() },
            nodes: found.nodes,
            seconds: begin.elapsed().as_secs_f64(),
            expected,
            ok: expected.map(|expected| score == expected && best_is_known),
        }
    }

    /// What is asked of a score: itself, or who wins.
    fn meaning(&self, score: i32) -> i32 {
        if self.wld { score.signum() } else { score }
    }
}

impl Solved {
    fn print(&self) {
        let Self { index, empties, score, best, nodes, seconds, .. } = self;
        let speed = *nodes as f64 / seconds.max(1e-9);
        let verdict = match (self.ok, self.expected) {
            (Some(true), _) => "right".into(),
            (Some(false), Some(expected)) => format!("wrong: {expected:+} is right"),
            _ => String::new(),
        };
        out::line(format_args!(
            "{index:>3} {empties:>8} {score:>+6}  {best:<4} {nodes:>13} {seconds:>10.3} {speed:>11.0}  {verdict}"
        ));
    }
}

impl Totals {
    fn add(&mut self, solved: &Solved) {
        self.positions += 1;
        self.right += usize::from(solved.ok == Some(true));
        self.wrong += usize::from(solved.ok == Some(false));
        self.nodes += solved.nodes;
        self.seconds += solved.seconds;
        self.nps = (self.nodes as f64 / self.seconds.max(1e-9)) as u64;
    }

    fn print(&self) {
        let Self { positions, right, wrong, nodes, seconds, nps, threads } = self;
        out::line(format_args!(
            "{positions} positions, {right} right, {wrong} wrong; {nodes} nodes in {seconds:.2} s, {nps} nodes/s, threads: {threads}"
        ));
    }
}
