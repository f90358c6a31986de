//! EPD parsing and writing.

use tablero_chess::epd::{self, Entry, Operand, Operation};
use tablero_chess::{Chess, ChessRules};
use tablero_core::conformance;
use tablero_core::{Notation, ReadError};

/// Lines of well-known test suites, in various styles.
const SUITE: &str = r#"# Win at Chess
2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";

  8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - bm Rxb2; id "WAC.002";
1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id "BK.01"; c0 "a; remark"; acd 12; ce -35;
r1bqk2r/ppp2ppp/2n5/4P3/2Bp2n1/5N1P/PP1N1PP1/R2Q1RK1 b kq - am Nxf2 ; hmvc 3; fmvn 12
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2
"#;

fn entries(text: &str) -> Vec<Entry> {
    epd::read(text, ChessRules::Standard)
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error: ReadError| panic!("{error} in\n{text}"))
}

fn word(text: &str) -> Operand {
    Operand::Word(text.into())
}

#[test]
fn parses_test_suites() {
    let entries = entries(SUITE);
    assert_eq!(entries.len(), 5);
    assert_eq!(entries[0].text("id"), Some("WAC.001"));
    let best = entries[0].moves("bm").expect("a legal move");
    assert_eq!(best.len(), 1);
    assert_eq!(entries[0].position.uci_text(best[0]), "g3g6");
    assert_eq!(entries[1].operation("bm").map(|bm| &bm.operands[..]), Some(&[word("Rxb2")][..]));
    assert_eq!(entries[2].text("c0"), Some("a; remark"));
    assert_eq!((entries[2].text("acd"), entries[2].text("ce")), (Some("12"), Some("-35")));
    assert_eq!((entries[2].text("am"), entries[2].moves("am")), (None, Ok(vec![])));
    assert_eq!(entries[3].position.halfmove_clock(), 3);
    assert_eq!(entries[3].position.move_number(), 12);
    assert_eq!(entries[3].operations.len(), 1);
    // A full FEN is accepted too, as in some opening books.
    assert_eq!(entries[4].position.move_number(), 2);
    assert!(entries[4].operations.is_empty());
}

#[test]
fn entries_round_trip() {
    let text = epd::write(&entries(SUITE));
    assert_eq!(entries(&text), entries(SUITE));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[2],
        "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"BK.01\"; c0 \"a; remark\"; \
         acd 12; ce -35;"
    );
    assert_eq!(
        lines[3],
        "r1bqk2r/ppp2ppp/2n5/4P3/2Bp2n1/5N1P/PP1N1PP1/R2Q1RK1 b kq - am Nxf2; hmvc 3; fmvn 12;"
    );
    assert_eq!(lines[4], "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - fmvn 2;");
}

#[test]
fn escaped_strings_round_trip() {
    let position = Chess::parse_position("4k3/8/8/8/8/8/8/4K2R w K -", ChessRules::Standard);
    let operation =
        |opcode: &str, operands: Vec<Operand>| Operation { opcode: opcode.into(), operands };
    let entry = Entry {
        position: position.expect("a position"),
        operations: vec![
            operation("id", vec![Operand::Text("say \"hi\" \\ and; go".into())]),
            operation("c0", vec![Operand::Text(String::new()), Operand::Text("\\".into())]),
            operation("noop", vec![]),
            operation("bm", vec![word("O-O"), word("Kd2")]),
        ],
    };
    assert_eq!(entries(&entry.to_string()), [entry]);
    let chess960 = epd::read("4k3/8/8/8/8/8/8/4KR2 w F - bm O-O;", ChessRules::Chess960).next();
    assert_eq!(chess960.expect("an entry").expect("good").moves("bm").map(|bm| bm.len()), Ok(1));
    // A line end would break the entry.
    let broken = operation("c1", vec![Operand::Text("two\nlines".into())]);
    assert_eq!(broken.to_string(), "c1 \"two lines\";");
}

#[test]
fn an_invalid_line_is_reported_and_parsing_continues() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let cases = [
        (
            "bm Nf6;",
            "line 2, column 57: found `Nf6`, expected a legal move: White has no knight that can go to f6 like that",
        ),
        ("id \"open;", "line 2, column 57: found `\"open;`, expected a text that ends with `\"`"),
        (
            "bm e4; !x;",
            "line 2, column 61: found `!x;`, expected an operation such as bm, am, id or c0",
        ),
        ("hmvc x;", "line 2, column 59: found `x;`, expected a number 0 to 65535"),
        ("hmvc 1 2;", "line 2, column 61: found `2;`, expected `;` after the number"),
        ("0 x", "line 2, column 56: found `x`, expected the full-move number: 1 to 65535"),
    ];
    for (operations, expected) in cases {
        let text = format!("# first\n{start} {operations}\n\r\n{start} bm e4;");
        let read: Vec<_> = epd::read(&text, ChessRules::Standard).collect();
        assert_eq!(read.len(), 2, "{operations}");
        assert_eq!(read[0].as_ref().expect_err(operations).to_string(), expected);
        assert!(read[1].is_ok());
    }
}

#[test]
fn parser_does_not_panic_on_corrupt_input() {
    let samples: Vec<&[u8]> = SUITE.lines().map(str::as_bytes).collect();
    conformance::check_reader(&samples, 30_000, 1, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for entry in epd::read(&text, ChessRules::Standard).flatten() {
            assert_eq!(entries(&entry.to_string()), [entry]);
        }
    });
}
