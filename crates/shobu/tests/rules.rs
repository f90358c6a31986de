//! The rules against a naive reference implementation, the conformance suite and known positions.

use std::collections::HashSet;

use tablero_core::conformance::{self, Suite};
use tablero_core::{
    Draw, DrawReason, Ending, Game, GameHistory, Notation, Outcome, Rng, Side, random_playout,
};
use tablero_shobu::{Board, Direction, Distance, IllegalTurn, Shobu, ShobuRules, Square, Turn};

const RULES: [ShobuRules; 2] = [ShobuRules::Official, ShobuRules::Across];

fn read(text: &str) -> Shobu {
    Shobu::parse_position(text, ShobuRules::Official).expect("a readable position")
}

/// A naive implementation of the rules that shares no code with the real one.
mod reference {
    /// Four boards of four rows of four squares, and the side to move.
    pub(super) type Position = (Vec<char>, char);

    fn get(squares: &[char], board: usize, row: i32, column: i32) -> Option<char> {
        let inside = (0..4).contains(&row) && (0..4).contains(&column);
        inside.then(|| squares[board * 16 + row as usize * 4 + column as usize])
    }

    fn set(squares: &mut [char], board: usize, row: i32, column: i32, to: char) {
        squares[board * 16 + row as usize * 4 + column as usize] = to;
    }

    /// Moves one stone step by step; `None` if that is illegal.
    fn move_stone(
        squares: &[char],
        mover: char,
        board: usize,
        (mut row, mut column): (i32, i32),
        (down, right): (i32, i32),
        distance: i32,
        may_push: bool,
    ) -> Option<Vec<char>> {
        let mut squares = squares.to_vec();
        let mut pushing = false;
        for _ in 0..distance {
            let (next_row, next_column) = (row + down, column + right);
            match get(&squares, board, next_row, next_column)? {
                '.' if pushing => unreachable!("a pushed stone is always the next"),
                '.' => {}
                stone if stone == mover || !may_push => return None,
                enemy => {
                    pushing = true;
                    let (far_row, far_column) = (next_row + down, next_column + right);
                    match get(&squares, board, far_row, far_column) {
                        Some('.') => set(&mut squares, board, far_row, far_column, enemy),
                        None => {}
                        Some(_) => return None,
                    }
                }
            }
            set(&mut squares, board, row, column, '.');
            set(&mut squares, board, next_row, next_column, mover);
            // A stone pushed off the board is not pushed any further.
            pushing &= get(&squares, board, next_row + down, next_column + right).is_some();
            (row, column) = (next_row, next_column);
        }
        Some(squares)
    }

    fn is_over(squares: &[char]) -> bool {
        let lacks = |stone| squares.chunks(16).any(|board| !board.contains(&stone));
        lacks('b') || lacks('w')
    }

    pub(super) fn successors((squares, mover): &Position, across: bool) -> Vec<Position> {
        let mut found = Vec::new();
        if is_over(squares) {
            return found;
        }
        let (next, homes) = if *mover == 'b' { ('w', [2, 3]) } else { ('b', [0, 1]) };
        for passive_board in homes {
            for aggressive_board in 0..4 {
                if aggressive_board % 2 == passive_board % 2
                    || across && homes.contains(&aggressive_board)
                {
                    continue;
                }
                for (passive, aggressive, down, right, distance) in choices() {
                    if get(squares, passive_board, passive.0, passive.1) != Some(*mover)
                        || get(squares, aggressive_board, aggressive.0, aggressive.1)
                            != Some(*mover)
                    {
                        continue;
                    }
                    let step = (down, right);
                    let result =
                        move_stone(squares, *mover, passive_board, passive, step, distance, false)
                            .and_then(|after| {
                                let board = aggressive_board;
                                move_stone(&after, *mover, board, aggressive, step, distance, true)
                            });
                    found.extend(result.map(|after| (after, next)));
                }
            }
        }
        found
    }

    /// Every passive square, aggressive square, direction and distance.
    fn choices() -> impl Iterator<Item = ((i32, i32), (i32, i32), i32, i32, i32)> {
        let squares = || (0..16).map(|i| (i / 4, i % 4));
        let directions = || (0..9).map(|i| (i / 3 - 1, i % 3 - 1)).filter(|step| *step != (0, 0));
        squares().flat_map(move |passive| {
            squares().flat_map(move |aggressive| {
                directions().flat_map(move |(down, right)| {
                    (1..=2).map(move |distance| (passive, aggressive, down, right, distance))
                })
            })
        })
    }
}

fn reference_view(position: &Shobu) -> reference::Position {
    let text = position.position_text();
    let mover = text.chars().next().expect("a side");
    (text[1..].chars().filter(|c| !c.is_whitespace()).collect(), mover)
}

