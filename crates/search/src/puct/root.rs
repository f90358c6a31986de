//! The position to move in: which moves may be chosen, noise, Gumbel, and the final choice.

use tablero_core::{ForMover, GameType, Line, Match, Rng, Value};

use super::descent::Leaf;
use super::tree::{Edge, NodeId, Proof, Tree};
use super::{Exploration, PolicyValue, PuctOptions, RootSelection};
use crate::mcts::budget::Budget;

/// Visits that are added before values are weighed against priors, and the weight (`c_visit` and
/// `c_scale` of Gumbel AlphaZero).
const VISITS_TO_BEGIN_WITH: f64 = 50.0;
const VALUE_SCALE: f64 = 1.0;

/// The position to move in.
pub(super) struct Root<G: GameType> {
    pub(super) node: NodeId,
    position: G,
    /// Priors with noise.
    priors: Vec<f32>,
    /// The moves that may be chosen, by the number of the edge that leads to the same.
    choices: Vec<Option<G::Move>>,
    /// How often each edge was tried in this decision.
    tries: Vec<u32>,
    halving: Option<Halving>,
}

/// Sequential halving.
struct Halving {
    /// For every edge the chance that comes to its prior.
    gumbels: Vec<f64>,
    /// For every simulation how often the move to try next has been tried.
    schedule: Vec<u32>,
    /// How many simulations were begun.
    begun: usize,
}

/// What a decision knew about its position.
#[derive(Clone, PartialEq, Debug)]
pub struct RootView<G: GameType> {
    /// What the position is worth to its mover after the search, from -1 to 1.
    pub value: ForMover<f64>,
    /// All moves of the position.
    pub moves: Vec<RootMove<G::Move>>,
}

/// What a decision knew about one move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RootMove<M> {
    /// The move.
    pub m: M,
    /// How good it looked to the network, without noise.
    pub prior: f32,
    /// How often it was tried, earlier decisions included.
    pub visits: u32,
    /// The mean result for the player who makes it; none if it was never tried.
    pub mean: Option<f64>,
    /// How likely to play it the network should learn to be: the prior, changed by what the search found
    /// out about values. Better than the share of visits if there are few of them.
    pub improved: f64,
}

impl<G: GameType> Root<G> {
    /// The present position of `game`, with only `moves` to choose from. What else the tree knows is
    /// dropped.
    pub(super) fn new<J: PolicyValue<G>>(
        game: &Match<G>,
        moves: &[G::Move],
        tree: &mut Tree<G::Move>,
        judge: &mut J,
        options: &PuctOptions,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Self {
        let position = game.position().clone();
        let node = find_or_add(game, tree, judge);
        let edges = tree.edges(node);
        let choice = |edge: &Edge<G::Move>| {
            if moves.contains(&edge.m) {
                return Some(edge.m);
            }
            // Of moves that lead to the same the tree has only one, which may not be among those asked for.
            let after = position.after(edge.m);
            moves.iter().copied().find(|&m| position.after(m) == after)
        };
        let choices: Vec<Option<G::Move>> = edges.iter().map(choice).collect();
        let mut priors: Vec<f32> = edges.iter().map(|edge| edge.prior).collect();
        let is_few = |exploration: &&Exploration| game.plies() / 2 < exploration.noisy_moves;
        let noise = options.exploration.as_ref().filter(is_few);
        let halving = match options.selection {
            RootSelection::Halving(most) if budget.iterations < MOST_HALVED => {
                let gumbels = priors.iter().map(|_| noise.map_or(0.0, |_| rng.gumbel()));
                let considered = most.min(choices.iter().flatten().count());
                let schedule = schedule(considered, budget.iterations as usize);
                Some(Halving { gumbels: gumbels.collect(), schedule, begun: 0 })
            }
            _ => None,
        };
        if let Some(noise) = noise.filter(|_| halving.is_none()) {
            mix_noise(&mut priors, noise, rng);
        }
        let tries = vec![0; priors.len()];
        Self { node, position, priors, choices, tries, halving }
    }

    /// The number of the edge that the next simulation begins with; none if there is nothing to find
    /// out any more.
    pub(super) fn next(&mut self, tree: &Tree<G::Move>, options: &PuctOptions) -> Option<usize> {
        let index = match self.halving_next(tree) {
            Some(index) => index,
            None => {
                let (prior, may) = (
                    |index: usize| self.priors[index],
                    |index: usize| self.choices[index].is_some(),
                );
                tree.select(self.node, options.c, options.untried, prior, may)?
            }
        };
        self.tries[index] += 1;
        Some(index)
    }

    /// Takes the last [`next`](Self::next) back.
    pub(super) fn undo(&mut self, index: usize) {
        self.tries[index] -= 1;
        if let Some(halving) = &mut self.halving {
            halving.begun -= 1;
        }
    }

    /// Whether one of the choices is proven to win, or all are proven to lose.
    pub(super) fn is_decided(&self, tree: &Tree<G::Move>) -> bool {
        let mut proofs = self.open(tree).map(|(_, edge)| tree.proof_of(edge));
        let is_won = proofs.clone().any(|proof| matches!(proof, Proof::Loss(_)));
        is_won || proofs.all(|proof| matches!(proof, Proof::Win(_)))
    }

    /// The edges that may be chosen, with their numbers.
    fn open<'a>(
        &'a self,
        tree: &'a Tree<G::Move>,
    ) -> impl Iterator<Item = (usize, &'a Edge<G::Move>)> + Clone {
        let edges = tree.edges(self.node).iter().enumerate();
        edges.filter(|(index, _)| self.choices[*index].is_some())
    }

