//! A feed-forward network whose topology evolves with its weights, after Moriarty and Miikkulainen,
//! "Discovering Complex Othello Strategies through Evolutionary Neural Networks" (1995), with a direct
//! encoding instead of their markers. Structural mutations add and remove connections and neurons; a new
//! neuron splits a connection, as in NEAT.
//!
//! A genome is the number of hidden neurons, then source node, target node and weight of each connection.
//! Nodes are numbered: features, bias, output, hidden neurons.

use std::marker::PhantomData;

use tablero_core::{
    Evaluation, Explanation, ForMover, Localized, LocalizedString, MAX_FEATURES, Rng, Term,
};

use crate::{Evolvable, Gene, GenomeKind, InvalidGenome, TypedGenomeKind};

/// Size limits.
const MAX_NEURONS: usize = 24;
const MAX_CONNECTIONS: usize = 256;
/// Probabilities of the structural mutations.
const ADD_CONNECTION: f64 = 0.15;
const ADD_NEURON: f64 = 0.08;
const REMOVE_CONNECTION: f64 = 0.08;
const REMOVE_NEURON: f64 = 0.04;
/// Attempts to place a new connection.
const ATTEMPTS: usize = 20;

pub(super) struct Growing<G>(PhantomData<fn() -> G>);

/// A decoded genome.
#[derive(Clone, PartialEq, Debug)]
struct Network {
    features: usize,
    neurons: usize,
    connections: Vec<Connection>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Connection {
    from: usize,
    to: usize,
    weight: f64,
}

impl<G: Evolvable> Growing<G> {
    pub(super) fn boxed() -> Box<dyn TypedGenomeKind<G>> {
        Box::new(Self(PhantomData))
    }

    fn read(genome: &[f64]) -> Result<Network, InvalidGenome> {
        Network::read(genome, G::FEATURES.len())
    }

    /// Decodes a genome; an invalid one, which an evolution never has, is an empty network.
    fn network(genome: &[f64]) -> Network {
        let empty = Network { features: G::FEATURES.len(), neurons: 0, connections: Vec::new() };
        Self::read(genome).unwrap_or(empty)
    }
}

impl<G: Evolvable> TypedGenomeKind<G> for Growing<G> {
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<G>> {
        Box::new(CompiledNetwork::new(&Self::network(genome)))
    }
}

impl<G: Evolvable> GenomeKind for Growing<G> {
    fn name(&self) -> &'static str {
        "growing"
    }

    fn about(&self) -> Localized {
        Localized::new(
            "a network that gains and loses neurons and connections (after Moriarty and \
             Miikkulainen)",
            "una red que gana y pierde neuronas y conexiones (como la de Moriarty y Miikkulainen)",
        )
    }

    fn genes(&self) -> Option<&[Gene]> {
        None
    }

    fn check(&self, genome: &[f64]) -> Result<(), InvalidGenome> {
        Self::read(genome).map(|_| ())
    }

    fn gene_names(&self, genome: &[f64]) -> Vec<String> {
        let network = Self::network(genome);
        let name = |connection: &Connection| {
            let [from, to] =
                [connection.from, connection.to].map(|node| network.node_name::<G>(node));
            ["from", "to", "weight"].map(|part| format!("{from}>{to} {part}"))
        };
        let names = network.connections.iter().flat_map(name);
        std::iter::once("neurons".to_owned()).chain(names).collect()
    }

    /// Two hidden neurons with three inputs each, and direct connections from half of the features.
    fn random(&self, rng: &mut Rng) -> Vec<f64> {
        let features = G::FEATURES.len();
        let mut network = Network { features, neurons: 2, connections: Vec::new() };
        let output = network.output();
        for neuron in [output + 1, output + 2] {
            network.connect(neuron, output, rng.irwin_hall());
            for _ in 0..3 {
                network.connect(rng.below(features as u64 + 1) as usize, neuron, rng.irwin_hall());
            }
        }
        for feature in 0..features {
            if rng.below(2) == 0 {
                network.connect(feature, output, rng.irwin_hall());
            }
        }
        network.write()
    }

