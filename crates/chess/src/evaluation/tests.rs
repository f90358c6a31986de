use cozy_chess::{Board, BoardBuilder, Piece, Square};
use tablero_core::{Evaluation, EvaluationKind, Game, Notation, Rng};

use super::KINDS;
use super::endgames::{SCALE_NORMAL, scale_factor};
use super::view::View;
use crate::tactics::PIECE_VALUES;
use crate::{Chess, ChessRules};

fn position(fen: &str) -> Chess {
    Chess::parse_position(fen, ChessRules::Standard).expect("a position")
}

/// Positions of random games, from start to end.
fn positions(count: u64) -> impl Iterator<Item = Chess> {
    (0..count).map(|number| {
        let mut rng = Rng::for_stream(12, number);
        let mut position = Chess::start(ChessRules::Standard);
        for _ in 0..rng.below(200) {
            match position.random_move(&mut rng) {
                Some(m) if !position.after(m).moves().is_empty() => position.play(m),
                _ => break,
            }
        }
        position
    })
}

/// The position with every piece moved by `to`, without castling rights, optionally with colours
/// swapped.
fn transformed(position: &Chess, to: fn(Square) -> Square, swap_colors: bool) -> Chess {
    let board = position.board();
    let mut builder = BoardBuilder::empty();
    let color = |color: cozy_chess::Color| if swap_colors { !color } else { color };
    for square in board.occupied() {
        let piece = board.piece_on(square).zip(board.color_on(square).map(color));
        builder.board[to(square) as usize] = piece;
    }
    builder.side_to_move = color(board.side_to_move());
    let board: Board = builder.build().expect("a legal position stays legal");
    Chess::new(board, 0, ChessRules::Standard)
}

#[test]
fn evaluations_are_symmetric_in_colour_and_files() {
    for kind in KINDS {
        let evaluation = kind.hand_tuned();
        for position in positions(300) {
            let value = evaluation.evaluate(&position);
            let flipped = transformed(&position, Square::flip_rank, true);
            let mirrored = transformed(&position, Square::flip_file, false);
            assert_eq!(evaluation.evaluate(&flipped), value, "{} {position:?}", kind.name);
            assert_eq!(evaluation.evaluate(&mirrored), value, "{} {position:?}", kind.name);
        }
    }
}

#[test]
fn the_start_evaluates_to_the_tempo_bonus() {
    let start = Chess::start(ChessRules::Standard);
    let weights = (KINDS[0].weights)();
    let tempo = weights.iter().find(|weight| weight.name == "tempo-mg").expect("a tempo");
    assert_eq!(KINDS[0].hand_tuned().evaluate(&start).0, tempo.value.round() as i32);
    let material = KINDS.iter().find(|kind| kind.name == "material").expect("it is there");
    assert_eq!(material.hand_tuned().evaluate(&start).0, 0);
}

/// The evaluation with all weights is the sum of those with one weight each.
#[test]
fn evaluations_are_linear_in_the_weights() {
    for kind in KINDS {
        let listed = (kind.weights)();
        let weights: Vec<f64> = listed.iter().map(|weight| weight.value).collect();
        // The maximum, to keep rounding errors small.
        let single = |index: usize| {
            let mut one = vec![0.0; weights.len()];
            one[index] = listed[index].max;
            (kind.build)(&one)
        };
        let parts: Vec<Box<dyn Evaluation<Chess>>> = (0..weights.len()).map(single).collect();
        let whole = (kind.build)(&weights);
        for position in positions(150).filter(is_unscaled) {
            let sum: f64 = parts
                .iter()
                .zip(&listed)
                .map(|(part, weight)| (f64::from(part.evaluate(&position).0), weight))
                .map(|(value, weight)| value * weight.value / weight.max)
                .sum();
            let error = (sum - f64::from(whole.evaluate(&position).0)).abs();
            assert!(error < 8.0, "{} {position:?}: {sum}", kind.name);
        }
    }
}

/// Every term has a text, and the terms are those of the weights.
#[test]
fn explanations_sum_to_the_evaluation() {
    let mut names = std::collections::BTreeSet::new();
    for kind in KINDS {
        let evaluation = kind.hand_tuned();
        for position in positions(300) {
            let explanation = evaluation.explain(&position);
            let value = f64::from(evaluation.evaluate(&position).0) / 100.0;
            assert_eq!(explanation.value, value);
            assert!((explanation.sum() - value).abs() < 1e-6, "{} {explanation:?}", kind.name);
            for term in &explanation.terms {
                let product = term.value * term.weight;
                assert!((product - term.contribution).abs() < 1e-9, "{term:?}");
                assert!(term.name != "limit", "{} {explanation:?}", kind.name);
                if term.name != "rounding" {
                    assert_ne!(term.about.en, term.name, "no text");
                }
                names.insert(term.name.clone());
            }
        }
    }
    assert!(names.len() > 60, "{names:?}");
}