    fn halving_next(&mut self, tree: &Tree<G::Move>) -> Option<usize> {
        let halving = self.halving.as_mut()?;
        halving.begun += 1;
        let wanted = *halving.schedule.get(halving.begun - 1)?;
        let halving = self.halving.as_ref()?;
        let lost = |edge: &Edge<G::Move>| matches!(tree.proof_of(edge), Proof::Win(_));
        let ready =
            self.open(tree).filter(|(index, edge)| self.tries[*index] == wanted && !lost(edge));
        let scores = self.scores(tree, &halving.gumbels);
        let best = ready.max_by(|(a, _), (b, _)| scores[*a].total_cmp(&scores[*b]));
        best.map(|(index, _)| index)
    }

    /// For every edge the logarithm of its prior, its chance, and what its value weighs.
    fn scores(&self, tree: &Tree<G::Move>, gumbels: &[f64]) -> Vec<f64> {
        let weighed = weighed_values(tree, self.node);
        let edges = tree.edges(self.node).iter().zip(gumbels).zip(weighed);
        edges.map(|((edge, gumbel), weighed)| logit(edge.prior) + gumbel + weighed).collect()
    }

    /// The numbers of the edges that may be chosen, the best first: proven wins, the quickest first; what is
    /// open, the most tried first; proven losses, the longest first.
    fn ranked(&self, tree: &Tree<G::Move>) -> Vec<usize> {
        let scores = self.halving.as_ref().map(|halving| self.scores(tree, &halving.gumbels));
        let rank = |index: usize| {
            let edge = &tree.edges(self.node)[index];
            let proven = match tree.proof_of(edge) {
                Proof::Loss(plies) => (2, -i64::from(plies)),
                Proof::Win(plies) => (0, i64::from(plies)),
                Proof::None | Proof::Drawn => (1, 0),
            };
            let (visits, then) = match &scores {
                Some(scores) => (self.tries[index], scores[index]),
                None => (edge.visits, edge.mean().unwrap_or(-1.0)),
            };
            (proven, visits, then, edge.prior)
        };
        let mut open: Vec<usize> = self.open(tree).map(|(index, _)| index).collect();
        open.sort_by(|&a, &b| {
            let (a, b) = (rank(a), rank(b));
            let order = (b.0, b.1).cmp(&(a.0, a.1)).then(b.2.total_cmp(&a.2));
            order.then(b.3.total_cmp(&a.3))
        });
        open
    }

