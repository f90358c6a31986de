//! A network whose structure mutates, after Moriarty and Miikkulainen: neurons and connections are
//! added and removed, so that evolution finds out how much of a network it takes.
//!
//! A genome is the number of hidden neurons, and then three numbers for each connection: from which
//! node, to which node, and its weight. Nodes are numbered: the features first, then one that is always
//! on, the output, and the hidden neurons.

use std::marker::PhantomData;

use tablero_core::{Evaluation, ForMover, MAX_FEATURES, Rng};

use crate::{Gene, Genetic, GenomeKind, Kind};

/// No network grows beyond this.
const MOST_NEURONS: usize = 24;
const MOST_CONNECTIONS: usize = 256;
/// How likely a mutation changes the structure, in each of these ways.
const ADD_CONNECTION: f64 = 0.15;
const ADD_NEURON: f64 = 0.08;
const REMOVE_CONNECTION: f64 = 0.08;
const REMOVE_NEURON: f64 = 0.04;
/// How often to try to find a place for a new connection.
const TRIES: usize = 20;

pub(super) struct Growing<G>(PhantomData<fn() -> G>);

/// A network, as mutation sees it.
#[derive(Clone, PartialEq, Debug)]
struct Network {
    /// How many senses there are.
    senses: usize,
    neurons: usize,
    connections: Vec<Connection>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Connection {
    from: usize,
    to: usize,
    weight: f64,
}

impl<G: Genetic> Growing<G> {
    pub(super) fn boxed() -> Box<dyn Kind<G>> {
        Box::new(Self(PhantomData))
    }

    fn read(genome: &[f64]) -> Result<Network, String> {
        Network::read(genome, G::FEATURES.len())
    }

    /// Genomes of others may be damaged; those in an evolution were checked.
    fn network(genome: &[f64]) -> Network {
        let empty = Network { senses: G::FEATURES.len(), neurons: 0, connections: Vec::new() };
        Self::read(genome).unwrap_or(empty)
    }
}

impl<G: Genetic> Kind<G> for Growing<G> {
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<G>> {
        Box::new(Built::new(&Self::network(genome)))
    }
}

impl<G: Genetic> GenomeKind for Growing<G> {
    fn name(&self) -> &'static str {
        "growing"
    }

    fn about(&self) -> &'static str {
        "a network that gains and loses neurons and connections (after Moriarty and Miikkulainen)"
    }

    fn genes(&self) -> Option<&[Gene]> {
        None
    }

    fn check(&self, genome: &[f64]) -> Result<(), String> {
        Self::read(genome).map(|_| ())
    }

    fn names(&self, genome: &[f64]) -> Vec<String> {
        let network = Self::network(genome);
        let name = |connection: &Connection| {
            let [from, to] =
                [connection.from, connection.to].map(|node| network.node_name::<G>(node));
            ["from", "to", "weight"].map(|part| format!("{from}>{to} {part}"))
        };
        let names = network.connections.iter().flat_map(name);
        std::iter::once("neurons".to_owned()).chain(names).collect()
    }

    /// A few senses go straight to the output, and some through two neurons.
    fn random(&self, rng: &mut Rng) -> Vec<f64> {
        let senses = G::FEATURES.len();
        let mut network = Network { senses, neurons: 2, connections: Vec::new() };
        let output = network.output();
        for neuron in [output + 1, output + 2] {
            network.connect(neuron, output, rng.irwin_hall());
            for _ in 0..3 {
                network.connect(rng.below(senses as u64 + 1) as usize, neuron, rng.irwin_hall());
            }
        }
        for sense in 0..senses {
            if rng.below(2) == 0 {
                network.connect(sense, output, rng.irwin_hall());
            }
        }
        network.write()
    }

    fn mutate(&self, genome: &[f64], step: f64, rng: &mut Rng) -> Vec<f64> {
        let mut network = Self::network(genome);
        for connection in &mut network.connections {
            connection.weight = (connection.weight + step * rng.irwin_hall()).clamp(-50.0, 50.0);
        }
        if rng.unit() < ADD_CONNECTION {
            network.add_connection(rng);
        }
        if rng.unit() < ADD_NEURON {
            network.add_neuron(rng);
        }
        if rng.unit() < REMOVE_CONNECTION && !network.connections.is_empty() {
            let index = rng.below(network.connections.len() as u64) as usize;
            network.connections.swap_remove(index);
        }
        if rng.unit() < REMOVE_NEURON && network.neurons > 0 {
            network.remove_neuron(rng.below(network.neurons as u64) as usize);
        }
        network.write()
    }

    /// Structure and weights of the first; where the second has the same connection, its weight as
    /// often as not.
    fn cross(&self, a: &[f64], b: &[f64], rng: &mut Rng) -> Vec<f64> {
        let (mut child, other) = (Self::network(a), Self::network(b));
        for connection in &mut child.connections {
            let twin = other.connections.iter().find(|twin| twin.joins_as(connection));
            if let Some(twin) = twin.filter(|_| rng.below(2) == 0) {
                connection.weight = twin.weight;
            }
        }
        child.write()
    }
}