/// In the start position Black's e8 is the last rank of a diagram's first row.
#[test]
fn terms_come_from_squares() {
    let position = position("4k3/8/8/8/8/5p2/P7/4K3 b - - 0 1");
    let explanation = KINDS[0].hand_tuned().explain(&position);
    let cells = |name: &str| {
        let term = explanation.terms.iter().find(|term| term.name == name).expect(name);
        term.cells.iter().map(|cell| (cell.cell, cell.value)).collect::<Vec<_>>()
    };
    assert_eq!(cells("pawn"), [(45, 1.0), (48, -1.0)], "f3 is Black's, a2 is White's");
    assert_eq!(cells("king-squares"), [(4, 1.0), (60, -1.0)]);
}

/// Whether no endgame scale factor applies.
fn is_unscaled(position: &Chess) -> bool {
    let mover = position.board().side_to_move();
    [mover, !mover]
        .iter()
        .all(|&side| scale_factor(&View::of(position.board(), side)) == SCALE_NORMAL)
}

#[test]
fn every_weight_of_classic_affects_some_position() {
    let count = (KINDS[0].weights)().len();
    let mut positions: Vec<Chess> = positions(400).collect();
    positions.push(position("8/8/8/3k4/8/8/8/R3K3 w - - 0 1"));
    positions.push(position("8/8/8/P6k/8/8/8/4K3 w - - 0 1"));
    for index in 0..count {
        let mut weights = vec![0.0; count];
        weights[index] = 1000.0;
        let evaluation = (KINDS[0].build)(&weights);
        let name = &(KINDS[0].weights)()[index].name;
        assert!(positions.iter().any(|position| evaluation.evaluate(position).0 != 0), "{name}");
    }
}

/// Endgame knowledge keeps the properties of evaluations: explained, and equal for both sides.
#[test]
fn endgames_are_explained_and_symmetric() {
    let evaluation = KINDS[0].hand_tuned();
    let endings = ["KRk", "KPk", "KQkp", "KRkp", "KRkn", "KBPk", "KBNk", "KBPkb", "KPPk", "KQkr"];
    for (number, position) in
        endings.into_iter().flat_map(|pieces| placements(pieces, 60)).enumerate()
    {
        let value = evaluation.evaluate(&position);
        let explanation = evaluation.explain(&position);
        assert!((explanation.sum() - f64::from(value.0) / 100.0).abs() < 1e-6, "{position:?}");
        let flipped = transformed(&position, Square::flip_rank, true);
        let mirrored = transformed(&position, Square::flip_file, false);
        assert_eq!(evaluation.evaluate(&flipped), value, "{number} {position:?}");
        assert_eq!(evaluation.evaluate(&mirrored), value, "{number} {position:?}");
    }
}

/// Legal positions with these pieces on random squares.
fn placements(pieces: &'static str, count: usize) -> impl Iterator<Item = Chess> {
    let placement = |number| {
        let mut rng = Rng::for_stream(13, number);
        let mut builder = BoardBuilder::empty();
        for letter in pieces.chars() {
            let square = rng.below(64) as usize;
            let piece = letter.to_ascii_lowercase().to_string().parse().expect("a piece");
            let white = letter.is_ascii_uppercase();
            let color = if white { cozy_chess::Color::White } else { cozy_chess::Color::Black };
            builder.board[square] = Some((piece, color));
        }
        if rng.below(2) == 0 {
            builder.side_to_move = cozy_chess::Color::Black;
        }
        let board = builder.build().ok()?;
        let is_complete = board.occupied().len() as usize == pieces.len();
        let [white, black] = cozy_chess::Color::ALL.map(|color| board.king(color));
        let is_legal = is_complete && !cozy_chess::get_king_moves(white).has(black);
        is_legal.then(|| Chess::new(board, 0, ChessRules::Standard))
    };
    (0..).filter_map(placement).filter(|position| position.outcome().is_none()).take(count)
}

#[test]
fn evaluations_are_bounded_for_any_weights() {
    for kind in KINDS {
        let count = (kind.weights)().len();
        for weight in [f64::NAN, f64::INFINITY, -1e300] {
            let evaluation = (kind.build)(&vec![weight; count]);
            for position in positions(50) {
                assert!(evaluation.evaluate(&position).0.abs() <= super::MAX_EVAL);
            }
        }
    }
}

