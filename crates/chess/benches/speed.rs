//! Overhead of the generic traits: perft and random playouts through [`Game`] against the same written
//! directly on cozy-chess, interleaved in one run so that noise affects both alike.
//!
//! `cargo bench -p tablero-chess`

#![allow(clippy::print_stdout, reason = "a benchmark's result is what it prints")]

use std::hint::black_box;
use std::time::Instant;

use cozy_chess::Board;
use tablero_chess::{Chess, ChessRules};
use tablero_core::{Game, Notation, Rng, perft, random_playout};

/// Many short rounds: the minimum of each is then nearly free of noise.
const ROUNDS: usize = 3000;
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn main() {
    let start = Chess::start(ChessRules::Standard);
    let kiwipete = Chess::parse_position(KIWIPETE, ChessRules::Standard).expect("a position");
    for (name, position, depth) in [("start", &start, 4), ("kiwipete", &kiwipete, 3)] {
        compare(
            &format!("perft {depth} of {name}, leaves"),
            || perft(position, depth),
            || direct_perft(position.board(), depth),
        );
    }
    compare("random games, moves", || play_random_games(&start), || play_directly(start.board()));
}

/// Prints the best speed of two implementations; each returns its amount of work.
fn compare(what: &str, ours: impl Fn() -> u64, direct: impl Fn() -> u64) {
    let mut best = [f64::INFINITY; 2];
    let mut work = [0; 2];
    for _ in 0..ROUNDS {
        for (side, run) in [&ours as &dyn Fn() -> u64, &direct].into_iter().enumerate() {
            let start = Instant::now();
            work[side] = black_box(run());
            best[side] = best[side].min(start.elapsed().as_secs_f64());
        }
    }
    let speed = |side: usize| work[side] as f64 / best[side] / 1e6;
    let ratio = speed(0) / speed(1);
    println!("{what}: {:.2} M/s, direct {:.2} M/s, ratio {ratio:.3}", speed(0), speed(1));
}

fn direct_perft(board: &Board, depth: u32) -> u64 {
    let mut leaves = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            leaves += moves.len() as u64;
            false
        });
        return leaves;
    }
    board.generate_moves(|moves| {
        for m in moves {
            let mut next = board.clone();
            next.play_unchecked(m);
            leaves += direct_perft(&next, depth - 1);
        }
        false
    });
    leaves
}

const GAMES: u64 = 10;

fn play_random_games(start: &Chess) -> u64 {
    let mut rng = Rng::seeded(1);
    (0..GAMES).map(|_| u64::from(random_playout(start.clone(), u32::MAX, &mut rng).1)).sum()
}

/// Naive random playout: a list of all moves, no draws but stalemate and the fifty-move rule.
fn play_directly(start: &Board) -> u64 {
    let mut rng = Rng::seeded(1);
    let (mut plies, mut moves) = (0, Vec::new());
    for _ in 0..GAMES {
        let mut board = start.clone();
        while board.halfmove_clock() < 100 {
            moves.clear();
            board.generate_moves(|set| {
                moves.extend(set);
                false
            });
            let Some(&m) = rng.pick(&moves) else { break };
            board.play_unchecked(m);
            plies += 1;
        }
    }
    plies
}
