//! Players with evaluations from outside of the program, such as Python functions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tablero_core::{
    BuildResult, Evaluation, ForMover, LeafRequest, Playable, PlayerLine, PlayerLineError,
    PlayerSetup, PolicyValue, Rng, Simulation,
};
use tablero_nets::GameNet;
use tablero_registry::{BatchEvaluation, BatchPolicyValue, NetSource, PolicyValues};
use tablero_search::mcts::Mcts;

use super::kinds::{erased, mcts, mcts_options};
use super::nets::{self, puct};
use crate::Extras;
use crate::batch::Batch;

/// Remembered scores; all are forgotten when there are more.
const MAX_SCORES: usize = 1 << 18;

/// A static evaluation from outside. A search asks for one position after the other; to make few calls, the
/// siblings of a position are evaluated with it, and scores are remembered by key.
pub(crate) struct OutsideEvaluation {
    evaluation: Arc<dyn BatchEvaluation>,
    scores: Mutex<HashMap<u64, i32>>,
}

impl OutsideEvaluation {
    pub(crate) fn new(evaluation: Arc<dyn BatchEvaluation>) -> Self {
        Self { evaluation, scores: Mutex::default() }
    }

    fn known(&self, key: u64) -> Option<ForMover<i32>> {
        let scores = self.scores.lock().unwrap_or_else(PoisonError::into_inner);
        scores.get(&key).copied().map(ForMover)
    }

    /// Evaluates positions that are not over; returns the score of the first.
    fn evaluate_all<G: Playable>(&self, positions: &[&G]) -> ForMover<i32> {
        let batch = Batch::of(positions.iter().map(|position| (*position, 0)));
        let found = self.evaluation.evaluate(Box::new(batch));
        let mut scores = self.scores.lock().unwrap_or_else(PoisonError::into_inner);
        if scores.len() + found.len() > MAX_SCORES {
            scores.clear();
        }
        scores.extend(positions.iter().map(|position| position.key()).zip(found.iter().copied()));
        ForMover(found.first().copied().unwrap_or(0))
    }
}

impl<G: Playable> Evaluation<G> for OutsideEvaluation {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        self.known(position.key()).unwrap_or_else(|| self.evaluate_all(&[position]))
    }

    fn evaluate_after(&self, before: &G, _: G::Move, position: &G) -> ForMover<i32> {
        let key = position.key();
        self.known(key).unwrap_or_else(|| {
            let siblings = before.moves().into_iter().map(|m| before.after(m));
            let siblings: Vec<G> = siblings
                .filter(|sibling| sibling.key() != key && sibling.outcome().is_none())
                .collect();
            let all: Vec<&G> = std::iter::once(position).chain(&siblings).collect();
            self.evaluate_all(&all)
        })
    }
}

/// A policy and value function from outside.
#[derive(Clone)]
struct OutsideNet(Arc<dyn BatchPolicyValue>);

impl OutsideNet {
    fn values<G: Playable>(&self, positions: &[(&G, u32)]) -> PolicyValues {
        self.0.evaluate(Box::new(Batch::of(positions.iter().copied())))
    }
}

impl<G: Playable> PolicyValue<G> for OutsideNet {
    fn evaluate(
        &mut self,
        position: &G,
        seen: u32,
        moves: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32> {
        let leaf = LeafRequest { position, seen, moves, priors, value: ForMover(0.0) };
        let mut leaves = [leaf];
        self.evaluate_batch(&mut leaves);
        leaves[0].value
    }

    fn evaluate_batch(&mut self, leaves: &mut [LeafRequest<'_, G>]) {
        let positions: Vec<_> = leaves.iter().map(|leaf| (leaf.position, leaf.seen)).collect();
        let PolicyValues { values, priors } = self.values(&positions);
        for (index, leaf) in leaves.iter_mut().enumerate() {
            leaf.value = ForMover(values.get(index).copied().unwrap_or(0.0));
            let row = priors.as_ref().and_then(|priors| priors.get(index * G::ACTIONS..));
            for (prior, &m) in leaf.priors.iter_mut().zip(leaf.moves) {
                let given = row.map(|row| row.get(leaf.position.action(m)).copied().unwrap_or(0.0));
                *prior = given.unwrap_or(1.0);
            }
        }
    }
}

impl<G: Playable> Simulation<G> for OutsideNet {
    fn value(&mut self, position: &G, _: u32, _: &mut Rng) -> ForMover<f32> {
        ForMover(self.values(&[(position, 0)]).values.first().copied().unwrap_or(0.0))
    }
}

/// Builds the player of a line of puct or mcts with a network that is not read from a file.
pub(crate) fn build_with_net<G: Playable, E: Extras<G>>(
    line: &str,
    setup: &PlayerSetup,
    net: NetSource<'_>,
) -> BuildResult {
    let line: PlayerLine = line.parse()?;
    let invalid = |error: tablero_nets::NetError| PlayerLineError::Other(error.to_string());
    check(&line, nets::kind::<G, E>().options, mcts::<G>().options)?;
    match net {
        NetSource::Weights(weights) => {
            player::<G, E, _>(&line, setup, GameNet::new(weights).map_err(invalid)?)
        }
        NetSource::Function(function) => player::<G, E, _>(&line, setup, OutsideNet(function)),
    }
}

fn player<G: Playable, E: Extras<G>, N: PolicyValue<G> + Simulation<G>>(
    line: &PlayerLine,
    setup: &PlayerSetup,
    net: N,
) -> BuildResult {
    match line.kind.as_str() {
        "puct" => puct::<G, E, N>(line, setup, net),
        _ => erased::<G>(Mcts::new(mcts_options(line, setup), net)),
    }
}

/// Checks that a line is one of puct or mcts whose network can be replaced.
fn check(
    line: &PlayerLine,
    puct: Vec<tablero_core::OptionInfo>,
    mcts: Vec<tablero_core::OptionInfo>,
) -> Result<(), PlayerLineError> {
    let replaced = ["net", "playout", "plies", "eval"];
    let mut options = match line.kind.as_str() {
        "puct" => puct,
        "mcts" => mcts,
        _ => return Err(not_replaceable(line)),
    };
    if replaced.iter().any(|option| line.option(option).is_some()) {
        return Err(not_replaceable(line));
    }
    options.retain(|option| !replaced.contains(&option.name));
    line.check(&line.kind, &options, false)
}

fn not_replaceable(line: &PlayerLine) -> PlayerLineError {
    PlayerLineError::Other(format!(
        "`{line}` cannot have a network of its own: expected a line of `puct` or `mcts` without `net`, `playout` \
         and `eval`"
    ))
}
