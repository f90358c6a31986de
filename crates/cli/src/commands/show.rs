use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tablero_core::{AnyGameHistory, AnyMove, AnyPosition, AnyRecord, Records, pgn};
use tablero_learn::NetworkOutput;

use crate::args::{DetectedGameArg, StrictArg, position};
use crate::draw::{self, Marks};
use crate::files::{open_input, select_game};
use crate::out::{self, usage};
use crate::text::{headline, result_text};

const EXAMPLES: &str = "Examples:
  tablero show game.pgn                 the final position of the first game
  tablero show WTH_2004.wtb --list      list the games of a file
  tablero show games.ggf --number 3 --at 20
  tablero show \"f5d6c3d3c4\"             a move list
  tablero show \"f5d6c3d3c4\" --net my-run/best.safetensors
  tablero show \"---------------------------OX------XO--------------------------- X\"
  tablero show \"b wwww........bbbb wwww........bbbb wwww........bbbb wwww........bbbb\"
  xclip -o | tablero show -             the clipboard";

/// Draw a file, position or move list; game and notation are detected.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    /// File, position or move list; `-` for standard input.
    #[arg(value_name = "INPUT", allow_hyphen_values = true, value_parser = position)]
    input: String,
    #[command(flatten)]
    game: DetectedGameArg,
    /// Format of the input (see `tablero games`) [default: detected].
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Number of the game in the file [default: the first].
    #[arg(long, value_name = "N")]
    number: Option<usize>,
    /// List the games of the file.
    #[arg(long)]
    list: bool,
    /// Show the position after PLY plies [default: the final position].
    #[arg(long, value_name = "PLY")]
    at: Option<usize>,
    /// Also show what a network says of the position: its value, and the moves it prefers.
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    net: Option<PathBuf>,
    #[command(flatten)]
    strict: StrictArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (game, from) = (self.game.game(), self.from.as_deref());
        let (records, format) = open_input(&self.input, game, from, self.strict.strict)?;
        self.show(&records, format)
    }

    fn show(&self, records: &Records, format: &str) -> anyhow::Result<()> {
        if self.list {
            return self.print_list(records);
        }
        let count = records.total();
        let (number, record) = select_game(records, self.number)?;
        let played = record.plies.len();
        let at = self.at.unwrap_or(played);
        if at > played {
            return Err(usage(format!("--at must be 0 to {played} for this game")));
        }
        let mut game = AnyGameHistory::new(record.start.clone());
        for ply in &record.plies[..at] {
            let ply_number = game.plies() + 1;
            game.play_on(ply.m).with_context(|| format!("game {number}, move {ply_number}"))?;
        }
        let evaluation = self.net.as_ref().map(|net| {
            let entry = tablero_registry::find(game.position().game().name())?;
            Ok::<_, anyhow::Error>(entry.learning().evaluate(net, game.position())?)
        });
        let evaluation = evaluation.transpose()?;
        if self.json {
            let mut summary = Summary::of(record, &game, format, number, count);
            summary.net = evaluation.map(|output| Evaluation::of(game.position(), &output));
            out::json(&summary);
        } else {
            print_game(record, &game);
            if let Some(output) = &evaluation {
                print_evaluation(game.position(), output);
            }
            if count > 1 {
                let dim = anstyle::Style::new().dimmed();
                out::line(format_args!(
                    "{dim}game {number} of {count} ({format}): select with --number N, list with --list{dim:#}"
                ));
            }
        }
        Ok(())
    }

    fn print_list(&self, records: &Records) -> anyhow::Result<()> {
        for (number, record) in records.numbered() {
            if self.json {
                let game = AnyGameHistory::new(record.start.clone());
                out::json(&Summary::of(record, &game, "", number, records.total()));
            } else {
                out::line(format_args!("{number:>6}  {}", headline(record)));
            }
        }
        Ok(())
    }
}

fn print_game(record: &AnyRecord, game: &AnyGameHistory) {
    let bold = anstyle::Style::new().bold();
    let position = game.position();
    let has_names = record.players.iter().any(|name| !name.is_empty());
    if has_names || record.end.is_some() {
        out::line(format_args!("{bold}{}{bold:#}", headline(record)));
    }
    let before = game.positions().rev().nth(1);
    let marks = Marks::of(position, before.zip(game.played().next_back()));
    out::raw(draw::board(position, &marks, &beside_board(game), false));
    if game.plies() > 0 {
        let mut line = AnyRecord::from_history(game);
        line.end = None;
        let text = pgn::write(&line);
        // Only the movetext: after the blank line that ends the tags, without the result.
        let moves = text.split_once("\n\n").map_or(text.as_str(), |(_, moves)| moves);
        out::line(moves.trim_end().trim_end_matches('*').trim_end());
    }
    let last = record.plies.get(game.plies().wrapping_sub(1));
    if let Some(ply) = last.filter(|ply| !ply.comment.is_empty()) {
        out::line(format_args!("“{}”", ply.comment));
    }
    print_tags(record);
}

