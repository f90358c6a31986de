//! Without pruning and reductions, alpha-beta returns the values of minimax.

use tablero_chess::Chess;
use tablero_core::{Pv, Value};
use tablero_othello::Othello;
use tablero_shobu::Shobu;

use super::*;
use crate::score;

fn check_exactness<G: GameType>(
    games: u64,
    longest: u64,
    depth: impl Fn(&GameHistory<Bare<G>>, &mut Rng) -> u32,
) {
    for number in 0..games {
        let mut rng = Rng::for_stream(7, number);
        let game = random_game::<Bare<G>>(rng.below(longest), &mut rng);
        if game.end().is_some() {
            continue;
        }
        let depth = depth(&game, &mut rng);
        let spread = [1, 3, 50, 4001][rng.below(4) as usize];
        let expected = all_values(&game, depth, &Hashed(spread));
        let shallower = all_values(&game, depth.max(2) - 1, &Hashed(spread))[0];
        let about = format!("game {number}, depth {depth}, {:?}", game.position());
        for (hash_mb, threads, multi_pv) in [(0, 1, 1), (1, 1, 3), (0, 2, 2), (1, 2, 1)] {
            let options = AlphaBetaOptions { hash_mb, threads, multi_pv, ..exact_options(depth) };
            let mut player = AlphaBeta::new(options, Box::new(Hashed(spread)));
            let found = search(&mut player, &game);
            let values: Vec<i32> = found.exact.iter().map(|&(_, value)| value).collect();
            let wanted = expected.len().min(multi_pv);
            assert_eq!(values, expected[..wanted], "{hash_mb} MB, {threads} threads, {about}");
            for line in &found.info.lines {
                check_line(&game, line, found.info.depth, &Hashed(spread), &about);
            }
            // Deeper entries in the transposition table must not change a shallower search.
            player.options.limits.depth = Some(depth.max(2) - 1);
            assert_eq!(search(&mut player, &game).exact[0].1, shallower, "{about}");
        }
    }
}

/// The PV is legal, as long as the search depth, and its leaf has the reported value.
fn check_line<G: GameType>(
    game: &GameHistory<G>,
    line: &Pv<G>,
    depth: u32,
    evaluation: &dyn Evaluation<G>,
    about: &str,
) {
    let mut end = game.clone();
    for &m in &line.moves {
        assert!(end.position().outcome().is_none(), "{about}");
        end.play_on(m).expect("lines are legal");
    }
    let ply = line.moves.len();
    let position = end.position();
    let repeated = end.repetitions() > 1;
    let mut value = match position.outcome() {
        Some(outcome) => score::from_outcome::<G>(outcome, position.side(), ply),
        None if end.draw().is_some() || repeated && line.value.0 == Value::Centi(0) => 0,
        None => {
            assert_eq!(ply as u32, depth, "the PV is complete: {about}");
            let before = end.positions().rev().nth(1).expect("moves were played");
            evaluation.evaluate_after(before, line.moves[ply - 1], position).0
        }
    };
    if position.side() != game.position().side() {
        value = -value;
    }
    assert_eq!(score::to_value::<G>(value), line.value, "{about}");
}

#[test]
fn equals_minimax_in_tictactoe() {
    check_exactness::<TicTacToe>(100, 9, |_, rng| 1 + rng.below(7) as u32);
}

#[test]
fn equals_minimax_in_othello() {
    check_exactness::<Othello>(60, 60, |_, rng| 1 + rng.below(5) as u32);
}

#[test]
fn equals_minimax_in_chess() {
    check_exactness::<Chess>(60, 60, |game, rng| {
        let wide = game.position().count_moves() > 25;
        1 + rng.below(if wide { 3 } else { 4 }) as u32
    });
}

#[test]
fn equals_minimax_in_shobu() {
    check_exactness::<Shobu>(40, 60, |game, rng| {
        let wide = game.position().count_moves() > 60;
        1 + rng.below(if wide { 2 } else { 3 }) as u32
    });
}
