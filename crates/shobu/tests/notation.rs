//! Parsing and writing positions and turns, and error messages.

use tablero_core::{Diagram, Game, GameHistory, Ground, Notation, ReadError, Side, conformance};
use tablero_shobu::{Shobu, ShobuRules};

const START: &str = "b wwww........bbbb wwww........bbbb wwww........bbbb wwww........bbbb";

fn read(text: &str) -> Result<Shobu, ReadError> {
    Shobu::parse_position(text, ShobuRules::Official)
}

fn position_error(text: &str) -> String {
    read(text).expect_err("a bad position").to_string()
}

fn turn_error(position: &Shobu, turn: &str) -> String {
    position.parse_move(turn).expect_err("a bad turn").to_string()
}

#[test]
fn positions_are_parsed_in_many_spellings() {
    let start = Shobu::start(ShobuRules::Official);
    assert_eq!(start.position_text(), START);
    let board = "wwww/----/____/bbbb";
    let shapes = [
        START.to_owned(),
        START.to_uppercase(),
        START.replace('b', "B").replace('.', "-"),
        format!("\n Black\n{board}\n{board}\r\n{board} / {board}\n"),
        format!("b\t{}", "wwww........bbbb".repeat(4)),
    ];
    for shape in shapes {
        assert_eq!(read(&shape), Ok(start), "{shape}");
    }
    assert_eq!(
        read(&START.replacen('b', "white", 1)).map(|position| position.side()),
        Ok(Side::Second)
    );
}

#[test]
fn position_errors_name_the_offending_text() {
    let cases = [
        (
            "",
            "line 1, column 1: found the end of the input, expected the side to move, `b` or `w`, then the four boards",
        ),
        (
            "x wwww",
            "line 1, column 1: found `x`, expected the side to move, `b` or `w`, then the four boards",
        ),
        (
            "b wwww....z",
            "line 1, column 11: found `z`, expected `b`, `w` or `.` for square 1 in row 3 of the top left board",
        ),
        (
            "b www w",
            "line 1, column 6: found a blank, expected `b`, `w` or `.` for square 4 in row 1 of the top left board",
        ),
        (
            "b wwww........bbbb\nwwww........bbb",
            "line 2, column 16: found the end of the input, expected `b`, `w` or `.` for square 4 in row 4 of the top right board",
        ),
        (
            "b wwwww",
            "line 1, column 7: found `w`, expected at most four white stones on the top left board",
        ),
    ];
    for (text, error) in cases {
        assert_eq!(position_error(text), error);
    }
    let longer = format!("{START} .");
    assert!(
        position_error(&longer)
            .ends_with("expected nothing after the 64 squares of the four boards")
    );
    let both_lost = "b wwww............ ............bbbb wwww........bbbb wwww........bbbb";
    assert_eq!(
        position_error(both_lost),
        "line 1, column 1: found a board without black and a board without white stones, expected stones \
         of at least one side on every board"
    );
}

#[test]
fn turns_are_parsed_in_many_spellings() {
    let start = Shobu::start(ShobuRules::Official);
    let turn = start.parse_move("a1f5NE2").expect("legal");
    assert_eq!(turn.to_string(), "a1f5NE2");
    for text in ["A1F5NE2", "a1f5ne2", " a1 f5 NE 2 ", "a1-f5-NE-2", "a1, f5, ne2", "a1f5 Ne2\n"] {
        assert_eq!(start.parse_move(text), Ok(turn), "{text}");
    }
    assert_eq!(start.parse_move("g1b5n1"), start.parse_move("g1b5N"));
}

#[test]
fn turn_errors_name_the_offending_text() {
    let start = Shobu::start(ShobuRules::Official);
    let cases = [
        (
            "",
            "line 1, column 1: found the end of the input, expected the passive stone's square, a1-h8",
        ),
        ("i1f5N", "line 1, column 1: found `i1f5N`, expected the passive stone's square, a1-h8"),
        ("a1f9N", "line 1, column 3: found `f9N`, expected the aggressive stone's square, a1-h8"),
        (
            "a1f5",
            "line 1, column 5: found the end of the input, expected a direction: N NE E SE S SW W NW",
        ),
        ("a1f5NN", "line 1, column 5: found `NN`, expected a direction: N NE E SE S SW W NW"),
        (
            "a1f5N3",
            "line 1, column 6: found `3`, expected `2` for two steps, or the end of the turn",
        ),
        (
            "a1f5N 2 x",
            "line 1, column 9: found `x`, expected `2` for two steps, or the end of the turn",
        ),
        ("é1f5N", "line 1, column 1: found `é1f5N`, expected the passive stone's square, a1-h8"),
    ];
    for (text, error) in cases {
        assert_eq!(turn_error(&start, text), error);
    }
}

/// The location and reason of an error, without the common frame.
fn reason(position: &Shobu, turn: &str) -> String {
    let error = turn_error(position, turn);
    let head = format!("found `{turn}`, which is illegal because ");
    let (place, rest) = error.split_once(&head).unwrap_or_else(|| panic!("{error}"));
    let because = rest.strip_suffix(", expected a legal turn").expect("what is right");
    format!("{place}{because}")
}

