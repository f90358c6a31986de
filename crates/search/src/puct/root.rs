//! The root: allowed moves, Dirichlet noise, Gumbel selection, the final move, training targets.
//!
//! Gumbel AlphaZero (Danihelka et al. 2022, "Policy improvement by planning with Gumbel") considers
//! the moves with the largest `gumbel + log prior`, and halves them by `gumbel + log prior +
//! sigma(completed Q)` until one is left (sequential halving, Karnin et al. 2013). Completed Q
//! takes the mixed value estimate `v_mix` for unvisited moves. The softmax of `log prior +
//! sigma(completed Q)` is the improved policy, the target of training.

use tablero_core::{Choice, ChoiceReason, ForMover, GameHistory, GameType, Pv, Rng, Value};

use super::selection::Leaf;
use super::tree::{Edge, NodeId, SolverState, Tree};
use super::{Exploration, PuctOptions, RootSelection};
use crate::mcts::budget::Budget;

/// The constants of sigma, the transformation of Q in Gumbel AlphaZero.
const C_VISIT: f64 = 50.0;
const C_SCALE: f64 = 1.0;

/// Maximum length of a principal variation.
const MAX_PV_LENGTH: usize = 40;
/// Sequential halving schedules every simulation ahead; with more, PUCT selects.
const MAX_SCHEDULE_LENGTH: u64 = 1 << 20;

/// The root of a search.
pub(super) struct Root<G: GameType> {
    pub(super) node: NodeId,
    position: G,
    /// Priors with noise.
    pub(super) priors: Vec<f32>,
    /// The move to play for each edge; none if the caller excluded it.
    pub(super) allowed: Vec<Option<G::Move>>,
    /// Visits of each edge in this search, without those of a reused tree.
    search_visits: Vec<u32>,
    halving: Option<SequentialHalving>,
}

/// Sequential halving of the considered actions.
struct SequentialHalving {
    /// A Gumbel sample per edge; 0 without exploration.
    gumbels: Vec<f64>,
    /// For every simulation, the visit count of the moves to select from.
    considered_visits: Vec<u32>,
    /// Simulations started.
    step: usize,
}

/// Root statistics of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct RootStats<G: GameType> {
    /// Value of the position for its side to move, from -1 to 1.
    pub value: ForMover<f64>,
    /// All moves of the position.
    pub moves: Vec<RootMoveStats<G::Move>>,
}

/// Statistics of a root move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RootMoveStats<M> {
    /// The move.
    pub m: M,
    /// The network's prior, without noise.
    pub prior: f32,
    /// Visits, including those of a reused tree.
    pub visits: u32,
    /// Mean value for the player who makes the move; none if unvisited.
    pub q: Option<f64>,
    /// Probability in the improved policy of Gumbel AlphaZero. A better training target than the
    /// visit distribution when there are few simulations.
    pub improved_policy: f64,
}

impl<G: GameType> Root<G> {
    /// The current position of `game`, at `node`, with `moves` to select from.
    pub(super) fn new(
        game: &GameHistory<G>,
        moves: &[G::Move],
        node: NodeId,
        tree: &Tree<G::Move>,
        options: &PuctOptions,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Self {
        let position = game.position().clone();
        let edges = tree.edges(node);
        let allowed_move = |edge: &Edge<G::Move>| {
            if moves.contains(&edge.m) {
                return Some(edge.m);
            }
            // The tree has one of several moves to the same position, maybe not the allowed one.
            let after = position.after(edge.m);
            moves.iter().copied().find(|&m| position.after(m) == after)
        };
        let allowed: Vec<Option<G::Move>> = edges.iter().map(allowed_move).collect();
        let mut priors: Vec<f32> = edges.iter().map(|edge| edge.prior).collect();
        let in_opening = |exploration: &&Exploration| game.plies() < exploration.noise_plies;
        let noise = options.exploration.as_ref().filter(in_opening);
        let halving = match options.root_selection {
            RootSelection::Gumbel(actions) if budget.iterations < MAX_SCHEDULE_LENGTH => {
                let gumbels = priors.iter().map(|_| noise.map_or(0.0, |_| rng.gumbel()));
                let actions = actions.min(allowed.iter().flatten().count());
                let considered_visits = considered_visits(actions, budget.iterations as usize);
                Some(SequentialHalving { gumbels: gumbels.collect(), considered_visits, step: 0 })
            }
            _ => None,
        };
        if let Some(noise) = noise.filter(|_| halving.is_none()) {
            add_dirichlet_noise(&mut priors, noise, rng);
        }
        let search_visits = vec![0; priors.len()];
        Self { node, position, priors, allowed, search_visits, halving }
    }

    /// The edge that the next simulation starts with; none if no move is allowed.
    pub(super) fn select(&mut self, tree: &Tree<G::Move>, options: &PuctOptions) -> Option<usize> {
        let index = match self.select_gumbel(tree) {
            Some(index) => index,
            None => {
                let (prior, is_allowed) = (
                    |index: usize| self.priors[index],
                    |index: usize| self.allowed[index].is_some(),
                );
                tree.select(self.node, options.c_puct, options.fpu, prior, is_allowed)?
            }
        };
        self.search_visits[index] += 1;
        Some(index)
    }

    /// Reverts the last [`select`](Self::select).
    pub(super) fn unselect(&mut self, index: usize) {
        self.search_visits[index] -= 1;
        if let Some(halving) = &mut self.halving {
            halving.step -= 1;
        }
    }

    /// Whether a move is a proven win, or all are proven losses.
    pub(super) fn is_solved(&self, tree: &Tree<G::Move>) -> bool {
        let mut states = self.candidates(tree).map(|(_, edge)| tree.edge_state(edge));
        let is_won = states.clone().any(|state| matches!(state, SolverState::Loss(_)));
        is_won || states.all(|state| matches!(state, SolverState::Win(_)))
    }

    /// The allowed edges with their indices.
    fn candidates<'a>(
        &'a self,
        tree: &'a Tree<G::Move>,
    ) -> impl Iterator<Item = (usize, &'a Edge<G::Move>)> + Clone {
        let edges = tree.edges(self.node).iter().enumerate();
        edges.filter(|(index, _)| self.allowed[*index].is_some())
    }

