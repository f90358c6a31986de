//! UCT iterations per second on one thread, from the start position of each game:
//! `cargo bench -p tablero-search --bench mcts`.

use std::sync::atomic::AtomicBool;

use divan::Bencher;
use divan::counter::ItemsCount;
use tablero_chess::Chess;
use tablero_core::{Control, ForMover, GameHistory, GameType, Limits, Player, Rng, random_playout};
use tablero_othello::Othello;
use tablero_search::mcts::{Mcts, MctsOptions, RandomPlayout, Simulation};
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

fn main() {
    divan::main();
}

fn search<G: GameType, S: Simulation<G>>(bencher: Bencher, iterations: u64, simulation: S) {
    let game: GameHistory<G> = GameHistory::new(G::start(G::Rules::default()));
    let limits = Limits { nodes: Some(iterations), ..Limits::default() };
    let options = MctsOptions { limits, ..MctsOptions::default() };
    let mut player: Mcts<G, S> = Mcts::new(options, simulation);
    bencher.counter(ItemsCount::new(iterations)).bench_local(|| {
        player.new_game(1);
        let stop = AtomicBool::new(false);
        player.choose(&game, &Limits::default(), &mut Control::new(&stop, &mut |_| {}))
    });
}

#[divan::bench(types = [TicTacToe, Othello, Shobu, Chess], sample_count = 20)]
fn default_search<G: GameType>(bencher: Bencher) {
    search::<G, _>(bencher, 1_000, RandomPlayout);
}

#[divan::bench(types = [TicTacToe, Othello, Shobu], sample_count = 3)]
fn long_search<G: GameType>(bencher: Bencher) {
    search::<G, _>(bencher, 500_000, RandomPlayout);
}

/// The cost of the tree alone: free simulations.
#[divan::bench(types = [TicTacToe, Othello, Shobu, Chess], sample_count = 5)]
fn tree_alone<G: GameType>(bencher: Bencher) {
    let value = |position: &G| ForMover((position.key() % 3) as f32 - 1.0);
    search::<G, _>(bencher, 100_000, value);
}

/// The cost of playouts alone.
#[divan::bench(types = [TicTacToe, Othello, Shobu, Chess], sample_count = 20)]
fn playouts_alone<G: GameType>(bencher: Bencher) {
    let start = G::start(G::Rules::default());
    let mut rng = Rng::seeded(1);
    bencher.counter(ItemsCount::new(100u32)).bench_local(|| {
        (0..100).map(|_| random_playout(start.clone(), 5000, &mut rng).1).sum::<u32>()
    });
}