#[test]
fn agrees_with_the_reference_in_the_first_plies() {
    for rules in RULES {
        let across = rules == ShobuRules::Across;
        let successors = |from: &reference::Position| reference::successors(from, across);
        conformance::check_against(&Shobu::start(rules), 2, &reference_view, &successors);
    }
}

/// The positions of a random game, at most 400: about one game in 25 reaches a position from which it
/// cannot end.
fn random_game(rules: ShobuRules, seed: u64) -> Vec<Shobu> {
    let mut rng = Rng::seeded(seed);
    let mut positions = vec![Shobu::start(rules)];
    while positions.len() < 400 {
        let last = positions[positions.len() - 1];
        let Some(turn) = last.random_move(&mut rng) else { break };
        positions.push(last.after(turn));
    }
    positions
}

#[test]
fn agrees_with_the_reference_along_random_games() {
    for rules in RULES {
        let across = rules == ShobuRules::Across;
        let successors = |from: &reference::Position| reference::successors(from, across);
        for seed in 0..8 {
            for position in random_game(rules, seed) {
                conformance::check_against(&position, 1, &reference_view, &successors);
            }
        }
    }
}

#[test]
fn passes_the_conformance_suite() {
    conformance::check::<Shobu>(&Suite { games: 5, max_plies: 400, seed: 1 });
}

/// Every well-formed turn, legal or not.
fn all_turns() -> impl Iterator<Item = Turn> {
    let squares = || (0..64).map(Square::from_index);
    squares().flat_map(move |passive| {
        squares().flat_map(move |aggressive| {
            Direction::ALL.into_iter().flat_map(move |direction| {
                Distance::ALL.map(|distance| Turn::new(passive, aggressive, direction, distance))
            })
        })
    })
}

#[test]
fn turns_are_illegal_exactly_if_there_is_a_violation() {
    for rules in RULES {
        for position in random_game(rules, 5) {
            let mut legal: Vec<Turn> =
                all_turns().filter(|&turn| position.why_illegal(turn).is_none()).collect();
            let mut moves = position.moves();
            legal.sort();
            moves.sort();
            assert_eq!(legal, moves, "{}", position.position_text());
            let is_over =
                |turn| matches!(position.why_illegal(turn), Some(IllegalTurn::GameOver { .. }));
            assert!(position.outcome().is_none() || all_turns().all(is_over));
        }
    }
}

#[test]
fn playing_illegal_turns_does_not_panic() {
    let mut position = Shobu::start(ShobuRules::Official);
    for turn in all_turns() {
        position.play(turn);
    }
}

#[test]
fn random_turns_are_uniform() {
    // A position with pushes, blocked stones and an uneven number of stones.
    let position = read("b ..bb..b......w.w b.....wwb..w..b. wb......b...w... b.wb.w....wb....");
    let moves = position.moves();
    assert_eq!(moves.len(), 59);
    let mut rng = Rng::seeded(9);
    let mut drawn = vec![0u32; moves.len()];
    for _ in 0..1000 * moves.len() {
        let turn = position.random_move(&mut rng).expect("a turn");
        drawn[moves.iter().position(|&legal| legal == turn).expect("a legal turn")] += 1;
    }
    // 1000 expected, with a standard deviation of 32.
    assert!(drawn.iter().all(|n| (840..1160).contains(n)), "{drawn:?}");
}

#[test]
fn random_games_have_the_known_mean_length() {
    let mut rng = Rng::seeded(4);
    let start = Shobu::start(ShobuRules::Official);
    let games: Vec<u32> = (0..4000).map(|_| random_playout(start, 400, &mut rng).1).collect();
    let mean = f64::from(games.iter().sum::<u32>()) / games.len() as f64;
    assert!((184.0..196.0).contains(&mean), "{mean}");
}

#[test]
fn keys_are_unique_and_uniformly_distributed() {
    let mut positions = HashSet::new();
    for rules in RULES {
        let start = Shobu::start(rules);
        start.each_move(|first| {
            let next = start.after(first);
            next.each_move(|second| positions.extend([next.after(second)]));
        });
    }
    let keys: HashSet<u64> = positions.iter().map(Game::key).collect();
    assert_eq!(keys.len(), positions.len());
    // Low and high bits, which index tables, are uniform: n uniform numbers below m have
    // m (1 - exp(-n / m)) distinct values.
    let expected = 65536.0 * (1.0 - (-(keys.len() as f64) / 65536.0).exp());
    for shift in [0, 48] {
        let parts: HashSet<u16> = keys.iter().map(|key| (key >> shift) as u16).collect();
        assert!((parts.len() as f64 / expected - 1.0).abs() < 0.02, "{} {expected}", parts.len());
    }
}

