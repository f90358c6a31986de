//! The rules against published perft counts, a naive reference implementation, draws and keys.

use std::collections::HashMap;

use tablero_chess::{Chess, ChessRules};
use tablero_core::conformance::{self, Suite};
use tablero_core::{
    Draw, DrawReason, Ending, Game, GameHistory, Notation, Outcome, Rng, Side, random_playout,
};

mod reference;
use reference::Reference;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn position(fen: &str) -> Chess {
    Chess::parse_position(fen, ChessRules::Standard)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn position960(fen: &str) -> Chess {
    Chess::parse_position(fen, ChessRules::Chess960)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn play(game: &mut GameHistory<Chess>, moves: &str) {
    for text in moves.split_whitespace() {
        let m = game.position().parse_move(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        game.play(m).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

#[test]
fn passes_the_conformance_suite() {
    conformance::check::<Chess>(&Suite { games: 15, max_plies: 3000, seed: 1 });
    for number in [0, 342, 959] {
        let start = Chess::chess960(number).expect("a number below 960");
        let suite = Suite { games: 1, max_plies: 3000, seed: 1 };
        conformance::check_game(&start, &suite, &mut Rng::seeded(number.into()));
    }
}

#[test]
fn perft_of_well_known_positions() {
    let known: [(&str, &[u64]); 6] = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &[20, 400, 8902, 197_281, 4_865_609],
        ),
        (KIWIPETE, &[48, 2039, 97_862, 4_085_603]),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2812, 43_238, 674_624]),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            &[6, 264, 9467, 422_333],
        ),
        (
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            &[44, 1486, 62_379, 2_103_487],
        ),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            &[46, 2079, 89_890, 3_894_594],
        ),
    ];
    for (fen, counts) in known {
        conformance::check_perft(&position(fen), counts);
    }
}

