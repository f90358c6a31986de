use tablero_core::conformance;
use tablero_core::{Rng, pgn};

use super::super::samples::{game_before_pass, random_game, random_game_from};
use super::*;
use crate::Square;

const SAMPLE: &str = "(;GM[Othello]PC[club [1\\]]DT[2020.05.01_18:30:00.CET]PB[Ann]PW[Bob \\\\ B]\
    RB[1500.25]RW[1600]TI[05:00//02:00]XY[kept]TY[8]RE[-12.000:r]\
    BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\
    B[f5//1.23]W[d6/-2.00/3.50]B[c3/0.25]W[d3];)\n";

fn one(text: &str) -> Result<Record<Othello>, ReadError> {
    let mut games = read(text);
    let game = games.next().expect("a game");
    assert!(games.next().is_none(), "one game");
    game
}

fn error(text: &str) -> String {
    one(text).unwrap_err().to_string()
}

/// A random game that uses every feature of the format.
fn full_game(seed: u64) -> Record<Othello> {
    let mut rng = Rng::seeded(seed);
    let mut game = random_game(seed);
    if seed.is_multiple_of(3) {
        let middle = random_game_from(game.start, seed + 1, 14);
        let start = *middle.replay().expect("legal").position();
        game = random_game_from(start, seed, 40);
        game.set_tag("TY", "8r18");
    }
    game.players = [format!("black {seed}"), "[wh\\]ite\\".into()];
    game.set_tag("Event", "");
    game.set_tag("Date", "2020.??.??");
    game.set_tag("Source", "a\nb");
    for ply in &mut game.plies {
        if rng.below(2) == 0 {
            ply.time = Some(Duration::from_millis(rng.below(100_000)));
        }
        if rng.below(2) == 0 {
            let centidiscs = rng.below(12_801) as i32 - 6_400;
            ply.value = Some(ForFirst(Value::Centi(centidiscs)));
        }
    }
    if let Some(end) = &mut game.end {
        end.ending = *rng
            .pick(&[Ending::Played, Ending::Resigned, Ending::Time, Ending::Agreed])
            .expect("one");
    }
    game
}

#[test]
fn the_sample_is_parsed() {
    let game = one(SAMPLE).expect("readable");
    assert_eq!(game.players, ["Ann", "Bob \\ B"]);
    assert_eq!(game.start, Othello::start(StandardRules));
    assert_eq!(game.tag("Site"), Some("club [1]"));
    assert_eq!(game.tag("BlackElo"), Some("1500.25"));
    assert_eq!(game.tag("TimeControl"), Some("05:00//02:00"));
    assert_eq!(game.tag("XY"), Some("kept"));
    assert_eq!(game.tags.len(), 6);
    let end = game.end.expect("ended");
    assert_eq!((end.outcome.margin(), end.ending), (ForFirst(-12), Ending::Resigned));
    assert_eq!(game.plies.len(), 4);
    assert_eq!(game.plies[0].time, Some(Duration::from_millis(1230)));
    assert_eq!(game.plies[0].value, None);
    // White's -2 is black's +2.
    assert_eq!(game.plies[1].value, Some(ForFirst(Value::Centi(200))));
    assert_eq!(game.plies[2].value, Some(ForFirst(Value::Centi(25))));
    assert_eq!(game.plies[3], Ply::new(Square::from_name("d3").expect("a square")));
    assert_eq!(write(&game).as_deref(), Ok(SAMPLE));
}

#[test]
fn games_round_trip() {
    let games: Vec<_> = (0..60).map(full_game).collect();
    let text: String = games.iter().map(|game| write(game).expect("writable")).collect();
    assert_eq!(read(&text).collect::<Result<Vec<_>, _>>(), Ok(games));
}

#[test]
fn unfinished_games_round_trip() {
    let mut game = game_before_pass();
    assert_eq!(one(&write(&game).expect("writable")), Ok(game.clone()));
    game.plies.push(Ply::new(Square::PASS));
    let text = write(&game).expect("writable");
    assert!(text.contains("RE[?]") && text.contains("[PA];)"), "{text}");
    assert_eq!(one(&text), Ok(game));
}

#[test]
fn omitted_passes_are_inserted() {
    let game = (0..)
        .map(random_game)
        .find(|game| game.plies.iter().any(|ply| ply.m.is_pass()))
        .expect("a game with a pass");
    let text = write(&game).expect("writable");
    let without = text.replace("B[PA]", "").replace("W[PA]", "");
    let other = text.replace("[PA]", "[pass]");
    assert_eq!(one(&without), Ok(game.clone()));
    assert_eq!(one(&other), Ok(game));
}

#[test]
fn archives_with_game_counts_and_pairs_are_parsed() {
    let text = format!("\u{feff}1 {SAMPLE}\n2 {}{SAMPLE} {SAMPLE}", SAMPLE.trim_end());
    let games: Result<Vec<_>, _> = read(&text).collect();
    assert_eq!(games.map(|games| games.len()), Ok(4));
    assert_eq!(read(" \n").count(), 0);
}

