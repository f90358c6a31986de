//! What there is: games, players, weights.

use pyo3::prelude::*;
use serde_json::{Value, json};
use tablero_core::{OptionInfo, PlayerKind};

use crate::arguments::find;

/// The names of the games.
#[pyfunction]
pub(crate) fn games() -> Vec<&'static str> {
    tablero_registry::games().iter().map(|entry| entry.game().name()).collect()
}

/// A game's constants, as JSON.
#[pyfunction]
pub(crate) fn game_info(game: &str) -> PyResult<String> {
    let entry = find(game)?;
    let (game, spec, batch) = (entry.game(), entry.learning().spec().encoding, entry.batch());
    let info = game.info();
    let rules: Vec<_> = game.all_rules().into_iter().map(|rules| rules.name()).collect();
    let evaluations: Vec<_> =
        entry.evaluations().into_iter().map(|evaluation| evaluation.name).collect();
    let formats: Vec<_> = game.formats().iter().map(|format| format.name).collect();
    let answer = json!({
        "name": info.name,
        "title": game.presentation().title.en,
        "sides": info.sides,
        "rules": rules,
        "unit": game.unit(),
        "margin": info.margin,
        "symmetries": info.symmetries,
        "actions": batch.actions(),
        "planes": [spec.planes, spec.height, spec.width],
        "policy_planes": spec.policy_planes,
        "flat": spec.flat_size,
        "absolute": spec.absolute_size,
        "evaluations": evaluations,
        "formats": formats,
        "analyst": game.analyst(),
    });
    Ok(answer.to_string())
}

/// The player kinds of a game with their options, as JSON.
#[pyfunction]
pub(crate) fn players(game: &str) -> PyResult<String> {
    let kinds = find(game)?.player_kinds().0;
    Ok(Value::Array(kinds.iter().map(kind).collect()).to_string())
}

fn kind(kind: &PlayerKind) -> Value {
    json!({
        "name": kind.name,
        "about": kind.about.en,
        "words": kind.words,
        "options": kind.options.iter().map(option).collect::<Vec<_>>(),
    })
}

fn option(option: &OptionInfo) -> Value {
    json!({
        "name": option.name,
        "values": option.values.to_string(),
        "default": option.default,
        "about": option.about.en,
    })
}

/// The shipped weights of a game by the option of player lines that takes them.
#[pyfunction]
pub(crate) fn weights(game: &str) -> PyResult<String> {
    let game = find(game)?.game();
    let names = |files: &[tablero_core::ShippedFile]| -> Vec<&str> {
        files.iter().map(|file| file.name).collect()
    };
    let genomes = names(game.shipped_genomes());
    let nnue = names(game.shipped_nnue());
    let (nets, evaluations) = (names(game.shipped_nets()), [nnue, genomes].concat());
    Ok(json!({"net": nets, "eval": evaluations}).to_string())
}
