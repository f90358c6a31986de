//! A genome kind of your own, evolved for a few generations: `cargo run --release --example own_genome`.

#![allow(clippy::print_stdout, reason = "an example program prints its results")]

use tablero_core::{Evaluation, ForMover, Game, Localized, Rng, Side, StandardRules};
use tablero_genomes::{Gene, GenomeKind, TypedGenomeKind};
use tablero_othello::Othello;

// ANCHOR: kind
/// One weight per row distance from the centre: a position is worth the weights of its discs.
struct Rings {
    genes: Vec<Gene>,
}

impl Rings {
    fn new() -> Self {
        let gene = |name: &str| Gene {
            name: name.into(),
            hand_tuned: None,
            min: -100.0,
            max: 100.0,
            scale: 20.0,
        };
        Self { genes: ["centre", "second", "third", "edge"].map(gene).to_vec() }
    }
}

impl GenomeKind for Rings {
    fn name(&self) -> &'static str {
        "rings"
    }

    fn about(&self) -> Localized {
        Localized::new("a weight per ring of squares", "un peso por anillo de casillas")
    }

    // Random genomes, mutation and crossover follow from the genes.
    fn genes(&self) -> Option<&[Gene]> {
        Some(&self.genes)
    }
}

impl TypedGenomeKind<Othello> for Rings {
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<Othello>> {
        Box::new(RingWeights(genome.to_vec()))
    }
}
// ANCHOR_END: kind

struct RingWeights(Vec<f64>);

/// The rings from the centre outwards.
const RINGS: [u64; 4] = {
    let squares =
        [0x0000_0018_1800_0000_u64, 0x0000_3c3c_3c3c_0000, 0x007e_7e7e_7e7e_7e00, u64::MAX];
    [squares[0], squares[1] ^ squares[0], squares[2] ^ squares[1], squares[3] ^ squares[2]]
};

impl Evaluation<Othello> for RingWeights {
    fn evaluate(&self, position: &Othello) -> ForMover<i32> {
        let sum = |discs: u64| -> f64 {
            RINGS
                .iter()
                .zip(&self.0)
                .map(|(ring, weight)| weight * f64::from((discs & ring).count_ones()))
                .sum()
        };
        ForMover((sum(position.mover()) - sum(position.other())).round() as i32)
    }
}

// ANCHOR: evolve
/// A (1 + 1) evolution strategy: a mutant that wins more games than it loses replaces its parent.
fn main() {
    let kind = Rings::new();
    let mut rng = Rng::seeded(1);
    let mut parent = kind.random(&mut rng);
    for generation in 1..=20 {
        let child = kind.mutate(&parent, 0.5, &mut rng);
        let players = [kind.build(&child), kind.build(&parent)];
        let wins: i32 = (0..20).map(|seed| play(&players, seed)).sum();
        if wins > 0 {
            parent = child;
        }
        println!("generation {generation}: {wins:+} {parent:.1?}");
    }
}

/// A game of one-ply searches after six random plies, odd seeds with colours swapped: 1 if the first player wins.
fn play(players: &[Box<dyn Evaluation<Othello>>; 2], seed: u64) -> i32 {
    let mut rng = Rng::seeded(seed / 2);
    let mut position = Othello::start(StandardRules);
    let first = if seed.is_multiple_of(2) { Side::First } else { Side::Second };
    for ply in 0.. {
        if let Some(outcome) = position.outcome() {
            return outcome.winner().map_or(0, |winner| if winner == first { 1 } else { -1 });
        }
        let evaluation = &players[usize::from(position.side() != first)];
        // The opponent's view after the move: the lower, the better.
        let best =
            position.moves().into_iter().min_by_key(|&m| evaluation.evaluate(&position.after(m)).0);
        let m = if ply < 6 { position.random_move(&mut rng) } else { best };
        position.play(m.expect("a position that is not over has moves"));
    }
    unreachable!("a game ends")
}
// ANCHOR_END: evolve
