//! The Othello champion as a kind of player.

use tablero_champion::{Champion, ChampionOptions, Selectivity, levels};
use tablero_othello::Othello;

use super::kinds::{Kind, check_room, depth_option, limits, option, threads_option};
use super::options::Values;
use super::{PlayerLine, Setup};

/// The level if nothing bounds the search: some tenths of a second for a move.
const DEFAULT_LEVEL: u32 = 12;

/// The kind `champion`.
pub(super) fn kind() -> Kind<Othello> {
    let usual = ChampionOptions::default();
    let percents = Selectivity::ALL.map(|selectivity| selectivity.percent().to_string());
    Kind {
        name: "champion",
        about: "the strongest here: an evaluation learned from its own games, exact endgames; without \
                a bound it plays at level 12",
        words: None,
        options: vec![
            option(
                "level",
                Values::Integer { min: 1, max: levels::MOST.into() },
                "",
                "plies to look ahead; up to 10, exact with twice as many empty squares; 21 is exact \
                 with 24",
            ),
            depth_option(""),
            option("nodes", Values::Integer { min: 1, max: u64::MAX }, "", "positions to look at"),
            option("time", Values::Duration, "", "time for a move"),
            option(
                "selectivity",
                Values::Choice(percents.to_vec()),
                &usual.selectivity.percent().to_string(),
                "how sure, in percent, its short cuts must be where depth= bounds it",
            ),
            option(
                "hash",
                Values::Integer { min: 0, max: 65_536 },
                &usual.hash_mb.to_string(),
                "megabytes for seen positions",
            ),
            threads_option(),
        ],
        build: |line, setup| {
            let options = options(line, setup);
            check_room(options.hash_mb)?;
            Ok(Box::new(Champion::new(options)))
        },
    }
}

fn options(line: &PlayerLine, setup: &Setup) -> ChampionOptions {
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