#[test]
fn results_are_parsed() {
    let end = |result: &str| {
        let text = SAMPLE.replace("-12.000:r", result);
        one(&text).map(|game| game.end.map(|end| (end.outcome.margin().0, end.ending)))
    };
    assert_eq!(end("+64:t"), Ok(Some((64, Ending::Time))));
    assert_eq!(end("0.00:s"), Ok(Some((0, Ending::Agreed))));
    assert_eq!(end("+8.500"), Ok(Some((9, Ending::Unknown))));
    assert_eq!(end("-0.5"), Ok(Some((-1, Ending::Unknown))));
    assert_eq!(end("?"), Ok(None));
    assert_eq!(end(""), Ok(None));
    for bad in ["black", "NaN", "1e9", "+2:x"] {
        assert!(end(bad).is_err(), "{bad}");
    }
    // Without a stated result, the result comes from the board.
    let game = random_game(4);
    let text = write(&game).expect("writable");
    let (before, rest) = text.split_once("RE[").expect("a result");
    let after = rest.split_once(']').expect("its end").1;
    assert_eq!(one(&format!("{before}{after}")), Ok(game));
}

#[test]
fn nonstandard_game_types_are_rejected() {
    for good in ["8", "8r", "s8r18", "8k", "8b", "0", ""] {
        let game = one(&SAMPLE.replace("TY[8]", &format!("TY[{good}]"))).expect(good);
        assert_eq!(game.tag("TY"), (good != "8").then_some(good));
        assert_eq!(one(&write(&game).expect("writable")), Ok(game));
    }
    for bad in ["10", "s10r", "88", "6", "8a"] {
        let message = error(&SAMPLE.replace("TY[8]", &format!("TY[{bad}]")));
        assert!(message.contains(&format!("found `{bad}`, expected")), "{message}");
        assert!(message.contains("8x8"), "{message}");
    }
}

#[test]
fn errors_name_the_offending_text() {
    assert!(error("2 [;").starts_with("line 1, column 3: found `[;`, expected `(;`"));
    assert!(error(&SAMPLE.replace("Othello", "Chess")).contains("column 6: found `Chess`"));
    assert!(error(&SAMPLE.replace("[8 --", "[10 --")).contains("found `10`, expected `8`"));
    assert!(error(&SAMPLE.replace("O*", "O?")).contains("for square e4"));
    assert!(
        error(&SAMPLE.replace("W[d6", "B[d6"))
            .contains("found `d6/-2.00/3.50`, expected a move of white")
    );
    assert!(error(&SAMPLE.replace("c3", "\nc9")).contains("line 2, column 1"));
    assert!(error(&SAMPLE.replace("c3", "a1")).contains("found `a1`, expected a legal move"));
    assert!(error(&SAMPLE.replace("1.23", "x")).contains("found `x`"));
    assert!(error(&SAMPLE.replace("1.23", "-1")).contains("expected a time"));
    assert!(error(&SAMPLE.replace("-2.00", "#3")).contains("found `#3/3.50`"));
    assert!(error(&SAMPLE.replace("3.50", "3/4")).contains("found `3/4`, expected a time"));
    assert!(error(&SAMPLE.replace("d3];)", "d3;)")).contains("a value that ends with `]`"));
    assert!(error(&SAMPLE.replace(";)", ";")).contains("`;)`"));
    assert!(error(&SAMPLE.replace(";)", "")).contains("found the end of the input"));
}

#[test]
fn reading_resumes_at_the_next_game() {
    let bad = [
        "(;GM[Go];)".to_owned(),
        "junk ".to_owned(),
        "2 [;".to_owned(),
        SAMPLE.replace("c3", "a1"),
        SAMPLE.replace("d3];)", "d3;)"),
        SAMPLE.replace(";)", ""),
        SAMPLE.replace(";)", ";"),
    ];
    for bad in bad {
        let text = format!("{SAMPLE}{bad}{SAMPLE}2 {SAMPLE}");
        let games: Vec<_> = read(&text).map(|game| game.is_ok()).collect();
        assert_eq!(games, [true, false, true, true], "{bad}");
    }
    let text = format!("\n(;GM[Go];)\n\n {}", SAMPLE.replace("c3", "a1"));
    let errors: Vec<_> = read(&text).map(|game| game.unwrap_err().to_string()).collect();
    assert!(errors[0].starts_with("line 2, column 6: found `Go`"), "{errors:?}");
    assert!(errors[1].starts_with("line 4, column") && errors[1].contains("`a1"), "{errors:?}");
}

#[test]
fn unclosed_values_do_not_make_reading_quadratic() {
    let text = format!("{SAMPLE}{}]", "(;GM[Othello]PB[Ann".repeat(100_000));
    assert_eq!(read(&text).count(), 100_001);
}

#[test]
fn unrepresentable_games_are_rejected() {
    for (tag, value) in [("B", "f5"), ("two words", ""), ("", ""), ("TY", "10")] {
        let mut game = random_game(1);
        game.set_tag(tag, value);
        let error = write(&game).unwrap_err().to_string();
        assert_eq!(error, format!("a GGF file cannot hold the tag {tag} = {value}"));
    }
    let mut game = random_game(1);
    game.plies.remove(0);
    assert!(write(&game).unwrap_err().what.starts_with("the illegal move"));
}

#[test]
fn properties_map_to_pgn_tags() {
    let game = one(SAMPLE).expect("readable");
    let text = pgn::write(&game.erase());
    assert!(text.contains("[Site \"club [1]\"]") && text.contains("[Black \"Ann\"]"), "{text}");
}

#[test]
fn parser_does_not_panic_on_corrupt_input() {
    let full = write(&full_game(3)).expect("writable");
    let samples: [&[u8]; 3] = [SAMPLE.as_bytes(), full.as_bytes(), b"2 (;B[f5];)(;W[PA];)"];
    conformance::check_reader(&samples, 10_000, 1, |bytes| {
        read(&String::from_utf8_lossy(bytes)).for_each(drop);
    });
}
