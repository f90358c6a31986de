//! The rules against published perft counts, a naive reference implementation and known positions.

use std::collections::{HashMap, HashSet};

use tablero_core::conformance::{self, Suite};
use tablero_core::{ForFirst, Game, Notation, Rng, Side, StandardRules};
use tablero_othello::{Othello, Square};

fn start() -> Othello {
    Othello::start(StandardRules)
}

fn read(text: &str) -> Othello {
    Othello::parse_position(text, StandardRules).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The position with first row `row` and all other squares empty.
fn first_row(row: &str, side: char) -> Othello {
    read(&format!("{row:-<64} {side}"))
}

fn square(name: &str) -> Square {
    Square::from_name(name).expect("a square")
}

#[test]
fn passes_the_conformance_suite() {
    conformance::check::<Othello>(&Suite { games: 200, max_plies: 128, seed: 1 });
}

/// The published counts include games that end early as leaves; the shortest have nine plies.
#[test]
fn perft_matches_published_counts() {
    let known = [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284];
    conformance::check_perft(&start(), &known);
}

/// A naive implementation of the rules that shares no code with the real one: a grid of `X`, `O` and
/// `-`, and the side to move.
mod reference {
    pub(crate) type Grid = (Vec<char>, char);

    pub(crate) fn opponent(mover: char) -> char {
        if mover == 'X' { 'O' } else { 'X' }
    }

    /// The grid after `mover` plays on `(column, row)`; `None` if nothing is flipped.
    fn place(cells: &[char], mover: char, column: i32, row: i32) -> Option<Vec<char>> {
        let on_board = |x: i32, y: i32| (0..8).contains(&x) && (0..8).contains(&y);
        let at = |x: i32, y: i32| (8 * y + x) as usize;
        if cells[at(column, row)] != '-' {
            return None;
        }
        let mut next = cells.to_vec();
        for dx in -1..=1 {
            for dy in -1..=1 {
                let (mut x, mut y, mut line) = (column + dx, row + dy, Vec::new());
                while on_board(x, y) && cells[at(x, y)] == opponent(mover) {
                    line.push(at(x, y));
                    (x, y) = (x + dx, y + dy);
                }
                if on_board(x, y) && cells[at(x, y)] == mover {
                    line.into_iter().for_each(|cell| next[cell] = mover);
                }
            }
        }
        next[at(column, row)] = mover;
        let has_flips = next.iter().zip(cells).filter(|(new, old)| new != old).count() > 1;
        has_flips.then_some(next)
    }

    fn placements(cells: &[char], mover: char) -> Vec<Vec<char>> {
        (0..64).filter_map(|cell| place(cells, mover, cell % 8, cell / 8)).collect()
    }

    pub(crate) fn successors((cells, mover): &Grid) -> Vec<Grid> {
        let next = placements(cells, *mover);
        if next.is_empty() && !placements(cells, opponent(*mover)).is_empty() {
            return vec![(cells.clone(), opponent(*mover))];
        }
        next.into_iter().map(|cells| (cells, opponent(*mover))).collect()
    }

    /// Black's final margin, with empty squares counted for the winner.
    pub(crate) fn margin(cells: &[char]) -> i16 {
        let count = |wanted| cells.iter().filter(|&&cell| cell == wanted).count() as i16;
        match (count('X'), count('O')) {
            (black, white) if black > white => 64 - 2 * white,
            (black, white) if black < white => 2 * black - 64,
            _ => 0,
        }
    }
}

fn view(position: &Othello) -> reference::Grid {
    let text: Vec<char> = position.position_text().chars().collect();
    (text[..64].to_vec(), text[65])
}

fn check_against_reference(position: &Othello, depth: u32) {
    conformance::check_against(position, depth, &view, &reference::successors);
    if let Some(outcome) = position.outcome() {
        assert_eq!(outcome.margin(), ForFirst(reference::margin(&view(position).0)));
    }
}

#[test]
fn early_positions_agree_with_the_reference() {
    check_against_reference(&start(), 6);
}

#[test]
fn random_games_agree_with_the_reference() {
    let mut rng = Rng::seeded(1);
    for _ in 0..100 {
        let mut position = start();
        while let Some(m) = position.random_move(&mut rng) {
            check_against_reference(&position, 1);
            position.play(m);
        }
        check_against_reference(&position, 1);
    }
}

#[test]
fn random_positions_agree_with_the_reference() {
    let mut rng = Rng::seeded(2);
    for round in 0..3_000 {
        // Sparse, half-full and nearly full boards; most cannot occur in a game.
        let occupied = match round % 3 {
            0 => rng.bits() & rng.bits(),
            1 => rng.bits(),
            _ => rng.bits() | rng.bits() | rng.bits(),
        };
        let black = occupied & rng.bits();
        let side = Side::BOTH[round % 2];
        let position = Othello::from_discs(black, occupied & !black, side).expect("apart");
        check_against_reference(&position, 1);
        conformance::check_position(&position, &mut rng);
    }
}

#[test]
fn random_moves_are_uniform() {
    let (mut rng, mut seen) = (Rng::seeded(3), HashMap::new());
    for _ in 0..40_000 {
        *seen.entry(start().random_move(&mut rng)).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), 4);
    assert!(seen.values().all(|&times| (9_500..10_500).contains(&times)), "{seen:?}");
}

