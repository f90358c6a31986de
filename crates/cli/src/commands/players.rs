use clap::Args;
use serde::Serialize;
use tablero_core::{AnyGame, Level, OptionInfo, OptionValues, PlayerKind};

use crate::args::{Entry, GameFilterArg};
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero players                                           player kinds, options, evaluations and levels
  tablero players --game chess
  tablero best othello start --player \"champion level=12\"   a player is a kind and its options
  tablero match shobu \"mcts iterations=1000\" \"level 3\"";

/// List the player kinds, evaluations and levels.
///
/// Player kinds are listed with their options and defaults, levels with their measured Elo ratings.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Players {
    #[command(flatten)]
    filter: GameFilterArg,
    /// Print one JSON object per line.
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

/// A level of a game.
#[derive(Serialize)]
pub(crate) struct LevelRow {
    pub(crate) name: String,
    game: &'static str,
    kind: &'static str,
    pub(crate) player: &'static str,
    pub(crate) elo: i32,
}

impl Players {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let games = self.filter.games();
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
    levels(game).iter().for_each(out::json);
}

fn kind_row(game: AnyGame, kind: &PlayerKind) -> KindRow {
    let option = |option: &OptionInfo| OptionRow {
        name: option.name,
        values: option.values.to_string(),
        default: option.default.clone(),
        about: option.about.en,
    };
    KindRow {
        name: kind.name,
        game: game.name(),
        kind: "player",
        about: kind.about.en,
        options: kind.options.iter().map(option).collect(),
    }
}

/// The levels of a game, weakest first.
pub(crate) fn levels(game: AnyGame) -> Vec<LevelRow> {
    let row = |(number, level): (usize, &Level)| LevelRow {
        name: format!("level {number}"),
        game: game.name(),
        kind: "level",
        player: level.line,
        elo: level.elo,
    };
    (1..).zip(game.ladder()).map(row).collect()
}

/// A player kind of one or several games.
pub(crate) struct KindSummary {
    /// The kind and the words it takes: `uci PROGRAM [ARGUMENTS]`.
    pub(crate) name: String,
    pub(crate) about: &'static str,
    /// The games that have it; empty if all have.
    pub(crate) only: Vec<AnyGame>,
    pub(crate) options: Vec<OptionSummary>,
}

/// An option of a player kind in one or several games.
pub(crate) struct OptionSummary {
    pub(crate) name: &'static str,
    pub(crate) values: String,
    pub(crate) default: String,
    pub(crate) about: &'static str,
}

/// The player kinds of all `games`. Kinds of the same name are merged: they differ only in the names
/// and defaults of some options.
pub(crate) fn kinds(games: &[Entry]) -> Vec<KindSummary> {
    let all: Vec<(AnyGame, Vec<PlayerKind>)> =
        games.iter().map(|entry| (entry.game(), entry.player_kinds().0)).collect();
    let mut names: Vec<&str> = Vec::new();
    for kind in all.iter().flat_map(|(_, kinds)| kinds) {
        if !names.contains(&kind.name) {
            names.push(kind.name);
        }
    }
    let summary = |name: &str| {
        let mut same = Vec::new();
        for (game, kinds) in &all {
            same.extend(kinds.iter().find(|kind| kind.name == name).map(|kind| (*game, kind)));
        }
        merge(&same, games.len())
    };
    names.into_iter().map(summary).collect()
}

/// Merges a kind of several games; `total` is the number of all games.
fn merge(kinds: &[(AnyGame, &PlayerKind)], total: usize) -> KindSummary {
    let first = kinds[0].1;
    let option = |option: &OptionInfo| {
        let same = |&(game, kind): &(AnyGame, &PlayerKind)| {
            let known = kind.options.iter().find(|known| known.name == option.name)?;
            Some((game, known.clone()))
        };
        let options: Vec<(AnyGame, OptionInfo)> = kinds.iter().filter_map(same).collect();
        OptionSummary {
            name: option.name,
            values: merge_values(&options),
            default: by_game(&options, |option| option.default.clone()),
            about: option.about.en,
        }
    };
    let words = first.words.as_ref().map_or_else(String::new, |words| format!(" {words}"));
    let games = kinds.iter().map(|(game, _)| *game);
    KindSummary {
        name: format!("{}{words}", first.name),
        about: first.about.en,
        only: if kinds.len() == total { Vec::new() } else { games.collect() },
        options: first.options.iter().map(option).collect(),
    }
}

/// The values of an option: of all games together if they are names, otherwise game by game.
fn merge_values(options: &[(AnyGame, OptionInfo)]) -> String {
    let mut merged = options[0].1.values.clone();
    for (_, option) in &options[1..] {
        if let (OptionValues::NameOrFile(all), OptionValues::NameOrFile(more)) =
            (&mut merged, &option.values)
        {
            for name in more {
                if !all.contains(name) {
                    all.push(name.clone());
                }
            }
        }
    }
    match merged {
        OptionValues::NameOrFile(_) => merged.to_string(),
        _ => by_game(options, |option| option.values.to_string()),
    }
}

/// A property of an option: `30` if it is the same in all games, otherwise `chess 30, shobu 2`.
fn by_game(options: &[(AnyGame, OptionInfo)], property: impl Fn(&OptionInfo) -> String) -> String {
    let all: Vec<(AnyGame, String)> =
        options.iter().map(|(game, option)| (*game, property(option))).collect();
    match all.iter().all(|(_, value)| *value == all[0].1) {
        true => all[0].1.clone(),
        false => {
            let each = all.iter().map(|(game, value)| format!("{game} {value}"));
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

fn print_kinds(games: &[Entry]) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    out::line(format_args!("{bold}human{bold:#}  a person (only in `tablero play`)"));
    for kind in kinds(games) {
        let only = match &kind.only[..] {
            [] => String::new(),
            games => format!(" ({} only)", names(games)),
        };
        out::line(format_args!("{bold}{}{bold:#}  {}{only}", kind.name, kind.about));
        // The evaluations are listed by game.
        for option in kind.options.iter().filter(|option| option.name != "eval") {
            let default = match &option.default[..] {
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

/// `othello, chess`.
pub(crate) fn names(games: &[AnyGame]) -> String {
    games.iter().map(|game| game.name()).collect::<Vec<_>>().join(", ")
}

fn print_game(entry: Entry) {
    let bold = anstyle::Style::new().bold();
    out::line(format_args!("{bold}{}{bold:#}", entry.game()));
    for evaluation in entry.evaluations() {
        out::line(format_args!("    eval={:<10} {}", evaluation.name, evaluation.about.en));
    }
    for row in levels(entry.game()) {
        out::line(format_args!("    {:<10} {:>5} Elo  {}", row.name, row.elo, row.player));
    }
    out::line("");
}
