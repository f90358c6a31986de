//! Evaluation speed: incremental feature updates (portable and AVX2) and weight lookup.
//!
//! `cargo bench -p tablero-champion --bench evaluation`

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tablero_champion::eval::{Features, Weights, features};
use tablero_core::{Game, Rng, StandardRules};
use tablero_othello::{Othello, bitboard};

fn main() {
    divan::main();
}

/// A position with a move.
struct Case {
    player: u64,
    opponent: u64,
    features: Features,
    square: u8,
    flips: u64,
}

/// All positions three plies below some positions of random games, in search order.
fn cases() -> Vec<Case> {
    let mut rng = Rng::seeded(1);
    let mut cases = Vec::new();
    for game in 0..4 {
        let mut position = Othello::start(StandardRules);
        for _ in 0..20 + 4 * game {
            if let Some(square) = position.random_move(&mut rng) {
                position.play(square);
            }
        }
        below(&position, 3, &mut cases);
    }
    cases
}

fn below(position: &Othello, plies: u32, cases: &mut Vec<Case>) {
    let (player, opponent) = (position.mover(), position.other());
    for square in position.moves().into_iter().filter(|square| !square.is_pass()) {
        let flips = bitboard::flips(player, opponent, square);
        if plies == 0 {
            let features = Features::of(player, opponent);
            let square = square.index() as u8;
            cases.push(Case { player, opponent, features, square, flips });
            return;
        }
        let mut next = *position;
        next.play(square);
        below(&next, plies - 1, cases);
    }
}

fn each<T>(bencher: Bencher, run: impl Fn(&Case) -> T + Sync) {
    let cases = cases();
    bencher.counter(ItemsCount::new(cases.len())).bench(|| {
        for case in &cases {
            black_box(run(case));
        }
    });
}

#[divan::bench]
fn from_scratch(bencher: Bencher) {
    each(bencher, |case| Features::of(case.player, case.opponent));
}

#[divan::bench]
fn play(bencher: Bencher) {
    each(bencher, |case| case.features.play(case.square, case.flips));
}

#[divan::bench]
fn play_portable(bencher: Bencher) {
    each(bencher, |case| features::portable::play(&case.features, case.square, case.flips));
}

#[divan::bench]
fn evaluate(bencher: Bencher) {
    let weights = Weights::embedded();
    each(bencher, |case| weights.evaluate(&case.features, case.player, case.opponent));
}