impl Connection {
    const fn joins_as(&self, other: &Self) -> bool {
        self.from == other.from && self.to == other.to
    }
}

impl Network {
    /// The node that is always on.
    const fn always(&self) -> usize {
        self.senses
    }

    const fn output(&self) -> usize {
        self.senses + 1
    }

    const fn nodes(&self) -> usize {
        self.senses + 2 + self.neurons
    }

    fn node_name<G: Genetic>(&self, node: usize) -> String {
        match node {
            node if node < self.senses => G::FEATURES[node].into(),
            node if node == self.always() => "always".into(),
            node if node == self.output() => "out".into(),
            node => format!("n{}", node - self.output()),
        }
    }

    fn read(genome: &[f64], senses: usize) -> Result<Self, String> {
        let whole = |number: f64, below: usize, what: &str| {
            let right = number >= 0.0 && number.fract() == 0.0 && number < below as f64;
            let error = || format!("{what} is {number}, not a whole number below {below}");
            right.then_some(number as usize).ok_or_else(error)
        };
        let (&first, rest) = genome.split_first().ok_or("a network without numbers")?;
        let neurons = whole(first, MOST_NEURONS + 1, "the number of neurons")?;
        if rest.len() % 3 != 0 || rest.len() > 3 * MOST_CONNECTIONS {
            return Err(format!("{} numbers are not connections of three each", rest.len()));
        }
        let mut network = Self { senses, neurons, connections: Vec::new() };
        for numbers in rest.chunks_exact(3) {
            let from = whole(numbers[0], network.nodes(), "the start of a connection")?;
            let to = whole(numbers[1], network.nodes(), "the end of a connection")?;
            if from == network.output() || to <= network.always() {
                return Err(format!("a connection from node {from} to node {to} makes no sense"));
            }
            if !numbers[2].is_finite() {
                return Err(format!("a weight is {}", numbers[2]));
            }
            network.connections.push(Connection { from, to, weight: numbers[2] });
        }
        if network.order().is_none() {
            return Err("its connections go round in a circle".into());
        }
        Ok(network)
    }

    fn write(&self) -> Vec<f64> {
        let numbers = |c: &Connection| [c.from as f64, c.to as f64, c.weight];
        let connections = self.connections.iter().flat_map(numbers);
        std::iter::once(self.neurons as f64).chain(connections).collect()
    }

    /// Adds a connection if there is none like it and it closes no circle.
    fn connect(&mut self, from: usize, to: usize, weight: f64) -> bool {
        let new = Connection { from, to, weight };
        if self.connections.len() >= MOST_CONNECTIONS
            || self.connections.iter().any(|old| old.joins_as(&new))
        {
            return false;
        }
        self.connections.push(new);
        let fits = self.order().is_some();
        if !fits {
            self.connections.pop();
        }
        fits
    }

    fn add_connection(&mut self, rng: &mut Rng) {
        for _ in 0..TRIES {
            let from = rng.below(self.nodes() as u64) as usize;
            let to = self.output() + rng.below(self.neurons as u64 + 1) as usize;
            if from != self.output() && self.connect(from, to, rng.irwin_hall()) {
                return;
            }
        }
    }

    /// A new neuron in the middle of a connection, which hardly changes what the network says.
    fn add_neuron(&mut self, rng: &mut Rng) {
        if self.neurons == MOST_NEURONS || self.connections.is_empty() {
            return;
        }
        let index = rng.below(self.connections.len() as u64) as usize;
        let Connection { from, to, weight } = self.connections.swap_remove(index);
        let new = self.nodes();
        self.neurons += 1;
        self.connect(from, new, 1.0);
        self.connect(new, to, weight);
    }

    fn remove_neuron(&mut self, number: usize) {
        let node = self.output() + 1 + number;
        self.connections.retain(|c| c.from != node && c.to != node);
        for connection in &mut self.connections {
            for end in [&mut connection.from, &mut connection.to] {
                *end -= usize::from(*end > node);
            }
        }
        self.neurons -= 1;
    }