#[test]
fn a_side_without_moves_must_pass() {
    let position = first_row("OX", 'X');
    assert_eq!(position.moves(), [Square::PASS]);
    assert_eq!(position.count_moves(), 1);
    assert_eq!(position.random_move(&mut Rng::seeded(1)), Some(Square::PASS));
    assert_eq!(position.outcome(), None);
    let after = position.after(Square::PASS);
    assert_eq!(after, first_row("OX", 'O'));
    assert_eq!(after.moves(), [square("c1")]);
    assert!(!after.is_legal(Square::PASS), "a pass is illegal when there are moves");
}

#[test]
fn two_passes_in_a_row_end_the_game() {
    let before = first_row("OX", 'O');
    let over = before.after(square("c1"));
    assert_eq!(over, first_row("OOO", 'X'));
    assert_eq!((over.moves(), over.count_moves()), (vec![], 0));
    assert_eq!(over.random_move(&mut Rng::seeded(1)), None);
    assert_eq!(over.outcome().expect("over").margin(), ForFirst(-64));
    // Both sides have discs, neither has a move.
    for side in ['X', 'O'] {
        assert!(first_row("X-O", side).outcome().is_some());
    }
}

#[test]
fn empty_squares_count_for_the_winner() {
    // a1 is empty and all its lines are black: 34 black, 29 white, final score 35-29.
    let sees_a1 = |cell: usize| cell < 8 || cell.is_multiple_of(8) || cell.is_multiple_of(9);
    let mut black_left = 34 - 21;
    let cells = (0..64).map(|cell| match cell {
        0 => '-',
        _ if sees_a1(cell) => 'X',
        _ if black_left > 0 => {
            black_left -= 1;
            'X'
        }
        _ => 'O',
    });
    let cells: String = cells.collect();
    let swapped: String =
        cells.chars().map(|c| if c == '-' { c } else { reference::opponent(c) }).collect();
    for side in ['X', 'O'] {
        let margin = |cells: &str| read(&format!("{cells} {side}")).outcome().map(|o| o.margin());
        assert_eq!(margin(&cells), Some(ForFirst(6)));
        assert_eq!(margin(&swapped), Some(ForFirst(-6)));
        assert_eq!(margin(&"-".repeat(64)), Some(ForFirst(0)));
        assert_eq!(margin(&format!("X-O{}", "-".repeat(61))), Some(ForFirst(0)));
    }
}

#[test]
fn the_shortest_game_ends_after_nine_moves() {
    let mut position = start();
    for name in "e6 f4 e3 f6 g5 d6 e7 f5 c5".split(' ') {
        assert_eq!(position.outcome(), None);
        position.play(position.parse_move(name).expect("legal"));
    }
    assert_eq!(position.discs(Side::Second), 0);
    assert_eq!(position.outcome().expect("over").margin(), ForFirst(64));
}

#[test]
fn overlapping_discs_are_rejected() {
    assert_eq!(Othello::from_discs(1, 1, Side::First), None);
    let position = Othello::from_discs(0b01, 0b10, Side::Second).expect("apart");
    assert_eq!((position.discs(Side::First), position.discs(Side::Second)), (0b01, 0b10));
    assert_eq!((position.mover(), position.other(), position.empties()), (0b10, 0b01, !0b11));
}

#[test]
fn keys_are_unique_and_uniformly_distributed() {
    let mut positions = HashSet::from([start()]);
    for _ in 0..8 {
        positions =
            positions.iter().flat_map(|p| p.moves().into_iter().map(|m| p.after(m))).collect();
    }
    let keys: HashSet<u64> = positions.iter().map(Othello::key).collect();
    assert_eq!(keys.len(), positions.len(), "no two positions share a key");
    for shift in [0, 16, 32, 48] {
        let mut slots = HashMap::new();
        for key in &keys {
            *slots.entry((key >> shift) as u16).or_insert(0usize) += 1;
        }
        // Uniform keys leave a slot empty with probability e^-load.
        let load = keys.len() as f64 / 65_536.0;
        let expected = 65_536.0 * (1.0 - (-load).exp());
        let used = slots.len() as f64;
        assert!((used / expected - 1.0).abs() < 0.01, "{used} slots used, {expected} expected");
        assert!(slots.values().all(|&n| n < 16 + 4 * load as usize), "a crowded slot");
    }
    let passed =
        Othello::from_discs(start().other(), start().mover(), Side::Second).expect("apart");
    assert_ne!(start().key(), passed.key(), "the side to move matters");
}
