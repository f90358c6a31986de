//! How fast the rules are: moves and flips in the portable and the AVX2 version, perft, random games.
//!
//! `cargo bench -p tablero-othello`

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tablero_core::{Game, Rng, StandardRules, perft, random_playout};
use tablero_othello::{Othello, Square, bits};

fn main() {
    divan::main();
}

fn start() -> Othello {
    Othello::start(StandardRules)
}

/// Positions from random games, each with a legal move.
fn positions() -> Vec<(Othello, Square)> {
    let mut rng = Rng::seeded(1);
    let mut seen = Vec::new();
    for _ in 0..20 {
        let mut position = start();
        while let Some(m) = position.random_move(&mut rng) {
            seen.push((position, m));
            position.play(m);
        }
    }
    seen
}

/// Asks `question` about every position; items are questions. Each answer goes its own way, as in a
/// search: otherwise the compiler would answer the portable questions for many positions at once.
fn ask(bencher: Bencher, question: impl Fn(&Othello, Square) -> u64 + Sync) {
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        for (position, m) in &positions {
            black_box(question(position, *m));
        }
    });
}

#[divan::bench]
fn moves_portable(bencher: Bencher) {
    ask(bencher, |p, _| bits::portable::moves(p.mover(), p.other()));
}

#[divan::bench]
fn flips_portable(bencher: Bencher) {
    ask(bencher, |p, m| bits::portable::flips(p.mover(), p.other(), m));
}

#[cfg(target_feature = "avx2")]
#[divan::bench]
fn moves_avx2(bencher: Bencher) {
    ask(bencher, |p, _| bits::avx2::moves(p.mover(), p.other()));
}

#[cfg(target_feature = "avx2")]
#[divan::bench]
fn flips_avx2(bencher: Bencher) {
    ask(bencher, |p, m| bits::avx2::flips(p.mover(), p.other(), m));
}

#[divan::bench]
fn key(bencher: Bencher) {
    ask(bencher, |p, _| p.key());
}

#[divan::bench(args = 1..8)]
fn transform(bencher: Bencher, symmetry: usize) {
    ask(bencher, |p, _| p.transform(symmetry).mover());
}

/// Perft from the start; items are leaves. The shorter one has a better chance to run undisturbed on
/// a busy machine.
#[divan::bench(args = [9, 11], sample_count = 20, sample_size = 1)]
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
        (0..GAMES).map(|_| u64::from(random_playout(start(), 128, &mut rng).1)).sum::<u64>()
    });
}
