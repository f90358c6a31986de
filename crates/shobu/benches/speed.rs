//! Speed of the rules: perft, random playouts, counting against enumeration.
//!
//! `cargo bench -p tablero-shobu`

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tablero_core::{Game, Rng, perft, perft_distinct, random_playout};
use tablero_shobu::{Shobu, ShobuRules, Turn};

const RULES: [ShobuRules; 2] = [ShobuRules::Official, ShobuRules::Across];

fn main() {
    divan::main();
}

/// Leaves of perft 4 from the start; items are leaves.
#[divan::bench(args = RULES, sample_count = 5, sample_size = 1)]
fn perft_4(bencher: Bencher, rules: ShobuRules) {
    let start = Shobu::start(rules);
    let leaves = perft(&start, 4);
    assert!([1_410_935_460, 94_402_008].contains(&leaves));
    bencher.counter(ItemsCount::new(leaves)).bench(|| perft(black_box(&start), 4));
}

/// Perft 3 over distinct turns; items are leaves, each of them played.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn perft_distinct_3(bencher: Bencher) {
    let start = Shobu::start(ShobuRules::Official);
    bencher.counter(ItemsCount::new(3_848_744u64)).bench(|| perft_distinct(black_box(&start), 3));
}

/// Random playouts from the start, of at most 400 turns as in a game; items are games.
#[divan::bench(args = RULES, sample_count = 20, sample_size = 1)]
fn random_games(bencher: Bencher, rules: ShobuRules) {
    const GAMES: u64 = 2_000;
    let start = Shobu::start(rules);
    bencher.counter(ItemsCount::new(GAMES)).bench(|| {
        let mut rng = Rng::seeded(1);
        (0..GAMES).map(|_| u64::from(random_playout(start, 400, &mut rng).1)).sum::<u64>()
    });
}

/// The positions of some random games.
fn positions() -> Vec<Shobu> {
    let mut rng = Rng::seeded(2);
    let mut positions = Vec::new();
    for _ in 0..20 {
        let mut position = Shobu::start(ShobuRules::Official);
        for _ in 0..400 {
            let Some(turn) = position.random_move(&mut rng) else { break };
            positions.push(position);
            position.play(turn);
        }
    }
    positions
}

/// Items are positions.
#[divan::bench]
fn count(bencher: Bencher) {
    let positions = positions();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| positions.iter().map(Game::count_moves).sum::<u64>());
}

/// The same count by enumeration; items are positions.
#[divan::bench]
fn count_by_enumeration(bencher: Bencher) {
    let positions = positions();
    let list = |position: &Shobu| {
        let mut count = 0u64;
        position.each_move(|turn: Turn| {
            black_box(turn);
            count += 1;
        });
        count
    };
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| positions.iter().map(list).sum::<u64>());
}
