//! The rules against published perft counts, a naive reference implementation and known positions.

use std::collections::{HashMap, HashSet};

use tablero_connectfour::{Column, ConnectFour};
use tablero_core::conformance::{self, Suite};
use tablero_core::{AnyGame, Game, Notation, Outcome, Rng, Side, StandardRules, pgn};

fn start() -> ConnectFour {
    ConnectFour::start(StandardRules)
}

fn read(text: &str) -> ConnectFour {
    let position = ConnectFour::parse_position(text, StandardRules);
    position.unwrap_or_else(|error| panic!("{error}: {text}"))
}

// ANCHOR: conformance
#[test]
fn passes_the_conformance_suite() {
    conformance::check::<ConnectFour>(&Suite { games: 300, max_plies: 42, seed: 1 });
}

#[test]
fn perft_matches_published_counts() {
    let known = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234];
    conformance::check_perft(&start(), &known);
}
// ANCHOR_END: conformance

/// A naive implementation of the rules that shares no code with the real one: rows of characters
/// from the top, and the side to move.
mod reference {
    pub(crate) type Grid = (Vec<Vec<char>>, char);

    const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

    fn at(rows: &[Vec<char>], row: i32, column: i32) -> Option<char> {
        let row = rows.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    pub(crate) fn has_four(rows: &[Vec<char>], stone: char) -> bool {
        let is_line = |row: i32, column: i32, (down, right): (i32, i32)| {
            (0..4).all(|n| at(rows, row + n * down, column + n * right) == Some(stone))
        };
        (0..6).any(|row| {
            (0..7).any(|column| DIRECTIONS.iter().any(|&step| is_line(row, column, step)))
        })
    }

    pub(crate) fn successors((rows, mover): &Grid) -> Vec<Grid> {
        if has_four(rows, 'x') || has_four(rows, 'o') {
            return Vec::new();
        }
        let other = if *mover == 'x' { 'o' } else { 'x' };
        let drop = |column: usize| {
            let lowest = (0..6).rev().find(|&row| rows[row][column] == '.')?;
            let mut next = rows.clone();
            next[lowest][column] = *mover;
            Some((next, other))
        };
        (0..7).filter_map(drop).collect()
    }

    pub(crate) fn winner(rows: &[Vec<char>]) -> Option<char> {
        ['x', 'o'].into_iter().find(|&stone| has_four(rows, stone))
    }
}

fn view(position: &ConnectFour) -> reference::Grid {
    let text = position.position_text();
    let (side, board) = text.split_once(' ').expect("a side and a board");
    let rows = board.split('/').map(|row| row.chars().collect()).collect();
    (rows, side.chars().next().expect("a side"))
}

fn check_against_reference(position: &ConnectFour, depth: u32) {
    conformance::check_against(position, depth, &view, &reference::successors);
    let winner = match reference::winner(&view(position).0) {
        Some('x') => Some(Side::First),
        Some(_) => Some(Side::Second),
        None => None,
    };
    assert_eq!(position.outcome().and_then(Outcome::winner), winner, "{position:?}");
}

#[test]
fn early_positions_agree_with_the_reference() {
    check_against_reference(&start(), 5);
}

#[test]
fn random_games_agree_with_the_reference() {
    let mut rng = Rng::seeded(1);
    for _ in 0..500 {
        let mut position = start();
        while let Some(m) = position.random_move(&mut rng) {
            check_against_reference(&position, 1);
            position.play(m);
        }
        check_against_reference(&position, 1);
    }
}

#[test]
fn four_in_a_line_wins_in_all_directions() {
    for (text, winner) in [
        ("1412171", Side::First),
        ("32326262", Side::Second),
        ("1647362", Side::First),
        ("74451312", Side::Second),
        ("34366546655", Side::First),
        ("435565673466", Side::Second),
        ("43535364314", Side::First),
        ("352244334322", Side::Second),
    ] {
        assert_eq!(read(&text[..text.len() - 1]).outcome(), None, "{text}");
        assert_eq!(read(text).outcome(), Some(Outcome::win(winner)), "{text}");
    }
}

#[test]
fn a_full_board_is_a_draw() {
    let position = read("547125662261271266215743771576315353334444");
    assert_eq!(position.outcome(), Some(Outcome::DRAW));
    assert_eq!((position.moves(), position.count_moves()), (vec![], 0));
}

#[test]
fn a_full_column_is_illegal() {
    let position = read("444444");
    assert!(!position.is_legal(Column::ALL[3]));
    assert_eq!(position.count_moves(), 6);
    assert_eq!(position.outcome(), None);
}

#[test]
fn keys_are_unique_and_uniformly_distributed() {
    let mut positions = HashSet::from([start()]);
    for _ in 0..7 {
        let successors = |p: &ConnectFour| p.moves().into_iter().map(|m| p.after(m)).collect();
        positions = positions.iter().flat_map::<Vec<_>, _>(successors).collect();
    }
    let keys: HashSet<u64> = positions.iter().map(ConnectFour::key).collect();
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
        assert!((used / expected - 1.0).abs() < 0.02, "{used} slots used, {expected} expected");
    }
}

/// Moves and move numbers are both digits; only the dot distinguishes them.
#[test]
fn pgn_moves_are_not_mistaken_for_move_numbers() {
    let read = |moves: &str| {
        let text = format!("[Game \"connectfour\"]\n\n{moves} *\n");
        pgn::read_one(AnyGame::of::<ConnectFour>(), &text).map(|record| {
            let played: Vec<_> = record.plies.iter().map(|ply| ply.m).collect();
            record.start.line_text(&played).concat()
        })
    };
    for moves in
        ["1. 4 4 2. 5 3 3. 3", "1.4 4 2.5 3 3.3", "4 4 5 3 3", "1. 4 {best} 1... 4 2. 5 3 3"]
    {
        assert_eq!(read(moves).as_deref(), Ok("44533"), "{moves}");
    }
    let error = read("1. 4 8").expect_err("no column 8").to_string();
    assert_eq!(error, "line 3, column 6: found `8`, expected a column 1-7");
    let error = read("1 4 1 2 1 7 1 3").expect_err("won before").to_string();
    assert!(error.contains("column 15: found `3`, expected no move"), "{error}");
}
