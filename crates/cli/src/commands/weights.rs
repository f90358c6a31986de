use clap::Args;
use serde::Serialize;
use serde_json::Value;
use tablero_core::ShippedFile;
use tablero_genomes::{Provenance, Strength, read_bytes};
use tablero_nets::Weights as NetWeights;
use tablero_nets::nnue::NnueWeights;
use tablero_registry::CustomWeights;

use crate::args::GameFilterArg;
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero weights
  tablero weights --game othello --json
  tablero match othello \"alphabeta depth=4 eval=NAME\" \"level hard\"";

/// List the trained weights that ship with the program.
///
/// Evolved evaluations, NNUE and networks, which players load by name (`eval=NAME`, `net=NAME`), and the pattern
/// weights of the champion, with their provenance and measured strength.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Weights {
    #[command(flatten)]
    only: GameFilterArg,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    game: &'static str,
    kind: String,
    about: String,
    parameters: usize,
    provenance: Provenance,
    strength: Vec<Strength>,
}

#[derive(Serialize)]
struct NetRow {
    name: &'static str,
    game: &'static str,
    kind: String,
    parameters: usize,
    provenance: Vec<String>,
}

/// Game-specific weights.
#[derive(Serialize)]
struct CustomRow<'a> {
    name: &'static str,
    game: &'static str,
    kind: &'static str,
    about: &'static str,
    parameters: usize,
    provenance: &'a Value,
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
            for weights in entry.custom_weights() {
                let row = custom(entry.game().name(), &weights);
                if self.json { out::json(&row) } else { print_custom(&row, &weights.lines) }
            }
        }
        for game in games.iter().map(|entry| entry.game()) {
            for file in game.shipped_nnue() {
                let row = nnue(game.name(), file)?;
                if self.json { out::json(&row) } else { print_network(&row) }
            }
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
        parameters: genomes.best.genome.len(),
        provenance: genomes.provenance,
        strength: genomes.strength,
    })
}

fn network(game: &'static str, file: &ShippedFile) -> anyhow::Result<NetRow> {
    let weights = NetWeights::from_bytes(file.bytes)?;
    let parameters = weights.tensors.values().map(|tensor| tensor.data.len()).sum();
    let kind = weights.kind.to_string();
    Ok(NetRow { name: file.name, game, kind, parameters, provenance: weights.provenance })
}

fn nnue(game: &'static str, file: &ShippedFile) -> anyhow::Result<NetRow> {
    let weights = NnueWeights::from_bytes(file.bytes)?;
    let (kind, parameters) = (weights.kind(), weights.numbers());
    Ok(NetRow { name: file.name, game, kind, parameters, provenance: weights.provenance })
}

fn print_network(row: &NetRow) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    out::line(format_args!(
        "{bold}{}{bold:#}  {} {}, {} parameters",
        row.name, row.game, row.kind, row.parameters
    ));
    for step in &row.provenance {
        out::line(format_args!("    {dim}{step}{dim:#}"));
    }
}

const fn custom<'a>(game: &'static str, weights: &'a CustomWeights) -> CustomRow<'a> {
    let CustomWeights { name, kind, about, numbers, ref provenance, .. } = *weights;
    CustomRow { name, game, kind, about, parameters: numbers, provenance }
}

fn print_custom(row: &CustomRow<'_>, lines: &[String]) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    let (summary, more) = lines.split_first().map_or(("", lines), |(first, more)| (first, more));
    out::line(format_args!(
        "{bold}{}{bold:#}  {} {}, {} parameters, {summary}  {}",
        row.name, row.game, row.kind, row.parameters, row.about
    ));
    for line in more {
        out::line(format_args!("    {dim}{line}{dim:#}"));
    }
}

fn print(row: &Row) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    out::line(format_args!(
        "{bold}{}{bold:#}  {} {}, {} parameters, {} generations  {}",
        row.name, row.game, row.kind, row.parameters, row.provenance.generations, row.about
    ));
    for Strength { against, games, score, elo, elo_error, .. } in &row.strength {
        let elo = match (elo, elo_error) {
            (Some(elo), Some(error)) => format!("{elo:+.0} ± {error:.0} Elo"),
            _ => format!("{:.1} %", score * 100.0),
        };
        out::line(format_args!("    {elo} against {against} {dim}({games} games){dim:#}"));
    }
    if !row.provenance.command.is_empty() {
        out::line(format_args!("    {dim}{}{dim:#}", row.provenance.command));
    }
}