/// Pairs of positions, the better one for the side to move first.
#[test]
fn agrees_with_basic_chess_knowledge() {
    let pairs = [
        (
            "a pawn more",
            "4k3/pp6/8/8/8/8/PPP5/4K3 w - - 0 1",
            "4k3/ppp5/8/8/8/8/PPP5/4K3 w - - 0 1",
        ),
        (
            "a knight in the centre",
            "4k3/pppppppp/8/8/3N4/8/PPPPPPPP/4K3 w - - 0 1",
            "4k3/pppppppp/8/8/7N/8/PPPPPPPP/4K3 w - - 0 1",
        ),
        (
            "an advanced passed pawn",
            "4k3/8/P7/8/8/8/5PPP/R3K3 w - - 0 1",
            "4k3/8/8/8/8/P7/5PPP/R3K3 w - - 0 1",
        ),
        (
            "a castled king",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 0 1",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/4KN2/PPPP1PPP/RNBQ1R2 w kq - 0 1",
        ),
        (
            "no doubled pawns",
            "4k3/2ppp3/8/8/8/8/2PPP3/4K3 w - - 0 1",
            "4k3/2ppp3/8/8/8/2P5/2P1P3/4K3 w - - 0 1",
        ),
        (
            "a rook on an open file",
            "4k3/ppp2ppp/8/8/8/8/PPP2PPP/3RK3 w - - 0 1",
            "4k3/ppp2ppp/8/8/8/8/PPP2PPP/1R2K3 w - - 0 1",
        ),
        ("an unstoppable pawn", "8/8/8/P7/6k1/8/8/4K3 w - - 0 1", "8/8/8/P7/3k4/8/8/4K3 w - - 0 1"),
        (
            "a bare king at the edge",
            "4k3/8/4K3/8/8/8/8/R7 w - - 0 1",
            "8/8/8/3k4/8/3K4/8/R7 w - - 0 1",
        ),
        (
            "a bare king in the bishop's corner",
            "k7/8/1K6/8/8/8/8/4BN2 b - - 0 1",
            "7k/8/6K1/8/8/8/8/4BN2 b - - 0 1",
        ),
    ];
    let evaluation = KINDS[0].hand_tuned();
    for (what, better, worse) in pairs {
        let [better, worse] = [better, worse].map(|fen| evaluation.evaluate(&position(fen)));
        assert!(better > worse, "{what}: {better:?} {worse:?}");
    }
}

