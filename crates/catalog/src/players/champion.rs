//! The Othello champion as a kind of player.

use tablero_champion::eval::Weights;
use tablero_champion::{Champion, ChampionOptions, Selectivity, levels};
use tablero_core::{OptionValues, PlayerKind, PlayerLine, PlayerLineError, PlayerSetup};
use tablero_othello::Othello;

use super::kinds::{check_room, depth_option, erased, limits, option, threads_option};

/// The level if nothing bounds the search: some tenths of a second for a move.
const DEFAULT_LEVEL: u32 = 12;

/// The kind `champion`.
pub(crate) fn kind() -> PlayerKind {
    let usual = ChampionOptions::default();
    let percents = Selectivity::ALL.map(|selectivity| selectivity.percent().to_string());
    PlayerKind {
        name: "champion",
        about: "the strongest here: an evaluation learned from its own games, exact endgames; without \
                a bound it plays at level 12",
        words: None,
        options: vec![
            option(
                "level",
                OptionValues::Integer { min: 1, max: levels::MOST.into() },
                "",
                "plies to look ahead; up to 10, exact with twice as many empty squares; 21 is exact \
                 with 24",
            ),
            depth_option(""),
            option(
                "nodes",
                OptionValues::Integer { min: 1, max: u64::MAX },
                "",
                "positions to look at",
            ),
            option("time", OptionValues::Duration, "", "time for a move"),
            option(
                "selectivity",
                OptionValues::Choice(percents.to_vec()),
                &usual.selectivity.percent().to_string(),
                "how sure, in percent, its short cuts must be where depth= bounds it",
            ),
            option(
                "hash",
                OptionValues::Integer { min: 0, max: 65_536 },
                &usual.hash_mb.to_string(),
                "megabytes for seen positions",
            ),
            threads_option(),
            option(
                "weights",
                OptionValues::NameOrFile(Vec::new()),
                "",
                "what `tablero learn othello --net patterns` has learned, instead of what is shipped",
            ),
        ],
        starts_program: false,
        build: |line, setup| {
            let options = options(line, setup);
            check_room(options.hash_mb)?;
            erased::<Othello>(match weights(line, setup)? {
                Some(weights) => Champion::with_weights(options, weights),
                None => Champion::new(options),
            })
        },
    }
}

/// The weights of the file that a checked line names, if it does.
fn weights(line: &PlayerLine, setup: &PlayerSetup) -> Result<Option<Weights>, PlayerLineError> {
    let Some(name) = line.option("weights") else { return Ok(None) };
    let wrong = |problem: String| PlayerLineError(format!("`weights={name}`: {problem}"));
    setup.permissions.check_files().map_err(|error| wrong(error.to_string()))?;
    let bytes = std::fs::read(name).map_err(|error| wrong(error.to_string()))?;
    Weights::read(&bytes).map(Some).map_err(|error| wrong(error.to_string()))
}

fn options(line: &PlayerLine, setup: &PlayerSetup) -> ChampionOptions {
    let mut options = ChampionOptions { lines: setup.lines, ..Default::default() };
    options.limits = limits(line, "nodes");
    options.level = line.value("level");
    let is_bounded = options.level.is_some() || !options.limits.is_unlimited();
    if !is_bounded && !setup.bounded_by_caller {
        options.level = Some(DEFAULT_LEVEL);
    }
    let selectivity = line.value("selectivity").and_then(Selectivity::from_percent);
    options.selectivity = selectivity.unwrap_or(options.selectivity);
    options.hash_mb = line.value("hash").or(setup.hash_mb).unwrap_or(options.hash_mb);
    options.threads = line.value("threads").unwrap_or(setup.threads);
    options
}
