use clap::Args;
use serde::Serialize;
use tablero_core::{AnyGame, AnyRules, FileFormat};
use tablero_registry::games;

use crate::out;

/// List the games with their rules variants and file formats.
#[derive(Args)]
#[command(after_help = "Examples:\n  tablero games\n  tablero games --json")]
pub(crate) struct Games {
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    game: &'static str,
    kind: &'static str,
    sides: [&'static str; 2],
    rules: Vec<&'static str>,
    formats: Vec<Format>,
}

#[derive(Serialize)]
struct Format {
    name: &'static str,
    extensions: &'static [&'static str],
    about: &'static str,
}

fn row(game: AnyGame) -> Row {
    let format = |format: FileFormat| Format {
        name: format.name,
        extensions: format.extensions,
        about: format.about,
    };
    Row {
        name: game.name(),
        game: game.name(),
        kind: "game",
        sides: game.info().sides,
        rules: game.all_rules().into_iter().map(AnyRules::name).collect(),
        formats: game.formats().into_iter().map(format).collect(),
    }
}

impl Games {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        for entry in games() {
            let row = row(entry.game());
            if self.json {
                out::json(&row);
            } else {
                print(&row);
            }
        }
        Ok(())
    }
}

fn print(row: &Row) {
    let bold = anstyle::Style::new().bold();
    let dim = anstyle::Style::new().dimmed();
    let [first, second] = row.sides;
    out::line(format_args!("{bold}{}{bold:#}  {first} moves first, then {second}", row.name));
    if row.rules.len() > 1 {
        out::line(format_args!("  rules    {} (the first is the default)", row.rules.join(", ")));
    }
    for (index, format) in row.formats.iter().enumerate() {
        let head = if index == 0 { "files" } else { "" };
        let dotted: Vec<_> = format.extensions.iter().map(|e| format!(".{e}")).collect();
        out::line(format_args!(
            "  {head:<8} {:<11} {dim}{:<14}{dim:#} {}",
            format.name,
            dotted.join(" "),
            format.about
        ));
    }
    out::line("");
}