    /// The move to play after `plies` plies; none if nothing is known.
    pub(super) fn choice(
        &self,
        tree: &Tree<G::Move>,
        options: &PuctOptions,
        plies: usize,
        rng: &mut Rng,
    ) -> Option<G::Move> {
        let ranked = self.ranked(tree);
        let best = *ranked.first()?;
        let edge = |index: usize| &tree.edges(self.node)[index];
        let is_open =
            |index: usize| matches!(tree.proof_of(edge(index)), Proof::None | Proof::Drawn);
        let exploration = options.exploration.as_ref().filter(|exploration| {
            self.halving.is_none() && is_open(best) && plies / 2 < exploration.sampled_moves
        });
        let Some(exploration) = exploration else { return self.choices[best] };
        let weight = |&index: &usize| {
            let visits = if is_open(index) { f64::from(edge(index).visits) } else { 0.0 };
            visits.powf(1.0 / exploration.temperature)
        };
        let weights: Vec<f64> = ranked.iter().map(weight).collect();
        let sampled = rng.weighted_index(&weights).map_or(best, |place| ranked[place]);
        self.choices[sampled]
    }

    /// The best lines.
    pub(super) fn lines(&self, tree: &Tree<G::Move>, count: usize) -> Vec<Line<G>> {
        let ranked = self.ranked(tree).into_iter().take(count.max(1));
        ranked.map(|index| self.line(tree, index)).collect()
    }

    fn line(&self, tree: &Tree<G::Move>, index: usize) -> Line<G> {
        let edge = &tree.edges(self.node)[index];
        let first = self.choices[index].unwrap_or(edge.m);
        let mut moves = vec![first];
        let mut position = self.position.after(first);
        let mut node = tree.child(tree.edge_id(self.node, index));
        // A line goes on while something was tried; positions can come again, so it has an end.
        while let Some(at) = node.filter(|_| moves.len() < LONGEST_LINE) {
            let edges = tree.edges(at).iter().enumerate();
            let Some((next, best)) = edges.max_by_key(|(_, edge)| edge.visits) else { break };
            if best.visits == 0 || !position.is_legal(best.m) {
                break;
            }
            moves.push(best.m);
            position.play(best.m);
            node = tree.child(tree.edge_id(at, next));
        }
        Line { value: ForMover(value_of::<G>(tree, edge)), moves }
    }

    /// What is known about all moves.
    pub(super) fn view(&self, tree: &Tree<G::Move>) -> RootView<G> {
        let edges = tree.edges(self.node);
        let weighed = weighed_values(tree, self.node);
        let scores = edges.iter().zip(weighed).map(|(edge, weighed)| logit(edge.prior) + weighed);
        let improved = softmax(scores.collect());
        let moves = edges.iter().zip(improved).map(|(edge, improved)| RootMove {
            m: edge.m,
            prior: edge.prior,
            visits: edge.visits,
            mean: edge.mean(),
            improved,
        });
        RootView { value: ForMover(tree.mean(self.node)), moves: moves.collect() }
    }
}

/// No line that is shown is longer.
const LONGEST_LINE: usize = 40;
/// Halving needs to know the number of simulations, and a list as long.
const MOST_HALVED: u64 = 1 << 20;

fn find_or_add<G: GameType, J: PolicyValue<G>>(
    game: &Match<G>,
    tree: &mut Tree<G::Move>,
    judge: &mut J,
) -> NodeId {
    let position = game.position();
    let key = position.key();
    let known = tree.find(key).filter(|&node| {
        // The same key of another position would be a rare accident, but must not do harm.
        !tree.edges(node).is_empty()
            && tree.edges(node).iter().all(|edge| position.is_legal(edge.m))
    });
    if let Some(node) = known {
        return tree.keep_only(node);
    }
    tree.clear();
    let mut leaf = Leaf::new(position.clone(), key, game.repetitions().saturating_sub(1));
    leaf.ask(judge);
    tree.add(key, &leaf.moves, &leaf.priors, leaf.value)
}

