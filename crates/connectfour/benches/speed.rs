//! How fast the rules are: lines of four, keys, perft, random games, evaluations.
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

/// Positions from random games, none of them over.
fn positions() -> Vec<ConnectFour> {
    let mut rng = Rng::seeded(1);
    let mut seen = Vec::new();
    for _ in 0..50 {
        let mut position = start();
        while let Some(m) = position.random_move(&mut rng) {
            seen.push(position);
            position.play(m);
        }
    }
    seen
}

/// Asks `question` about every position; items are questions.
fn ask<T>(bencher: Bencher, question: impl Fn(&ConnectFour) -> T + Sync) {
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        for position in &positions {
            black_box(question(position));
        }
    });
}

#[divan::bench]
fn outcome(bencher: Bencher) {
    ask(bencher, ConnectFour::outcome);
}

#[divan::bench]
fn key(bencher: Bencher) {
    ask(bencher, ConnectFour::key);
}

#[divan::bench]
fn mirror(bencher: Bencher) {
    ask(bencher, |position| position.transform(1));
}

/// The scores that order all moves of a position.
#[divan::bench]
fn move_order(bencher: Bencher) {
    ask(bencher, |position| {
        let mut sum = 0;
        position.each_move(|m| sum += position.promise(m));
        sum
    });
}

#[divan::bench(args = ["threats", "lines"])]
fn evaluate(bencher: Bencher, name: &str) {
    let kind = ConnectFour::evaluations().iter().find(|kind| kind.name == name);
    let evaluation = kind.expect("an evaluation of this name").by_hand();
    ask(bencher, |position| evaluation.evaluate(position));
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
