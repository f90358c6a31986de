//! Marker-based encoding (Fullmer and Miikkulainen 1991): a hidden node is the material between a start and
//! an end marker, so crossover and mutation change the number of nodes and their connections. The rest of
//! the chromosome is not expressed.
//!
//! A definition: label, initial value, then a key, a label and a weight per connection. With a key of at
//! least 0 the connection comes from the input unit (label at least 0) or goes to the output unit (negative)
//! of that number; otherwise it comes from the hidden node with the nearest label. Nodes are updated once, in
//! the order of their definitions; a node defined later still has its initial value.

use std::marker::PhantomData;

use tablero_core::{Evaluation, Localized, Rng};

use super::super::growing::softsign;
use super::{Policy, PolicyNetwork, WEIGHT_UNIT, inputs};
use crate::{Evolvable, Gene, GenomeKind, InvalidGenome, TypedGenomeKind};

/// Integers of a new chromosome, as in the work.
const GENES: usize = 5000;
/// Integers with these remainders are markers.
const MARKER_MODULUS: i32 = 25;
const START: i32 = 1;
const END: i32 = 2;
/// Label and initial value.
const HEAD: usize = 2;

pub(in super::super) struct Markers<G>(PhantomData<fn() -> G>);

impl<G: Evolvable> Markers<G> {
    pub(in super::super) fn boxed() -> Box<dyn TypedGenomeKind<G>> {
        Box::new(Self(PhantomData))
    }
}

impl<G: Evolvable> TypedGenomeKind<G> for Markers<G> {
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<G>> {
        let genome: Vec<i32> = genome.iter().map(|&gene| gene as i32).collect();
        Box::new(Policy(Nodes::decode(&genome, inputs::<G>(), G::SQUARES)))
    }
}

impl<G: Evolvable> GenomeKind for Markers<G> {
    fn name(&self) -> &'static str {
        "markers"
    }

    fn about(&self) -> Localized {
        Localized::new(
            "a network that sees the raw board and rates moves; marker-based encoding, so its \
             structure evolves (Moriarty and Miikkulainen); use it with greedy",
            "una red que ve el tablero y puntúa las jugadas; codificada con marcadores, así que \
             su estructura evoluciona (Moriarty y Miikkulainen); úsese con greedy",
        )
    }

    fn genes(&self) -> Option<&[Gene]> {
        None
    }

    fn check(&self, genome: &[f64]) -> Result<(), InvalidGenome> {
        super::check(genome)
    }

    fn gene_names(&self, genome: &[f64]) -> Vec<String> {
        super::gene_names(genome)
    }

    fn random(&self, rng: &mut Rng) -> Vec<f64> {
        super::random(GENES, rng)
    }

    fn mutate(&self, genome: &[f64], sigma: f64, rng: &mut Rng) -> Vec<f64> {
        super::mutate(genome, sigma, rng)
    }

    fn crossover(&self, a: &[f64], b: &[f64], rng: &mut Rng) -> Vec<f64> {
        super::two_point_crossover(a, b, rng)
    }
}

/// The hidden nodes, with the connections of each in one list.
struct Nodes {
    nodes: Vec<Node>,
    /// From an input, with its weight.
    from_inputs: Vec<(u8, f32)>,
    /// From a hidden node.
    from_nodes: Vec<(u16, f32)>,
    /// To an output.
    to_outputs: Vec<(u8, f32)>,
}

struct Node {
    initial: f32,
    /// The ends of its connections in the three lists.
    ends: [usize; 3],
}

impl Nodes {
    fn decode(genome: &[i32], inputs: usize, outputs: usize) -> Self {
        let definitions = definitions(genome);
        let mut network = Self {
            nodes: Vec::new(),
            from_inputs: Vec::new(),
            from_nodes: Vec::new(),
            to_outputs: Vec::new(),
        };
        let labels: Vec<i32> = definitions.iter().map(|definition| definition[0]).collect();
        let nearest = |label: i32| {
            let distances = labels.iter().map(|&other| (other - label).abs());
            distances.enumerate().min_by_key(|&(_, distance)| distance).map_or(0, |(at, _)| at)
        };
        for definition in &definitions {
            for connection in definition[HEAD..].chunks_exact(3) {
                let (label, weight) = (connection[1], connection[2] as f32 / WEIGHT_UNIT);
                if connection[0] < 0 {
                    network.from_nodes.push((nearest(label) as u16, weight));
                } else if label >= 0 {
                    network.from_inputs.push(((label as usize % inputs) as u8, weight));
                } else {
                    network.to_outputs.push((((-label - 1) as usize % outputs) as u8, weight));
                }
            }
            let initial = softsign(definition[1] as f32 / WEIGHT_UNIT);
            let ends =
                [network.from_inputs.len(), network.from_nodes.len(), network.to_outputs.len()];
            network.nodes.push(Node { initial, ends });
        }
        network
    }
}