/// The tags that the headline does not show.
fn print_tags(record: &AnyRecord) {
    let dim = anstyle::Style::new().dimmed();
    for (name, value) in record.tags.iter().filter(|(name, _)| name != "Event" && name != "Date") {
        out::line(format_args!("{dim}{name}: {value}{dim:#}"));
    }
}

/// The side to move or the result, the last move and the legal moves.
fn beside_board(game: &AnyGameHistory) -> Vec<String> {
    let position = game.position();
    let info = position.info();
    let mut lines = Vec::new();
    let rules = position.rules();
    let by_rules = if rules.is_default() { String::new() } else { format!(" ({})", rules.name()) };
    match game.end() {
        Some(end) => lines.push(format!("{}{by_rules}: {}", info.name, result_text(info, end))),
        None => {
            lines.push(format!(
                "{}{by_rules}: {} to move",
                info.name,
                info.sides[position.side().index()]
            ));
            if let Some(draw) = game.draw() {
                lines.push(format!("a draw can be claimed: {}", draw.reason));
            }
        }
    }
    if let Some((before, m)) = game.positions().rev().nth(1).zip(game.played().next_back()) {
        lines.push(format!("last move {}", before.move_text(m)));
    }
    let legal: Vec<_> = game.moves().into_iter().map(|m| position.move_text(m)).collect();
    if !legal.is_empty() {
        lines.push(format!("{} legal moves:", legal.len()));
        lines.extend(columns(&legal, 4, 4));
    }
    lines
}

/// At most `rows` lines of `per_line` words, and the number of those left.
fn columns(words: &[String], per_line: usize, rows: usize) -> Vec<String> {
    let width = words.iter().map(|word| word.chars().count()).max().unwrap_or(0) + 1;
    let mut lines: Vec<String> = words
        .chunks(per_line)
        .take(rows)
        .map(|line| line.iter().map(|word| format!("{word:<width$}")).collect())
        .collect();
    let shown = per_line * rows;
    if words.len() > shown {
        lines.push(format!("and {} more", words.len() - shown));
    }
    lines
}

#[derive(Serialize)]
struct Summary {
    game: &'static str,
    format: String,
    number: usize,
    count: usize,
    rules: &'static str,
    players: [String; 2],
    start: String,
    moves: Vec<String>,
    position: String,
    side: &'static str,
    legal: Vec<String>,
    result: &'static str,
    margin: Option<i16>,
    ending: Option<String>,
    tags: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    net: Option<Evaluation>,
}

/// What a network says of a position; inputs and outputs are its own, for comparison with other programs.
#[derive(Serialize)]
struct Evaluation {
    /// For the side to move.
    value: Option<f32>,
    priors: BTreeMap<String, f32>,
    input: Vec<f32>,
    value_output: f32,
    policy_output: Vec<f32>,
    ownership_output: Vec<f32>,
}

impl Evaluation {
    fn of(position: &AnyPosition, output: &NetworkOutput) -> Self {
        let prior = |&(m, prior): &(AnyMove, f32)| (position.move_text(m), prior);
        Self {
            value: output.value.map(|value| value.0),
            priors: output.priors.iter().map(prior).collect(),
            input: output.raw.input.clone(),
            value_output: output.raw.value,
            policy_output: output.raw.policy.clone(),
            ownership_output: output.raw.ownership.clone(),
        }
    }
}

/// The value and the moves that the network prefers.
fn print_evaluation(position: &AnyPosition, output: &NetworkOutput) {
    const MOVES: usize = 8;
    let Some(value) = output.value else { return out::line("network: the game is over") };
    let mut priors = output.priors.clone();
    priors.sort_by(|a, b| b.1.total_cmp(&a.1));
    let prior =
        |(m, prior): &(AnyMove, f32)| format!("{} {:.1} %", position.move_text(*m), 100.0 * prior);
    let moves: Vec<String> = priors.iter().take(MOVES).map(prior).collect();
    out::line(format_args!("network: value {:+.3}; {}", value.0, moves.join(", ")));
}

impl Summary {
    fn of(
        record: &AnyRecord,
        game: &AnyGameHistory,
        format: &str,
        number: usize,
        count: usize,
    ) -> Self {
        let (position, info) = (game.position(), record.start.info());
        let played: Vec<AnyMove> = record.plies.iter().map(|ply| ply.m).collect();
        Self {
            game: info.name,
            format: format.into(),
            number,
            count,
            rules: position.rules().name(),
            players: record.players.clone(),
            start: record.start.position_text(),
            moves: record.start.line_text(&played),
            position: position.position_text(),
            side: info.sides[position.side().index()],
            legal: game.moves().into_iter().map(|m| position.move_text(m)).collect(),
            result: pgn::result_text(record.end.map(|end| end.outcome)),
            margin: record.end.filter(|_| info.margin.is_some()).map(|end| end.outcome.margin().0),
            ending: record.end.map(|end| end.ending.to_string()),
            tags: record.tags.iter().cloned().collect(),
            net: None,
        }
    }
}
