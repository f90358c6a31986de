//! FEN, SAN, UCI and the diagram.

use tablero_chess::{Chess, ChessRules};
use tablero_core::conformance;
use tablero_core::{Game, Ground, Notation, Rng, Side};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn position(fen: &str) -> Chess {
    Chess::parse_position(fen, ChessRules::Standard)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn position960(fen: &str) -> Chess {
    Chess::parse_position(fen, ChessRules::Chess960)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn start() -> Chess {
    Chess::start(ChessRules::Standard)
}

/// A move in UCI notation and SAN.
fn read(position: &Chess, text: &str) -> (String, String) {
    let m = position.parse_move(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    (position.uci_text(m), position.move_text(m))
}

fn move_error(position: &Chess, text: &str) -> String {
    position.parse_move(text).expect_err(text).to_string()
}

#[test]
fn fen_round_trips() {
    for fen in [
        START,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
        "4k3/8/8/8/8/8/8/4K2R b K - 149 212",
        "8/8/4k3/8/8/3K4/8/8 w - - 65535 65535",
    ] {
        assert_eq!(position(fen).position_text(), fen);
    }
    assert_eq!(start().position_text(), START);
}

#[test]
fn fen_parser_is_lenient() {
    let blanks = format!("  {}\n", START.replace(' ', "  "));
    assert_eq!(position(&blanks), start());
    assert_eq!(position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"), start());
    assert_eq!(position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 0"), start());
    assert_eq!(position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR W qkQK - 0 1"), start());
    // An en passant square without a legal capture is dropped.
    let e4 = start().after(start().parse_move("e4").expect("legal"));
    assert_eq!(position("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"), e4);
    assert_eq!(e4.position_text(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
}

#[test]
fn chess960_castling_rights() {
    for (fen, written) in [
        // Shredder-FEN letters become KQkq for the outermost rook.
        ("1rk4r/8/8/8/8/8/8/RK5R w HAhb - 0 1", "KQkq"),
        ("1rk4r/8/8/8/8/8/8/RK5R w KQkq - 0 1", "KQkq"),
        ("4k3/8/8/8/8/8/8/4KRR1 w F - 0 1", "F"),
        ("4k3/8/8/8/8/8/8/4KRR1 w G - 0 1", "K"),
        ("rr2k3/8/8/8/8/8/8/4K3 w b - 0 1", "b"),
        ("rr2k3/8/8/8/8/8/8/4K3 w - - 0 1", "-"),
    ] {
        let text = position960(fen).position_text();
        assert_eq!(text.split(' ').nth(2), Some(written), "{fen}");
        assert_eq!(position960(&text), position960(fen));
    }
    for number in 0..960 {
        let position = Chess::chess960(number).expect("a number below 960");
        assert_eq!(position960(&position.position_text()), position);
        assert_eq!(position.count_moves(), position960(&position.position_text()).count_moves());
    }
}

#[test]
fn fen_errors_name_the_offending_text() {
    let castling = "castling rights: letters of KQkq (or of the rooks), or `-`";
    let cases = [
        (
            "",
            "line 1, column 1: found the end of the input, expected 8 more squares of rank 8: KQRBNP, kqrbnp or a number of empty ones",
        ),
        (
            "rnbqkbnr/ppppxppp/8/8/8/8/8/8 w",
            "line 1, column 14: found `xppp/8/8/8/8/8/8`, expected 4 more squares of rank 7: KQRBNP, kqrbnp or a number of empty ones",
        ),
        (
            "rnbqkbnr/pppp5/8/8/8/8/8/8 w",
            "line 1, column 14: found `5/8/8/8/8/8/8`, expected 4 more squares of rank 7: KQRBNP, kqrbnp or a number of empty ones",
        ),
        (
            "rnbqkbnr/ppp/8",
            "line 1, column 13: found `/8`, expected 5 more squares of rank 7: KQRBNP, kqrbnp or a number of empty ones",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w",
            "line 1, column 35: found a blank, expected `/` and the pieces of rank 1",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNRR w",
            "line 1, column 44: found `R`, expected a blank after the eighth row",
        ),
        (
            "8/8/8/8/8/8/8/4K3 w - - 0 1",
            "line 1, column 1: found `8/8/8/8/8/8/8/4K3`, expected pieces with one king for Black, not 0",
        ),
        (
            "4kk2/8/8/8/8/8/8/4K3 w - - 0 1",
            "line 1, column 1: found `4kk2/8/8/8/8/8/8/4K3`, expected pieces with one king for Black, not 2",
        ),
        (
            "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
            "line 1, column 17: found `P3K3`, expected no pawn on rank 1",
        ),
        (
            "4k2p/8/8/8/8/8/8/4K3 w - - 0 1",
            "line 1, column 4: found `p/8/8/8/8/8/8/4K3`, expected no pawn on rank 8",
        ),
        (
            "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
            "line 1, column 1: found `4k3/8/8/8/8/P7/PPPPPPPP/…`, expected pieces with at most 8 pawns for White, not 9",
        ),
        (
            "4k3/nnnnnnnn/nnnnnnnn/8/8/8/8/4K3 w - - 0 1",
            "line 1, column 1: found `4k3/nnnnnnnn/nnnnnnnn/8/…`, expected at most 16 pieces for Black, not 17",
        ),
        (
            "8/8/8/3kK3/8/8/8/8 w - - 0 1",
            "line 1, column 1: found `8/8/8/3kK3/8/8/8/8`, expected kings that do not touch, as on e5 and d5",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
            "line 1, column 21: found `x`, expected the side to move: `w` or `b`",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3",
            "line 1, column 20: found the end of the input, expected the side to move: `w` or `b`",
        ),
        (
            "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",
            "line 1, column 23: found `w`, expected Black to move, or no check to Black",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w",
            &format!("line 1, column 22: found the end of the input, expected {castling}"),
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w X - 0 1",
            &format!("line 1, column 23: found `X`, expected {castling}"),
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
            "line 1, column 23: found `K`, expected castling rights for a king and a rook at home: White's are not",
        ),
        (
            "r3k3/8/8/8/8/4K3/8/R6R w qK - 0 1",
            "line 1, column 27: found `K`, expected castling rights for a king and a rook at home: White's are not",
        ),
        (
            "4k3/8/8/8/8/8/8/4KR2 w K - 0 1",
            "line 1, column 24: found `K`, expected castling rights of standard chess, king on the e-file and rook on the a- or h-file, or the rules chess960",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w KH - 0 1",
            "line 1, column 25: found `H`, expected each castling right only once",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - e4 0 1",
            "line 1, column 25: found `e4`, expected the en passant square (on rank 6 with White to move) or `-`",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w -",
            "line 1, column 24: found the end of the input, expected the en passant square (on rank 6 with White to move) or `-`",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 b - e3 0 1",
            "line 1, column 25: found `e3`, expected the square passed over by the last double push, or `-`",
        ),
        (
            "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1",
            "line 1, column 29: found `d3`, expected the square passed over by the last double push, or `-`",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - x 1",
            "line 1, column 27: found `x`, expected the half-move clock: a number, usually 0 to 100",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 99999",
            "line 1, column 29: found `99999`, expected the full-move number: 1 to 65535",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - +1 1",
            "line 1, column 27: found `+1`, expected the half-move clock: a number, usually 0 to 100",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1 e4",
            "line 1, column 31: found `e4`, expected nothing after the full-move number",
        ),
    ];
    for (fen, expected) in cases {
        let error = Chess::parse_position(fen, ChessRules::Standard).expect_err(fen).to_string();
        assert_eq!(error, expected, "{fen}");
    }
}

#[test]
fn san_writer_is_exact() {
    let cases = [
        (START, "g1f3", "Nf3"),
        // Disambiguation by file, by rank, by both.
        ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "b1d2", "Nbd2"),
        ("4k3/8/8/5N2/8/8/8/4KN2 w - - 0 1", "f1e3", "N1e3"),
        ("6k1/8/8/8/1Q5Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        // Pinned pieces need no disambiguation.
        ("4k3/8/8/b7/8/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8n", "exd8=N"),
        ("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "exd8=Q+"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "O-O"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", "O-O-O"),
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"),
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", "Rd8#"),
        // Stalemate has no mark.
        ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "f2f7", "Qf7"),
    ];
    for (fen, uci, san) in cases {
        let position = position(fen);
        let m = position.parse_uci(uci).unwrap_or_else(|error| panic!("{uci}: {error}"));
        assert_eq!(position.move_text(m), san);
        assert_eq!(position.uci_text(m), uci);
        assert_eq!(position.parse_move(san), Ok(m));
    }
}

#[test]
fn move_parser_is_lenient() {
    let position = position("r3k2r/1P3n2/8/3pP3/8/2N5/8/R3K1NR w KQkq d6 0 1");
    let cases = [
        ("e5d6", ["exd6", "ed6", "exd6e.p.", "exd6 e.p.", "exd6+!?"].as_slice()),
        (
            "b7a8q",
            &["bxa8=Q+", "ba8Q", "bxa8(Q)", "bxa8/Q", "b7xa8=q", "b7a8q", "b7a8Q", "b7-a8=Q#"],
        ),
        ("b7b8n", &["b8=N", "b8N", "b8n", "Pb8=N"]),
        ("e1c1", &["O-O-O", "0-0-0", "o-o-o", "e1c1", "e1a1", "0-0-0+"]),
        (
            "c3d5",
            &["Nxd5", "Nd5", "N:d5", "Ncxd5", "N3d5", "Nc3xd5", "Nc3-d5", "nd5", "♘xd5", " Nd5 "],
        ),
        ("g1f3", &["Nf3", "Nxf3", "Ngf3", "Nf3!!", "N1f3"]),
    ];
    for (expected, texts) in cases {
        for text in texts.iter() {
            assert_eq!(read(&position, text).0, expected, "{text}");
        }
    }
    // A lower-case b is the file.
    let bishops = self::position("4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1");
    assert_eq!(read(&bishops, "bxc3").1, "bxc3");
    assert_eq!(read(&bishops, "Bxc3").1, "Bxc3");
    assert_eq!(read(&bishops, "bc3").1, "bxc3");
}

#[test]
fn move_errors_name_the_offending_text() {
    let cases = [
        (START, "xyzzy", "a move such as Nf3, exd5, O-O, e8=Q or e2e4"),
        (START, "", "a move such as Nf3, exd5, O-O, e8=Q or e2e4"),
        (START, "e9", "a move such as Nf3, exd5, O-O, e8=Q or e2e4"),
        (START, "Nf6", "a legal move: White has no knight that can go to f6 like that"),
        (START, "e5", "a legal move: White has no pawn that can go to e5 like that"),
        (START, "O-O", "a legal move: White cannot castle like that here"),
        (START, "e4=Q", "a legal move: White has no pawn that can become a queen on e4"),
        (START, "e2e5", "a legal move for White: White's pawn on e2 cannot do that"),
        (START, "e7e5", "a legal move for White: Black's piece is on e7"),
        (START, "e4e5", "a legal move for White: no piece is on e4"),
        ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "Nd2", "one of Nbd2, Nfd2"),
        ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "Qd2", "a legal move: White has no queen"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e8", "one of e8=N+, e8=B, e8=R, e8=Q"),
        (
            "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1",
            "e7e8",
            "the piece to promote to: e7e8q, e7e8r, e7e8b, e7e8n",
        ),
        (
            "4k3/8/8/8/7b/8/8/R3K2R w KQ - 0 1",
            "O-O",
            "a legal move: White cannot castle like that here (White is in check)",
        ),
        (
            "4k3/8/8/8/7b/8/8/R3K2R w KQ - 0 1",
            "a1a2",
            "a legal move for White: White's rook on a1 cannot do that (White is in check)",
        ),
        // King takes own rook is only the internal encoding of castling.
        (
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "Kh1",
            "a legal move: White has no king that can go to h1 like that",
        ),
    ];
    for (fen, text, expected) in cases {
        let error = move_error(&position(fen), text);
        let (_, error) = error.split_once("expected ").expect("a ReadError");
        assert_eq!(error, expected, "{text} in {fen}");
    }
    assert!(move_error(&start(), "  Nf6").starts_with("line 1, column 3: found `Nf6`"));
    assert!(start().parse_uci("Nf3").expect_err("SAN").to_string().contains("e2e4, e1g1 or e7e8q"));
    assert!(start().parse_uci("e2e4x").is_err());
}

#[test]
fn chess960_castling() {
    // Chess960 writes king takes rook; the king's two-square move is accepted.
    let start = position960("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for text in ["e1h1", "e1g1", "O-O"] {
        assert_eq!(read(&start, text), ("e1h1".into(), "O-O".into()));
    }
    // From f1, g1 is one step away: an ordinary king move.
    let near = position960("4k3/8/8/8/8/8/8/5K1R w K - 0 1");
    assert_eq!(read(&near, "f1g1"), ("f1g1".into(), "Kg1".into()));
    assert_eq!(read(&near, "f1h1"), ("f1h1".into(), "O-O".into()));
    // King and rook swap places.
    let swap = position960("4k3/8/8/8/8/8/8/5KR1 w K - 0 1");
    assert_eq!(read(&swap, "f1g1"), ("f1g1".into(), "O-O".into()));
    let after = swap.after(swap.parse_move("O-O").expect("legal"));
    assert_eq!(after.position_text(), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    // The king stays in place.
    let stays = position960("4k3/8/8/8/8/8/8/6KR w K - 0 1");
    let after = stays.after(stays.parse_move("O-O").expect("legal"));
    assert_eq!(after.position_text(), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    assert_eq!(stays.touched(stays.parse_move("O-O").expect("legal")), [62, 63]);
}

#[test]
fn uci_round_trips_along_random_games() {
    let mut rng = Rng::seeded(8);
    for number in [518, 3, 400, 800] {
        for rules in [ChessRules::Standard, ChessRules::Chess960] {
            let mut position = match rules {
                ChessRules::Standard => start(),
                ChessRules::Chess960 => Chess::chess960(number).expect("a number below 960"),
            };
            for _ in 0..150 {
                for m in position.moves() {
                    assert_eq!(position.parse_uci(&position.uci_text(m)), Ok(m), "{position:?}");
                    assert_eq!(position.parse_uci(&m.to_string()), Ok(m), "{position:?}");
                }
                let Some(m) = position.random_move(&mut rng) else {
                    break;
                };
                position.play(m);
            }
        }
    }
}

#[test]
fn diagram_is_from_whites_side() {
    let position = position("rnbqkbnr/ppp1pppp/8/8/3pP3/N7/PPPP1PPP/R1BQKBNR b KQkq e3 0 3");
    let diagram = position.diagram();
    assert_eq!(diagram.columns.concat(), "abcdefgh");
    assert_eq!(diagram.rows.concat(), "87654321");
    let piece = |cell: usize| diagram.cells[cell].piece.map(|piece| (piece.side, piece.symbol));
    assert_eq!(piece(0), Some((Side::Second, 'R')));
    assert_eq!(piece(60), Some((Side::First, 'K')));
    assert_eq!(piece(32), None);
    assert_eq!(diagram.cells[0].ground, Ground::Light);
    assert_eq!(diagram.cells[56].ground, Ground::Dark);
    assert_eq!(diagram.notes, ["castling KQkq", "en passant e3"]);
    let quiet = self::position("4k3/8/8/8/8/8/8/4K2R b - - 12 20");
    assert_eq!(quiet.diagram().notes, ["half-move clock 12"]);

    let castling = self::position("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_eq!(castling.touched(castling.parse_move("O-O").expect("legal")), [60, 62]);
    assert_eq!(start().touched(start().parse_move("e4").expect("legal")), [52, 36]);
}

#[test]
fn parsers_do_not_panic_on_corrupt_input() {
    let fens: [&[u8]; 5] = [
        START.as_bytes(),
        b"rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
        b"1rk4r/8/8/8/8/8/8/RK5R w HAhb - 12 40",
        b"8/8/8/3k4/8/8/1r6/K7 w - - 0 1",
        b"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 99 1",
    ];
    conformance::check_reader(&fens, 30_000, 1, |bytes| {
        for rules in [ChessRules::Standard, ChessRules::Chess960] {
            let text = String::from_utf8_lossy(bytes);
            let Ok(position) = Chess::parse_position(&text, rules) else {
                continue;
            };
            // Every accepted position can be written and played.
            assert_eq!(
                Chess::parse_position(&position.position_text(), rules),
                Ok(position.clone())
            );
            position.each_move(|m| {
                let next = position.after(m);
                next.each_move(|reply| assert!(next.after(reply).count_moves() < 256));
            });
        }
    });
    let moves: [&[u8]; 7] =
        [b"Nbd2+", b"exd6 e.p.", b"e7e8q", b"0-0-0#", b"bxa8(Q)", b"Qh4xe1", "♘×d5".as_bytes()];
    let position = position("r3k2r/1P3n2/8/3pP3/8/2N5/8/R3K1NR w KQkq d6 0 1");
    conformance::check_reader(&moves, 30_000, 2, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = position.parse_uci(&text);
        if let Ok(m) = position.parse_move(&text) {
            assert!(position.is_legal(m), "{text}");
        }
    });
}
