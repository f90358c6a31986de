//! The player kind `champion`: the Othello engine.

use tablero_champion::eval::{Patterns, Weights};
use tablero_champion::{Champion, ChampionOptions, Selectivity, levels};
use tablero_core::{
    Evaluation, Localized, OptionValues, PlayerKind, PlayerLine, PlayerLineError, PlayerSetup,
};
use tablero_othello::Othello;

use super::kinds::{check_memory, depth_option, erased, limits, option, threads_option};

/// The level without other limits: some tenths of a second per move.
const DEFAULT_LEVEL: u32 = 12;

/// Its name.
pub(crate) const KIND: &str = "champion";

/// The player kind `champion`.
pub(crate) fn kind() -> PlayerKind {
    let defaults = ChampionOptions::default();
    let percents = Selectivity::ALL.map(|selectivity| selectivity.percent().to_string());
    PlayerKind {
        name: KIND,
        about: Localized::new(
            "the strongest player: pattern evaluation learned by self-play, exact endgames; \
             level 12 if nothing else bounds it",
            "el jugador más fuerte: evaluación por patrones aprendida en autojuego y finales \
             exactos; nivel 12 si no hay otro límite",
        ),
        words: None,
        options: vec![
            option(
                "level",
                OptionValues::Integer { min: 1, max: levels::MAX_LEVEL.into() },
                "",
                Localized::new(
                    "search depth in plies; up to 10, exact from twice as many empties; 21 is \
                     exact from 24",
                    "profundidad en medias jugadas; hasta 10, exacto con el doble de casillas \
                     vacías; 21 es exacto con 24",
                ),
            ),
            depth_option(""),
            option(
                "nodes",
                OptionValues::Integer { min: 1, max: u64::MAX },
                "",
                Localized::new("nodes to search", "nodos de la búsqueda"),
            ),
            option(
                "time",
                OptionValues::Duration,
                "",
                Localized::new("time per move", "tiempo por jugada"),
            ),
            option(
                "selectivity",
                OptionValues::Choice(percents.to_vec()),
                &defaults.selectivity.percent().to_string(),
                Localized::new(
                    "confidence of ProbCut pruning in percent, where depth= bounds the search",
                    "confianza de la poda ProbCut, en tanto por ciento, cuando depth= limita la \
                     búsqueda",
                ),
            ),
            option(
                "hash",
                OptionValues::Megabytes { min: 0, max: 65_536 },
                &defaults.hash_mb.to_string(),
                Localized::new("transposition table in MB", "tabla de transposiciones, en MB"),
            ),
            threads_option(),
            option(
                "weights",
                OptionValues::NameOrFile(Vec::new()),
                "",
                Localized::new(
                    "weights file of `tablero learn othello --net patterns`, instead of the \
                     shipped one",
                    "archivo de pesos de `tablero learn othello --net patterns`, en vez del \
                     incluido",
                ),
            ),
        ],
        starts_program: false,
        build: |line, setup| {
            let options = options(line, setup);
            check_memory(options.hash_mb)?;
            erased::<Othello>(match weights(line, setup)? {
                Some(weights) => Champion::with_weights(options, weights),
                None => Champion::new(options),
            })
        },
    }
}

/// The evaluation of a validated line.
pub(crate) fn evaluation(
    line: &PlayerLine,
    setup: &PlayerSetup,
) -> Result<Box<dyn Evaluation<Othello>>, PlayerLineError> {
    Ok(match weights(line, setup)? {
        Some(weights) => Box::new(Patterns(weights)),
        None => Box::new(Patterns(Weights::embedded())),
    })
}

/// The weights file of a validated line, if any.
fn weights(line: &PlayerLine, setup: &PlayerSetup) -> Result<Option<Weights>, PlayerLineError> {
    let Some(name) = line.option("weights") else { return Ok(None) };
    let invalid = |reason: String| PlayerLineError::InvalidFile {
        option: "weights".into(),
        value: name.into(),
        reason,
    };
    setup.permissions.check_file("weights", name, &[])?;
    let weights = Weights::read_file(name.as_ref());
    weights.map(Some).map_err(|error| invalid(error.to_string()))
}

fn options(line: &PlayerLine, setup: &PlayerSetup) -> ChampionOptions {
    let mut options = ChampionOptions { multi_pv: setup.multi_pv, ..Default::default() };
    options.limits = limits(line, "nodes");
    options.level = line.value("level");
    let is_bounded = options.level.is_some() || !options.limits.is_unlimited();
    if !is_bounded && !setup.limited_by_caller {
        options.level = Some(DEFAULT_LEVEL);
    }
    let selectivity = line.value("selectivity").and_then(Selectivity::from_percent);
    options.selectivity = selectivity.unwrap_or(options.selectivity);
    options.hash_mb = line.value("hash").or(setup.hash_mb).unwrap_or(options.hash_mb);
    options.threads = line.value("threads").unwrap_or(setup.threads);
    options
}
