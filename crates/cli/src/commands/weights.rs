use clap::Args;
use serde::Serialize;
use serde_json::Value;
use tablero_core::ShippedFile;
use tablero_genomes::{Past, Strength, read_bytes};
use tablero_nets::Weights as NetWeights;
use tablero_registry::OwnWeights;

use crate::args::OnlyGameArg;
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero weights
  tablero weights --game othello --json
  tablero match othello \"alphabeta depth=4 eval=NAME\" \"level hard\"";

/// Lists what comes with the program and was learned by it, how it came about and how strong it was
/// found to be: evolved evaluations and networks, whose names can stand wherever a file can (`eval=NAME`,
/// `net=NAME`), and the champion's patterns.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Weights {
    #[command(flatten)]
    only: OnlyGameArg,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    game: &'static str,
    kind: String,
    about: String,
    numbers: usize,
    past: Past,
    strength: Vec<Strength>,
}

/// A network.
#[derive(Serialize)]
struct NetRow {
    name: &'static str,
    game: &'static str,
    kind: String,
    numbers: usize,
    past: Vec<String>,
}

/// Weights that only one game has.
#[derive(Serialize)]
struct OwnRow<'a> {
    name: &'static str,
    game: &'static str,
    kind: &'static str,
    about: &'static str,
    numbers: usize,
    past: &'a Value,
}

impl Weights {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let games = self.only.games();
        for game in games.iter().map(|entry| entry.game()) {
            for file in game.shipped_genomes() {
                let row = genomes(game.name(), file)?;
                if self.json { out::json(&row) } else { print(&row) }
            }
        }
        for entry in &games {
            for weights in entry.own_weights() {
                let row = own(entry.game().name(), &weights);
                if self.json { out::json(&row) } else { print_own(&row, &weights.lines) }
            }
        }
        for game in games.iter().map(|entry| entry.game()) {
            for file in game.shipped_nets() {
                let row = network(game.name(), file)?;
                if self.json { out::json(&row) } else { print_network(&row) }
            }
        }
        Ok(())
    }
}

fn genomes(game: &'static str, file: &ShippedFile) -> anyhow::Result<Row> {
    let genomes = read_bytes(file.bytes.to_vec())?;
    Ok(Row {
        name: file.name,
        game,
        kind: genomes.kind,
        about: genomes.about,
        numbers: genomes.best.genome.len(),
        past: genomes.past,
        strength: genomes.strength,
    })
}

fn network(game: &'static str, file: &ShippedFile) -> anyhow::Result<NetRow> {
    let weights = NetWeights::from_bytes(file.bytes)?;
    let numbers = weights.tensors.values().map(|tensor| tensor.data.len()).sum();
    let kind = weights.kind.to_string();
    Ok(NetRow { name: file.name, game, kind, numbers, past: weights.past })
}

fn print_network(row: &NetRow) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    out::line(format_args!(
        "{bold}{}{bold:#}  {} {}, {} numbers",
        row.name, row.game, row.kind, row.numbers
    ));
    for step in &row.past {
        out::line(format_args!("    {dim}{step}{dim:#}"));
    }
}

const fn own<'a>(game: &'static str, weights: &'a OwnWeights) -> OwnRow<'a> {
    let OwnWeights { name, kind, about, numbers, ref provenance, .. } = *weights;
    OwnRow { name, game, kind, about, numbers, past: provenance }
}

fn print_own(row: &OwnRow<'_>, lines: &[String]) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    let (summary, more) = lines.split_first().map_or(("", lines), |(first, more)| (first, more));
    out::line(format_args!(
        "{bold}{}{bold:#}  {} {}, {} numbers, {summary}  {}",
        row.name, row.game, row.kind, row.numbers, row.about
    ));
    for line in more {
        out::line(format_args!("    {dim}{line}{dim:#}"));
    }
}

fn print(row: &Row) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    out::line(format_args!(
        "{bold}{}{bold:#}  {} {}, {} numbers, {} generations  {}",
        row.name, row.game, row.kind, row.numbers, row.past.generations, row.about
    ));
    for Strength { against, games, score, elo, elo_error, .. } in &row.strength {
        let elo = match (elo, elo_error) {
            (Some(elo), Some(error)) => format!("{elo:+.0} ± {error:.0} Elo"),
            _ => format!("{:.1} %", score * 100.0),
        };
        out::line(format_args!("    {elo} against {against} {dim}({games} games){dim:#}"));
    }
    if !row.past.command.is_empty() {
        out::line(format_args!("    {dim}{}{dim:#}", row.past.command));
    }
}
