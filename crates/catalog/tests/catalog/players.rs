//! Players by their lines.

use tablero_champion::eval::Weights;
use tablero_core::PlayerSetup;

use crate::{CLOSED, TempFile, assert_builds, error, game, games};

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
fn wrong_lines_are_told_what_is_right() {
    for &entry in games() {
        for (line, right) in [
            ("", "empty"),
            ("nobody", "alphabeta"),
            ("alphabeta dpeth=9", "depth"),
            ("alphabeta depth=0", "1 to 100"),
            ("mcts final=best", "visits or uct"),
            ("random eval=x", "no option"),
        ] {
            let error = error(entry, line, &PlayerSetup::LOCAL);
            assert!(error.contains(right), "{entry:?} `{line}`: {error}");
        }
    }
}

/// Lines of others neither read files nor start programs.
#[test]
fn what_is_not_permitted_is_refused() {
    for &entry in games() {
        let unknown = error(entry, "alphabeta eval=/etc/hostname", &CLOSED);
        assert!(unknown.contains(&entry.evaluations()[0].name), "{unknown}");
        assert!(error(entry, "puct net=/etc/hostname", &CLOSED).contains("not read here"));
        for kind in entry.player_kinds().0.iter().filter(|kind| kind.starts_program) {
            let error = error(entry, &format!("{} /bin/true", kind.name), &CLOSED);
            assert!(error.contains("not allowed here"), "{error}");
        }
        assert!(entry.build("level 1", &CLOSED).is_ok(), "{entry:?}");
    }
}

#[test]
fn files_of_lines_can_be_replaced() {
    let kinds = game("othello").player_kinds();
    let mut place = |file: &str| Ok(file.replace("mine", "/tmp/yours"));
    let there = kinds.replace_files("alphabeta depth=2 eval=mine.evl#3", &mut place);
    assert_eq!(there.unwrap().to_string(), "alphabeta depth=2 eval=/tmp/yours.evl#3");
    let same = kinds.replace_files("alphabeta eval=jma", &mut place);
    assert_eq!(same.unwrap().to_string(), "alphabeta eval=jma", "no file");
    let mut missing = |_: &str| Err("it is gone".into());
    let error = kinds.replace_files("alphabeta eval=mine.evl", &mut missing).unwrap_err();
    assert_eq!(error.to_string(), "`eval=mine.evl`: it is gone");
}

#[test]
fn it_is_known_which_lines_start_programs() {
    let kinds = game("chess").player_kinds();
    assert!(kinds.starts_program("uci /usr/games/stockfish").unwrap());
    assert!(!kinds.starts_program("level 3").unwrap());
    assert!(kinds.starts_program("uic /usr/games/stockfish").is_err());
}

#[test]
fn programs_are_named_and_bounded_rightly() {
    for &entry in games() {
        for kind in entry.player_kinds().0.iter().filter(|kind| kind.starts_program) {
            let error = |line: &str| error(entry, line, &PlayerSetup::LOCAL);
            let nobody = error(kind.name);
            assert!(nobody.contains("PROGRAM") || nobody.contains("needs a program"), "{nobody}");
            let bound = error(&format!("{} /bin/true depth=deep", kind.name));
            assert!(bound.contains("`depth` is a number"), "{bound}");
            let missing = error(&format!("{} /nowhere/engine", kind.name));
            assert!(missing.starts_with("engine cannot be started"), "{missing}");
        }
    }
}

#[test]
fn weights_come_from_a_file_that_is_checked() {
    let (file, othello) = (TempFile::new("weights", &Weights::zero().to_bytes()), game("othello"));
    let line = format!("champion level=1 \"weights={}\"", file.path().display());
    assert_builds(othello, &line);
    assert!(error(othello, &line, &CLOSED).contains("not read here"));
    std::fs::write(file.path(), "no weights").expect("written");
    assert!(error(othello, &line, &PlayerSetup::LOCAL).contains("no file of weights"));
    std::fs::remove_file(file.path()).expect("removed");
    assert!(error(othello, &line, &PlayerSetup::LOCAL).contains("weights="));
}
