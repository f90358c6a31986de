use clap::Args;
use serde::Serialize;
use tablero_core::{AnyGame, Level, OptionInfo, PlayerKind};

use crate::args::{Entry, OnlyGameArg};
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero players                 kinds of players, their options, and the levels
  tablero players --game chess    only chess
  tablero players --json";

/// Lists the kinds of players with their options, and the levels with their measured strength.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Players {
    #[command(flatten)]
    only: OnlyGameArg,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct KindRow {
    name: &'static str,
    game: &'static str,
    kind: &'static str,
    about: &'static str,
    options: Vec<OptionRow>,
}

#[derive(Serialize)]
struct OptionRow {
    name: &'static str,
    values: String,
    default: String,
    about: &'static str,
}

#[derive(Serialize)]
struct LevelRow {
    name: String,
    game: &'static str,
    kind: &'static str,
    player: &'static str,
    elo: i32,
}

impl Players {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let games = self.only.games();
        if !self.json {
            print_kinds(&games);
        }
        for &entry in &games {
            if self.json { print_rows(entry) } else { print_game(entry) }
        }
        Ok(())
    }
}

fn print_rows(entry: Entry) {
    let game = entry.game();
    entry.player_kinds().0.iter().for_each(|kind| out::json(&kind_row(game, kind)));
    level_rows(game).iter().for_each(out::json);
}

fn kind_row(game: AnyGame, kind: &PlayerKind) -> KindRow {
    let option = |option: &OptionInfo| OptionRow {
        name: option.name,
        values: option.values.to_string(),
        default: option.default.clone(),
        about: option.about,
    };
    KindRow {
        name: kind.name,
        game: game.name(),
        kind: "player",
        about: kind.about,
        options: kind.options.iter().map(option).collect(),
    }
}

fn level_rows(game: AnyGame) -> Vec<LevelRow> {
    let row = |(number, level): (usize, &Level)| LevelRow {
        name: format!("level {number}"),
        game: game.name(),
        kind: "level",
        player: level.line,
        elo: level.elo,
    };
    (1..).zip(game.ladder()).map(row).collect()
}

/// Kinds hardly differ from game to game: one list, the first game's, then what is each game's own.
fn print_kinds(games: &[Entry]) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    out::line(format_args!("{bold}human{bold:#}  a person"));
    for kind in games.first().map(|entry| entry.player_kinds().0).unwrap_or_default() {
        let words = kind.words.map_or_else(String::new, |words| format!(" {words}"));
        out::line(format_args!("{bold}{}{bold:#}{words}  {}", kind.name, kind.about));
        for option in kind.options.iter().filter(|option| option.name != "eval") {
            let default = match &defaults(kind.name, option.name, games)[..] {
                "" => String::new(),
                default => format!(" [{default}]"),
            };
            out::line(format_args!(
                "    {:<12} {}{dim}, {}{default}{dim:#}",
                option.name, option.about, option.values
            ));
        }
    }
    out::line("");
}

/// The default of an option; where games differ, that of each.
fn defaults(kind: &str, option: &str, games: &[Entry]) -> String {
    let default = |entry: &Entry| -> Option<(AnyGame, String)> {
        let kinds = entry.player_kinds().0;
        let options = &kinds.iter().find(|known| known.name == kind)?.options;
        let option = options.iter().find(|known| known.name == option)?;
        Some((entry.game(), option.default.clone()))
    };
    let all: Vec<_> = games.iter().filter_map(default).collect();
    match all.iter().all(|(_, default)| *default == all[0].1) {
        true => all.first().map_or_else(String::new, |(_, default)| default.clone()),
        false => {
            let each: Vec<_> =
                all.iter().map(|(game, default)| format!("{game} {default}")).collect();
            each.join(", ")
        }
    }
}

fn print_game(entry: Entry) {
    let bold = anstyle::Style::new().bold();
    out::line(format_args!("{bold}{}{bold:#}", entry.game()));
    for evaluation in entry.evaluations() {
        out::line(format_args!("    eval={:<10} {}", evaluation.name, evaluation.about));
    }
    for row in level_rows(entry.game()) {
        out::line(format_args!("    {:<10} {:>5} Elo  {}", row.name, row.elo, row.player));
    }
    out::line("");
}
