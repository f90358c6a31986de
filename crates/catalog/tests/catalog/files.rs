//! Game and format of files are detected.

use tablero_core::{AnyGameHistory, AnyRecord, Game, Input, OpenError, Rng};
use tablero_registry::{GameEntry, open};

use crate::{game, games};

/// A game of five random plies.
fn random_game(entry: &dyn GameEntry) -> AnyGameHistory {
    let mut rng = Rng::seeded(3);
    let mut game = AnyGameHistory::new(entry.game().start());
    for _ in 0..5 {
        let Some(m) = game.position().random_move(&mut rng) else { break };
        game.play(m).expect("legal");
    }
    game
}

#[test]
fn formats_read_what_they_write() {
    for &entry in games() {
        let record = AnyRecord::from_history(&random_game(entry));
        for (index, format) in entry.game().formats().iter().enumerate() {
            let written = match (format.write)(std::slice::from_ref(&record)) {
                Ok(written) => written,
                // The default format holds every game; others only finished games or games from the start.
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
        let played = random_game(entry);
        let pgn = tablero_core::pgn::write(&AnyRecord::from_history(&played));
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
fn moves_may_follow_a_position() {
    let game = game("tictactoe").game();
    let parse = |text: &str| game.parse_history(text, game.default_rules());
    assert_eq!(parse("start moves b2 a1").expect("legal").plies(), 2);
    let error = parse("start moves b2 b2").expect_err("taken").to_string();
    assert!(error.contains("b2"), "{error}");
}

#[test]
fn unreadable_input_is_reported() {
    let error = |text: &str, game, format| open(&Input::text(text), game, format).unwrap_err();
    games();
    assert_eq!(error(" \n", None, None), OpenError::Empty);
    assert!(matches!(error("hello, world", None, None), OpenError::Unrecognized { .. }));
    assert!(matches!(error("hello", None, Some("xyz")), OpenError::UnknownFormat { .. }));
    let tictactoe = Some(game("tictactoe").game());
    let damaged = error("hello", tictactoe, Some("positions")).to_string();
    assert!(damaged.contains("positions file of tictactoe"), "{damaged}");
}
