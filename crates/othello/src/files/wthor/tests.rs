use tablero_core::conformance;
use tablero_core::{Ending, ForFirst, Game, GameEnd, StandardRules};

use super::super::samples::{game_before_pass, random_game, shared_data};
use super::*;

/// Twelve random games written by this module, the last one unfinished.
const GAMES: &[u8] = include_bytes!("../../../tests/data/random.wtb");
const PLAYERS: &[u8] = include_bytes!("../../../tests/data/random.jou");
const TOURNAMENTS: &[u8] = include_bytes!("../../../tests/data/random.trn");

fn names_of(players: &[u8], tournaments: &[u8]) -> Names {
    Names {
        players: read_players(players).expect("readable"),
        tournaments: read_tournaments(tournaments).expect("readable"),
    }
}

/// The error of a file, or of its first skipped game.
fn error(bytes: &[u8]) -> String {
    match read(bytes, &Names::default()) {
        Err(error) => error.to_string(),
        Ok(archive) => archive.games.skipped()[0].error.to_string(),
    }
}

/// The sample file with one byte changed.
fn changed(at: usize, byte: u8) -> Vec<u8> {
    let mut bytes = GAMES.to_vec();
    bytes[at] = byte;
    bytes
}

fn archive_of(games: Vec<Record<Othello>>) -> Archive {
    let created = Date { year: 2024, month: 2, day: 29 };
    Archive { created, year: 0, depth: 0, games: games.into() }
}

/// Counts the games that replay to the score stated in the file.
fn count_complete(archive: &Archive) -> usize {
    let is_complete = |game: &&Record<Othello>| {
        let played = game.replay().expect("legal").end();
        assert_eq!(played, game.end);
        game.end.is_some() && game.tag(BLACK_DISCS).is_none()
    };
    archive.games.iter().filter(is_complete).count()
}

#[test]
fn the_sample_file_round_trips_byte_for_byte() {
    let mut names = names_of(PLAYERS, TOURNAMENTS);
    let archive = read(GAMES, &names).expect("readable");
    assert_eq!((archive.games.len(), archive.year, archive.depth), (12, 2024, 22));
    assert_eq!(count_complete(&archive), 11);
    let game = &archive.games[0];
    assert_eq!(game.players, ["Ann", "Bjørn"]);
    assert_eq!(game.tag("Event"), Some("Café match"));
    assert_eq!(game.tag("Date"), Some("2024.??.??"));
    assert_eq!(game.tag(THEORETICAL_SCORE), Some("30 at 22 empties"));
    let last = &archive.games[11];
    assert_eq!((last.end, last.tag(BLACK_DISCS)), (None, Some("40")));
    assert_eq!(last.player(Side::First), "");

    assert_eq!(write(&archive, &mut names).as_deref(), Ok(GAMES));
    let created = archive.created;
    assert_eq!(write_players(&names.players, created).as_deref(), Ok(PLAYERS));
    assert_eq!(write_tournaments(&names.tournaments, created).as_deref(), Ok(TOURNAMENTS));
}

#[test]
fn real_archives_replay_to_their_scores_and_round_trip_byte_for_byte() {
    let Some(folder) = shared_data("wthor") else {
        return;
    };
    let file = |name: &str| std::fs::read(folder.join(name)).expect(name);
    let (players, tournaments) = (file("WTH.JOU"), file("WTH.TRN"));
    let names = names_of(&players, &tournaments);
    assert_eq!((names.players.len(), names.tournaments.len()), (4448, 492));
    assert!(names.tournaments.contains(&"Préqualif de Paris".into()));

    for (year, games, complete) in [(2004, 9113, 9113), (1986, 1440, 1430)] {
        let bytes = file(&format!("WTH_{year}.wtb"));
        let archive = read(&bytes, &names).expect("readable");
        assert_eq!((archive.year, archive.depth), (year, 24));
        assert_eq!(archive.games.len(), games);
        assert_eq!(count_complete(&archive), complete);
        let unfinished = archive.games.iter().filter(|game| game.end.is_none());
        assert_eq!(unfinished.count(), games - complete);
        let mut same = names.clone();
        assert!(write(&archive, &mut same) == Ok(bytes), "{year} round-trips byte for byte");
        assert_eq!(same, names);
    }
    let date = |bytes: &[u8]| Header::read(bytes).expect("readable").created;
    assert!(write_players(&names.players, date(&players)) == Ok(players));
    assert!(write_tournaments(&names.tournaments, date(&tournaments)) == Ok(tournaments));
}

