use clap::Args;
use serde::Serialize;
use tablero_catalog::players::{Kind, Level, OptionInfo, kinds};
use tablero_catalog::{Catalogued, GameName, for_game};

use crate::out;

const EXAMPLES: &str = "Examples:
  tablero players                 kinds of players, their options, and the levels
  tablero players --game chess    only chess
  tablero players --json";

/// Lists the kinds of players with their options, and the levels with their measured strength.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Players {
    /// Only this game.
    #[arg(long, value_name = "GAME")]
    game: Option<GameName>,
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
        let wanted = |name: &GameName| self.game.is_none_or(|game| game == *name);
        let games: Vec<GameName> = GameName::ALL.iter().copied().filter(wanted).collect();
        if !self.json {
            // Kinds hardly differ from game to game: one list, then what is each game's own.
            for_game!(games[0], G => print_kinds(&kinds::<G>(), &games));
        }
        for name in games {
            for_game!(name, G => self.game_rows::<G>());
        }
        Ok(())
    }

    fn game_rows<G: Catalogued>(&self) {
        if self.json {
            kinds::<G>().iter().for_each(|kind| out::json(&kind_row(kind)));
            level_rows::<G>().iter().for_each(out::json);
        } else {
            print_game::<G>();
        }
    }
}

fn kind_row<G: Catalogued>(kind: &Kind<G>) -> KindRow {
    let option = |option: &OptionInfo| OptionRow {
        name: option.name,
        values: option.values.to_string(),
        default: option.default.clone(),
        about: option.about,
    };
    KindRow {
        name: kind.name,
        game: G::NAME,
        kind: "player",
        about: kind.about,
        options: kind.options.iter().map(option).collect(),
    }
}

fn level_rows<G: Catalogued>() -> Vec<LevelRow> {
    let row = |(number, level): (usize, &Level)| LevelRow {
        name: format!("level {number}"),
        game: G::NAME,
        kind: "level",
        player: level.line,
        elo: level.elo,
    };
    (1..).zip(G::LADDER).map(row).collect()
}

fn print_kinds<G: Catalogued>(kinds: &[Kind<G>], games: &[GameName]) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    out::line(format_args!("{bold}human{bold:#}  a person"));
    for kind in kinds {
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
fn defaults(kind: &str, option: &str, games: &[GameName]) -> String {
    let default = |&game: &GameName| -> Option<String> {
        for_game!(game, G => {
            let kinds = kinds::<G>();
            let options = &kinds.iter().find(|k| k.name == kind)?.options;
            Some(options.iter().find(|o| o.name == option)?.default.clone())
        })
    };
    let all: Vec<_> = games.iter().filter_map(|game| Some((game, default(game)?))).collect();
    match all.iter().all(|(_, default)| *default == all[0].1) {
        true => all.first().map_or_else(String::new, |(_, default)| default.clone()),
        false => {
            let each: Vec<_> =
                all.iter().map(|(game, default)| format!("{game} {default}")).collect();
            each.join(", ")
        }
    }
}

fn print_game<G: Catalogued>() {
    let bold = anstyle::Style::new().bold();
    out::line(format_args!("{bold}{}{bold:#}", G::NAME));
    for evaluation in G::evaluations() {
        out::line(format_args!("    eval={:<10} {}", evaluation.name, evaluation.about));
    }
    for row in level_rows::<G>() {
        out::line(format_args!("    {:<10} {:>5} Elo  {}", row.name, row.elo, row.player));
    }
    out::line("");
}
