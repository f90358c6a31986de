//! Properties of every game's encoding.

use tablero_chess::Chess;
use tablero_core::{Encoding, Game, GameType, Notation, Rng, Rules};
use tablero_othello::{Othello, Square};
use tablero_shobu::{Direction, Shobu, ShobuRules, Turn};
use tablero_tictactoe::TicTacToe;

fn planes<G: Encoding>(position: &G) -> Vec<f32> {
    let mut planes = vec![0.0; G::PLANES * G::SQUARES];
    position.write_planes(0, &mut planes);
    planes
}

/// Visits every position of some random games.
fn each_position<G: GameType>(games: u64, max_plies: usize, mut visit: impl FnMut(&G)) {
    for (index, rules) in (0..games).zip(G::Rules::ALL.iter().cycle()) {
        let mut rng = Rng::for_stream(1, index);
        let mut position = G::start(*rules);
        for _ in 0..max_plies {
            visit(&position);
            let Some(m) = position.random_move(&mut rng) else { break };
            position.play(m);
        }
    }
}

#[test]
fn special_chess_moves_round_trip() {
    let texts = [
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "1k6/8/8/3pP3/8/8/8/1K6 w - d6 0 2",
    ];
    for text in texts {
        let position = Chess::parse_position(text, Default::default()).expect("a position");
        for m in position.moves() {
            assert_eq!(position.move_of(position.policy_indices(m)), Some(m), "{text} {m}");
        }
    }
}

/// A symmetry permutes planes and policy indices alike.
fn symmetries_permute_planes<G: Encoding>(image: impl Fn(&G, usize, usize) -> usize) {
    each_position::<G>(5, 60, |position| {
        let squares = G::SQUARES;
        let original = planes(position);
        for symmetry in 0..G::SYMMETRIES {
            let other = position.transform(symmetry);
            let mut moved = vec![0.0; original.len()];
            for (index, value) in original.iter().enumerate() {
                let square = image(position, index % squares, symmetry);
                moved[index / squares * squares + square] = *value;
            }
            assert_eq!(moved, planes(&other), "{position:?} {symmetry}");
            position.each_move(|m| {
                let [from, _] = position.policy_indices(m);
                let expected = match from {
                    from if from == G::ZERO_LOGIT => from,
                    from => image(position, from, symmetry),
                };
                let [to, _] = other.policy_indices(position.transform_move(m, symmetry));
                assert_eq!(to, expected);
            });
        }
    });
}

#[test]
fn symmetries() {
    symmetries_permute_planes::<TicTacToe>(|position, square, symmetry| {
        usize::from(position.transform_move(square as u8, symmetry))
    });
    symmetries_permute_planes::<Othello>(|position, square, symmetry| {
        let square = Square::new(square as u8).expect("a square");
        position.transform_move(square, symmetry).index()
    });
}

#[test]
fn shobu_symmetries_mirror_and_swap_boards() {
    each_position::<Shobu>(4, 100, |position| {
        let original = planes(position);
        for symmetry in 0..Shobu::SYMMETRIES {
            let moved = planes(&position.transform(symmetry));
            for (index, value) in original.iter().enumerate() {
                let (plane, square) = (index / 16, index % 16);
                // The first eight planes are boards, in pairs of dark and light.
                let plane = if symmetry & 2 != 0 && plane < 8 { plane ^ 1 } else { plane };
                let square = if symmetry & 1 != 0 { square ^ 3 } else { square };
                assert_eq!(moved[16 * plane + square], *value);
            }
        }
    });
}

#[test]
fn othello_planes_are_relative_to_the_mover() {
    each_position::<Othello>(5, 60, |position| {
        let (mover, other) = (position.mover(), position.other());
        for side in tablero_core::Side::BOTH {
            let (black, white) = if side.index() == 0 { (mover, other) } else { (other, mover) };
            let same = Othello::from_discs(black, white, side).expect("a position");
            assert_eq!(planes(&same), planes(position));
        }
    });
}

#[test]
fn shobu_planes_are_relative_to_the_mover() {
    let mut rng = Rng::seeded(5);
    let black = Shobu::start(ShobuRules::Official);
    let text = black.position_text().replacen('b', "w", 1);
    let white = Shobu::parse_position(&text, ShobuRules::Official);
    let (mut one, mut two) = (black, white.expect("the start, White to move"));
    for _ in 0..60 {
        assert_eq!(planes(&one), planes(&two));
        let Some(m) = one.random_move(&mut rng) else { break };
        let square =
            |square: tablero_shobu::Square| tablero_shobu::Square::from_index(63 - square.index());
        let direction = Direction::ALL[(m.direction() as usize + 4) % 8];
        let turned =
            Turn::new(square(m.passive()), square(m.aggressive()), direction, m.distance());
        assert!(two.is_legal(turned));
        assert_eq!(one.policy_indices(m), two.policy_indices(turned));
        one.play(m);
        two.play(turned);
    }
}

#[test]
fn the_flat_encoding_is_relative_to_the_mover() {
    let position = Othello::start(Default::default());
    let position = position.after(position.parse_move("d3").expect("legal"));
    let mut table = vec![9.0; 65];
    position.write_flat(&mut table);
    // d3, d4, e4, d5 black, e5 white; White is to move.
    for (square, code) in [(19, -1.0), (27, -1.0), (28, -1.0), (35, -1.0), (36, 1.0), (64, 1.0)] {
        assert_eq!(table[square], code, "{square}");
    }
    assert_eq!(table[..64].iter().filter(|&&cell| cell == 0.0).count(), 59);
}