fn mix_noise(priors: &mut [f32], exploration: &Exploration, rng: &mut Rng) {
    let alpha = exploration.alpha.unwrap_or(10.0 / priors.len().max(1) as f64);
    let noise = rng.dirichlet(alpha, priors.len());
    for (prior, noise) in priors.iter_mut().zip(noise) {
        *prior = (1.0 - exploration.share) * *prior + exploration.share * noise as f32;
    }
}

/// For every edge of a node what its value weighs against the logarithm of its prior. A move that was
/// never tried is taken to be worth what the position is: the judge's word and, as often as there were
/// tries, the mean of what was tried, weighed by priors.
fn weighed_values<M: Copy>(tree: &Tree<M>, node: NodeId) -> Vec<f64> {
    let edges = tree.edges(node);
    let tried = || edges.iter().filter_map(|edge| Some((f64::from(edge.prior), edge.mean()?)));
    let (priors, sum) = tried().fold((0.0, 0.0), |(a, b), (p, q)| (a + p, b + p * q));
    let visits = f64::from(tree.visits(node));
    let seen = if priors > 0.0 { visits * sum / priors } else { 0.0 };
    let counted = if priors > 0.0 { visits } else { 0.0 };
    let mixed = (f64::from(tree.value(node)) + seen) / (1.0 + counted);
    let most = edges.iter().map(|edge| edge.visits).max().unwrap_or(0);
    let scale = VALUE_SCALE * (VISITS_TO_BEGIN_WITH + f64::from(most));
    let worth = |edge: &Edge<M>| match tree.proof_of(edge) {
        Proof::Loss(_) => 1.0,
        Proof::Win(_) => -1.0,
        Proof::None | Proof::Drawn => edge.mean().unwrap_or(mixed),
    };
    edges.iter().map(|edge| scale * (worth(edge) + 1.0) / 2.0).collect()
}

fn logit(prior: f32) -> f64 {
    f64::from(prior.max(1e-12)).ln()
}

fn softmax(mut scores: Vec<f64>) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - most).exp());
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    scores
}

fn value_of<G: GameType>(tree: &Tree<G::Move>, edge: &Edge<G::Move>) -> Value {
    match tree.proof_of(edge) {
        Proof::Loss(plies) if G::MARGIN.is_none() => Value::WinIn((plies + 1).div_ceil(2)),
        Proof::Win(plies) if G::MARGIN.is_none() => Value::LossIn((plies + 1).div_ceil(2)),
        Proof::Loss(_) => Value::Hundredths(100),
        Proof::Win(_) => Value::Hundredths(-100),
        Proof::None | Proof::Drawn => {
            Value::Hundredths((100.0 * edge.mean().unwrap_or(0.0)).round() as i32)
        }
    }
}

/// For each of `simulations` how often the move to try has been tried before, so that `moves` moves get
/// the same number, then half of them, and so on down to two.
fn schedule(moves: usize, simulations: usize) -> Vec<u32> {
    if moves <= 1 {
        return (0..simulations as u32).collect();
    }
    let rounds = moves.ilog2() as usize + usize::from(!moves.is_power_of_two());
    let mut schedule = Vec::with_capacity(simulations);
    let (mut left, mut tries) = (moves, 0);
    while schedule.len() < simulations {
        for _ in 0..(simulations / (rounds * left)).max(1) {
            schedule.extend(std::iter::repeat_n(tries, left));
            tries += 1;
        }
        left = (left / 2).max(2);
    }
    schedule.truncate(simulations);
    schedule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_by_hand() {
        // 16 simulations of 4 moves in 2 rounds: 4 moves twice, then 2 moves four times.
        let expected = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
        assert_eq!(schedule(4, 16), expected);
        assert_eq!(schedule(1, 3), [0, 1, 2]);
        assert_eq!(schedule(16, 2), [0, 0]);
        assert_eq!(schedule(3, 7), [0, 0, 0, 1, 1, 2, 2]);
        assert!(schedule(4, 0).is_empty());
    }
}