#[test]
fn games_round_trip_with_new_names() {
    let mut games: Vec<_> = (0..40).map(random_game).collect();
    for (index, game) in games.iter_mut().enumerate() {
        game.players = [format!("player {}", index % 7), String::new()];
        if index % 2 == 0 {
            game.set_tag("Event", format!("event {}", index % 3));
        }
    }
    let archive = archive_of(games);
    let mut names = Names::default();
    let bytes = write(&archive, &mut names).expect("writable");
    assert_eq!(names.players.len(), 8);
    assert_eq!(names.tournaments.len(), 4);
    assert_eq!(read(&bytes, &names), Ok(archive));
}

#[test]
fn empty_squares_count_for_the_winner() {
    // Black wipes white out in nine moves.
    let record = super::super::transcript::read("e6f4e3f6g5d6e7f5c5").expect("legal");
    assert_eq!(record.end.map(|end| end.outcome.margin()), Some(ForFirst(64)));
    let archive = archive_of(vec![record]);
    let bytes = write(&archive, &mut Names::default()).expect("writable");
    assert_eq!(bytes[HEADER_SIZE + 6], 64);
    assert_eq!(read(&bytes, &Names::default()), Ok(archive));
}

#[test]
fn margins_become_discs() {
    let discs = |margin| black_discs(Outcome::by_margin(ForFirst(margin)));
    assert_eq!([-64, -2, -1, 0, 1, 2, 64].map(discs), [0, 31, 31, 32, 33, 33, 64]);
    assert_eq!([i16::MIN, i16::MAX].map(discs), [0, 64]);
}

#[test]
fn incomplete_games_keep_a_stated_score() {
    let mut game = game_before_pass();
    game.set_tag(BLACK_DISCS, "41");
    let archive = archive_of(vec![game]);
    let bytes = write(&archive, &mut Names::default()).expect("writable");
    assert_eq!(read(&bytes, &Names::default()), Ok(archive));

    let mut resigned = random_game(2);
    resigned.plies.truncate(30);
    let outcome = Outcome::by_margin(ForFirst(-20));
    let ending = Ending::Resigned;
    resigned.end = Some(GameEnd { outcome, ending });
    let bytes = write(&archive_of(vec![resigned]), &mut Names::default()).expect("writable");
    let read = read(&bytes, &Names::default()).expect("readable");
    assert_eq!(read.games[0].tag(BLACK_DISCS), Some("22"));
}

#[test]
fn every_square_has_its_code() {
    for index in 0..64 {
        let square = Square::new(index).expect("a square");
        assert_eq!(square_of(code_of(square)), Some(square));
    }
    assert_eq!(square_of(56), Square::from_name("f5"));
    assert_eq!((0..=255).filter_map(square_of).count(), 64);
}

#[test]
fn file_errors_name_the_offending_bytes() {
    assert_eq!(error(&GAMES[..15]), "byte 0: found 15 bytes, expected a header of 16 bytes");
    assert_eq!(
        error(&GAMES[..GAMES.len() - 1]),
        "byte 764: found 67 bytes after record 11, expected 68 bytes for each of the 12 records it announces"
    );
    let error_of_more = error(&changed(7, 255));
    assert!(error_of_more.contains("found 0 bytes after record 12"), "{error_of_more}");
    assert!(error_of_more.contains("each of the 4278190092 records"), "{error_of_more}");
    assert!(error(&changed(4, 11)).starts_with("byte 764: found 68 bytes after record 11"));
    assert_eq!(
        error(&changed(12, 10)),
        "byte 12: found a board of size 10, expected size 8 (or 0, the same)"
    );
    assert_eq!(
        error(&changed(13, 1)),
        "byte 13: found a file of solitaires, expected a file of games, kind 0"
    );
    let mut empty = GAMES[..HEADER_SIZE].to_vec();
    empty[4] = 0;
    assert_eq!(error(&empty), "byte 4: found a file of 0 games, expected at least one game");
    assert!(read(&changed(12, 0), &Names::default()).is_ok(), "size 0 is 8");
}

