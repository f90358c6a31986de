//! Nodes per second of alpha-beta with each game's default evaluation and selectivity, and with a
//! free evaluation: `cargo bench -p tablero-search --bench alphabeta`.

use std::sync::atomic::AtomicBool;

use divan::Bencher;
use divan::counter::ItemsCount;
use tablero_chess::Chess;
use tablero_core::{
    Control, Evaluation, ForMover, GameHistory, GameType, Limits, Player, Rng, Tactics,
};
use tablero_othello::Othello;
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
use tablero_shobu::Shobu;

fn main() {
    divan::main();
}

const NODES: u64 = 200_000;

/// A game after 16 random plies.
fn middle_game<G: GameType>() -> GameHistory<G> {
    let mut rng = Rng::seeded(1);
    let mut game = GameHistory::new(G::start(G::Rules::default()));
    for _ in 0..16 {
        let m = game.position().random_move(&mut rng).expect("no game ends so soon");
        game.play(m).expect("legal");
    }
    game
}

fn search<G: Tactics>(bencher: Bencher, threads: usize, evaluation: Box<dyn Evaluation<G>>) {
    let mut options = AlphaBetaOptions { threads, ..AlphaBetaOptions::for_game::<G>() };
    options.limits.nodes = Some(NODES);
    let mut player = AlphaBeta::new(options, evaluation);
    let game = middle_game::<G>();
    let stop = AtomicBool::new(false);
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| {
        player.new_game(1);
        player.choose(&game, &Limits::default(), &mut Control::new(&stop, &mut |_| {}))
    });
}

#[divan::bench(types = [Othello, Shobu, Chess], args = [1, 2], sample_count = 20, sample_size = 1)]
fn default_evaluation<G: Tactics>(bencher: Bencher, threads: usize) {
    search(bencher, threads, G::evaluations()[0].hand_tuned());
}

/// The cost of search and move generation alone.
#[divan::bench(types = [Othello, Shobu, Chess], sample_count = 20, sample_size = 1)]
fn free_evaluation<G: Tactics>(bencher: Bencher) {
    search::<G>(bencher, 1, Box::new(Free));
}

struct Free;

impl<G: GameType> Evaluation<G> for Free {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        ForMover((position.key() >> 57) as i32 - 64)
    }
}
