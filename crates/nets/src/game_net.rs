use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use tablero_core::{
    Defaults, Explanation, ForMover, LeafRequest, LocalizedString, NetworkView, Plane, PolicyValue,
    Presentable, RatedMove, Rng, Simulation, Term, TermCell, ValueUnit, removal_terms,
};

use crate::kind::{NetKind, Resnet, View};
use crate::nnue::rest_text;
use crate::{Encoding, EncodingSpec, Evaluator, NetError, Network, Output, Weights};

/// A network as the evaluation function of one game, for searches. Clones share the weights.
pub struct GameNet<G> {
    evaluator: Evaluator,
    input: Vec<f32>,
    /// The inputs of a batch, kept for the next one.
    pub(crate) batch: Vec<f32>,
    game: PhantomData<fn(&G)>,
}

/// Inputs and outputs of a network as they are, for comparison with other programs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RawEvaluation {
    /// The encoded position.
    pub input: Vec<f32>,
    /// The value output: for the side to move, of absolute networks for the second side.
    pub value: f32,
    /// Policy logits; empty without a policy head.
    pub policy: Vec<f32>,
    /// Ownership; empty without that head.
    pub ownership: Vec<f32>,
}

impl<G: Encoding> GameNet<G> {
    /// Packs these weights.
    pub fn new(weights: &Weights) -> Result<Self, NetError> {
        Ok(Self::from_network(Arc::new(Network::new(weights, &EncodingSpec::of::<G>())?)))
    }

    /// Reads a file: safetensors, or one of Keras.
    pub fn read(path: &Path) -> Result<Self, NetError> {
        Self::new(&Weights::read_any(path, &EncodingSpec::of::<G>())?)
    }

    /// The shipped network of this name, if there is one.
    pub fn shipped(name: &str) -> Option<Result<Self, NetError>>
    where
        G: Defaults,
    {
        let file = G::SHIPPED_NETS.iter().find(|file| file.name == name)?;
        Some(Weights::from_bytes(file.bytes).and_then(|weights| Self::new(&weights)))
    }

    /// What the network sees of a position, and all that it says.
    pub fn inspect(&mut self, position: &G) -> RawEvaluation {
        self.value_and_logits(position, 0, &[], &mut []);
        let output = self.evaluator.run(&self.input);
        // Without the constant logit.
        let policy = output.policy.map_or(&[][..], |policy| &policy[..policy.len() - 1]);
        RawEvaluation {
            value: output.value,
            policy: policy.to_vec(),
            ownership: output.ownership.map_or_else(Vec::new, <[f32]>::to_vec),
            input: self.input.clone(),
        }
    }

    /// The network's value piece by piece, with what it sees and the moves that it prefers. A piece is worth what
    /// the value changes by when it is taken off the board, or, if no position is without it, off the planes.
    pub fn explain(&mut self, position: &G) -> Explanation
    where
        G: Presentable,
    {
        let moves = position.moves();
        let mut priors = vec![0.0; moves.len()];
        let value = f64::from(PolicyValue::evaluate(self, position, 0, &moves, &mut priors).0);
        let raw = self.inspect(position);
        let kind = self.evaluator.network().kind().clone();
        let has_policy = !raw.policy.is_empty();
        let rated = moves.into_iter().zip(priors).filter(|_| has_policy);
        let mut policy: Vec<RatedMove> =
            rated.map(|(m, prior)| RatedMove::new(position, m, f64::from(prior))).collect();
        policy.sort_by(|a, b| b.rating.total_cmp(&a.rating));
        let planes = planes(&kind, position, &raw.input);
        let is_relative = is_relative(&kind);
        let owner = |(square, &owner): (usize, &f32)| {
            let cell = position.plane_cell(0, square, is_relative)?;
            Some(TermCell { cell, value: f64::from(owner) })
        };
        let ownership = raw.ownership.iter().enumerate().filter_map(owner).collect();
        let mut terms = removal_terms(position, value, |without| {
            f64::from(self.value_and_logits(without, 0, &[], &mut []).0)
        });
        terms.extend(self.occlusion_terms(position, value, &raw.input, &terms));
        let unit = ValueUnit::Result;
        let network = Some(NetworkView { planes, policy, ownership });
        Explanation { value, unit, terms, network, facts: vec![kind.to_string().into()] }
            .with_remainder(|_| ("rest", rest_text()))
    }

