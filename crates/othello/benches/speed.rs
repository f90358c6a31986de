//! Speed of the rules: move generation and flips (portable and AVX2), perft, random playouts.
//!
//! `cargo bench -p tablero-othello`

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tablero_core::{Game, Rng, StandardRules, perft, random_playout};
use tablero_othello::{Othello, Square, bitboard};

fn main() {
    divan::main();
}

fn start() -> Othello {
    Othello::start(StandardRules)
}

/// Positions from random games, each with a legal move.
fn positions() -> Vec<(Othello, Square)> {
    let mut rng = Rng::seeded(1);
    let mut positions = Vec::new();
    for _ in 0..20 {
        let mut position = start();
        while let Some(m) = position.random_move(&mut rng) {
            positions.push((position, m));
            position.play(m);
        }
    }
    positions
}

/// Runs `f` on every position; items are calls. `black_box` per call, as in a search: otherwise the
/// compiler vectorises the portable version across positions.
fn bench_positions(bencher: Bencher, f: impl Fn(&Othello, Square) -> u64 + Sync) {
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        for (position, m) in &positions {
            black_box(f(position, *m));
        }
    });
}

#[divan::bench]
fn moves_portable(bencher: Bencher) {
    bench_positions(bencher, |p, _| bitboard::portable::moves(p.mover(), p.other()));
}

#[divan::bench]
fn flips_portable(bencher: Bencher) {
    bench_positions(bencher, |p, m| bitboard::portable::flips(p.mover(), p.other(), m));
}

#[cfg(target_feature = "avx2")]
#[divan::bench]
fn moves_avx2(bencher: Bencher) {
    bench_positions(bencher, |p, _| bitboard::avx2::moves(p.mover(), p.other()));
}

#[cfg(target_feature = "avx2")]
#[divan::bench]
fn flips_avx2(bencher: Bencher) {
    bench_positions(bencher, |p, m| bitboard::avx2::flips(p.mover(), p.other(), m));
}

#[divan::bench]
fn key(bencher: Bencher) {
    bench_positions(bencher, |p, _| p.key());
}

#[divan::bench(args = 1..8)]
fn transform(bencher: Bencher, symmetry: usize) {
    bench_positions(bencher, |p, _| p.transform(symmetry).mover());
}

/// Perft from the start; items are leaves. The shallower one is less noisy on a busy machine.
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
