//! The Othello champion as a kind of player.

use tablero_champion::eval::Weights;
use tablero_champion::{Champion, ChampionOptions, Selectivity, levels};
use tablero_othello::Othello;

use super::kinds::{Kind, check_room, depth_option, limits, option, threads_option};
use super::options::Values;
use super::{PlayerLine, PlayerLineError, Setup};

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
            option(
                "weights",
                Values::NameOrFile(Vec::new()),
                "",
                "what `tablero learn othello --net patterns` has learned, instead of what is shipped",
            ),
        ],
        build: |line, setup| {
            let options = options(line, setup);
            check_room(options.hash_mb)?;
            Ok(Box::new(match weights(line, setup)? {
                Some(weights) => Champion::with_weights(options, weights),
                None => Champion::new(options),
            }))
        },
    }
}

/// The weights of the file that a checked line names, if it does.
fn weights(line: &PlayerLine, setup: &Setup) -> Result<Option<Weights>, PlayerLineError> {
    let Some(name) = line.option("weights") else { return Ok(None) };
    let wrong = |problem: String| PlayerLineError(format!("`weights={name}`: {problem}"));
    if !setup.may_read_files {
        return Err(wrong("files are not read here".into()));
    }
    let bytes = std::fs::read(name).map_err(|error| wrong(error.to_string()))?;
    Weights::read(&bytes).map(Some).map_err(|error| wrong(error.to_string()))
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

#[cfg(test)]
mod tests {
    use tablero_othello::Othello;

    use super::*;
    use crate::players::build;

    #[test]
    fn weights_come_from_a_file_that_is_checked() {
        let path = std::env::temp_dir().join(format!("tablero-weights-{}", std::process::id()));
        std::fs::write(&path, Weights::zero().to_bytes()).expect("written");
        let line = format!("champion level=1 \"weights={}\"", path.display());
        let usual = Setup::default();
        assert!(build::<Othello>(&line, &usual).is_ok());
        let error =
            |line: &str, setup| build::<Othello>(line, setup).err().expect("an error").to_string();
        let closed = Setup { may_read_files: false, ..Setup::default() };
        assert!(error(&line, &closed).contains("not read here"));
        std::fs::write(&path, "no weights").expect("written");
        assert!(error(&line, &usual).contains("no file of weights"));
        std::fs::remove_file(&path).expect("removed");
        assert!(error(&line, &usual).contains("weights="));
    }
}
