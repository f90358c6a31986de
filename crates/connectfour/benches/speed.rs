//! Speed of the rules and evaluations: outcome, key, move ordering, perft, random playouts.
//!
//! `cargo bench -p tablero-connectfour`

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tablero_connectfour::ConnectFour;
use tablero_core::{Game, Rng, StandardRules, Tactics, perft, random_playout};

fn main() {
    divan::main();
}

fn start() -> ConnectFour {
    ConnectFour::start(StandardRules)
}

/// Unfinished positions of random games.
fn positions() -> Vec<ConnectFour> {
    let mut rng = Rng::seeded(1);
    let mut positions = Vec::new();
    for _ in 0..50 {
        let mut position = start();
        while let Some(m) = position.random_move(&mut rng) {
            positions.push(position);
            position.play(m);
        }
    }
    positions
}

/// Runs `f` on every position; items are calls.
fn bench_positions<T>(bencher: Bencher, f: impl Fn(&ConnectFour) -> T + Sync) {
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        for position in &positions {
            black_box(f(position));
        }
    });
}

#[divan::bench]
fn outcome(bencher: Bencher) {
    bench_positions(bencher, ConnectFour::outcome);
}

#[divan::bench]
fn key(bencher: Bencher) {
    bench_positions(bencher, ConnectFour::key);
}

#[divan::bench]
fn mirror(bencher: Bencher) {
    bench_positions(bencher, |position| position.transform(1));
}

/// Move ordering scores of all legal moves.
#[divan::bench]
fn move_order(bencher: Bencher) {
    bench_positions(bencher, |position| {
        let mut sum = 0;
        position.each_move(|m| sum += position.move_order_score(m));
        sum
    });
}

#[divan::bench(args = ["threats", "lines"])]
fn evaluate(bencher: Bencher, name: &str) {
    let kind = ConnectFour::evaluations().iter().find(|kind| kind.name == name);
    let evaluation = kind.expect("an evaluation of this name").hand_tuned();
    bench_positions(bencher, |position| evaluation.evaluate(position));
}

/// Perft from the start; items are leaves.
#[divan::bench(args = [7, 8], sample_count = 20, sample_size = 1)]
fn perft_from_start(bencher: Bencher, depth: u32) {
    let leaves = perft(&start(), depth);
    bencher.counter(ItemsCount::new(leaves)).bench(|| perft(black_box(&start()), depth));
}

/// Random games from the start; items are games.
#[divan::bench(sample_size = 1)]
fn random_games(bencher: Bencher) {
    const GAMES: u64 = 2_000;
    bencher.counter(ItemsCount::new(GAMES)).bench(|| {
        let mut rng = Rng::seeded(1);
        (0..GAMES).map(|_| u64::from(random_playout(start(), 42, &mut rng).1)).sum::<u64>()
    });
}
