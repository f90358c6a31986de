use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use tablero_core::{Defaults, ForMover, PolicyValue, Rng, Simulation};

use crate::{Encoding, EncodingSpec, Evaluator, NetError, Network, Weights};

/// A network as the evaluation function of one game, for searches. Clones share the weights.
pub struct GameNet<G> {
    evaluator: Evaluator,
    input: Vec<f32>,
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

    fn from_network(network: Arc<Network>) -> Self {
        let input = vec![0.0; network.inputs()];
        Self { evaluator: Evaluator::new(network), input, game: PhantomData }
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
        for (logit, &m) in logits.iter_mut().zip(moves) {
            let [first, second] = network.kind().policy_indices(position, m);
            *logit = output.policy.map_or(0.0, |policy| policy[first] + policy[second]);
        }
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
}

impl<G: Encoding> Simulation<G> for GameNet<G> {
    fn value(&mut self, position: &G, _: u32, _: &mut Rng) -> ForMover<f32> {
        self.value_and_logits(position, 0, &[], &mut [])
    }
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
        let again = PolicyValue::evaluate(&mut net.clone(), &position, 0, &moves, &mut priors);
        assert_eq!(again, value);
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
