use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use tablero_core::{Defaults, ForMover, PolicyValue, Rng, Simulation};

use crate::{Dims, Encoding, Evaluator, NetError, Network, Weights};

/// A network that judges the positions of one game. Clones share the weights.
pub struct GameNet<G> {
    evaluator: Evaluator,
    input: Vec<f32>,
    game: PhantomData<fn(&G)>,
}

impl<G: Encoding> GameNet<G> {
    /// The network with these weights.
    pub fn new(weights: &Weights) -> Result<Self, NetError> {
        Ok(Self::of(Arc::new(Network::new(weights, &Dims::of::<G>())?)))
    }

    /// The network in a file.
    pub fn read(path: &Path) -> Result<Self, NetError> {
        Self::new(&Weights::read(path)?)
    }

    /// The network of that name that comes with the program, if there is one.
    pub fn shipped(name: &str) -> Option<Result<Self, NetError>>
    where
        G: Defaults,
    {
        let file = G::SHIPPED_NETS.iter().find(|file| file.name == name)?;
        Some(Weights::from_bytes(file.bytes).and_then(|weights| Self::new(&weights)))
    }

    fn of(network: Arc<Network>) -> Self {
        let input = vec![0.0; network.inputs()];
        Self { evaluator: Evaluator::new(network), input, game: PhantomData }
    }

    /// What it says about a position that has been on the board `seen` times before. `worth` gets
    /// a number for each of `moves`, which a softmax turns into probabilities: all 0 if the network
    /// has nothing to say about moves.
    pub fn judge(
        &mut self,
        position: &G,
        seen: u32,
        moves: &[G::Move],
        worth: &mut [f32],
    ) -> ForMover<f32> {
        self.input.fill(0.0);
        let network = Arc::clone(self.evaluator.network());
        network.kind().write(position, seen, &mut self.input);
        let output = self.evaluator.run(&self.input);
        for (worth, &m) in worth.iter_mut().zip(moves) {
            let [first, second] = network.kind().outputs_of(position, m);
            *worth = output.policy.map_or(0.0, |policy| policy[first] + policy[second]);
        }
        ForMover(output.value)
    }
}

impl<G: Encoding> Clone for GameNet<G> {
    fn clone(&self) -> Self {
        Self::of(Arc::clone(self.evaluator.network()))
    }
}

impl<G: Encoding> PolicyValue<G> for GameNet<G> {
    fn judge(
        &mut self,
        position: &G,
        seen: u32,
        moves: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32> {
        let value = self.judge(position, seen, moves, priors);
        softmax(priors);
        value
    }
}

impl<G: Encoding> Simulation<G> for GameNet<G> {
    fn value(&mut self, position: &G, _: u32, _: &mut Rng) -> ForMover<f32> {
        self.judge(position, 0, &[], &mut [])
    }
}

fn softmax(values: &mut [f32]) {
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    values.iter_mut().for_each(|value| *value = (*value - most).exp());
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
        let weights = Weights::random(kind, &Dims::of::<G>(), 1).expect("fits");
        GameNet::new(&weights).expect("a network")
    }

    #[test]
    fn priors_are_probabilities_of_the_legal_moves() {
        let mut net = net::<TicTacToe>("resnet 1x8");
        let position = TicTacToe::start(StandardRules).after(4);
        let moves = position.moves();
        let mut priors = vec![0.0; moves.len()];
        let value = PolicyValue::judge(&mut net, &position, 0, &moves, &mut priors);
        assert!(value.0.abs() <= 1.0);
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(priors.iter().all(|&prior| prior > 0.0 && prior < 1.0), "{priors:?}");
        let again = PolicyValue::judge(&mut net.clone(), &position, 0, &moves, &mut priors);
        assert_eq!(again, value);
    }

    #[test]
    fn networks_of_tables_have_no_opinion_about_moves() {
        let mut net = net::<Othello>("mlp 65-8-1");
        let position = Othello::start(StandardRules);
        let value = net.judge(&position, 0, &[], &mut []);
        let mut table = vec![0.0; 65];
        position.write_table(&mut table);
        assert_eq!(value.0, net.evaluator.run(&table).value);
        let mut priors = vec![0.0; 4];
        PolicyValue::judge(&mut net, &position, 0, &position.moves(), &mut priors);
        assert_eq!(priors, [0.25; 4]);
    }

    fn shipped_networks_are_right<G: Encoding + Defaults>() {
        for file in G::SHIPPED_NETS {
            let weights = Weights::from_bytes(file.bytes).expect(file.name);
            assert!(weights.past.len() > 1, "{}: {:?}", file.name, weights.past);
            assert!(GameNet::<G>::shipped(file.name).expect(file.name).is_ok(), "{}", file.name);
        }
        assert!(GameNet::<G>::shipped("another").is_none());
    }

    #[test]
    fn shipped_networks_can_be_used_and_tell_their_past() {
        shipped_networks_are_right::<Othello>();
        shipped_networks_are_right::<Chess>();
        shipped_networks_are_right::<tablero_shobu::Shobu>();
    }

    /// The same position with the colours exchanged is worth the same to its mover.
    #[test]
    fn the_movers_view_knows_no_colours() {
        let mut net = net::<Chess>("resnet 1x8 mover");
        let texts = ["4k3/8/8/8/3q4/8/P7/4K2R w K - 0 1", "4k2r/p7/8/3Q4/8/8/8/4K3 b k - 0 1"];
        let [white, black] = texts.map(|text| {
            let position = Chess::parse_position(text, Default::default()).expect("a position");
            let moves = position.moves();
            let mut priors = vec![0.0; moves.len()];
            let value = PolicyValue::judge(&mut net, &position, 0, &moves, &mut priors);
            priors.sort_by(f32::total_cmp);
            (value, priors)
        });
        assert_eq!((white.0, white.1.len()), (black.0, black.1.len()));
        let is_same = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(white.1.iter().zip(&black.1).all(is_same), "{white:?} {black:?}");
    }

    /// The same position with the colours exchanged is worth the same to its mover.
    #[test]
    fn tables_know_no_colours() {
        let mut net = net::<Othello>("mlp 65-8-1");
        let black = Othello::from_discs(0xff00, 0xff, Side::First).expect("a position");
        let white = Othello::from_discs(0xff, 0xff00, Side::Second).expect("a position");
        let values = [black, white].map(|position| net.judge(&position, 0, &[], &mut []));
        assert_eq!(values[0], values[1]);
    }
}