#[test]
fn perft_of_special_cases() {
    // En passant that exposes the king or gives check; castling that gives check, loses its right or is
    // prevented; promotion; discovered and double check; stalemate.
    let known = [
        ("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6, 1_134_888),
        ("8/8/4k3/8/2p5/8/B2P2K1/8 w - - 0 1", 6, 1_015_133),
        ("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6, 1_440_467),
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6, 661_072),
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 6, 803_711),
        ("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 4, 1_274_206),
        ("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 4, 1_720_476),
        ("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6, 3_821_001),
        ("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 5, 1_004_658),
        ("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6, 217_342),
        ("8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6, 92_683),
        ("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6, 2217),
        ("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7, 567_584),
        ("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4, 23_527),
    ];
    for (fen, depth, leaves) in known {
        assert_eq!(tablero_core::perft(&position(fen), depth), leaves, "{fen}");
    }
}

#[test]
fn perft_of_chess960() {
    let known: [(&str, &[u64]); 3] = [
        (
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            &[21, 528, 12_189, 326_672],
        ),
        (
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            &[21, 807, 18_002, 667_366],
        ),
        (
            "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
            &[20, 479, 10_471, 273_318],
        ),
    ];
    for (fen, counts) in known {
        conformance::check_perft(&position960(fen), counts);
    }
}

fn view(position: &Chess) -> Reference {
    Reference::from_fen(&position.position_text())
}

#[test]
fn agrees_with_the_reference_in_difficult_positions() {
    let difficult = [
        KIWIPETE,
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 99 1",
        "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    ];
    for fen in difficult {
        conformance::check_against(&position(fen), 2, &view, &Reference::successors);
    }
    // Castling where king or rook stay, swap places, or the rook shields its king.
    let castling = [
        "1rk4r/8/8/8/8/8/8/RK5R w KQkq - 0 1",
        "6kr/8/8/8/8/8/8/5RKR w KFk - 0 1",
        "r1k4r/p7/8/8/8/8/P7/2RK3R b Kkq - 0 1",
        "qrk5/8/8/8/8/8/8/rRK1R3 w EBb - 0 1",
        "2rkr3/pppppppp/8/8/8/8/PPPPPPPP/2RKR3 w KQkq - 0 1",
    ];
    for fen in castling {
        conformance::check_against(&position960(fen), 3, &view, &Reference::successors);
    }
}

#[test]
fn agrees_with_the_reference_along_random_games() {
    let mut rng = Rng::seeded(5);
    let starts = [518, 0, 111, 222, 333, 444, 555, 666, 777, 959];
    for number in starts {
        let mut position = Chess::chess960(number).expect("a number below 960");
        for _ in 0..120 {
            conformance::check_against(&position, 1, &view, &Reference::successors);
            let Some(m) = position.random_move(&mut rng) else {
                break;
            };
            position.play(m);
        }
    }
}

/// cozy-chess's legality test does not generate moves: it must agree with the generator on every move.
#[test]
fn is_legal_agrees_with_move_generation() {
    use cozy_chess::{Move, Piece, Square};
    for fen in
        [KIWIPETE, "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", "8/8/8/2k5/3Pp3/8/8/3K4 b - d3 0 1"]
    {
        let position = position(fen);
        let moves = position.moves();
        let promotions = [None].into_iter().chain(Piece::ALL.map(Some));
        for promotion in promotions {
            for (from, to) in
                Square::ALL.into_iter().flat_map(|from| Square::ALL.map(|to| (from, to)))
            {
                let m = Move { from, to, promotion };
                assert_eq!(position.is_legal(m), moves.contains(&m), "{m} in {fen}");
            }
        }
    }
}

#[test]
fn random_moves_are_uniform() {
    // Promotions, several pieces, an en passant capture.
    let position = position("7k/P7/8/3pP3/8/8/8/K5N1 w - d6 0 1");
    let moves = position.moves();
    let (mut rng, mut seen) = (Rng::seeded(9), HashMap::new());
    let rounds = 2000 * moves.len();
    for _ in 0..rounds {
        *seen.entry(position.random_move(&mut rng).expect("a move")).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), moves.len());
    assert!(seen.values().all(|count| (1800..2200).contains(count)), "{seen:?}");
}

#[test]
fn mate_and_stalemate_end_the_game() {
    let mut game = GameHistory::new(Chess::start(ChessRules::Standard));
    play(&mut game, "f3 e5 g4 Qh4#");
    let end = game.end().expect("mate");
    assert_eq!((end.outcome, end.ending), (Outcome::win(Side::Second), Ending::Played));
    assert_eq!(position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").outcome(), Some(Outcome::DRAW));
}

#[test]
fn dead_positions() {
    let dead = [
        "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
        "8/8/4k3/8/8/3K1N2/8/8 b - - 0 1",
        "8/8/4kb2/8/8/3K4/8/8 w - - 0 1",
        "8/8/4kb2/8/8/B2K4/8/2B5 w - - 0 1",
    ];
    for fen in dead {
        let expected = Draw { reason: DrawReason::DeadPosition, forced: true };
        assert_eq!(position(fen).draw(), Some(expected), "{fen}");
        assert!(position(fen).count_moves() > 0, "{fen}");
    }
    let alive = [
        "8/8/4kb2/8/8/3K4/8/5B2 w - - 0 1",
        "8/8/4kn2/8/8/3K1N2/8/8 w - - 0 1",
        "8/8/4kb2/8/8/3K1N2/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KNN2/8/8 w - - 0 1",
        "8/8/4k3/8/4P3/3K4/8/8 w - - 0 1",
        "8/8/4kr2/8/8/3K4/8/8 w - - 0 1",
    ];
    for fen in alive {
        assert_eq!(position(fen).draw(), None, "{fen}");
    }
}

#[test]
fn fifty_move_rule_is_claimed_and_seventy_five_move_rule_ends_the_game() {
    let at = |clock| position(&format!("7k/8/8/8/8/8/R7/K7 w - - {clock} 90"));
    let limit = |forced| Some(Draw { reason: DrawReason::MoveLimit, forced });
    assert_eq!(at(99).draw(), None);
    assert_eq!(at(100).draw(), limit(false));
    assert_eq!(at(149).draw(), limit(false));
    assert_eq!(at(150).draw(), limit(true));
    assert_eq!(at(149).after(at(149).parse_move("Rb2").expect("legal")).draw(), limit(true));
    assert_eq!(at(149).after(at(149).parse_move("Rb2").expect("legal")).halfmove_clock(), 150);

    // Mate takes precedence.
    let mut game = GameHistory::new(position("7k/8/6K1/8/8/8/R7/8 w - - 149 90"));
    play(&mut game, "Ra8#");
    assert_eq!(game.end().expect("mate").ending, Ending::Played);
    let mut game = GameHistory::new(position("7k/8/5K2/8/8/8/R7/8 w - - 149 90"));
    play(&mut game, "Rb2");
    assert_eq!(game.end().expect("a draw").ending, Ending::Drawn(DrawReason::MoveLimit));
}

#[test]
fn threefold_repetition_is_claimed_and_fivefold_ends_the_game() {
    let mut game = GameHistory::new(Chess::start(ChessRules::Standard));
    let dance = "Nf3 Nf6 Ng1 Ng8";
    play(&mut game, dance);
    assert_eq!((game.repetitions(), game.draw()), (2, None));
    play(&mut game, dance);
    assert_eq!(game.draw(), Some(Draw { reason: DrawReason::Repetition, forced: false }));
    assert_eq!(game.end(), None);
    play(&mut game, dance);
    play(&mut game, dance);
    assert_eq!(game.end().expect("a draw").ending, Ending::Drawn(DrawReason::Repetition));
}

#[test]
fn en_passant_counts_for_repetition_only_if_the_capture_is_legal() {
    let dance = "Ng8 Ng1 Nf6 Nf3";
    // After e4 no black pawn can capture: the position is the same without the right.
    let mut game = GameHistory::new(Chess::start(ChessRules::Standard));
    play(&mut game, "Nf3 Nf6 e4");
    play(&mut game, dance);
    assert_eq!(game.repetitions(), 2);

    // A pawn on d4 can capture on e3: without the right it is a different position.
    let mut game = GameHistory::new(Chess::start(ChessRules::Standard));
    play(&mut game, "Nf3 d5 a3 d4 a4 Nf6 e4");
    play(&mut game, dance);
    assert_eq!(game.repetitions(), 1);

    // The capturing pawn is pinned: the same position again.
    let pinned = position("3k4/8/8/8/3p4/8/3RP3/4K3 w - - 0 1");
    let after = pinned.after(pinned.parse_move("e4").expect("legal"));
    assert_eq!(after.en_passant(), None);
    assert_eq!(after.key(), position("3k4/8/8/8/3pP3/8/3R4/4K3 b - - 0 1").key());
    // En passant would remove both pawns from the rank and expose the king to the rook.
    let opened = position("8/8/8/8/R2p3k/8/4P3/4K3 w - - 0 1");
    let after = opened.after(opened.parse_move("e4").expect("legal"));
    assert_eq!(after.position_text(), "8/8/8/8/R2pP2k/8/8/4K3 b - - 0 1");
    assert_eq!(after, position("8/8/8/8/R2pP2k/8/8/4K3 b - - 0 1"));
}

#[test]
fn keys_are_equal_exactly_for_equal_positions() {
    let mut rng = Rng::seeded(3);
    let mut by_text = HashMap::new();
    let mut by_key = HashMap::new();
    for _ in 0..60 {
        let mut now = position("r3k2r/pp4pp/8/8/8/8/PP4PP/R3K2R w KQkq - 0 1");
        for _ in 0..60 {
            let fen = now.position_text();
            let (text, _) =
                fen.rsplit_once(' ').and_then(|(rest, _)| rest.rsplit_once(' ')).expect("FEN");
            let key = now.key();
            assert_eq!(*by_text.entry(text.to_owned()).or_insert(key), key, "{text}");
            assert_eq!(*by_key.entry(key).or_insert_with(|| text.to_owned()), text);
            let Some(m) = now.random_move(&mut rng) else {
                break;
            };
            now.play(m);
        }
    }
}

#[test]
fn random_playouts_end() {
    let mut rng = Rng::seeded(2);
    for _ in 0..50 {
        let (_, plies) = random_playout(Chess::start(ChessRules::Standard), 5000, &mut rng);
        assert!((4..5000).contains(&plies), "{plies}");
    }
}