    /// Of the moves with the scheduled visit count, the one with the largest Gumbel score.
    fn select_gumbel(&mut self, tree: &Tree<G::Move>) -> Option<usize> {
        let halving = self.halving.as_mut()?;
        halving.step += 1;
        let visits = *halving.considered_visits.get(halving.step - 1)?;
        let halving = self.halving.as_ref()?;
        let is_lost = |edge: &Edge<G::Move>| matches!(tree.edge_state(edge), SolverState::Win(_));
        let considered = self
            .candidates(tree)
            .filter(|(index, edge)| self.search_visits[*index] == visits && !is_lost(edge));
        let scores = self.gumbel_scores(tree, &halving.gumbels);
        let best = considered.max_by(|(a, _), (b, _)| scores[*a].total_cmp(&scores[*b]));
        best.map(|(index, _)| index)
    }

    /// With Gumbel selection the two parts of every edge's score: `sigma(completed Q)` and `log prior + gumbel`.
    pub(super) fn gumbel_parts(&self, tree: &Tree<G::Move>) -> Option<Vec<[f64; 2]>> {
        let gumbels = &self.halving.as_ref()?.gumbels;
        let edges = tree.edges(self.node).iter().zip(gumbels);
        let parts = edges.zip(sigma_completed_q(tree, self.node));
        Some(parts.map(|((edge, gumbel), q)| [q, log_prior(edge.prior) + gumbel]).collect())
    }

    /// `log prior + gumbel + sigma(completed Q)` of every edge.
    fn gumbel_scores(&self, tree: &Tree<G::Move>, gumbels: &[f64]) -> Vec<f64> {
        let sigma_q = sigma_completed_q(tree, self.node);
        let edges = tree.edges(self.node).iter().zip(gumbels).zip(sigma_q);
        edges.map(|((edge, gumbel), sigma_q)| log_prior(edge.prior) + gumbel + sigma_q).collect()
    }

    /// The allowed edges, the best first: proven wins, the shortest first; unproven moves, the most
    /// visited first; proven losses, the longest first.
    fn ranked_edges(&self, tree: &Tree<G::Move>) -> Vec<usize> {
        let scores =
            self.halving.as_ref().map(|halving| self.gumbel_scores(tree, &halving.gumbels));
        let rank = |index: usize| {
            let edge = &tree.edges(self.node)[index];
            let proven = match tree.edge_state(edge) {
                SolverState::Loss(plies) => (2, -i64::from(plies)),
                SolverState::Win(plies) => (0, i64::from(plies)),
                SolverState::Unknown | SolverState::Draw => (1, 0),
            };
            let (visits, score) = match &scores {
                Some(scores) => (self.search_visits[index], scores[index]),
                None => (edge.visits, edge.q().unwrap_or(-1.0)),
            };
            (proven, visits, score, edge.prior)
        };
        let mut ranked: Vec<usize> = self.candidates(tree).map(|(index, _)| index).collect();
        ranked.sort_by(|&a, &b| {
            let (a, b) = (rank(a), rank(b));
            let order = (b.0, b.1).cmp(&(a.0, a.1)).then(b.2.total_cmp(&a.2));
            order.then(b.3.total_cmp(&a.3))
        });
        ranked
    }

