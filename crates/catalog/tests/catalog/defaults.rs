//! The defaults of every game are valid.

use std::collections::HashSet;

use tablero_core::Rng;
use tablero_evolve::{EvolutionConfig, default_scheme};
use tablero_learn::LearnConfig;

use crate::{assert_builds, games};

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    for entry in games() {
        let name = entry.game().name();
        assert!(seen.insert(name.to_lowercase()), "{name} is repeated");
        let found = tablero_registry::find(&name.to_uppercase()).expect("case-insensitive");
        assert_eq!(found.game().name(), name);
    }
    let error = tablero_registry::find("ludo").expect_err("no such game");
    assert!(games().iter().all(|entry| error.known.contains(&entry.game().name())), "{error}");
}

#[test]
fn analysts_and_anchors_can_be_built() {
    for &entry in games() {
        assert_builds(entry, entry.game().analyst());
        let anchors = entry.game().learning_defaults().anchors;
        assert!(!anchors.is_empty(), "{entry:?}");
        anchors.iter().for_each(|line| assert_builds(entry, line));
    }
}

#[test]
fn default_learning_runs_are_valid() {
    for entry in games() {
        let (game, spec) = (entry.game(), entry.learning().spec());
        for config in [LearnConfig::for_game(game, "test"), LearnConfig::quick(game, "test")] {
            config.check(&spec).unwrap_or_else(|problem| panic!("{game}: {problem}"));
            let with_teacher = config.with_teacher(game, "level 1");
            with_teacher.check(&spec).unwrap_or_else(|problem| panic!("{game}: {problem}"));
        }
    }
}

#[test]
fn default_evolutions_are_valid() {
    for entry in games() {
        let (game, evolution) = (entry.game(), entry.evolution());
        assert!(!evolution.genome_kinds().is_empty(), "{game}");
        for kind in evolution.genome_kinds() {
            let scheme = default_scheme(game, kind.name());
            let config = EvolutionConfig::default_for(game, kind.name(), scheme);
            let checked = config.check(evolution);
            assert!(checked.is_ok(), "{game} {}: {}", kind.name(), checked.expect_err("wrong"));
            let genome = kind.random(&mut Rng::seeded(1));
            let line = game.evolution_defaults().player;
            let player = evolution.genome_player(kind.name(), &genome, line);
            assert!(player.is_ok(), "{game} {}: {:?}", kind.name(), player.err());
        }
    }
}

#[test]
fn book_lines_are_legal() {
    for entry in games() {
        let game = entry.game();
        for line in game.book() {
            let text = format!("start moves {}", line.moves);
            let opened = game.parse_history(&text, game.default_rules());
            assert!(opened.is_ok_and(|opened| opened.end().is_none()), "{game}: {line:?}");
        }
    }
}
