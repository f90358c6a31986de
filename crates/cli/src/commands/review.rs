use std::path::PathBuf;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tablero_core::{AnyRecord, ForFirst, Limits, PlayerLine, PlayerSetup, Side, Value};
use tablero_registry::find;
use tablero_review::{MoveReview, MoveSummary, Review, ReviewSummary, Reviewer, Verdict};

use crate::args::{DetectedGameArg, StrictArg, ThreadsArg, duration, position};
use crate::files::{open_input, select_game, write_records};
use crate::graph::Graph;
use crate::out::{self, usage};
use crate::output_file::ForceArg;
use crate::text::headline;

const EXAMPLES: &str = "Examples:
  tablero review game.pgn
  tablero review games.ggf --number 3 --time 2s
  tablero review game.pgn --out annotated.pgn         annotate with scores, ?! ? ?? and variations
  tablero review \"f5d6c3d3c4\" --player \"alphabeta depth=8\" --json";

/// Review a game: the loss of each move, mistakes, accuracy and a graph.
///
/// A move is an inaccuracy, a mistake or a blunder if it loses 2, 4 or 8 discs in Othello, or 10, 20 or
/// 30 % of the winning chances in the other games.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReviewGame {
    /// File, move list or position with moves; `-` for standard input.
    #[arg(value_name = "FILE", allow_hyphen_values = true, value_parser = position)]
    input: String,
    /// Player that searches (see `tablero players`) [default: champion for Othello, otherwise
    /// alphabeta].
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Search time per position, unless the player has a limit.
    #[arg(long, value_name = "TIME", default_value = "300ms", value_parser = duration)]
    time: Duration,
    /// Number of the game in the file [default: the first].
    #[arg(long, value_name = "N")]
    number: Option<usize>,
    #[command(flatten)]
    game: DetectedGameArg,
    /// Write the annotated game to FILE: scores, marks and better variations.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    strict: StrictArg,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl ReviewGame {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        self.out.iter().try_for_each(|path| self.force.check(path))?;
        let (records, _) = open_input(&self.input, self.game.game(), None, self.strict.strict)?;
        self.review(select_game(&records, self.number)?.1.clone())
    }

    fn review(&self, mut record: AnyRecord) -> anyhow::Result<()> {
        let game = record.start.game();
        let line = self.player.as_deref().unwrap_or(game.analyst());
        let review = self.search(&record, line)?;
        let answer = review.summary(&record, line);
        if self.json {
            out::json(&answer);
        } else {
            print(&record, &review, &answer);
        }
        if let Some(path) = &self.out {
            review.annotate(&mut record);
            record.set_tag("Annotator", format!("Tablero, {line}"));
            write_records(game, path, None, &[record], self.force)?;
            out::note(format_args!("written to {}", path.display()));
        }
        Ok(())
    }

    fn search(&self, record: &AnyRecord, line: &str) -> anyhow::Result<Review> {
        let threads = self.threads.count();
        let has_limit = line.parse::<PlayerLine>().map_err(usage)?.has_limit();
        let setup = PlayerSetup { threads, limited_by_caller: !has_limit, ..PlayerSetup::LOCAL };
        let entry = find(record.start.game().name())?;
        let mut player = entry.build(line, &setup).map_err(usage)?;
        let time = (!has_limit).then_some(self.time);
        let limits = Limits { time, ..Limits::default() };
        let bar = ProgressBar::new(1);
        let style = "{bar:30} {pos}/{len} positions  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let review = Reviewer::new(player.as_mut(), limits).review(record, |progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
            true
        });
        bar.finish_and_clear();
        Ok(review?.expect("never cancelled"))
    }
}

fn print(record: &AnyRecord, review: &Review, answer: &ReviewSummary) {
    let bold = Style::new().bold();
    out::line(format_args!("{bold}{}{bold:#}\n", headline(record)));
    for (reviewed, m) in review.moves.iter().zip(&answer.moves) {
        out::line(move_line(reviewed, m));
    }
    let chances = record.start.game().wdl_model();
    let chances = |value: ForFirst<Value>| chances.expected_score(value.0);
    let curve =
        std::iter::once(review.start).chain(review.moves.iter().map(|reviewed| reviewed.after));
    let marks = review.moves.iter().map(|reviewed| reviewed.verdict >= Verdict::Mistake);
    let graph = Graph {
        values: curve.map(chances).collect(),
        marks: std::iter::once(false).chain(marks).collect(),
        sides: record.start.info().sides,
    };
    out::line(format_args!("\n{graph}"));
    for side in [Side::First, Side::Second] {
        out::line(side_line(record, review, side));
    }
    let dim = Style::new().dimmed();
    let exact = match exact_from(review) {
        Some(ply) => format!("; exact from move {ply}"),
        None => String::new(),
    };
    out::line(format_args!("{dim}analysed by {}{exact}{dim:#}", answer.player));
}

/// The number of the first move from which all losses are exact.
fn exact_from(review: &Review) -> Option<usize> {
    let estimated =
        review.moves.iter().rposition(|reviewed| !reviewed.exact).map_or(0, |last| last + 1);
    (estimated < review.moves.len()).then_some(estimated + 1)
}

fn move_line(reviewed: &MoveReview, m: &MoveSummary) -> String {
    let style = match reviewed.verdict {
        Verdict::Best | Verdict::Good => Style::new(),
        Verdict::Inaccuracy => AnsiColor::Yellow.on_default(),
        Verdict::Mistake => AnsiColor::Magenta.on_default().bold(),
        Verdict::Blunder => AnsiColor::Red.on_default().bold(),
    };
    let name = format!("{}{}", m.m, reviewed.verdict.symbol());
    let lost = match (reviewed.verdict, reviewed.loss.units) {
        (Verdict::Best, _) => String::new(),
        (_, Some(units)) => format!("-{units:.2}"),
        (_, None) => format!("-{:.0} %", 100.0 * reviewed.loss.expected_score),
    };
    let better = match reviewed.verdict {
        Verdict::Best | Verdict::Good => String::new(),
        verdict => {
            format!(
                "{verdict}, better {}",
                m.line.iter().take(6).cloned().collect::<Vec<_>>().join(" ")
            )
        }
    };
    let text = format!("{:>3}  {:<6} {name:<12} {:>9} {lost:>8}  {better}", m.ply, m.side, m.value);
    format!("{style}{}{style:#}", text.trim_end())
}

fn side_line(record: &AnyRecord, review: &Review, side: Side) -> String {
    let colour = record.start.info().sides[side.index()];
    let name = match record.player(side) {
        "" => colour.to_owned(),
        name => format!("{name} ({colour})"),
    };
    let accuracy = match review.accuracy[side.index()] {
        Some(accuracy) => format!("accuracy {accuracy:.1} %"),
        None => "no accuracy".into(),
    };
    let count = |verdict: Verdict, one: &str, many: &str| match review.count(side, verdict) {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let counts = [
        count(Verdict::Inaccuracy, "inaccuracy", "inaccuracies"),
        count(Verdict::Mistake, "mistake", "mistakes"),
        count(Verdict::Blunder, "blunder", "blunders"),
    ];
    format!("{name}: {accuracy}, {}", counts.join(", "))
}
