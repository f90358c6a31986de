//! Game and format of files are detected.

use tablero_core::{
    AnyGame, AnyGameHistory, AnyRecord, FileFormat, Game, Input, Location, OpenError, Rng,
};
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

/// The formats of all games that hold several games, each with a game in that format.
fn samples() -> Vec<(AnyGame, FileFormat, Vec<u8>)> {
    let mut all = Vec::new();
    for &entry in games() {
        let record = AnyRecord::from_history(&random_game(entry));
        for format in entry.game().formats() {
            if let Ok(mut files) = (format.write)(std::slice::from_ref(&record)) {
                all.push((entry.game(), format, files.swap_remove(0).bytes));
            }
        }
    }
    assert!(all.len() >= 13, "{}", all.len());
    all
}

#[test]
fn a_bad_game_does_not_hide_the_others() {
    for (game, format, sample) in samples() {
        // WTHOR has a header, and a .tab file one position.
        if ["wthor", "tab"].contains(&format.name) {
            continue;
        }
        let text = String::from_utf8(sample).expect("text");
        let bad = match format.name {
            "pgn" => format!("[Event \"bad\"]\n{}", text.replacen("1. ", "1. ?? ", 1)),
            "ggf" => text.replacen("]B[", "]B[x", 1),
            _ => format!("?{text}"),
        };
        let file = format!("{text}{bad}\n{text}{bad}{text}");
        let (records, name) = open(&Input::text(&file), Some(game), None)
            .unwrap_or_else(|error| panic!("{game} {}: {error} in {file}", format.name));
        assert_eq!(name, format.name, "{game}");
        assert_eq!((records.len(), records.skipped_count()), (3, 2), "{game} {name}\n{file}");
        let numbers: Vec<_> = records.skipped().iter().map(|skipped| skipped.number).collect();
        assert_eq!(numbers, [2, 4], "{game} {name}");
        let Location::Text { line, .. } = records.skipped()[0].error.location else {
            panic!("{game} {name}: no line")
        };
        let lines = text.lines().count();
        assert!((lines + 1..=2 * lines + 1).contains(&line), "{game} {name}: line {line}");
        assert!(records.require_all(name).is_err(), "{game} {name}");
        // With a bad game at the start, too, if the format is given.
        let (records, _) = open(&Input::text(&format!("{bad}\n{text}")), Some(game), Some(name))
            .unwrap_or_else(|error| panic!("{game} {name}: {error}"));
        assert_eq!((records.len(), records.skipped_count()), (1, 1), "{game} {name}");
    }
}

#[test]
fn a_byte_order_mark_is_accepted() {
    for (game, format, sample) in samples() {
        let Ok(text) = String::from_utf8(sample) else { continue };
        let opened = |text: &str| open(&Input::text(text), None, None).expect(format.name);
        if format.name == "wthor" {
            continue;
        }
        let (with_mark, without) = (opened(&format!("\u{feff}{text}")), opened(&text));
        assert_eq!(with_mark, without, "{game} {}", format.name);
        let utf16 = text.encode_utf16().flat_map(u16::to_le_bytes);
        for mark in [&[0xff, 0xfe][..], &[]] {
            let bytes: Vec<u8> = mark.iter().copied().chain(utf16.clone()).collect();
            let input = Input { bytes: &bytes, path: None };
            assert_eq!(open(&input, None, None), Err(OpenError::Utf16), "{game} {}", format.name);
        }
    }
}

#[test]
fn a_file_is_recognised_although_its_first_line_is_bad() {
    let path = std::path::Path::new("games.txt");
    let opened = |text: &str, path| {
        let input = Input { bytes: text.as_bytes(), path };
        open(&input, None, None).map(|(records, format)| (records.len(), format))
    };
    games();
    assert_eq!(opened("My games\nf5d6\nf5f6\n", None), Ok((2, "transcript")));
    assert_eq!(opened("My games\nf5d6\n", Some(path)), Ok((1, "transcript")));
    assert!(opened("Prose of\nseveral lines\nand c4\nc4\n", Some(path)).is_err());
    assert!(opened("My games\nf5d6\n", None).is_err());
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