#[test]
fn game_errors_name_the_offending_bytes() {
    assert_eq!(
        error(&changed(HEADER_SIZE + 6, 65)),
        "byte 22: found 65 discs, expected at most 64"
    );
    assert_eq!(
        error(&changed(HEADER_SIZE + 7, 99)),
        "byte 23: found 99 discs, expected at most 64"
    );
    assert_eq!(
        error(&changed(HEADER_SIZE + 8, 90)),
        "byte 24: found move 90, expected 10 * row + column, each from 1 to 8"
    );
    assert_eq!(
        error(&changed(HEADER_SIZE + 8, 11)),
        "byte 24: found `a1`, expected a legal move (d3 c4 f5 e6)"
    );
    assert!(error(&changed(HEADER_SIZE + 9, 0)).contains("byte 26: found move"));
    let names = names_of(PLAYERS, TOURNAMENTS);
    let archive = read(&changed(HEADER_SIZE + 3, 2), &names).expect("eleven games");
    let error = archive.games.skipped()[0].error.to_string();
    assert!(error.starts_with("byte 18: found name 512, expected a number below"), "{error}");
}

#[test]
fn unreadable_games_are_skipped() {
    let whole = read(GAMES, &Names::default()).expect("readable").games.into_vec();
    let games = |bytes: &[u8]| read(bytes, &Names::default()).expect("some games").games;
    let damaged = games(&changed(HEADER_SIZE + 2 * GAME_SIZE + 8, 90));
    assert_eq!((damaged.len(), damaged.total()), (11, 12));
    assert_eq!(damaged.skipped()[0].number, 3);
    assert_eq!((&damaged[1], &damaged[2]), (&whole[1], &whole[3]));
    let truncated = games(&GAMES[..GAMES.len() - 1]);
    assert_eq!((&*truncated, truncated.skipped()[0].number), (&whole[..11], 12));
}

#[test]
fn unrepresentable_games_are_rejected() {
    let first = random_game(1).plies[0].m;
    let refusal = |change: &dyn Fn(&mut Archive)| {
        let mut archive = archive_of(vec![random_game(1)]);
        change(&mut archive);
        let error = write(&archive, &mut Names::default()).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        refusal(&|archive| archive.games = Vec::new().into()),
        "a WTHOR file cannot hold 0 games"
    );
    assert_eq!(
        refusal(&|archive| archive.games[0].players[1] = "a name of twenty two c".into()),
        "a WTHOR file cannot hold the name \"a name of twenty two c\" (at most 19 letters of Latin-1)"
    );
    assert!(refusal(&|archive| archive.games[0].set_tag("Event", "Shōbu")).contains("Latin-1"));
    assert!(refusal(&|archive| archive.games[0].set_tag(BLACK_DISCS, "65")).contains("= 65"));
    assert!(refusal(&|archive| archive.created.year = 30_000).contains("30000"));
    assert!(
        refusal(&|archive| archive.games[0].start = Othello::start(StandardRules).after(first))
            .contains("a game from the position")
    );
}

#[test]
fn parsers_do_not_panic_on_corrupt_input() {
    let names = names_of(PLAYERS, TOURNAMENTS);
    conformance::check_reader(&[GAMES], 5_000, 1, |bytes| {
        let _ = read(bytes, &names);
        let _ = read(bytes, &Names::default());
    });
    conformance::check_reader(&[PLAYERS, TOURNAMENTS], 20_000, 1, |bytes| {
        let _ = read_players(bytes);
        let _ = read_tournaments(bytes);
    });
}