    /// Terms of the pieces that are not `known`: what the value changes by when all planes but the constant ones
    /// are 0 on their squares.
    fn occlusion_terms(
        &mut self,
        position: &G,
        value: f64,
        input: &[f32],
        known: &[Term],
    ) -> Vec<Term>
    where
        G: Presentable,
    {
        let network = Arc::clone(self.evaluator.network());
        if network.reads_flat() {
            return Vec::new();
        }
        let diagram = position.diagram();
        let is_known =
            |cell: usize| known.iter().flat_map(|term| &term.cells).any(|at| at.cell == cell);
        let mut terms = Vec::new();
        for (cell, shown) in diagram.cells.iter().enumerate() {
            if shown.piece.is_none() || is_known(cell) {
                continue;
            }
            self.input.copy_from_slice(input);
            for (plane, numbers) in self.input.chunks_exact_mut(G::SQUARES).enumerate() {
                if numbers.iter().all(|number| *number == numbers[0]) {
                    continue;
                }
                for (square, number) in numbers.iter_mut().enumerate() {
                    let at = position.plane_cell(plane, square, is_relative(network.kind()));
                    if at == Some(cell) {
                        *number = 0.0;
                    }
                }
            }
            let without = self.evaluator.run(&self.input).value;
            let without = network.kind().value_for(position.side(), without);
            terms.extend(Term::of_piece(position, &diagram, cell, value - f64::from(without)));
        }
        terms
    }

    /// Appends what the network sees of a leaf to `inputs`.
    pub(crate) fn encode(&self, leaf: &LeafRequest<'_, G>, inputs: &mut Vec<f32>) {
        let (network, start) = (self.evaluator.network(), inputs.len());
        inputs.resize(start + network.inputs(), 0.0);
        network.kind().encode(leaf.position, leaf.seen, &mut inputs[start..]);
    }

