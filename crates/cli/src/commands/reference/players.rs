//! The player kinds with their options, and per game the evaluations and levels.

use tablero_registry::games;

use super::super::players::{KindSummary, OptionSummary, kinds, levels, names};
use super::{cell, code, table};
use crate::args::Entry;

const INTRODUCTION: &str = "# Players

A PLAYER argument is a line of text: the kind of player, then its arguments and options.

```text
KIND [ARGUMENTS] [OPTION=VALUE]...

alphabeta depth=4 eval=iago
mcts iterations=1000
level hard
uci /usr/games/stockfish elo=1350
```

`human` is a person, in `tablero play` and in the web interface.

";

pub(super) fn page() -> String {
    let games = games();
    let mut text = INTRODUCTION.to_owned();
    for kind in kinds(games) {
        text += &kind_section(&kind);
    }
    for &entry in games {
        text += &game_section(entry);
    }
    text
}

fn kind_section(kind: &KindSummary) -> String {
    let word = kind.name.split(' ').next().unwrap_or_default();
    let mut text = format!("## {word}\n\n");
    if word != kind.name {
        text += &format!("```text\n{}\n```\n\n", kind.name);
    }
    text += &sentence(kind.about);
    if !kind.only.is_empty() {
        text += &format!(" Only for {}.", names(&kind.only));
    }
    text += "\n\n";
    let row = |option: &OptionSummary| {
        [
            code(option.name),
            cell(&option.values),
            cell(&option.default),
            cell(&sentence(option.about)),
        ]
    };
    // The evaluations are listed by game.
    let options = kind.options.iter().filter(|option| option.name != "eval").map(row);
    text += &table(["Option", "Values", "Default", "Meaning"], &options.collect::<Vec<_>>());
    if let Some(option) = kind.options.iter().find(|option| option.name == "eval") {
        let about = sentence(option.about);
        text += &format!("`eval`: {about} The evaluations of each game are listed below.\n\n");
    }
    text
}

fn game_section(entry: Entry) -> String {
    let game = entry.game();
    let mut text = format!("## Evaluations and levels: {}\n\n", game.presentation().title.en);
    let evaluations = entry.evaluations();
    let rows: Vec<_> = evaluations
        .iter()
        .map(|evaluation| [code(&evaluation.name), cell(&sentence(evaluation.about.en))])
        .collect();
    text += &table(["Evaluation", "Meaning"], &rows);
    let rows: Vec<_> = levels(game)
        .iter()
        .map(|level| [code(&level.name), level.elo.to_string(), code(level.player)])
        .collect();
    text += &table(["Level", "Elo", "Player"], &rows);
    let named = game.named_levels();
    let named: Vec<_> =
        named.iter().map(|(name, line)| format!("`level {name}` is `{line}`")).collect();
    text + &format!("{}.\n\n", named.join(", "))
}

/// Capitalized, with a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map_or_else(String::new, |c| c.to_uppercase().to_string());
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}
