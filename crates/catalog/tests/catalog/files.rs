//! Files of every game are read without being told which game it is.

use tablero_core::{AnyMatch, AnyRecord, Game, Input, OpenError, Rng};
use tablero_registry::{GameEntry, open};

use crate::{game, games};

/// A game of some random moves.
fn some_game(entry: &dyn GameEntry) -> AnyMatch {
    let mut rng = Rng::seeded(3);
    let mut game = AnyMatch::new(entry.game().start());
    for _ in 0..5 {
        let Some(m) = game.position().random_move(&mut rng) else { break };
        game.play(m).expect("legal");
    }
    game
}

#[test]
fn what_a_format_writes_is_read_again() {
    for &entry in games() {
        let record = AnyRecord::of_match(&some_game(entry));
        for (index, format) in entry.game().formats().iter().enumerate() {
            let written = match (format.write)(std::slice::from_ref(&record)) {
                Ok(written) => written,
                // The usual one holds every game, others only those that are over or begin anew.
                Err(error) => {
                    assert!(index > 0, "{entry:?} {}: {error}", format.name);
                    continue;
                }
            };
            let input = Input { bytes: &written[0].bytes, path: None };
            let (records, name) = open(&input, Some(entry.game()), Some(format.name))
                .unwrap_or_else(|error| panic!("{entry:?} {}: {error}", format.name));
            assert_eq!((records.len(), name), (1, format.name));
            assert_eq!(records[0].start.game().name(), entry.game().name());
        }
    }
}

#[test]
fn games_are_detected() {
    for &entry in games() {
        let played = some_game(entry);
        let pgn = tablero_core::pgn::write(&AnyRecord::of_match(&played));
        let position = played.position().position_text();
        for text in [&pgn, &position] {
            let (records, _) = open(&Input::text(text), None, None)
                .unwrap_or_else(|error| panic!("{entry:?}: {error} in {text}"));
            let last = records[0].replay().expect("legal");
            assert_eq!(last.position().game().name(), entry.game().name(), "{text}");
            assert_eq!(last.position().position_text(), position);
        }
    }
}

#[test]
fn positions_are_followed_by_moves() {
    let game = game("tictactoe").game();
    let parse = |text: &str| game.parse_match(text, game.default_rules());
    assert_eq!(parse("start moves b2 a1").expect("legal").plies(), 2);
    let error = parse("start moves b2 b2").expect_err("taken").to_string();
    assert!(error.contains("b2"), "{error}");
}

#[test]
fn what_is_no_file_of_ours_is_explained() {
    let wrong = |text: &str, game, format| open(&Input::text(text), game, format).unwrap_err();
    games();
    assert_eq!(wrong(" \n", None, None), OpenError::Empty);
    assert!(matches!(wrong("hello, world", None, None), OpenError::Unknown { .. }));
    assert!(matches!(wrong("hello", None, Some("xyz")), OpenError::NoFormat { .. }));
    let tictactoe = Some(game("tictactoe").game());
    let damaged = wrong("hello", tictactoe, Some("positions")).to_string();
    assert!(damaged.contains("positions file of tictactoe"), "{damaged}");
}