#[test]
fn illegal_turns_are_explained() {
    let start = Shobu::start(ShobuRules::Official);
    let at = |column: u32, text: &str| format!("line 1, column {column}: {text}");
    let own = "the aggressive stone on a5 would push its own side's stone on b5";
    let cases = [
        ("a2f5N", at(1, "there is no black stone on a2")),
        ("a4f5N", at(1, "there is no black stone on a4")),
        ("a1f6N", at(3, "there is no black stone on f6")),
        ("a5f5N", at(1, "a5 is not on black's side of the rope, where passive moves are made")),
        ("a1b5N", at(3, "a1 and b5 are both on a dark board")),
        ("e1g1N", at(3, "e1 and g1 are both on a light board")),
        ("a1f5S", at(5, "the stone on a1 would leave its board")),
        ("a1f5NW2", at(5, "the stone on a1 would leave its board")),
        ("b1e5NW", at(5, "the stone on e5 would leave its board")),
        ("a1f5E", at(5, "the passive stone on a1 is blocked by the stone on b1")),
    ];
    for (turn, error) in cases {
        assert_eq!(reason(&start, turn), error);
    }
    let open = read("b wwww........bbbb wwww........bbbb wwww........bbbb wwww....b....bbb")
        .expect("readable");
    assert_eq!(reason(&open, "e2a5E"), at(5, own));
    assert_eq!(
        reason(&open, "e2a1E"),
        at(5, "the aggressive stone on a1 would push its own side's stone on b1")
    );
}

#[test]
fn pushes_of_two_stones_are_explained() {
    let two = "w...w...b...";
    let pile = read(&format!("b {two}b... wwww........bbbb wwww........bbbb wwww........bbbb"))
        .expect("readable");
    let expected = "line 1, column 5: the aggressive stone on a6 would push two stones, a7 and a8";
    assert_eq!(reason(&pile, "e1a6N"), expected);
    let apart = read("b w...w.......b..b wwww........bbbb wwww........bbbb wwww........bbbb")
        .expect("readable");
    let expected = "line 1, column 5: the aggressive stone on a5 would push two stones, a7 and a8";
    assert_eq!(reason(&apart, "e1a5N2"), expected);
    let own_behind = read("b b...w...b..w.... wwww........bbbb wwww........bbbb wwww........bbbb")
        .expect("readable");
    let expected = "line 1, column 5: the aggressive stone on a6 would push two stones, a7 and a8";
    assert_eq!(reason(&own_behind, "e1a6N"), expected);
}

#[test]
fn across_rules_forbid_aggressive_moves_at_home() {
    let start = Shobu::start(ShobuRules::Across);
    let expected = "line 1, column 3: f1 is on black's own side of the rope; the rules `across` require \
                    aggressive moves on the other";
    assert_eq!(reason(&start, "a1f1N"), expected);
    assert!(start.parse_move("a1f5N").is_ok());
    assert!(Shobu::start(ShobuRules::Official).parse_move("a1f1N").is_ok());
}

#[test]
fn no_turn_is_legal_after_the_end() {
    let lost = read("w bbbb............ wwww........bbbb wwww........bbbb wwww........bbbb")
        .expect("readable");
    assert_eq!(reason(&lost, "e8b8S"), "line 1, column 1: the game is over: black has won");
    let stuck = read("b ..bb........w... ...w..w.....b... ...b...ww....... ..ww........bb..")
        .expect("readable");
    assert_eq!(reason(&stuck, "d4e5S"), "line 1, column 1: the game is over: white has won");
}

#[test]
fn the_diagram_shows_four_boards() {
    let mut game = GameHistory::new(Shobu::start(ShobuRules::Official));
    let turn = game.position().parse_move("a1f5NE2").expect("legal");
    assert_eq!(game.position().touched(turn), [56, 42, 29, 15]);
    game.play(turn).expect("legal");
    let Diagram { columns, rows, cells, split, notes } = game.position().diagram();
    assert_eq!((columns.concat().as_str(), rows.concat().as_str()), ("abcdefgh", "87654321"));
    assert_eq!(split, Some(4));
    let piece = |cell: usize| cells[cell].piece.map(|piece| (piece.side, piece.symbol));
    assert_eq!((piece(0), piece(42)), (Some((Side::Second, '○')), Some((Side::First, '●'))));
    assert_eq!((piece(56), piece(15)), (None, Some((Side::First, '●'))));
    let dark = |cell: usize| cells[cell].ground == Ground::Dark;
    assert!((0..64).all(|cell| dark(cell) == (cell % 8 < 4)));
    assert_eq!(
        notes,
        [
            "top left: ● 4 ○ 4",
            "top right: ● 4 ○ 4",
            "bottom left: ● 4 ○ 4",
            "bottom right: ● 4 ○ 4"
        ]
    );
}

#[test]
fn parsers_do_not_panic_on_corrupt_input() {
    let samples: [&[u8]; 4] = [
        START.as_bytes(),
        b"white wwww/----/____/bbbb WWWW/..../..../BBBB\nwwww........bbbb wwww........bbbb",
        b"a1f5NE2",
        b"h1, c5 - nw 2",
    ];
    let positions = [ShobuRules::Official, ShobuRules::Across].map(Shobu::start);
    conformance::check_reader(&samples, 30_000, 1, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(position) = read(&text) {
            assert_eq!(read(&position.position_text()), Ok(position));
        }
        for position in positions {
            if let Ok(turn) = position.parse_move(&text) {
                assert!(position.is_legal(turn));
            }
        }
    });
}