/// Endgames with their scale factor for the side that is ahead.
#[test]
fn drawish_endgames_are_scaled_down() {
    let win = SCALE_NORMAL;
    for (what, fen, least, most) in [
        ("a bishop", "4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", 0, 0),
        ("a knight", "4k3/8/8/8/8/8/8/4K1N1 b - - 0 1", 0, 0),
        ("two knights", "4k3/8/8/8/8/8/8/2N1K1N1 w - - 0 1", 0, 0),
        ("a bishop and a knight", "4k3/8/8/8/8/8/8/2B1K1N1 w - - 0 1", win, win),
        ("a rook", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", win, win),
        ("a queen against a rook", "4k1r1/8/8/8/8/8/8/Q3K3 b - - 0 1", win, win),
        ("a rook against a bishop", "4k1b1/8/8/8/8/8/8/R3K3 w - - 0 1", 1, 8),
        ("a rook against a knight", "4k3/5n2/8/8/8/8/8/R3K3 w - - 0 1", 1, 8),
        ("a knight far from its king", "4k3/8/8/8/8/8/n7/3RK3 w - - 0 1", 32, 40),
        ("the wrong bishop", "7k/8/8/7P/8/8/8/4KB2 w - - 0 1", 0, 0),
        ("the wrong bishop, for Black", "4k1b1/8/8/8/p7/8/8/K7 w - - 0 1", 0, 0),
        ("the wrong bishop, in time", "8/8/4k3/7P/8/8/4K3/5B2 b - - 0 1", 1, 8),
        ("the wrong bishop, too late", "8/8/2k5/7P/8/8/4K3/5B2 b - - 0 1", win, win),
        ("the right bishop", "7k/8/8/7P/8/8/8/4K1B1 w - - 0 1", win, win),
        ("a rook pawn more", "k7/8/8/P7/8/P7/8/K7 w - - 0 1", 0, 0),
        ("queen against f7", "8/8/8/8/1Q6/K7/5pk1/8 w - - 0 1", 1, 8),
        ("queen against f7, for Black", "8/5PK1/k7/1q6/8/8/8/8 b - - 0 1", 1, 8),
        ("queen against a7", "8/PK6/8/8/6k1/3q4/8/8 b - - 0 1", 1, 8),
        ("queen against f7, the king is near", "8/8/8/8/1Q6/4K3/5pk1/8 w - - 0 1", win, win),
        ("queen against f7, promotion blocked", "8/8/8/8/8/K3k3/5p2/5Q2 b - - 0 1", win, win),
        ("queen against g7", "8/8/8/8/1Q6/K7/6pk/8 w - - 0 1", win, win),
        ("queen against e7", "8/8/8/8/1Q6/K7/4p1k1/8 w - - 0 1", win, win),
        ("queen against f6", "8/8/8/8/1Q6/K4pk1/8/8 w - - 0 1", win, win),
        ("rook against a pawn, the king is far", "K7/8/8/8/8/4kp2/8/7R w - - 0 1", 1, 8),
        ("rook against a pawn, the king is near", "8/8/8/8/4kp2/8/5K2/7R w - - 0 1", win, win),
        ("rook against a pawn alone", "K7/8/8/8/1k6/5p2/8/7R w - - 0 1", win, win),
        ("opposition", "8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", win, win),
        ("no opposition", "8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", 0, 0),
        ("opposite bishops", "4k1b1/8/8/8/8/3P4/8/2B1K3 w - - 0 1", 1, 16),
        ("opposite bishops, more pawns", "4k1b1/8/8/8/8/2PP4/8/2B1K3 w - - 0 1", 16, 32),
        ("opposite bishops and rooks", "r3k1b1/8/8/8/8/2PP4/8/R1B1K3 w - - 0 1", 48, 60),
        ("bishops of one colour", "4kb2/8/8/8/8/2PP4/8/2B1K3 w - - 0 1", win, win),
    ] {
        let views = super::classic::views(&position(fen));
        let strong = views.iter().max_by_key(|view| material(view)).expect("two sides");
        let scale = scale_factor(strong);
        assert!((least..=most).contains(&scale), "{what}: {scale}");
    }
}

/// What remains of the value after scaling.
#[test]
fn drawish_endgames_are_worth_little() {
    let evaluation = KINDS[0].hand_tuned();
    let value = |fen| evaluation.evaluate(&position(fen)).0.abs();
    for (what, fen, most) in [
        ("two knights", "4k3/8/8/8/8/8/8/2N1K1N1 w - - 0 1", 0),
        ("a rook against a bishop", "4k1b1/8/8/8/8/8/8/R3K3 w - - 0 1", 60),
        ("the wrong bishop", "7k/8/8/7P/8/8/8/4KB2 w - - 0 1", 60),
        ("the wrong bishop, for Black", "4k1b1/8/8/8/p7/8/8/K7 w - - 0 1", 60),
        ("a queen against a bishop's pawn", "8/8/8/8/1Q6/K7/5pk1/8 w - - 0 1", 130),
        ("a queen against a rook's pawn, for Black", "8/PK6/8/8/6k1/3q4/8/8 w - - 0 1", 130),
    ] {
        assert!(value(fen) <= most, "{what}: {}", value(fen));
    }
    assert!(value("7k/8/8/7P/8/8/8/4K1B1 w - - 0 1") > 200, "the right bishop");
    assert!(value("4k3/8/8/8/8/8/8/R3K3 w - - 0 1") > 400, "a rook");
    assert!(value("8/8/8/8/1Q2K3/8/5pk1/8 w - - 0 1") > 400, "the king is near the pawn");
    assert!(value("8/8/8/8/1Q6/K7/4p1k1/8 w - - 0 1") > 400, "a centre pawn");
    let opposite = value("4k1b1/8/8/8/8/2PP4/8/2B1K3 w - - 0 1");
    let same = value("4kb2/8/8/8/8/2PP4/8/2B1K3 w - - 0 1");
    assert!(opposite * 3 < same * 2, "{opposite} {same}");
}

/// Material of the own side.
fn material(view: &View) -> i32 {
    let value = |piece: Piece| PIECE_VALUES[piece as usize] * view.own[piece].len() as i32;
    super::MATERIAL_PIECES.into_iter().map(value).sum()
}

#[test]
fn evaluation_names() {
    let names: Vec<&str> = KINDS.iter().map(|kind: &EvaluationKind<Chess>| kind.name).collect();
    assert_eq!(names, ["classic", "principles", "material"]);
    assert_eq!(Piece::NUM, super::MATERIAL_PIECES.len() + 1);
}

/// A learned value is scaled in drawish endgames, replaced against a bare king, and otherwise left alone.
#[test]
fn learned_values_get_endgame_knowledge() {
    use tablero_core::ForMover;
    let learned = |fen| super::with_endgame_knowledge(&position(fen), ForMover(640)).0;
    assert_eq!(learned("r3k3/8/8/8/8/2PP4/8/R3K3 w - - 0 1"), 640, "rooks and pawns");
    assert_eq!(learned("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 640);
    assert!(learned("4k1b1/8/8/8/8/3P4/8/2B1K3 w - - 0 1") <= 160, "opposite bishops");
    assert!(learned("4k1b1/8/8/8/8/8/8/R3K3 w - - 0 1") <= 80, "rook against bishop");
    for bare in ["4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 b - - 0 1"] {
        let classic = KINDS[0].hand_tuned().evaluate(&position(bare)).0;
        assert_eq!(learned(bare), classic);
    }
}