#[test]
fn rules_are_invariant_under_rotation_with_colour_swap() {
    // Rotated by 180 degrees with the colours swapped, a position is the same for the opponent.
    let swapped = |position: &Shobu| -> Shobu {
        let text = position.position_text();
        let (side, boards) = text.split_at(1);
        let other = |c| match c {
            'b' => 'w',
            'w' => 'b',
            c => c,
        };
        let text: String = side
            .chars()
            .map(other)
            .chain(" ".chars())
            .chain(boards.chars().rev().map(other))
            .collect();
        Shobu::parse_position(&text, position.rules()).expect("readable")
    };
    for rules in RULES {
        for position in random_game(rules, 6) {
            let image = swapped(&position);
            assert_eq!(swapped(&image), position);
            assert_eq!(image.count_moves(), position.count_moves());
            let winner = |position: &Shobu| position.outcome().and_then(Outcome::winner);
            assert_eq!(winner(&image), winner(&position).map(|side| !side));
        }
    }
}

#[test]
fn pushes_are_reported() {
    let position = read("b w..wb...b....... wwww........bbbb wwww........bbbb wwww........bbbb");
    let push = |turn: &str| {
        let turn = position.parse_move(turn).unwrap_or_else(|error| panic!("{error}"));
        let name = |square: Square| square.to_string();
        position.pushed(turn).map(|push| (name(push.from), push.to.map(name)))
    };
    assert_eq!(push("e1a7N"), Some(("a8".into(), None)));
    assert_eq!(push("f1b1N"), None);
}

#[test]
fn a_stone_is_pushed_by_one_or_two_squares() {
    let by_one = read("b ....w...b...b... wwww........bbbb wwww........bbbb wwww........bbbb");
    let turn = by_one.parse_move("e1a6N").expect("legal");
    let push = by_one.pushed(turn).expect("a push");
    assert_eq!(push.from.to_string(), "a7");
    assert_eq!(by_one.after(turn).owner(push.to.expect("on the board")), Some(Side::Second));
    assert_eq!(by_one.after(turn).stones(Side::Second, Board::TopLeft), 1);

    let by_two = read("b ........w...b... wwww........bbbb wwww........bbbb wwww........bbbb");
    let turn = by_two.parse_move("e1a5N2").expect("legal");
    assert_eq!(by_two.after(turn).stones(Side::Second, Board::TopLeft), 1);
    assert_eq!(by_two.after(turn).stones(Side::First, Board::TopLeft), 1 << 4);
}

#[test]
fn a_side_without_stones_on_a_board_has_lost() {
    let white_lost = read("w bbbb............ wwww........bbbb wwww........bbbb wwww........bbbb");
    assert_eq!(white_lost.outcome(), Some(Outcome::win(Side::First)));
    assert_eq!(white_lost.count_moves(), 0);
    let same_with_the_winner_to_move =
        read("b bbbb............ wwww........bbbb wwww........bbbb wwww........bbbb");
    assert_eq!(same_with_the_winner_to_move.outcome(), Some(Outcome::win(Side::First)));
    assert!(same_with_the_winner_to_move.moves().is_empty());
}

#[test]
fn a_side_without_a_turn_has_lost() {
    let stuck = read("b ..bb........w... ...w..w.....b... ...b...ww....... ..ww........bb..");
    assert_eq!(stuck.outcome(), Some(Outcome::win(Side::Second)));
    assert_eq!(stuck.random_move(&mut Rng::seeded(1)), None);
}

#[test]
fn the_third_repetition_is_a_draw() {
    let mut game = GameHistory::new(Shobu::start(ShobuRules::Official));
    for round in 0..2 {
        for turn in ["a1e1N", "a8e8S", "a2e2S", "a7e7N"] {
            assert!(game.end().is_none(), "round {round}");
            let turn = game.position().parse_move(turn).expect("legal");
            game.play(turn).expect("legal");
        }
    }
    assert_eq!(game.draw(), Some(Draw { reason: DrawReason::Repetition, forced: true }));
    assert_eq!(game.end().map(|end| end.ending), Some(Ending::Drawn(DrawReason::Repetition)));
}

#[test]
fn four_hundred_turns_are_a_draw() {
    let longest = (0..200).map(|seed| {
        let mut rng = Rng::seeded(seed);
        let mut game = GameHistory::new(Shobu::start(ShobuRules::Official));
        while game.end().is_none() {
            let turn = game.position().random_move(&mut rng).expect("a turn");
            game.play(turn).expect("legal");
        }
        game.plies()
    });
    assert_eq!(longest.max(), Some(400));
}
