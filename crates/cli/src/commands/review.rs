use std::path::PathBuf;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_core::{AnyRecord, ForFirst, Input, Limits, PlayerLine, PlayerSetup, Side, Value};
use tablero_registry::{find, open};
use tablero_review::{Judgement, Review, Reviewer, Verdict};

use crate::args::{GuessedGameArg, ThreadsArg, duration};
use crate::files::{not_opened, read_input, write_records};
use crate::graph::Graph;
use crate::out::{self, usage};
use crate::text::headline;

const EXAMPLES: &str = "Examples:
  tablero review game.pgn
  tablero review games.ggf --number 3 --time 2s
  tablero review game.pgn --out annotated.pgn         with values, ?! ? ?? and better lines
  tablero review \"f5d6c3d3c4\" --player \"alphabeta depth=8\" --json";

/// Reviews a whole game: what each move lost, the mistakes, how accurately each side played, a graph.
///
/// In Othello a move is judged by the discs it lost (2 an inaccuracy, 4 a mistake, 8 a blunder), in
/// the other games by the winning chances (10, 20 and 30 %).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReviewGame {
    /// A file, or the moves themselves, or `-` for standard input.
    #[arg(value_name = "FILE")]
    input: String,
    /// Who judges [default: the game's analyst].
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Time for every position, if the player line has no bound of its own.
    #[arg(long, value_name = "TIME", default_value = "300ms", value_parser = duration)]
    time: Duration,
    /// Which game of a file with several.
    #[arg(long, value_name = "N", default_value_t = 1)]
    number: usize,
    #[command(flatten)]
    game: GuessedGameArg,
    /// Write the game with values, marks and better lines to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    game: &'static str,
    player: String,
    /// From 0 to 100, the first player's first.
    accuracy: [Option<f64>; 2],
    start: String,
    moves: Vec<Move>,
}

#[derive(Serialize)]
struct Move {
    ply: usize,
    side: &'static str,
    #[serde(rename = "move")]
    m: String,
    /// After the move, for the first player.
    value: String,
    verdict: String,
    /// In the game's unit, if it has a size.
    loss: Option<f64>,
    /// Of the points to expect, from 0 to 1.
    chance_loss: f64,
    /// Whether the values are those of perfect play, and the loss is not an estimate.
    exact: bool,
    /// The best line from before the move.
    line: Vec<String>,
}

impl ReviewGame {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (bytes, path) = read_input(&self.input)?;
        let input = Input { bytes: &bytes, path };
        let name = path.map_or("the input".into(), |path| path.display().to_string());
        let (records, _) =
            open(&input, self.game.game(), None).map_err(|error| not_opened(error, &name))?;
        self.review(records)
    }

    fn review(&self, mut records: Vec<AnyRecord>) -> anyhow::Result<()> {
        let count = records.len();
        if !(1..=count).contains(&self.number) {
            return Err(usage(format!("--number is 1 to {count} here")));
        }
        let mut record = records.swap_remove(self.number - 1);
        let game = record.start.game();
        let line = self.player.as_deref().unwrap_or(game.analyst());
        let review = self.judge(&record, line)?;
        let answer = answer(&record, &review, line);
        if self.json {
            out::json(&answer);
        } else {
            print(&record, &review, &answer);
        }
        if let Some(path) = &self.out {
            review.annotate(&mut record);
            record.set_tag("Annotator", format!("Tablero, {line}"));
            write_records(game, path, None, &[record])?;
            out::note(format_args!("written to {}", path.display()));
        }
        Ok(())
    }

    fn judge(&self, record: &AnyRecord, line: &str) -> anyhow::Result<Review> {
        let threads = self.threads.count();
        let has_bound = line.parse::<PlayerLine>().map_err(usage)?.has_bound();
        let setup = PlayerSetup { threads, bounded_by_caller: !has_bound, ..PlayerSetup::LOCAL };
        let entry = find(record.start.game().name())?;
        let mut player = entry.build(line, &setup).map_err(usage)?;
        let time = (!has_bound).then_some(self.time);
        let limits = Limits { time, ..Limits::default() };
        let bar = ProgressBar::new(1);
        let style = "{bar:30} {pos}/{len} positions  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let review = Reviewer::new(player.as_mut(), limits).review(record, |progress| {
            bar.set_length(progress.of as u64);
            bar.set_position(progress.done as u64);
            true
        });
        bar.finish_and_clear();
        Ok(review?.expect("nobody gives it up"))
    }
}

fn answer(record: &AnyRecord, review: &Review, player: &str) -> Answer {
    let info = record.start.info();
    let mut position = record.start.clone();
    let mut moves = Vec::new();
    for (ply, judged) in (1..).zip(&review.moves) {
        moves.push(Move {
            ply,
            side: info.sides[judged.side.index()],
            m: position.move_text(judged.played),
            value: judged.after.0.to_string(),
            verdict: judged.verdict.to_string(),
            loss: judged.loss.units,
            chance_loss: judged.loss.chance,
            exact: judged.exact,
            line: position.line_text(&judged.best),
        });
        position.play(judged.played);
    }
    Answer {
        game: info.name,
        player: player.into(),
        accuracy: review.accuracy,
        start: review.start.0.to_string(),
        moves,
    }
}

fn print(record: &AnyRecord, review: &Review, answer: &Answer) {
    let bold = Style::new().bold();
    out::line(format_args!("{bold}{}{bold:#}\n", headline(record)));
    for (judged, m) in review.moves.iter().zip(&answer.moves) {
        out::line(move_line(judged, m));
    }
    let chances = record.start.game().chances();
    let chances = |value: ForFirst<Value>| chances.expected(value.0);
    let curve = std::iter::once(review.start).chain(review.moves.iter().map(|judged| judged.after));
    let marks = review.moves.iter().map(|judged| judged.verdict >= Verdict::Mistake);
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
        Some(ply) => format!("; exact from move {ply} on"),
        None => String::new(),
    };
    out::line(format_args!("{dim}judged by {}{exact}{dim:#}", answer.player));
}

/// The number of the first move from which on all judgements are the truth.
fn exact_from(review: &Review) -> Option<usize> {
    let estimated =
        review.moves.iter().rposition(|judged| !judged.exact).map_or(0, |last| last + 1);
    (estimated < review.moves.len()).then_some(estimated + 1)
}

fn move_line(judged: &Judgement, m: &Move) -> String {
    let style = match judged.verdict {
        Verdict::Best | Verdict::Good => Style::new(),
        Verdict::Inaccuracy => AnsiColor::Yellow.on_default(),
        Verdict::Mistake => AnsiColor::Magenta.on_default().bold(),
        Verdict::Blunder => AnsiColor::Red.on_default().bold(),
    };
    let name = format!("{}{}", m.m, judged.verdict.sign());
    let lost = match (judged.verdict, judged.loss.units) {
        (Verdict::Best, _) => String::new(),
        (_, Some(units)) => format!("-{units:.2}"),
        (_, None) => format!("-{:.0} %", 100.0 * judged.loss.chance),
    };
    let better = match judged.verdict {
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
        None => "no choice".into(),
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