/// The material between a start and the next end marker, around the circle; at least label and initial value.
fn definitions(genome: &[i32]) -> Vec<Vec<i32>> {
    let is = |at: usize, marker: i32| genome[at].rem_euclid(MARKER_MODULUS) == marker;
    let (mut found, mut at) = (Vec::new(), 0);
    while at < genome.len() {
        at += 1;
        if !is(at - 1, START) {
            continue;
        }
        let length = (0..genome.len()).take_while(|i| !is((at + i) % genome.len(), END)).count();
        let definition: Vec<i32> = (0..length).map(|i| genome[(at + i) % genome.len()]).collect();
        at += length;
        if (HEAD..genome.len()).contains(&length) {
            found.push(definition);
        }
    }
    found
}

impl PolicyNetwork for Nodes {
    fn rate(&self, inputs: &[f32], ratings: &mut [f32]) {
        let mut values: Vec<f32> = self.nodes.iter().map(|node| node.initial).collect();
        let mut starts = [0; 3];
        for (at, Node { ends, .. }) in self.nodes.iter().enumerate() {
            let from_inputs = self.from_inputs[starts[0]..ends[0]].iter();
            let from_nodes = self.from_nodes[starts[1]..ends[1]].iter();
            let sum = from_inputs.map(|&(from, w)| inputs[usize::from(from)] * w).sum::<f32>()
                + from_nodes.map(|&(from, w)| values[usize::from(from)] * w).sum::<f32>();
            values[at] = softsign(sum);
            for &(to, weight) in &self.to_outputs[starts[2]..ends[2]] {
                ratings[usize::from(to)] += values[at] * weight;
            }
            starts = *ends;
        }
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{ForMover, Game, StandardRules};
    use tablero_tictactoe::TicTacToe;

    use super::*;

    /// 26 and 1 are start markers, 2 and 27 end markers.
    const START: i32 = 26;
    const END: i32 = 27;

    /// A node that sees the opponent's centre and recommends the first square, and one that takes half of
    /// its value to the second square; the second definition reaches over the end of the chromosome.
    fn example() -> Vec<i32> {
        let tail = [10, 0, -1, 90, 16, 0, -2, 64, END];
        let first = [START, 100, 0, 5, 13, 32, 5, -1, 64, END, 7, 7];
        let (wrapped, start) = tail.split_at(3);
        let mut genome = start.to_vec();
        genome.extend(first);
        genome.push(START);
        genome.extend(wrapped);
        genome
    }

    #[test]
    fn definitions_lie_between_markers_around_the_circle() {
        let found = definitions(&example());
        assert_eq!(found[0], [100, 0, 5, 13, 32, 5, -1, 64]);
        assert_eq!(found[1], [10, 0, -1, 90, 16, 0, -2, 64]);
        assert_eq!(definitions(&[START, 1, 1]), Vec::<Vec<i32>>::new(), "no end");
        assert_eq!(definitions(&[START, 5, END]), Vec::<Vec<i32>>::new(), "no initial value");
    }

    #[test]
    fn rates_moves_by_hand() {
        let kind = Markers::<TicTacToe>(PhantomData);
        let genome: Vec<f64> = example().into_iter().map(f64::from).collect();
        assert_eq!(kind.check(&genome), Ok(()));
        let evaluation = kind.build(&genome);
        let before = TicTacToe::start(StandardRules).after(4);
        let rating = |m: u8| -evaluation.evaluate_after(&before, m, &before.after(m)).0;
        // The first node has softsign(1) = 1/2, the second softsign(1/4) = 1/5.
        assert_eq!([rating(0), rating(1), rating(2)], [1000, 400, 0]);
        assert_eq!(evaluation.evaluate(&before), ForMover(1000));
        assert_eq!(evaluation.evaluate(&TicTacToe::start(StandardRules)), ForMover(0));
    }

    #[test]
    fn structure_evolves() {
        let kind = Markers::<TicTacToe>(PhantomData);
        let mut rng = Rng::seeded(1);
        let nodes = |genome: &[f64]| {
            let genome: Vec<i32> = genome.iter().map(|&gene| gene as i32).collect();
            Nodes::decode(&genome, 18, 9).nodes.len()
        };
        let mut genome = kind.random(&mut rng);
        let mut sizes = vec![nodes(&genome)];
        assert!((50..150).contains(&sizes[0]), "{sizes:?}");
        for _ in 0..20 {
            genome = kind.mutate(&genome, 1.0, &mut rng);
            sizes.push(nodes(&genome));
        }
        sizes.dedup();
        assert!(sizes.len() > 5, "{sizes:?}");
        let byte = InvalidGenome::NotByte { value: 0.5 };
        assert_eq!(kind.check(&[0.5]), Err(byte));
    }
}
