use clap::Args;
use serde::Serialize;
use tablero_catalog::GameName;
use tablero_champion::eval::{self, GenerationPast, Parameters};
use tablero_genomes::{Past, Strength, shipped};
use tablero_nets::{ShippedNet, shipped as shipped_nets};

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
    /// Only this game.
    #[arg(long, value_name = "GAME")]
    game: Option<GameName>,
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

/// The champion's evaluation.
#[derive(Serialize)]
struct PatternsRow {
    name: &'static str,
    game: &'static str,
    kind: &'static str,
    about: &'static str,
    numbers: usize,
    past: &'static eval::Past,
}

impl Weights {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let wanted = |game: &str| self.game.is_none_or(|wanted| wanted.as_str() == game);
        for file in shipped().iter().filter(|file| wanted(file.game)) {
            let genomes = file.genomes()?;
            let row = Row {
                name: file.name,
                game: file.game,
                kind: genomes.kind,
                about: genomes.about,
                numbers: genomes.best.genome.len(),
                past: genomes.past,
                strength: genomes.strength,
            };
            if self.json { out::json(&row) } else { print(&row) }
        }
        if wanted("othello") {
            let row = patterns();
            if self.json { out::json(&row) } else { print_patterns(&row) }
        }
        for net in shipped_nets().iter().filter(|net| wanted(net.game)) {
            let row = network(net)?;
            if self.json { out::json(&row) } else { print_network(&row) }
        }
        Ok(())
    }
}

fn network(net: &ShippedNet) -> anyhow::Result<NetRow> {
    let weights = net.weights()?;
    let numbers = weights.tensors.values().map(|tensor| tensor.data.len()).sum();
    let kind = weights.kind.to_string();
    Ok(NetRow { name: net.name, game: net.game, kind, numbers, past: weights.past })
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

fn patterns() -> PatternsRow {
    PatternsRow {
        name: "othello-patterns",
        game: "othello",
        kind: "patterns",
        about: "the champion's evaluation, learned from its own games",
        numbers: eval::PHASES * Parameters::per_phase(),
        past: &eval::Weights::embedded().header().past,
    }
}

fn print_patterns(row: &PatternsRow) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    let eval::Past { generation, games, command, generations, .. } = row.past;
    out::line(format_args!(
        "{bold}{}{bold:#}  {} {}, {} numbers, {generation} generations, {games} games  {}",
        row.name, row.game, row.kind, row.numbers, row.about
    ));
    if let Some(GenerationPast { elo: Some(elo), elo_error: Some(error), gate_games, .. }) =
        generations.last()
    {
        out::line(format_args!(
            "    {elo:+.0} ± {error:.0} Elo against the generation before {dim}({gate_games} games){dim:#}"
        ));
    }
    out::line(format_args!("    {dim}{command}{dim:#}"));
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