    /// The move to play at this ply of the game, sampled by visits or the best, and why.
    pub(super) fn final_move(
        &self,
        tree: &Tree<G::Move>,
        options: &PuctOptions,
        plies: usize,
        rng: &mut Rng,
    ) -> Option<Choice<G::Move>> {
        let ranked = self.ranked_edges(tree);
        let best = *ranked.first()?;
        let edge = |index: usize| &tree.edges(self.node)[index];
        let is_unproven = |index: usize| {
            matches!(tree.edge_state(edge(index)), SolverState::Unknown | SolverState::Draw)
        };
        let exploration = options.exploration.as_ref().filter(|exploration| {
            self.halving.is_none() && is_unproven(best) && plies < exploration.temperature_plies
        });
        let choice = |index: usize, reason| Some(Choice { m: self.allowed[index]?, reason });
        let Some(exploration) = exploration else {
            let reason = match tree.edge_state(edge(best)) {
                _ if ranked.len() == 1 => ChoiceReason::OnlyMove,
                SolverState::Loss(_) => ChoiceReason::ProvenWin,
                SolverState::Win(_) => ChoiceReason::LongestLoss,
                _ if self.halving.is_some() => ChoiceReason::SequentialHalving,
                _ => ChoiceReason::MostVisits,
            };
            return choice(best, reason);
        };
        let weight = |&index: &usize| {
            let visits = if is_unproven(index) { f64::from(edge(index).visits) } else { 0.0 };
            visits.powf(1.0 / exploration.temperature)
        };
        let weights: Vec<f64> = ranked.iter().map(weight).collect();
        let sampled = rng.weighted_index(&weights).map_or(best, |at| ranked[at]);
        choice(sampled, ChoiceReason::SampledByVisits)
    }

    /// The best `multi_pv` lines.
    pub(super) fn lines(&self, tree: &Tree<G::Move>, multi_pv: usize) -> Vec<Pv<G>> {
        let ranked = self.ranked_edges(tree).into_iter().take(multi_pv.max(1));
        ranked.map(|index| self.pv(tree, index)).collect()
    }

    /// The line of most visited moves after edge `index`.
    fn pv(&self, tree: &Tree<G::Move>, index: usize) -> Pv<G> {
        let edge = &tree.edges(self.node)[index];
        let first = self.allowed[index].unwrap_or(edge.m);
        let mut moves = vec![first];
        let mut position = self.position.after(first);
        let mut node = tree.child(tree.edge_id(self.node, index));
        // Transpositions can form cycles, so the length is limited.
        while let Some(at) = node.filter(|_| moves.len() < MAX_PV_LENGTH) {
            let edges = tree.edges(at).iter().enumerate();
            let Some((next, best)) = edges.max_by_key(|(_, edge)| edge.visits) else { break };
            if best.visits == 0 || !position.is_legal(best.m) {
                break;
            }
            moves.push(best.m);
            position.play(best.m);
            node = tree.child(tree.edge_id(at, next));
        }
        Pv { value: ForMover(edge_value::<G>(tree, edge)), moves }
    }

    /// Statistics of all moves.
    pub(super) fn stats(&self, tree: &Tree<G::Move>) -> RootStats<G> {
        let edges = tree.edges(self.node);
        let sigma_q = sigma_completed_q(tree, self.node);
        let logits = edges.iter().zip(sigma_q).map(|(edge, q)| log_prior(edge.prior) + q);
        let improved = softmax(logits.collect());
        let moves = edges.iter().zip(improved).map(|(edge, improved_policy)| RootMoveStats {
            m: edge.m,
            prior: edge.prior,
            visits: edge.visits,
            q: edge.q(),
            improved_policy,
        });
        RootStats { value: ForMover(tree.mean_value(self.node)), moves: moves.collect() }
    }
}

/// Reroots the tree at the current position of `game`; none, and an empty tree, if it is not in it.
pub(super) fn reroot<G: GameType>(
    game: &GameHistory<G>,
    tree: &mut Tree<G::Move>,
) -> Option<NodeId> {
    let position = game.position();
    let reusable = tree.find(position.key()).filter(|&node| {
        // Guards against key collisions.
        !tree.edges(node).is_empty()
            && tree.edges(node).iter().all(|edge| position.is_legal(edge.m))
    });
    if let Some(node) = reusable {
        return Some(tree.reroot(node));
    }
    tree.clear();
    None
}

