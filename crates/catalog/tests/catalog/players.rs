//! Player lines.

use tablero_champion::eval::Weights;
use tablero_core::{PlayerLineError, PlayerSetup};

use crate::{SANDBOXED, TempFile, assert_builds, error, game, games};

#[test]
fn every_level_can_be_built() {
    for &entry in games() {
        let game = entry.game();
        let named = game.named_levels().map(|(name, _)| name.to_owned());
        let numbered = (1..=game.ladder().len()).map(|number| number.to_string());
        for name in named.into_iter().chain(numbered) {
            assert_builds(entry, &format!("level {name}"));
        }
        let above = format!("level {}", game.ladder().len() + 1);
        for wrong in ["level", "level 0", &above, "level godlike", "level 1 depth=3"] {
            let error = error(entry, wrong, &PlayerSetup::LOCAL);
            assert!(error.contains("level"), "{game}: {error}");
        }
    }
}

#[test]
fn every_evaluation_can_be_played() {
    for &entry in games() {
        assert!(!entry.evaluations().is_empty(), "{entry:?}");
        for evaluation in entry.evaluations() {
            assert_builds(entry, &format!("alphabeta depth=1 eval={}", evaluation.name));
        }
    }
}

#[test]
fn errors_list_valid_values() {
    for &entry in games() {
        for (line, expected) in [
            ("", "empty"),
            ("unknown", "alphabeta"),
            ("alphabeta dpeth=9", "depth"),
            ("alphabeta depth=0", "1 to 100"),
            ("mcts final=best", "visits or uct"),
            ("random eval=x", "no option"),
            ("puct sims=10", "net"),
        ] {
            let error = error(entry, line, &PlayerSetup::LOCAL);
            assert!(error.contains(expected), "{entry:?} `{line}`: {error}");
        }
    }
}

/// The server checks lines without building players.
#[test]
fn checking_a_line_detects_a_missing_network() {
    for &entry in games() {
        let kinds = entry.player_kinds();
        let check = |line: &str| kinds.check(&line.parse().expect("a line")).map(|kind| kind.name);
        let missing = check("puct sims=10").expect_err("no network");
        assert!(
            matches!(missing, PlayerLineError::MissingOption { option: "net", .. }),
            "{missing}"
        );
        assert_eq!(check("puct sims=10 net=mine.safetensors"), Ok("puct"));
        assert_eq!(check("mcts iterations=10"), Ok("mcts"), "random playouts need none");
    }
}

#[test]
fn level_words_follow_the_ladder() {
    for &entry in games() {
        let kinds = entry.player_kinds();
        let level = kinds.0.iter().find(|kind| kind.name == "level").expect("level");
        let words = level.words.as_deref().expect("words");
        assert!(words.starts_with(&format!("1..{}|", entry.game().ladder().len())), "{words}");
    }
}

/// Without permissions, lines neither read files nor start programs.
#[test]
fn permissions_are_enforced() {
    for &entry in games() {
        let unknown = error(entry, "alphabeta eval=/etc/hostname", &SANDBOXED);
        assert!(unknown.contains(&entry.evaluations()[0].name), "{unknown}");
        assert!(error(entry, "puct net=/etc/hostname", &SANDBOXED).contains("not read here"));
        for kind in entry.player_kinds().0.iter().filter(|kind| kind.starts_program) {
            let error = error(entry, &format!("{} /bin/true", kind.name), &SANDBOXED);
            assert!(error.contains("not allowed here"), "{error}");
        }
        assert!(entry.build("level 1", &SANDBOXED).is_ok(), "{entry:?}");
    }
}

#[test]
fn files_of_lines_can_be_replaced() {
    let kinds = game("othello").player_kinds();
    let mut locate = |file: &str| Ok(file.replace("mine", "/tmp/yours"));
    let replaced = kinds.replace_files("alphabeta depth=2 eval=mine.evl#3", &mut locate);
    assert_eq!(replaced.unwrap().to_string(), "alphabeta depth=2 eval=/tmp/yours.evl#3");
    let same = kinds.replace_files("alphabeta eval=jma", &mut locate);
    assert_eq!(same.unwrap().to_string(), "alphabeta eval=jma", "no file");
    let mut missing = |_: &str| Err("it is gone".into());
    let error = kinds.replace_files("alphabeta eval=mine.evl", &mut missing).unwrap_err();
    assert_eq!(error.to_string(), "`eval=mine.evl`: it is gone");
}

#[test]
fn lines_that_start_programs_are_detected() {
    let kinds = game("chess").player_kinds();
    assert!(kinds.starts_program("uci /usr/games/stockfish").unwrap());
    assert!(!kinds.starts_program("level 3").unwrap());
    assert!(kinds.starts_program("uic /usr/games/stockfish").is_err());
}

#[test]
fn lines_of_external_engines_are_validated() {
    for &entry in games() {
        for kind in entry.player_kinds().0.iter().filter(|kind| kind.starts_program) {
            let error = |line: &str| error(entry, line, &PlayerSetup::LOCAL);
            let no_program = error(kind.name);
            assert!(no_program.contains("needs a program"), "{no_program}");
            let bound = error(&format!("{} /bin/true depth=deep", kind.name));
            assert!(bound.contains("depth is a whole number"), "{bound}");
            let missing = error(&format!("{} /nowhere/engine", kind.name));
            assert!(missing.starts_with("engine cannot be started"), "{missing}");
        }
    }
}

#[test]
fn weight_files_are_validated() {
    let (file, othello) = (TempFile::new("weights", &Weights::zero().to_bytes()), game("othello"));
    let line = format!("champion level=1 \"weights={}\"", file.path().display());
    assert_builds(othello, &line);
    assert!(error(othello, &line, &SANDBOXED).contains("not read here"));
    std::fs::write(file.path(), "no weights").expect("written");
    assert!(error(othello, &line, &PlayerSetup::LOCAL).contains("not a weights file"));
    std::fs::remove_file(file.path()).expect("removed");
    assert!(error(othello, &line, &PlayerSetup::LOCAL).contains("weights="));
}
