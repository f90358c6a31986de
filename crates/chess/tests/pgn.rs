//! Chess games as PGN: lenient reader, strict writer.

use std::time::Duration;

use tablero_chess::{Chess, ChessRules};
use tablero_core::conformance;
use tablero_core::pgn::{self, peek_tag};
use tablero_core::{
    AnyGame, AnyRecord, DrawReason, Ending, ForFirst, Game, GameEnd, GameHistory, Notation,
    Outcome, Ply, ReadError, Record, Rng, Side, Value,
};

type ChessRecord = Record<Chess>;

/// The games of a text, typed.
fn read(text: &str) -> impl Iterator<Item = Result<ChessRecord, ReadError>> + '_ {
    let typed = |record: AnyRecord| record.downcast().expect("a chess game");
    pgn::read(AnyGame::of::<Chess>(), text).map(move |record| record.map(typed))
}

fn read_one(text: &str) -> Result<ChessRecord, ReadError> {
    pgn::read_one(AnyGame::of::<Chess>(), text).map(|record| record.downcast().expect("chess"))
}

fn write(record: &ChessRecord) -> String {
    pgn::write(&record.clone().erase())
}

fn one(text: &str) -> ChessRecord {
    read_one(text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

fn error(text: &str) -> String {
    let result: Result<ChessRecord, ReadError> = read_one(text);
    result.expect_err(text).to_string()
}

/// The moves of the main line in SAN.
fn moves(record: &ChessRecord) -> String {
    line(&record.start, &record.plies)
}

fn line(start: &Chess, plies: &[Ply<Chess>]) -> String {
    let mut position = start.clone();
    let mut names = Vec::new();
    for ply in plies {
        names.push(position.move_text(ply.m));
        position.play(ply.m);
    }
    names.join(" ")
}

const IMMORTAL: &str = r#"[Event "London"]
[Site "London ENG"]
[Date "1851.06.21"]
[Round "?"]
[White "Anderssen, Adolf"]
[Black "Kieseritzky, Lionel"]
[Result "1-0"]
[ECO "C33"]

1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8.
Nh4 Qg5 9. Nf5 c6 10. g4 Nf6 11. Rg1 cxb5 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8 15.
Bxf4 Qf6 16. Nc3 Bc5 17. Nd5 Qxb2 18. Bd6 Bxg1 19. e5 Qxa1+ 20. Ke2 Na6 21.
Nxg7+ Kd8 22. Qf6+ Nxf6 23. Be7# 1-0

"#;

#[test]
fn a_complete_game_round_trips() {
    let record = one(IMMORTAL);
    assert_eq!(record.players, ["Anderssen, Adolf", "Kieseritzky, Lionel"]);
    assert_eq!(record.tag("ECO"), Some("C33"));
    assert_eq!(record.tag("Round"), None);
    assert_eq!(record.plies.len(), 45);
    let end = GameEnd { outcome: Outcome::win(Side::First), ending: Ending::Played };
    assert_eq!(record.end, Some(end));
    assert_eq!(write(&record), IMMORTAL);
    assert_eq!(peek_tag(IMMORTAL, "White").as_deref(), Some("Anderssen, Adolf"));
    assert_eq!(peek_tag(IMMORTAL, "Variant"), None);
}

#[test]
fn reads_windows_line_ends_and_a_byte_order_mark() {
    let text = format!("\u{feff}{}", IMMORTAL.replace('\n', "\r\n"));
    assert_eq!(one(&text), one(IMMORTAL));
}

#[test]
fn reads_comments_glyphs_and_variations() {
    let record = one("{Before} ; and more\n\
        1. e4! {best\nby test} e5 $2 $14 (1... c5 {Sicilian} 2. Nf3 (2. c3 (2. d4) d5) 2... d6) \
        (1... e6) {after the variations}\n% not for us\n2.Nf3!? Nc6?! 3 Bb5 a6 ?? 4. Ba4 (4. Bxc6!! ) ; end\n*");
    assert_eq!(moves(&record), "e4 e5 Nf3 Nc6 Bb5 a6 Ba4");
    assert_eq!(record.comment, "Before and more");
    let glyphs: Vec<_> = record.plies.iter().map(|ply| ply.glyphs.clone()).collect();
    assert_eq!(glyphs, [vec![1], vec![2, 14], vec![5], vec![6], vec![], vec![4], vec![]]);
    let comments: Vec<_> = record.plies.iter().map(|ply| ply.comment.as_str()).collect();
    assert_eq!(comments, ["best by test", "after the variations", "", "", "", "", "end"]);

    let after_e4 = record.start.after(record.plies[0].m);
    let variations = &record.plies[1].variations;
    let names: Vec<_> = variations.iter().map(|plies| line(&after_e4, plies)).collect();
    assert_eq!(names, ["c5 Nf3 d6", "e6"]);
    assert_eq!(variations[0][0].comment, "Sicilian");
    let nested = &variations[0][1].variations;
    assert_eq!((nested.len(), nested[0].len(), nested[0][0].variations.len()), (1, 2, 1));
    assert_eq!(record.plies[6].variations[0][0].glyphs, [3]);

    let text = write(&record);
    assert_eq!(one(&text), record, "{text}");
    let movetext = "{Before and more} 1. e4 $1 {best by test} 1... e5 $2 $14 {after the variations}\n\
        (1... c5 {Sicilian} 2. Nf3 (2. c3 (2. d4) 2... d5) 2... d6) (1... e6) 2. Nf3 $5\n\
        Nc6 $6 3. Bb5 a6 $4 4. Ba4 {end} (4. Bxc6 $3) *\n\n";
    assert!(text.ends_with(movetext), "{text}");
}

#[test]
fn variations_with_null_moves_are_kept_as_text() {
    let record = one("1. e4 e5 (1... c5 2. Nf3 -- {threatens} 3. d4 (3. c3 {or}) 3... Z0) \
        (-- 2. d4) ({only a comment}) 2. Nf3 *");
    assert_eq!(moves(&record), "e4 e5 Nf3");
    let ply = &record.plies[1];
    assert_eq!(ply.variations.len(), 1);
    assert_eq!(ply.variations[0][1].comment, "-- threatens 3. d4 (3. c3 or ) 3... Z0");
    assert_eq!(ply.comment, "-- 2. d4 only a comment");
    assert_eq!(one(&write(&record)), record);
    // A null move in the main line is an error.
    assert!(error("1. e4 -- 2. d4 *").contains("found `--`, expected a move such as"));
    assert!(error("1. e4 (1. d4 -- 2. c4").contains("`)` after the variation"));
}

#[test]
fn clock_stays_in_the_comment_while_time_and_value_are_extracted() {
    let record =
        one("1. e4 { [%clk 0:10:00] [%eval 0.17,23] [%emt 0:00:02.5] fine } e5 {[%eval #-3]} \
         2. Nf3 {[%emt 61]} Nc6 {[%eval nonsense]} *");
    let plies = &record.plies;
    assert_eq!(plies[0].comment, "[%clk 0:10:00] fine");
    assert_eq!(plies[0].value, Some(ForFirst(Value::Centi(17))));
    assert_eq!(plies[0].time, Some(Duration::from_millis(2500)));
    assert_eq!(plies[1].value, Some(ForFirst(Value::LossIn(3))));
    assert_eq!(plies[2].time, Some(Duration::from_secs(61)));
    assert_eq!((plies[3].value, plies[3].comment.as_str()), (None, "[%eval nonsense]"));
    let text = write(&record);
    assert!(text.contains("{[%eval +0.17] [%emt 0:00:02.500] [%clk 0:10:00] fine}"), "{text}");
    assert!(text.contains("{[%emt 0:01:01]}"), "{text}");
    assert_eq!(one(&text), record);
}

#[test]
fn reads_many_games() {
    let text = format!(
        "; a file\n{IMMORTAL}\n% escaped\n[White \"A\"]\n\n1. d4 1/2-1/2 {{a comment after the end}}\n\
         1. c4 0-1\n\n[White \"B\"]\n[Black \"C\"]\n*\n; the end"
    );
    let games: Vec<ChessRecord> = read(&text).collect::<Result<_, _>>().expect("good games");
    let summary: Vec<_> =
        games.iter().map(|game| (game.plies.len(), game.player(Side::First))).collect();
    assert_eq!(summary, [(45, "Anderssen, Adolf"), (1, "A"), (1, ""), (0, "B")]);
    assert_eq!(games[1].end.map(|end| end.outcome), Some(Outcome::DRAW));
    assert_eq!(games[2].end.map(|end| end.outcome), Some(Outcome::win(Side::Second)));
    assert_eq!(games[3].end, None);
    assert_eq!(read(" \n\n ; nothing\n").count(), 0);
}

#[test]
fn continues_after_an_invalid_game() {
    let bad = "[Event \"bad\"]\n[Site \"?\"]\n\n1. e4 e5 2. Ke3 {[%clk 1]\n[x] not a tag} *\n\n";
    let bad_tag = "[Event \"bad\n[Site \"?\"]\n\n1. e4 *\n\n";
    let text = format!("{bad}{IMMORTAL}{bad_tag}{IMMORTAL}");
    let games: Vec<Result<ChessRecord, ReadError>> = read(&text).collect();
    let good: Vec<bool> = games.iter().map(Result::is_ok).collect();
    assert_eq!(good, [false, true, false, true]);
    let text = games[0].as_ref().expect_err("Ke3 is illegal").to_string();
    assert_eq!(
        text,
        "line 4, column 13: found `Ke3`, expected a legal move: White has no king that can go to e3 \
         like that"
    );
}

#[test]
fn a_damaged_game_does_not_hide_the_next_one() {
    let tags = "[Event \"bad\"]\n\n";
    for bad in [
        "1. e4 (1. d4\n\n",
        "1. e4 {not closed\n\n",
        "1. e4 {not closed (\n \n",
        "1. e4 [%clk 1] e5 *\n\n",
        "1. e4 e5 ) *\n\n",
        "1. e4 $ e5 *\n\n\n",
        "1. e4 e5 \u{feff}\n\n",
        "1. e4 e5\n[2. Nf3 *\n\n",
    ] {
        let text = format!("{IMMORTAL}\n{tags}{bad}{IMMORTAL}\n{IMMORTAL}{{a comment}}\n");
        let games: Vec<_> = read(&text).collect();
        let good: Vec<bool> = games.iter().map(Result::is_ok).collect();
        assert_eq!(good, [true, false, true, true], "{bad}");
    }
    // The first game is only a header; it has no moves.
    let text = format!("{tags}{IMMORTAL}");
    let games: Vec<ChessRecord> = read(&text).collect::<Result<_, _>>().expect("good games");
    assert_eq!(games.iter().map(|game| game.plies.len()).collect::<Vec<_>>(), [0, 45]);
    assert_eq!(
        peek_tag(&format!("[Site 5]\n\n*\n\n{IMMORTAL}"), "Event"),
        peek_tag(IMMORTAL, "Event")
    );
}

#[test]
fn errors_are_located_in_linear_time() {
    let text = "[Event \"bad\"]\n\n1. e4 {open\n\n".repeat(50_000);
    let last = read(&text).last().expect("a game").expect_err("a comment").to_string();
    assert!(last.starts_with("line 199999, column 7: found `{open`"), "{last}");
}

#[test]
fn reads_games_with_a_start_position() {
    let record = one("[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K2R b K - 3 40\"]\n\n\
        40... Kd7 41. 0-0 {castled} Ke6 42. a8Q 1-0");
    assert_eq!(moves(&record), "Kd7 O-O Ke6 a8=Q");
    let text = write(&record);
    assert!(text.contains("[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K2R b K - 3 40\"]\n"), "{text}");
    assert!(text.ends_with("\n40... Kd7 41. O-O {castled} 41... Ke6 42. a8=Q 1-0\n\n"), "{text}");
    assert_eq!(one(&text), record);
    let end = GameEnd { outcome: Outcome::win(Side::First), ending: Ending::Unknown };
    assert_eq!(record.end, Some(end));
}

#[test]
fn reads_chess960() {
    let fen = "1rk4r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w HAhb - 0 1";
    for variant in ["Chess960", "fischerandom", "Chess 960"] {
        let record =
            one(&format!("[Variant \"{variant}\"]\n[FEN \"{fen}\"]\n\n1. 0-0-0 0-0 2. Rde1 *"));
        assert_eq!(moves(&record), "O-O-O O-O Rde1");
        assert_eq!(record.start.rules(), ChessRules::Chess960);
        let text = write(&record);
        let fen = "[FEN \"1rk4r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1\"]";
        assert!(text.contains("[Variant \"chess960\"]\n[SetUp \"1\"]\n"), "{text}");
        assert!(text.contains(fen), "{text}");
        assert_eq!(one(&text), record);
    }
    let record =
        one("[Variant \"From Position\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\nO-O *");
    assert_eq!(record.start.rules(), ChessRules::Standard);
    assert!(!write(&record).contains("Variant"));
    assert!(error("[Variant \"Atomic\"]\n\n1. e4 *").contains("rules: standard, chess960"));
}

#[test]
fn reads_nonstandard_move_notations() {
    let record = one(
        "1.e2e4 e7-e5 2.Ng1-f3 Nb8c6 3.Bb5 Nge7 4.0-0 a6 5.Bxc6+ N7xc6 6.d4 e5d4 7. c4 dxc3 e.p.",
    );
    assert_eq!(moves(&record), "e4 e5 Nf3 Nc6 Bb5 Nge7 O-O a6 Bxc6 Nxc6 d4 exd4 c4 dxc3");
    assert_eq!(record.end, None);
    let record = one("1. ♘f3 ♞f6 2. e4 ½-½");
    assert_eq!(moves(&record), "Nf3 Nf6 e4");
    assert_eq!(record.end.map(|end| end.outcome), Some(Outcome::DRAW));
}

#[test]
fn the_result_may_be_missing_or_only_in_the_tag() {
    assert_eq!(one("1. e4 e5").end, None);
    let record = one("[Result \"0-1\"]\n\n1. e4 e5 *");
    assert_eq!(record.end.map(|end| end.outcome), Some(Outcome::win(Side::Second)));
    let record = one("[Result \"0-1\"]\n\n1. e4 e5 1-0");
    assert_eq!(record.end.map(|end| end.outcome), Some(Outcome::win(Side::First)));
}

#[test]
fn endings_are_kept() {
    let mut record = one("1. e4 e5 1-0");
    for ending in [Ending::Resigned, Ending::Time, Ending::Forfeit, Ending::Adjudicated] {
        record.end = Some(GameEnd { outcome: Outcome::win(Side::First), ending });
        assert_eq!(one(&write(&record)), record);
    }
    // Unknown terminations of other programs are preserved.
    for (termination, ending) in [
        ("Time forfeit", Ending::Time),
        ("time forfeit", Ending::Time),
        ("Normal", Ending::Unknown),
        ("Abandoned", Ending::Unknown),
    ] {
        let text = format!("[Termination \"{termination}\"]\n\n1. e4 1-0");
        let record = one(&text);
        assert_eq!(record.end.map(|end| end.ending), Some(ending), "{termination}");
        let written = write(&record);
        assert_eq!(written.matches("Termination").count(), 1, "{written}");
        assert!(written.contains(&format!("[Termination \"{termination}\"]")), "{written}");
        assert_eq!(one(&written), record);
    }
    // A new ending replaces an old termination tag.
    let mut record = one("[Termination \"Time forfeit\"]\n\n1. e4 1-0");
    record.end = Some(GameEnd { outcome: Outcome::win(Side::First), ending: Ending::Resigned });
    assert!(write(&record).contains("[Termination \"resignation\"]"));

    // Fivefold repetition ends the game; threefold repetition can be claimed.
    for rounds in [4, 2] {
        let dance = "Nf3 Nf6 Ng1 Ng8 ".repeat(rounds);
        let record = one(&format!("{dance} 1/2-1/2"));
        let ending = Ending::Drawn(DrawReason::Repetition);
        assert_eq!(record.end, Some(GameEnd { outcome: Outcome::DRAW, ending }));
        let won = one(&format!("{dance} 1-0"));
        assert_eq!(won.end.map(|end| end.ending), Some(Ending::Unknown));
    }
}

#[test]
fn tag_values_are_escaped() {
    let record =
        one("[Event \"The \"Big\" one\"]\n[Site \"back\\\\slash \\\"quoted\\\" C:\\dir\"]\n\
        [X-Tag.2 \"\"]\n[ Annotator  \"me\" ]\n\n*");
    assert_eq!(record.tag("Event"), Some("The \"Big\" one"));
    assert_eq!(record.tag("Site"), Some("back\\slash \"quoted\" C:\\dir"));
    assert_eq!((record.tag("X-Tag.2"), record.tag("Annotator")), (Some(""), Some("me")));
    assert_eq!(one(&write(&record)), record);
}

#[test]
fn long_comments_are_wrapped_and_escaped() {
    let mut record = one("1. e4 e5 *");
    let words = "a comment of 100 %percent with {braces} and a [%clk 0:00:01] command ".repeat(9);
    record.plies[0].comment = words.trim().into();
    record.comment = "x".repeat(200);
    record.set_tag("bad name]", "line\nend");
    let text = write(&record);
    let movetext = text.split("\n\n").nth(1).expect("moves");
    assert!(
        movetext.lines().skip(1).all(|line| line.len() < 90 && !line.starts_with('%')),
        "{text}"
    );
    assert!(
        movetext.lines().all(|line| line.matches("[%").count()
            == line.matches("] ").count() + usize::from(line.ends_with(']'))),
        "{text}"
    );
    let read = one(&text);
    assert_eq!(read.plies[0].comment, words.trim().replace('{', "(").replace('}', ")"));
    assert_eq!(read.tag("badname"), Some("lineend"));
}

#[test]
fn errors_name_location_and_offending_text() {
    let cases = [
        ("[Event 5]", "line 1, column 8: found `5]`, expected the tag's value in double quotes"),
        (
            "[Event \"x\" 5]\n*",
            "line 1, column 14: found the end of the line, expected `\"]` at the end of the tag",
        ),
        ("[\"x\"]", "line 1, column 2: found `\"x\"]`, expected the name of a tag"),
        ("1. e4 {open", "line 1, column 7: found `{open`, expected a comment that ends with `}`"),
        (
            "1. e4 (1. d4",
            "line 1, column 13: found the end of the input, expected `)` after the variation",
        ),
        ("1. e4 ) e5", "line 1, column 7: found `)`, expected a move or the result"),
        ("$1 e4", "line 1, column 1: found `$1`, expected a move before its glyph"),
        ("(1. d4) e4", "line 1, column 1: found `(1.`, expected a move before its variation"),
        ("1. e4 $999", "line 1, column 7: found `$999`, expected a glyph $0 to $255"),
        (
            "1. e4!!! e5",
            "line 1, column 6: found `!!!`, expected one of ! ? !! ?? !? ?! or a blank",
        ),
        (
            "1. e4\n} e5",
            "line 2, column 1: found `}`, expected a move, a comment, a variation or the result",
        ),
        (
            "1. e4 e5\n2. Sf3",
            "line 2, column 4: found `Sf3`, expected a move such as Nf3, exd5, O-O, e8=Q or e2e4",
        ),
        (
            "1. e4\ne5 2. Qh6 *",
            "line 2, column 7: found `Qh6`, expected a legal move: White has no queen that can go to h6 like that",
        ),
        (
            "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n*",
            "line 1, column 7: found `8/8/8/8/8/8/8/8`, expected pieces with one king for White, not 0",
        ),
        ("", "line 1, column 1: found the end of the input, expected a game: tags or moves"),
        ("[Game \"othello\"]\n*", "line 1, column 8: found `othello\"]`, expected a game of chess"),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
    let nested = "1. e4 ".to_owned() + &"(1. d4 ".repeat(70);
    assert!(error(&nested).contains("variations at most 64 deep"));
}

#[test]
fn a_million_numbers_do_not_exhaust_the_stack() {
    assert_eq!(moves(&one(&("1. ".repeat(1_000_000) + "e4 *"))), "e4");
}

/// A random game that uses every feature of a record.
fn random_record(rng: &mut Rng) -> ChessRecord {
    let start = match rng.below(3) {
        0 => Chess::start(ChessRules::Standard),
        _ => Chess::chess960(rng.below(960) as u32).expect("a number below 960"),
    };
    let mut game = GameHistory::new(start.clone());
    for _ in 0..rng.below(60) {
        let Some(m) = game.position().random_move(rng) else {
            break;
        };
        if game.play(m).is_err() {
            break;
        }
    }
    let mut record = Record::from_history(&game);
    record.plies = random_annotations(&start, record.plies, 2, rng);
    if rng.below(2) == 0 {
        record.comment = "a comment before".into();
        record.players = ["One \"Two\"".into(), String::new()];
        record.set_tag("Site", "Überlingen\\See");
        record.set_tag("WhiteElo", "2000");
    }
    record
}

fn random_annotations(
    start: &Chess,
    plies: Vec<Ply<Chess>>,
    depth: u32,
    rng: &mut Rng,
) -> Vec<Ply<Chess>> {
    let mut position = start.clone();
    let mut annotated = Vec::new();
    for mut ply in plies {
        if rng.below(8) == 0 {
            ply.comment = "a comment with [%clk 0:01:00] and (parentheses) ; 1. e4 $3 *".into();
        }
        if rng.below(8) == 0 {
            ply.glyphs = vec![rng.below(256) as u8, 1];
        }
        if rng.below(8) == 0 {
            ply.time = Some(Duration::from_millis(rng.below(100_000_000)));
            ply.value = Some(ForFirst(Value::Centi(rng.below(2000) as i32 - 1000)));
        }
        while depth > 0 && rng.below(8) == 0 {
            let m = position.random_move(rng).expect("a move was played here");
            let reply = position.after(m).random_move(rng);
            let variation = [m].into_iter().chain(reply).map(Ply::new).collect();
            ply.variations.push(random_annotations(&position, variation, depth - 1, rng));
        }
        position.play(ply.m);
        annotated.push(ply);
    }
    annotated
}

#[test]
fn random_records_round_trip() {
    let mut rng = Rng::seeded(4);
    let records: Vec<_> = (0..150).map(|_| random_record(&mut rng)).collect();
    let text: String = records.iter().map(write).collect();
    assert!(text.lines().all(|line| line.chars().count() < 100));
    let read: Vec<ChessRecord> = read(&text).collect::<Result<_, _>>().expect("own games");
    assert_eq!(read, records);
}

#[test]
fn parser_does_not_panic_on_corrupt_input() {
    let fen = "[Variant \"Chess960\"]\n[FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\"]\n\n1. Nc3 *";
    let annotated = "1. e4! {x [%emt 0:00:01.5] [%eval #-3]} e5 $2 (1... c5 (1... d5 2. exd5) 2. Nf3) 2. Nf3 *\n";
    let samples = [IMMORTAL.as_bytes(), fen.as_bytes(), annotated.as_bytes()];
    conformance::check_reader(&samples, 10_000, 1, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for record in read(&text).flatten() {
            let text = write(&record);
            assert_eq!(write(&one(&text)), text);
        }
        let _ = peek_tag(&text, "White");
    });
}

#[test]
fn move_numbers_need_no_dot() {
    assert_eq!(moves(&one("1 e4 e5 2 Nf3 (2 f4 exf4 3 Bc4) 2 Nc6 *")), "e4 e5 Nf3 Nc6");
}