/// The current position of `game` as a leaf.
pub(super) fn root_leaf<G: GameType>(game: &GameHistory<G>) -> Leaf<G> {
    let position = game.position();
    Leaf::new(position.clone(), position.key(), game.repetitions().saturating_sub(1))
}

fn add_dirichlet_noise(priors: &mut [f32], exploration: &Exploration, rng: &mut Rng) {
    let alpha = exploration.dirichlet_alpha.unwrap_or(10.0 / priors.len().max(1) as f64);
    let noise = rng.dirichlet(alpha, priors.len());
    let fraction = exploration.noise_fraction;
    for (prior, noise) in priors.iter_mut().zip(noise) {
        *prior = (1.0 - fraction) * *prior + fraction * noise as f32;
    }
}

/// `sigma(completed Q)` of every edge. Unvisited moves get `v_mix`: the network's value averaged
/// with the prior-weighted mean Q of the visited moves, by visits.
fn sigma_completed_q<M: Copy>(tree: &Tree<M>, node: NodeId) -> Vec<f64> {
    let edges = tree.edges(node);
    let visited = || edges.iter().filter_map(|edge| Some((f64::from(edge.prior), edge.q()?)));
    let (priors, sum) = visited().fold((0.0, 0.0), |(a, b), (p, q)| (a + p, b + p * q));
    let visits = f64::from(tree.visits(node));
    let weighted_q = if priors > 0.0 { visits * sum / priors } else { 0.0 };
    let weight = if priors > 0.0 { visits } else { 0.0 };
    let v_mix = (f64::from(tree.value(node)) + weighted_q) / (1.0 + weight);
    let max_visits = edges.iter().map(|edge| edge.visits).max().unwrap_or(0);
    let scale = C_SCALE * (C_VISIT + f64::from(max_visits));
    let completed_q = |edge: &Edge<M>| match tree.edge_state(edge) {
        SolverState::Loss(_) => 1.0,
        SolverState::Win(_) => -1.0,
        SolverState::Unknown | SolverState::Draw => edge.q().unwrap_or(v_mix),
    };
    edges.iter().map(|edge| scale * (completed_q(edge) + 1.0) / 2.0).collect()
}

fn log_prior(prior: f32) -> f64 {
    f64::from(prior.max(1e-12)).ln()
}

fn softmax(mut logits: Vec<f64>) -> Vec<f64> {
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logits.iter_mut().for_each(|logit| *logit = (*logit - max).exp());
    let sum: f64 = logits.iter().sum();
    logits.iter_mut().for_each(|logit| *logit /= sum);
    logits
}

fn edge_value<G: GameType>(tree: &Tree<G::Move>, edge: &Edge<G::Move>) -> Value {
    match tree.edge_state(edge) {
        SolverState::Loss(plies) if G::MARGIN.is_none() => Value::WinIn((plies + 1).div_ceil(2)),
        SolverState::Win(plies) if G::MARGIN.is_none() => Value::LossIn((plies + 1).div_ceil(2)),
        SolverState::Loss(_) => Value::Centi(100),
        SolverState::Win(_) => Value::Centi(-100),
        SolverState::Unknown | SolverState::Draw => {
            Value::Centi((100.0 * edge.q().unwrap_or(0.0)).round() as i32)
        }
    }
}

/// The sequence of considered visits, as in DeepMind's mctx: for each simulation, the visit count
/// of the moves to select from, so that `actions` moves get equal visits, then half of them, and so
/// on down to two.
fn considered_visits(actions: usize, simulations: usize) -> Vec<u32> {
    if actions <= 1 {
        return (0..simulations as u32).collect();
    }
    let rounds = actions.ilog2() as usize + usize::from(!actions.is_power_of_two());
    let mut sequence = Vec::with_capacity(simulations);
    let (mut considered, mut visits) = (actions, 0);
    while sequence.len() < simulations {
        for _ in 0..(simulations / (rounds * considered)).max(1) {
            sequence.extend(std::iter::repeat_n(visits, considered));
            visits += 1;
        }
        considered = (considered / 2).max(2);
    }
    sequence.truncate(simulations);
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn considered_visits_match_hand_computed_sequences() {
        // 16 simulations of 4 moves in 2 rounds: 4 moves twice, then 2 moves four times.
        let expected = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
        assert_eq!(considered_visits(4, 16), expected);
        assert_eq!(considered_visits(1, 3), [0, 1, 2]);
        assert_eq!(considered_visits(16, 2), [0, 0]);
        assert_eq!(considered_visits(3, 7), [0, 0, 0, 1, 1, 2, 2]);
        assert!(considered_visits(4, 0).is_empty());
    }
}