    fn mutate(&self, genome: &[f64], sigma: f64, rng: &mut Rng) -> Vec<f64> {
        let mut network = Self::network(genome);
        for connection in &mut network.connections {
            connection.weight = (connection.weight + sigma * rng.irwin_hall()).clamp(-50.0, 50.0);
        }
        if rng.unit() < ADD_CONNECTION {
            network.add_connection(rng);
        }
        if rng.unit() < ADD_NEURON {
            network.split_connection(rng);
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

    /// The topology of the first parent; weights of connections that both have come from either.
    fn crossover(&self, a: &[f64], b: &[f64], rng: &mut Rng) -> Vec<f64> {
        let (mut child, other) = (Self::network(a), Self::network(b));
        for connection in &mut child.connections {
            let twin = other.connections.iter().find(|twin| twin.has_same_ends(connection));
            if let Some(twin) = twin.filter(|_| rng.below(2) == 0) {
                connection.weight = twin.weight;
            }
        }
        child.write()
    }
}

impl Connection {
    const fn has_same_ends(&self, other: &Self) -> bool {
        self.from == other.from && self.to == other.to
    }
}

impl Network {
    /// The node that is bias on.
    const fn bias(&self) -> usize {
        self.features
    }

    const fn output(&self) -> usize {
        self.features + 1
    }

    const fn nodes(&self) -> usize {
        self.features + 2 + self.neurons
    }

    fn node_name<G: Evolvable>(&self, node: usize) -> String {
        match node {
            node if node < self.features => G::FEATURES[node].into(),
            node if node == self.bias() => "bias".into(),
            node if node == self.output() => "out".into(),
            node => format!("n{}", node - self.output()),
        }
    }

    fn read(genome: &[f64], features: usize) -> Result<Self, InvalidGenome> {
        let integer = |value: f64, max: usize| {
            let is_valid = value.fract() == 0.0 && (0.0..=max as f64).contains(&value);
            is_valid.then_some(value as usize)
        };
        let (&first, rest) = genome.split_first().ok_or(InvalidGenome::Empty)?;
        let neurons = integer(first, MAX_NEURONS)
            .ok_or(InvalidGenome::NeuronCount { value: first, max: MAX_NEURONS })?;
        if rest.len() % 3 != 0 || rest.len() > 3 * MAX_CONNECTIONS {
            let (numbers, max) = (rest.len(), MAX_CONNECTIONS);
            return Err(InvalidGenome::ConnectionCount { numbers, max });
        }
        let mut network = Self { features, neurons, connections: Vec::new() };
        for numbers in rest.chunks_exact(3) {
            let last = network.nodes() - 1;
            let node = |value| integer(value, last).ok_or(InvalidGenome::Node { value, last });
            let (from, to) = (node(numbers[0])?, node(numbers[1])?);
            if from == network.output() || to <= network.bias() {
                return Err(InvalidGenome::Connection { from, to });
            }
            if !numbers[2].is_finite() {
                return Err(InvalidGenome::Weight { value: numbers[2] });
            }
            network.connections.push(Connection { from, to, weight: numbers[2] });
        }
        if network.topological_order().is_none() {
            return Err(InvalidGenome::Cycle);
        }
        Ok(network)
    }

    fn write(&self) -> Vec<f64> {
        let numbers = |c: &Connection| [c.from as f64, c.to as f64, c.weight];
        let connections = self.connections.iter().flat_map(numbers);
        std::iter::once(self.neurons as f64).chain(connections).collect()
    }

    /// Adds a connection unless it exists or closes a cycle.
    fn connect(&mut self, from: usize, to: usize, weight: f64) -> bool {
        let new = Connection { from, to, weight };
        if self.connections.len() >= MAX_CONNECTIONS
            || self.connections.iter().any(|old| old.has_same_ends(&new))
        {
            return false;
        }
        self.connections.push(new);
        let fits = self.topological_order().is_some();
        if !fits {
            self.connections.pop();
        }
        fits
    }

    fn add_connection(&mut self, rng: &mut Rng) {
        for _ in 0..ATTEMPTS {
            let from = rng.below(self.nodes() as u64) as usize;
            let to = self.output() + rng.below(self.neurons as u64 + 1) as usize;
            if from != self.output() && self.connect(from, to, rng.irwin_hall()) {
                return;
            }
        }
    }

    /// Inserts a neuron into a connection, which hardly changes the output (NEAT's add-node mutation).
    fn split_connection(&mut self, rng: &mut Rng) {
        if self.neurons == MAX_NEURONS || self.connections.is_empty() {
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

    /// The hidden neurons in topological order; none if there is a cycle.
    fn topological_order(&self) -> Option<Vec<usize>> {
        let first = self.output() + 1;
        let mut order = Vec::new();
        let mut pending: Vec<usize> = (first..self.nodes()).collect();
        while !pending.is_empty() {
            let is_blocked = |node: &usize| {
                self.connections.iter().any(|c| c.to == *node && pending.contains(&c.from))
            };
            let (blocked, ready): (Vec<_>, Vec<_>) =
                pending.iter().partition(|node| is_blocked(node));
            if ready.is_empty() {
                return None;
            }
            order.extend(ready);
            pending = blocked;
        }
        Some(order)
    }
}

/// A network ready for evaluation: neurons in topological order with their inputs.
struct CompiledNetwork {
    nodes: usize,
    bias: usize,
    /// Nodes with their number of inputs; the output last.
    steps: Vec<(usize, usize)>,
    inputs: Vec<(usize, f32)>,
}

impl CompiledNetwork {
    fn new(network: &Network) -> Self {
        let mut built = Self {
            nodes: network.nodes(),
            bias: network.bias(),
            steps: Vec::new(),
            inputs: Vec::new(),
        };
        for node in
            network.topological_order().unwrap_or_default().into_iter().chain([network.output()])
        {
            let incoming = network.connections.iter().filter(|c| c.to == node);
            let before = built.inputs.len();
            built.inputs.extend(incoming.map(|c| (c.from, c.weight as f32)));
            built.steps.push((node, built.inputs.len() - before));
        }
        built
    }
}

/// The values of all nodes.
type Values = [f32; MAX_FEATURES + 2 + MAX_NEURONS];

impl CompiledNetwork {
    /// Writes the values of all nodes; returns the output before its activation.
    #[inline]
    fn run<G: Evolvable>(&self, position: &G, values: &mut Values) -> f32 {
        let values = &mut values[..self.nodes];
        position.write_features(&mut values[..G::FEATURES.len()]);
        values[self.bias] = 1.0;
        let (mut inputs, mut sum) = (&self.inputs[..], 0.0);
        for &(node, count) in &self.steps {
            let (own, rest) = inputs.split_at(count);
            sum = own.iter().map(|&(from, weight)| values[from] * weight).sum::<f32>();
            values[node] = softsign(sum);
            inputs = rest;
        }
        sum
    }
}

impl<G: Evolvable> Evaluation<G> for CompiledNetwork {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        to_centi_units(self.run(position, &mut [0.0; MAX_FEATURES + 2 + MAX_NEURONS]))
    }

    /// The inputs of the output node.
    fn explain(&self, position: &G) -> Explanation {
        let mut values: Values = [0.0; MAX_FEATURES + 2 + MAX_NEURONS];
        let value = to_centi_units(self.run(position, &mut values));
        // The output is the last step.
        let count = self.steps.last().map_or(0, |&(_, count)| count);
        let term = |&(from, weight): &(usize, f32)| {
            let (name, about) = match from {
                from if from < self.bias => (G::FEATURES[from].into(), G::feature_text(from)),
                from if from == self.bias => ("bias".into(), bias_text()),
                // Neurons come after the bias and the output.
                from => (format!("n{}", from - self.bias - 1), neuron_text(from - self.bias - 1)),
            };
            Term::new(name, about, f64::from(values[from]), UNITS * f64::from(weight))
        };
        let terms = self.inputs[self.inputs.len() - count..].iter().map(term).collect();
        Explanation::new(value, terms)
    }
}

/// Units of the game per unit of a network's output.
pub(super) const UNITS: f64 = 10.0;

pub(super) fn bias_text() -> LocalizedString {
    LocalizedString::new("bias of the output", "sesgo de la salida")
}

pub(super) fn neuron_text(number: usize) -> LocalizedString {
    LocalizedString::new(format!("hidden neuron {number}"), format!("neurona oculta {number}"))
}

/// The softsign activation, between -1 and 1.
pub(super) fn softsign(sum: f32) -> f32 {
    sum / (1.0 + sum.abs())
}

/// A network's output in centi-units; 1.0 is ten discs, pawns or stones.
pub(super) fn to_centi_units(out: f32) -> ForMover<i32> {
    // NaN, from absurd weights, becomes 0.
    ForMover((out * 1000.0).round().clamp(-900_000.0, 900_000.0) as i32)
}

#[cfg(test)]
mod tests {
    use tablero_core::Game;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    type Kind9 = Growing<TicTacToe>;

    #[test]
    fn topology_grows_and_shrinks() {
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

    /// The output has a connection from the centre and, through a neuron, from the first square.
    #[test]
    fn evaluates_a_network_by_hand() {
        let network = [1.0, 4.0, 10.0, 2.0, 0.0, 11.0, 3.0, 11.0, 10.0, 0.5];
        let evaluation = Growing::<TicTacToe>(PhantomData).build(&network);
        let start = TicTacToe::start(tablero_core::StandardRules);
        assert_eq!(evaluation.evaluate(&start), ForMover(0));
        // The other side has the centre; the mover has the first square.
        assert_eq!(evaluation.evaluate(&start.after(4)), ForMover(-2000));
        assert_eq!(evaluation.evaluate(&start.after(0).after(4)), ForMover(-2000 + 375));
    }

    #[test]
    fn invalid_networks_are_reported() {
        let error = |genome: &[f64]| Kind9::read(genome).expect_err("damaged");
        assert_eq!(error(&[]), InvalidGenome::Empty);
        assert_eq!(error(&[0.5]), InvalidGenome::NeuronCount { value: 0.5, max: 24 });
        assert_eq!(error(&[0.0, 1.0]), InvalidGenome::ConnectionCount { numbers: 1, max: 256 });
        assert_eq!(error(&[0.0, 0.0, 40.0, 1.0]), InvalidGenome::Node { value: 40.0, last: 10 });
        let from_output = InvalidGenome::Connection { from: 10, to: 10 };
        assert_eq!(error(&[0.0, 10.0, 10.0, 1.0]), from_output);
        assert_eq!(error(&[2.0, 11.0, 12.0, 1.0, 12.0, 11.0, 1.0]), InvalidGenome::Cycle);
        let infinite = InvalidGenome::Weight { value: f64::INFINITY };
        assert_eq!(error(&[0.0, 0.0, 10.0, f64::INFINITY]), infinite);
    }
}
