use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tablero_core::{
    AnyGame, AnyMove, AnyPosition, AnyRecord, ForMover, Input, OpenResult, Records, last_position,
    open_as,
};
use tablero_registry::{Solution, SolveLimits, Solver, find, games};

use crate::args::{Entry, StrictArg, ThreadsArg, hash_size};
use crate::files::{format_for, read_file, report_skipped, select_game};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero solve ffo-40-49.obf
  tablero solve ffo-40-49.obf --threads 1 --json
  tablero solve ffo-40-49.obf --wld          win, loss or draw only
  tablero solve --game connectfour games.txt the last positions of games such as 44533";

/// Solve positions exactly: endgames of Othello, and Connect Four.
///
/// The file has one position or game per line; positions of Othello optionally with known scores of moves, against
/// which the results are checked: `...OX... X; A2:+38; C7:+36;`. A score of Connect Four is one more than the stones
/// that the winner has left.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Solve {
    /// File of positions (.obf) or games.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Solve for win, loss or draw only.
    #[arg(long)]
    wld: bool,
    /// Game [default: the first one with a solver].
    #[arg(long, value_name = "GAME", value_parser = find)]
    game: Option<Entry>,
    /// Solve only position number N.
    #[arg(long, value_name = "N")]
    number: Option<usize>,
    #[command(flatten)]
    strict: StrictArg,
    /// Size of the transposition table.
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = hash_size)]
    hash: u32,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print one JSON object per line, the totals last.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Solved {
    /// Number of the position in the file, from 1.
    index: usize,
    empties: u32,
    /// The score for the side to move; with `--wld` 1, 0 or -1.
    score: i32,
    best: String,
    nodes: u64,
    seconds: f64,
    /// The score in the file.
    expected: Option<i32>,
    /// Whether score and move agree with the file, if it has any.
    ok: Option<bool>,
}

#[derive(Serialize, Default)]
struct Totals {
    positions: usize,
    /// Positions whose score and move agree with the file.
    right: usize,
    /// Positions whose score or move differs from the file.
    wrong: usize,
    nodes: u64,
    seconds: f64,
    nps: u64,
    threads: usize,
}

/// The tag with the known scores of moves: `A2:+38; C7:+36`.
const SCORES: &str = "Scores";

impl Solve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (game, mut solver) = self.solver()?;
        let records = self.records(game)?;
        select_game(&records, self.number)?;
        if !self.json {
            out::line("  #  empties  score  best         nodes    seconds     nodes/s");
        }
        let mut totals = Totals { threads: self.threads.count(), ..Totals::default() };
        for (index, record) in records.numbered() {
            if self.number.is_some_and(|number| number != index) {
                continue;
            }
            let solved = self.solve(&mut *solver, index, record)?;
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
        anyhow::ensure!(totals.wrong == 0, "{} results differ from the file", totals.wrong);
        Ok(())
    }

    fn solver(&self) -> anyhow::Result<(AnyGame, Box<dyn Solver>)> {
        let of_entry = |entry: Entry| {
            Some((entry.game(), entry.solver(self.hash as usize, self.threads.count())?))
        };
        match self.game {
            None => games().iter().copied().find_map(of_entry).context("no game has a solver"),
            Some(entry) => {
                of_entry(entry).ok_or_else(|| usage(format!("{} has no solver", entry.game())))
            }
        }
    }

    fn records(&self, game: AnyGame) -> anyhow::Result<Records> {
        let name = self.file.display();
        let bytes = read_file(&self.file)?;
        let input = Input { bytes: &bytes, path: Some(&self.file) };
        // If no format is detected, report the errors of the format named by the extension.
        let named = |error| -> OpenResult {
            let format = format_for(game, &self.file, None).map_err(|_| error)?;
            open_as(game, &input, Some(format.name))
        };
        let opened =
            open_as(game, &input, None).or_else(named).with_context(|| name.to_string())?;
        Ok(report_skipped(name, opened, self.strict.strict)?.0)
    }

    fn solve(
        &self,
        solver: &mut dyn Solver,
        index: usize,
        record: &AnyRecord,
    ) -> anyhow::Result<Solved> {
        let start = Instant::now();
        let position = last_position(index, record)?;
        let never = AtomicBool::new(false);
        let solution = solver.solve(&position, SolveLimits { wld: self.wld }, &never);
        let solution = solution.context("the position is of another game")?;
        let Solution { score: ForMover(score), best, nodes, empties } = solution;
        let scores = self.scores(&position, record);
        let expected = scores.iter().map(|&(_, score)| score).max();
        let is_known = |&(m, score): &(AnyMove, i32)| Some(m) == best && Some(score) == expected;
        let best_is_known = scores.iter().any(is_known);
        Ok(Solved {
            index,
            empties,
            score,
            best: best.map_or_else(String::new, |m| position.move_text(m)),
            nodes,
            seconds: start.elapsed().as_secs_f64(),
            expected,
            ok: expected.map(|expected| score == expected && best_is_known),
        })
    }

    /// The known scores of moves; those of a game are of its starting position, not of its last.
    fn scores(&self, position: &AnyPosition, record: &AnyRecord) -> Vec<(AnyMove, i32)> {
        let score = |text: &str| {
            let (m, score) = text.split_once(':')?;
            Some((position.parse_move(m).ok()?, self.as_wld(score.trim().parse().ok()?)))
        };
        let known = record.tag(SCORES).filter(|_| record.plies.is_empty()).unwrap_or_default();
        known.split(';').filter_map(score).collect()
    }

    /// The sign of a score with `--wld`.
    const fn as_wld(&self, score: i32) -> i32 {
        if self.wld { score.signum() } else { score }
    }
}

impl Solved {
    fn print(&self) {
        let Self { index, empties, score, best, nodes, seconds, .. } = self;
        let speed = *nodes as f64 / seconds.max(1e-9);
        let verdict = match (self.ok, self.expected) {
            (Some(true), _) => "right".into(),
            (Some(false), Some(expected)) => format!("wrong, expected {expected:+}"),
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