    /// Evaluates encoded positions; passes index and output to `read`.
    pub(crate) fn run_batch(
        &mut self,
        inputs: &[f32],
        mut read: impl FnMut(usize, Output<'_>, &NetKind),
    ) {
        let network = Arc::clone(self.evaluator.network());
        self.evaluator.run_batch(inputs, |index, output| read(index, output, network.kind()));
    }

    fn from_network(network: Arc<Network>) -> Self {
        let input = vec![0.0; network.inputs()];
        Self { evaluator: Evaluator::new(network), input, batch: Vec::new(), game: PhantomData }
    }

    /// The value of a position that occurred `seen` times before. Writes the policy logits of `moves`: all 0
    /// without a policy head.
    fn value_and_logits(
        &mut self,
        position: &G,
        seen: u32,
        moves: &[G::Move],
        logits: &mut [f32],
    ) -> ForMover<f32> {
        self.input.fill(0.0);
        let network = Arc::clone(self.evaluator.network());
        network.kind().encode(position, seen, &mut self.input);
        let output = self.evaluator.run(&self.input);
        write_logits(network.kind(), position, moves, output.policy, logits);
        ForMover(network.kind().value_for(position.side(), output.value))
    }
}

impl<G: Encoding> Clone for GameNet<G> {
    fn clone(&self) -> Self {
        Self::from_network(Arc::clone(self.evaluator.network()))
    }
}

impl<G: Encoding> PolicyValue<G> for GameNet<G> {
    fn evaluate(
        &mut self,
        position: &G,
        seen: u32,
        moves: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32> {
        let value = self.value_and_logits(position, seen, moves, priors);
        softmax(priors);
        value
    }

    fn evaluate_batch(&mut self, leaves: &mut [LeafRequest<'_, G>]) {
        let mut inputs = std::mem::take(&mut self.batch);
        inputs.clear();
        leaves.iter().for_each(|leaf| self.encode(leaf, &mut inputs));
        self.run_batch(&inputs, |index, output, kind| {
            read_output(&mut leaves[index], output, kind)
        });
        self.batch = inputs;
    }
}

/// Writes the priors and the value of a leaf.
pub(crate) fn read_output<G: Encoding>(
    leaf: &mut LeafRequest<'_, G>,
    output: Output<'_>,
    kind: &NetKind,
) {
    write_logits(kind, leaf.position, leaf.moves, output.policy, leaf.priors);
    softmax(leaf.priors);
    leaf.value = ForMover(kind.value_for(leaf.position.side(), output.value));
}

/// Writes the policy logits of `moves`: all 0 without a policy head.
fn write_logits<G: Encoding>(
    kind: &NetKind,
    position: &G,
    moves: &[G::Move],
    policy: Option<&[f32]>,
    logits: &mut [f32],
) {
    for (logit, &m) in logits.iter_mut().zip(moves) {
        let [first, second] = kind.policy_indices(position, m);
        *logit = policy.map_or(0.0, |policy| policy[first] + policy[second]);
    }
}

impl<G: Encoding> Simulation<G> for GameNet<G> {
    fn value(&mut self, position: &G, _: u32, _: &mut Rng) -> ForMover<f32> {
        self.value_and_logits(position, 0, &[], &mut [])
    }
}

/// Whether the board is flipped for the second side.
const fn is_relative(kind: &NetKind) -> bool {
    matches!(kind, NetKind::Resnet(Resnet { view: View::Mover | View::Attacks, .. }))
}

/// The input as planes of the board.
fn planes<G: Encoding>(kind: &NetKind, position: &G, input: &[f32]) -> Vec<Plane> {
    let is_relative = is_relative(kind);
    if kind.reads_flat(&EncodingSpec::of::<G>()) || !input.len().is_multiple_of(G::SQUARES) {
        let about = LocalizedString::new("the board as a table", "el tablero como tabla");
        let squares = &input[..input.len().min(G::SQUARES)];
        return vec![Plane::new(about, squares, Some)];
    }
    let numbered = input.chunks_exact(G::SQUARES).enumerate();
    let plane = |(number, numbers): (usize, &[f32])| {
        Plane::new(G::plane_name(number), numbers, |square| {
            position.plane_cell(number, square, is_relative)
        })
    };
    numbered.map(plane).collect()
}

fn softmax(values: &mut [f32]) {
    let max = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    values.iter_mut().for_each(|value| *value = (*value - max).exp());
    let sum: f32 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= sum);
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_core::{Game, Notation, Side, StandardRules};
    use tablero_othello::Othello;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    fn net<G: Encoding>(kind: &str) -> GameNet<G> {
        let kind = kind.parse().expect("a kind");
        let weights = Weights::random(kind, &EncodingSpec::of::<G>(), 1).expect("fits");
        GameNet::new(&weights).expect("a network")
    }

    #[test]
    fn priors_are_probabilities_of_the_legal_moves() {
        let mut net = net::<TicTacToe>("resnet 1x8");
        let position = TicTacToe::start(StandardRules).after(4);
        let moves = position.moves();
        let mut priors = vec![0.0; moves.len()];
        let value = PolicyValue::evaluate(&mut net, &position, 0, &moves, &mut priors);
        assert!(value.0.abs() <= 1.0);
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(priors.iter().all(|&prior| prior > 0.0 && prior < 1.0), "{priors:?}");
        let mut again = vec![0.0; moves.len()];
        let leaf = |priors| LeafRequest {
            position: &position,
            seen: 0,
            moves: &moves,
            priors,
            value: ForMover(0.0),
        };
        let mut other = vec![0.0; moves.len()];
        let mut leaves = [leaf(&mut again), leaf(&mut other)];
        net.clone().evaluate_batch(&mut leaves);
        assert_eq!(leaves.map(|leaf| leaf.value), [value; 2]);
        assert_eq!([again, other], [priors.clone(), priors]);
    }

    #[test]
    fn an_mlp_has_uniform_priors() {
        let mut net = net::<Othello>("mlp 65-8-1");
        let position = Othello::start(StandardRules);
        let value = net.value_and_logits(&position, 0, &[], &mut []);
        let mut flat = vec![0.0; 65];
        position.write_flat(&mut flat);
        assert_eq!(value.0, net.evaluator.run(&flat).value);
        let mut priors = vec![0.0; 4];
        PolicyValue::evaluate(&mut net, &position, 0, &position.moves(), &mut priors);
        assert_eq!(priors, [0.25; 4]);
    }

    fn shipped_networks_load<G: Encoding + Defaults>() {
        for file in G::SHIPPED_NETS {
            let weights = Weights::from_bytes(file.bytes).expect(file.name);
            assert!(weights.provenance.len() > 1, "{}: {:?}", file.name, weights.provenance);
            assert!(GameNet::<G>::shipped(file.name).expect(file.name).is_ok(), "{}", file.name);
        }
        assert!(GameNet::<G>::shipped("another").is_none());
    }

    #[test]
    fn shipped_networks_load_and_record_their_provenance() {
        shipped_networks_load::<Othello>();
        shipped_networks_load::<Chess>();
        shipped_networks_load::<tablero_shobu::Shobu>();
    }

    /// Swapping the colours does not change the evaluation for the side to move.
    #[test]
    fn the_mover_view_is_colour_blind() {
        let mut net = net::<Chess>("resnet 1x8 mover");
        let texts = ["4k3/8/8/8/3q4/8/P7/4K2R w K - 0 1", "4k2r/p7/8/3Q4/8/8/8/4K3 b k - 0 1"];
        let [white, black] = texts.map(|text| {
            let position = Chess::parse_position(text, Default::default()).expect("a position");
            let moves = position.moves();
            let mut priors = vec![0.0; moves.len()];
            let value = PolicyValue::evaluate(&mut net, &position, 0, &moves, &mut priors);
            priors.sort_by(f32::total_cmp);
            (value, priors)
        });
        assert_eq!((white.0, white.1.len()), (black.0, black.1.len()));
        let is_close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(white.1.iter().zip(&black.1).all(is_close), "{white:?} {black:?}");
    }

    /// Otelo: 0 empty, 1 black, 2 white, then the side that moved; 1 is a win for White.
    #[test]
    fn absolute_networks_see_and_judge_colours() {
        let mut net = net::<Othello>("mlp 65-8-1 absolute");
        let black_to_move = Othello::start(StandardRules);
        let white_to_move = black_to_move.after(black_to_move.parse_move("f5").expect("a move"));
        let mut seen = vec![0.0; 65];
        net.evaluator.network().kind().encode(&white_to_move, 0, &mut seen);
        assert_eq!([seen[27], seen[28], seen[35], seen[36], seen[37]], [2.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!((seen[64], seen.iter().sum::<f32>()), (1.0, 7.0));
        for (position, sign) in [(white_to_move, 1.0), (black_to_move, -1.0)] {
            let mut input = vec![0.0; 65];
            position.write_absolute(&mut input);
            let value = net.value_and_logits(&position, 0, &[], &mut []);
            assert_eq!(value.0, sign * net.evaluator.run(&input).value);
        }
        let mut small = vec![0.0; 10];
        TicTacToe::start(StandardRules).after(4).write_absolute(&mut small);
        assert_eq!(small, [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    /// Swapping the colours does not change the evaluation for the side to move.
    #[test]
    fn flat_inputs_are_colour_blind() {
        let mut net = net::<Othello>("mlp 65-8-1");
        let black = Othello::from_discs(0xff00, 0xff, Side::First).expect("a position");
        let white = Othello::from_discs(0xff, 0xff00, Side::Second).expect("a position");
        let values =
            [black, white].map(|position| net.value_and_logits(&position, 0, &[], &mut []));
        assert_eq!(values[0], values[1]);
    }
}
