use std::collections::HashMap;
use std::time::{Duration, Instant};

use tablero_core::{ForMover, LeafRequest, PolicyValue};

use crate::game_net::read_output;
use crate::{Encoding, GameNet};

/// Remembered evaluations: some ten megabytes.
const MAX_ENTRIES: usize = 1 << 15;

/// A [`GameNet`] that remembers its evaluations: the searches of a game's successive positions, and of other games with
/// the same opening, meet positions again. Results are those of the network, bit for bit.
pub struct CachedNet<G: Encoding> {
    net: GameNet<G>,
    /// By what the network sees.
    entries: HashMap<u128, Entry<G::Move>>,
    network_use: NetworkUse,
}

/// How much a [`CachedNet`] was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NetworkUse {
    /// Evaluations that were asked for.
    pub lookups: u64,
    /// Those that were remembered.
    pub hits: u64,
    /// The time that the network took for the others.
    pub time: Duration,
}

#[derive(Clone)]
struct Entry<M> {
    /// Positions that the network cannot tell apart may have other moves.
    moves: Vec<M>,
    priors: Vec<f32>,
    value: ForMover<f32>,
}

impl<G: Encoding> CachedNet<G> {
    /// Remembers nothing yet.
    pub fn new(net: GameNet<G>) -> Self {
        Self { net, entries: HashMap::new(), network_use: NetworkUse::default() }
    }

    /// What it was asked for so far.
    pub const fn network_use(&self) -> NetworkUse {
        self.network_use
    }

    /// Reads a leaf's evaluation; whether it is remembered.
    fn read(&mut self, key: u128, leaf: &mut LeafRequest<'_, G>) -> bool {
        self.network_use.lookups += 1;
        let entry = self.entries.get(&key).filter(|entry| entry.moves == leaf.moves);
        let Some(entry) = entry else { return false };
        leaf.priors.copy_from_slice(&entry.priors);
        leaf.value = entry.value;
        self.network_use.hits += 1;
        true
    }

    fn insert(&mut self, key: u128, leaf: &LeafRequest<'_, G>) {
        if self.entries.len() >= MAX_ENTRIES {
            self.entries.clear();
        }
        let entry =
            Entry { moves: leaf.moves.to_vec(), priors: leaf.priors.to_vec(), value: leaf.value };
        self.entries.insert(key, entry);
    }
}

impl<G: Encoding> Clone for CachedNet<G> {
    fn clone(&self) -> Self {
        Self::new(self.net.clone())
    }
}

impl<G: Encoding> PolicyValue<G> for CachedNet<G> {
    fn evaluate(
        &mut self,
        position: &G,
        seen: u32,
        moves: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32> {
        let mut leaves = [LeafRequest { position, seen, moves, priors, value: ForMover(0.0) }];
        self.evaluate_batch(&mut leaves);
        leaves[0].value
    }

    fn evaluate_batch(&mut self, leaves: &mut [LeafRequest<'_, G>]) {
        let (mut inputs, mut unknown) = (std::mem::take(&mut self.net.batch), Vec::new());
        inputs.clear();
        for (index, leaf) in leaves.iter_mut().enumerate() {
            let start = inputs.len();
            self.net.encode(leaf, &mut inputs);
            let key = hash(&inputs[start..]);
            match self.read(key, leaf) {
                true => inputs.truncate(start),
                false => unknown.push((index, key)),
            }
        }
        let start = Instant::now();
        self.net.run_batch(&inputs, |number, output, kind| {
            read_output(&mut leaves[unknown[number].0], output, kind);
        });
        self.network_use.time += start.elapsed();
        self.net.batch = inputs;
        for (index, key) in unknown {
            self.insert(key, &leaves[index]);
        }
    }
}

/// Two independent hashes of the numbers' bits, so that a collision is practically impossible.
fn hash(numbers: &[f32]) -> u128 {
    const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];
    let mut state = [numbers.len() as u64; 2];
    for pair in numbers.chunks(2) {
        let bits = |at: usize| pair.get(at).map_or(0, |number| u64::from(number.to_bits()));
        let word = bits(0) | bits(1) << 32;
        for (state, factor) in state.iter_mut().zip(FACTORS) {
            *state = (*state ^ word).wrapping_mul(factor);
            *state ^= *state >> 29;
        }
    }
    u128::from(state[0]) << 64 | u128::from(state[1])
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, StandardRules};
    use tablero_othello::Othello;

    use super::*;
    use crate::{EncodingSpec, Weights};

    #[test]
    fn remembered_evaluations_are_those_of_the_network() {
        let kind = "resnet 1x16".parse().expect("a kind");
        let weights = Weights::random(kind, &EncodingSpec::of::<Othello>(), 3).expect("fits");
        let mut net = GameNet::<Othello>::new(&weights).expect("a network");
        let mut cached = CachedNet::new(net.clone());
        let start = Othello::start(StandardRules);
        let positions: Vec<Othello> =
            start.moves().into_iter().map(|m| start.after(m)).chain([start]).collect();
        for round in 0..2 {
            for position in &positions {
                let moves = position.moves();
                let [mut expected, mut found] = [(); 2].map(|()| vec![0.0; moves.len()]);
                let value = net.evaluate(position, 0, &moves, &mut expected);
                assert_eq!(cached.evaluate(position, 0, &moves, &mut found), value);
                assert_eq!(found, expected);
            }
            let count = positions.len() as u64;
            let NetworkUse { lookups, hits, .. } = cached.network_use();
            assert_eq!([lookups, hits], [count * (round + 1), count * round]);
        }
    }

    #[test]
    fn inputs_with_the_same_numbers_in_other_places_differ() {
        let mut numbers = [0.0; 64];
        let mut hashes = std::collections::HashSet::new();
        for place in 0..64 {
            numbers[place] = 1.0;
            assert!(hashes.insert(hash(&numbers)));
            numbers[place] = 0.0;
        }
    }
}