    /// The hidden neurons in an order in which each comes after those that it hears; none if there
    /// is no such order.
    fn order(&self) -> Option<Vec<usize>> {
        let first = self.output() + 1;
        let mut order = Vec::new();
        let mut left: Vec<usize> = (first..self.nodes()).collect();
        while !left.is_empty() {
            let waits = |node: &usize| {
                self.connections.iter().any(|c| c.to == *node && left.contains(&c.from))
            };
            let (waiting, ready): (Vec<_>, Vec<_>) = left.iter().partition(|node| waits(node));
            if ready.is_empty() {
                return None;
            }
            order.extend(ready);
            left = waiting;
        }
        Some(order)
    }
}

/// A network ready to judge: neurons in order, each with what it hears.
struct Built {
    nodes: usize,
    always: usize,
    /// The node and how many of the inputs are its own; the output last.
    steps: Vec<(usize, usize)>,
    inputs: Vec<(usize, f32)>,
}

impl Built {
    fn new(network: &Network) -> Self {
        let mut built = Self {
            nodes: network.nodes(),
            always: network.always(),
            steps: Vec::new(),
            inputs: Vec::new(),
        };
        for node in network.order().unwrap_or_default().into_iter().chain([network.output()]) {
            let heard = network.connections.iter().filter(|c| c.to == node);
            let before = built.inputs.len();
            built.inputs.extend(heard.map(|c| (c.from, c.weight as f32)));
            built.steps.push((node, built.inputs.len() - before));
        }
        built
    }
}

impl<G: Genetic> Evaluation<G> for Built {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        let mut values = [0.0f32; MAX_FEATURES + 2 + MOST_NEURONS];
        let values = &mut values[..self.nodes];
        position.write_features(&mut values[..G::FEATURES.len()]);
        values[self.always] = 1.0;
        let (mut inputs, mut sum) = (&self.inputs[..], 0.0);
        for &(node, count) in &self.steps {
            let (own, rest) = inputs.split_at(count);
            sum = own.iter().map(|&(from, weight)| values[from] * weight).sum::<f32>();
            values[node] = squash(sum);
            inputs = rest;
        }
        // The last step was the output, which is not squashed.
        judged(sum)
    }
}

/// Between -1 and 1, and cheap.
pub(super) fn squash(sum: f32) -> f32 {
    sum / (1.0 + sum.abs())
}

/// What a network says, in hundredths; one is ten discs, pawns or stones.
pub(super) fn judged(out: f32) -> ForMover<i32> {
    // What is not a number (of absurd weights) becomes 0.
    ForMover((out * 1000.0).round().clamp(-900_000.0, 900_000.0) as i32)
}

#[cfg(test)]
mod tests {
    use tablero_core::Game;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    type Kind9 = Growing<TicTacToe>;

    #[test]
    fn structure_grows_and_shrinks() {
        let mut rng = Rng::seeded(1);
        let kind = Growing::<TicTacToe>(PhantomData);
        let sizes: Vec<usize> = (0..40)
            .map(|_| {
                let mut genome = kind.random(&mut rng);
                (0..60).for_each(|_| genome = kind.mutate(&genome, 0.1, &mut rng));
                Kind9::read(&genome).expect("right").neurons
            })
            .collect();
        assert!(sizes.iter().any(|&n| n < 2) && sizes.iter().any(|&n| n > 4), "{sizes:?}");
    }

    /// A network by hand: the output hears the centre and, through a neuron, the first square.
    #[test]
    fn judges_as_it_is_wired() {
        let network = [1.0, 4.0, 10.0, 2.0, 0.0, 11.0, 3.0, 11.0, 10.0, 0.5];
        let evaluation = Growing::<TicTacToe>(PhantomData).build(&network);
        let start = TicTacToe::start(tablero_core::StandardRules);
        assert_eq!(evaluation.evaluate(&start), ForMover(0));
        // The other side has the centre; the mover has the first square.
        assert_eq!(evaluation.evaluate(&start.after(4)), ForMover(-2000));
        assert_eq!(evaluation.evaluate(&start.after(0).after(4)), ForMover(-2000 + 375));
    }

    #[test]
    fn damaged_networks_are_named() {
        let wrong = |genome: &[f64]| Kind9::read(genome).expect_err("wrong");
        assert!(wrong(&[0.5]).contains("neurons"));
        assert!(wrong(&[0.0, 1.0]).contains("three"));
        assert!(wrong(&[0.0, 0.0, 40.0, 1.0]).contains("end of a connection"));
        assert!(wrong(&[0.0, 10.0, 10.0, 1.0]).contains("no sense"));
        assert!(wrong(&[2.0, 11.0, 12.0, 1.0, 12.0, 11.0, 1.0]).contains("circle"));
        assert!(wrong(&[0.0, 0.0, 10.0, f64::INFINITY]).contains("inf"));
    }
}
