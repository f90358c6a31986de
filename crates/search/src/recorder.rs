//! Records the tree of a depth-first search, in bounded memory.
//!
//! The search reports what it does as it does it: it enters and leaves nodes, cuts off, prunes. When there are too many
//! nodes, first the trees of old iterations are dropped, then the deepest levels; nodes below are still counted.

use tablero_core::{
    Choice, ChoiceReason, Cut, DepthFirstNode, FullWidth, GameHistory, GameType, Iteration, Leaf,
    Numbers, Purpose, SearchTree, TreeNode, TreeStep, TreeSummary, Value,
};

use crate::repetition::RepetitionHistory;
use crate::score;

/// Ranks of cutoff moves that are counted one by one.
const RANKS: usize = 16;
/// Levels that are always recorded: the root, iterations, root moves.
const MIN_PLY: usize = 2;

/// All rules, in the order of their numbers.
const CUTS: [Cut; 14] = [
    Cut::Beta,
    Cut::TranspositionTable,
    Cut::MateDistance,
    Cut::Razoring,
    Cut::ReverseFutility,
    Cut::NullMove,
    Cut::ProbCut,
    Cut::MultiCut,
    Cut::StandPat,
    Cut::LateMove,
    Cut::Futility,
    Cut::Exchange,
    Cut::Delta,
    Cut::Dropout,
];

/// Records a depth-first search. Its methods are cold: an unrecorded search pays for a branch each.
pub(crate) struct Recorder<M> {
    max_nodes: usize,
    nodes: Vec<TreeNode<M>>,
    /// The nodes from the root to the current one.
    open: Vec<OpenNode>,
    /// Nodes deeper than this are not recorded.
    max_ply: usize,
    is_cut: bool,
    tree_nodes: u64,
    iterations: Vec<Iteration<M>>,
    cuts: [u64; CUTS.len()],
    cutoff_ranks: [u64; RANKS],
    to_value: fn(i32) -> Value,
}

/// A node being searched.
struct OpenNode {
    /// None if it is not recorded.
    id: Option<u32>,
    /// Nodes searched before it.
    nodes_before: u64,
    has_children: bool,
}

/// What is known when a node is entered. Window and value are those of the search: for the side to move there.
pub(crate) struct Entry<M> {
    pub(crate) step: TreeStep<M>,
    pub(crate) purpose: Purpose,
    pub(crate) depth: i32,
    pub(crate) reduction: i32,
    pub(crate) window: [i32; 2],
}

impl<M: Copy + PartialEq> Recorder<M> {
    /// For a search from the current position of a game of type `G`.
    pub(crate) fn new<G: GameType>(max_nodes: usize) -> Self {
        let mut recorder = Self {
            max_nodes: max_nodes.max(MIN_NODES),
            nodes: Vec::new(),
            open: Vec::new(),
            max_ply: usize::MAX,
            is_cut: false,
            tree_nodes: 0,
            iterations: Vec::new(),
            cuts: [0; CUTS.len()],
            cutoff_ranks: [0; RANKS],
            to_value: |value| score::to_value::<G>(value).0,
        };
        let window = [-score::INFINITE, score::INFINITE];
        recorder.enter(
            Entry { step: TreeStep::Stay, purpose: Purpose::Root, depth: 0, reduction: 0, window },
            0,
        );
        recorder
    }

    /// Enters a child of the current node; `nodes` are those searched before.
    #[cold]
    #[inline(never)]
    pub(crate) fn enter(&mut self, entry: Entry<M>, nodes: u64) {
        let purpose = entry.purpose;
        self.tree_nodes += 1;
        if let Some(parent) = self.open.last_mut() {
            parent.has_children = true;
        }
        let id = self.add(entry.step, |recorder| DepthFirstNode {
            purpose,
            depth: entry.depth,
            reduction: entry.reduction,
            window: recorder.window(entry.window, purpose),
            ..DepthFirstNode::default()
        });
        self.open.push(OpenNode { id, nodes_before: nodes, has_children: false });
    }

    /// Leaves the current node with this value, none if the search was stopped; `nodes` are those searched so
    /// far.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave(&mut self, value: Option<i32>, nodes: u64) {
        let Some(open) = self.open.pop() else { return };
        let to_value = self.to_value;
        let Some(node) = self.node_mut(open.id) else { return };
        node.value = value.map(|value| to_value(from_parent(value, node.purpose)));
        node.nodes = nodes - open.nodes_before;
        if !open.has_children && node.cut.is_none() && value.is_some() {
            node.leaf.get_or_insert(Leaf::Horizon);
        }
    }

    /// The current node is cut off by this rule.
    #[cold]
    #[inline(never)]
    pub(crate) fn cut(&mut self, cut: Cut) {
        self.cuts[cut as usize] += 1;
        if let Some(node) = self.current() {
            node.cut = Some(cut);
        }
    }

    /// A move of the current node reaches beta; `rank` is its place in the order, from 1.
    #[cold]
    #[inline(never)]
    pub(crate) fn beta_cutoff(&mut self, rank: usize) {
        self.cutoff_ranks[rank.clamp(1, RANKS) - 1] += 1;
        self.cut(Cut::Beta);
    }

    /// A move of the current node is pruned.
    #[cold]
    #[inline(never)]
    pub(crate) fn prune(&mut self, m: M, cut: Cut) {
        self.cuts[cut as usize] += 1;
        if let Some(parent) = self.open.last_mut() {
            parent.has_children = true;
        }
        self.tree_nodes += 1;
        self.add(TreeStep::Move(m), |_| DepthFirstNode {
            purpose: Purpose::Pruned,
            cut: Some(cut),
            ..DepthFirstNode::default()
        });
    }

    /// The current node ends the line.
    #[cold]
    #[inline(never)]
    pub(crate) fn leaf(&mut self, leaf: Leaf) {
        if let Some(node) = self.current() {
            node.leaf = Some(leaf);
        }
    }

    /// The moves of the current node were generated.
    #[cold]
    #[inline(never)]
    pub(crate) fn moves(&mut self, count: usize) {
        if let Some(node) = self.current() {
            node.moves = Some(count as u32);
        }
    }

    /// The best move of the current node so far, by its place in the order from 1.
    #[cold]
    #[inline(never)]
    pub(crate) fn best(&mut self, rank: usize) {
        if let Some(node) = self.current() {
            node.best_rank = Some(rank as u32);
        }
    }

    /// The static evaluation of the current node, for its side to move.
    #[cold]
    #[inline(never)]
    pub(crate) fn static_eval(&mut self, value: i32) {
        let to_value = self.to_value;
        if let Some(node) = self.current() {
            node.static_eval = Some(to_value(from_parent(value, node.purpose)));
        }
    }

    /// Begins an iteration, its repetition with another window, or its next line (`pv_index`, multi-PV).
    #[cold]
    #[inline(never)]
    pub(crate) fn enter_iteration(
        &mut self,
        depth: u32,
        pv_index: usize,
        window: [i32; 2],
        nodes: u64,
    ) {
        match self.iterations.last_mut().filter(|iteration| iteration.depth == depth) {
            Some(iteration) => iteration.researches += u32::from(pv_index == 0),
            None => {
                self.iterations.push(Iteration { depth, nodes: 0, best: None, researches: 0 });
            }
        }
        let purpose = Purpose::Iteration;
        let entry =
            Entry { step: TreeStep::Stay, purpose, depth: depth as i32, reduction: 0, window };
        self.enter(entry, nodes);
    }

    /// Ends it with its best move; none if it was stopped.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave_iteration(&mut self, pv_index: usize, best: Option<(M, i32)>, nodes: u64) {
        let before = self.open.last().map_or(nodes, |open| open.nodes_before);
        let best = best.map(|(m, value)| (m, (self.to_value)(value)));
        if let Some(iteration) = self.iterations.last_mut() {
            iteration.nodes += nodes - before;
            if pv_index == 0 {
                iteration.best = best;
            }
        }
        if let Some((m, _)) = best {
            let rank = self.rank_of(m);
            if let Some(node) = self.current() {
                node.best_rank = rank;
            }
        }
        let id = self.open.last().and_then(|open| open.id);
        self.leave(None, nodes);
        if let Some(node) = self.node_mut(id) {
            node.value = best.map(|(_, value)| value);
        }
    }

    /// The tree, of a search of `nodes` nodes that chose `m` with this value.
    pub(crate) fn finish(
        mut self,
        search: &'static str,
        (m, reason): (M, ChoiceReason),
        value: Option<Value>,
        nodes: u64,
        full_width: Option<FullWidth>,
    ) -> SearchTree<M> {
        while !self.open.is_empty() {
            self.leave(None, nodes);
        }
        if let Some(root) = self.node_mut(Some(0)) {
            root.value = value;
        }
        let cuts = CUTS.into_iter().map(|cut| (cut, self.cuts[cut as usize]));
        let ranks = self.cutoff_ranks.iter().rposition(|&count| count > 0).map_or(0, |at| at + 1);
        let summary = TreeSummary {
            searched: nodes,
            tree_nodes: self.tree_nodes,
            max_ply: self.is_cut.then_some(self.max_ply as u32),
            iterations: self.iterations,
            cuts: cuts.filter(|(_, count)| *count > 0).collect(),
            cutoff_ranks: self.cutoff_ranks[..ranks].to_vec(),
            full_width,
            ..TreeSummary::default()
        };
        SearchTree { search, nodes: self.nodes, choice: Choice { m, reason }, summary }
    }

    /// Adds a child of the current node, unless it is too deep.
    fn add(
        &mut self,
        step: TreeStep<M>,
        node: impl FnOnce(&Self) -> DepthFirstNode,
    ) -> Option<u32> {
        if self.nodes.len() >= self.max_nodes {
            self.shrink();
        }
        let parent = self.open.last().map_or(Some(0), |open| open.id)?;
        // The fixed levels alone may exceed the limit, but not by much.
        if self.open.len() > self.max_ply || self.nodes.len() >= 2 * self.max_nodes {
            return None;
        }
        let numbers = Numbers::DepthFirst(Box::new(node(self)));
        self.nodes.push(TreeNode { parent, step, numbers });
        Some(self.nodes.len() as u32 - 1)
    }

    /// Drops the trees of all iterations but the last two, or the deepest levels.
    fn shrink(&mut self) {
        self.is_cut = true;
        let plies = self.plies();
        let last = self.iterations.last().map_or(0, |iteration| iteration.depth as i32);
        let is_old = |node: &TreeNode<M>| {
            let Numbers::DepthFirst(node) = &node.numbers else { return false };
            node.purpose == Purpose::Iteration && node.depth < last - 1
        };
        // A dropped iteration keeps its own node.
        let mut old = vec![false; self.nodes.len()];
        for id in 1..self.nodes.len() {
            let parent = self.nodes[id].parent as usize;
            old[id] = old[parent] || is_old(&self.nodes[parent]);
        }
        if old.iter().filter(|&&old| old).count() < self.max_nodes / 4 {
            let deepest = plies.iter().copied().max().unwrap_or(0);
            let mut counts = vec![0; deepest + 1];
            plies.iter().for_each(|&ply| counts[ply] += 1);
            let mut kept = 0;
            let fits = counts.iter().take_while(|&&count| {
                kept += count;
                kept <= self.max_nodes / 2
            });
            self.max_ply = fits.count().saturating_sub(1).max(MIN_PLY).min(self.max_ply);
        }
        let max_ply = self.max_ply;
        self.retain(|id| !old[id] && plies[id] <= max_ply);
    }

    /// Keeps some nodes, with each its parent.
    fn retain(&mut self, keeps: impl Fn(usize) -> bool) {
        let mut new_ids: Vec<Option<u32>> = Vec::with_capacity(self.nodes.len());
        let mut count = 0;
        for id in 0..self.nodes.len() {
            let new_id = keeps(id).then_some(count);
            count += u32::from(new_id.is_some());
            new_ids.push(new_id);
        }
        let mut id = 0;
        self.nodes.retain_mut(|node| {
            node.parent = new_ids[node.parent as usize].unwrap_or(0);
            id += 1;
            new_ids[id - 1].is_some()
        });
        for open in &mut self.open {
            open.id = open.id.and_then(|id| new_ids[id as usize]);
        }
    }

    /// Distance of every node from the root.
    fn plies(&self) -> Vec<usize> {
        let mut plies: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for (id, node) in self.nodes.iter().enumerate() {
            plies.push(if id == 0 { 0 } else { plies[node.parent as usize] + 1 });
        }
        plies
    }

    /// The place of a move among the children of the current node, from 1.
    fn rank_of(&self, m: M) -> Option<u32> {
        let parent = self.open.last()?.id?;
        let children = self.nodes.iter().skip(1).filter(|node| node.parent == parent);
        let mut moves: Vec<M> = Vec::new();
        for child in children {
            if let TreeStep::Move(child) = child.step
                && !moves.contains(&child)
            {
                moves.push(child);
            }
        }
        moves.iter().position(|&child| child == m).map(|at| at as u32 + 1)
    }

    fn current(&mut self) -> Option<&mut DepthFirstNode> {
        let id = self.open.last()?.id;
        self.node_mut(id)
    }

    fn node_mut(&mut self, id: Option<u32>) -> Option<&mut DepthFirstNode> {
        match &mut self.nodes.get_mut(id? as usize)?.numbers {
            Numbers::DepthFirst(node) => Some(node),
            Numbers::BestFirst(_) => None,
        }
    }

    /// A window of the search from the point of view of the node's mover.
    fn window(&self, [alpha, beta]: [i32; 2], purpose: Purpose) -> [Option<Value>; 2] {
        let (alpha, beta) = if is_for_mover(purpose) { (alpha, beta) } else { (-beta, -alpha) };
        let bound = |value: i32| {
            let is_finite = value.abs() < score::INFINITE;
            is_finite.then(|| (self.to_value)(value))
        };
        [bound(alpha), bound(beta)]
    }
}

/// The least number of nodes.
const MIN_NODES: usize = 100;

/// Whether a node's values are for the side to move there: at the root and in its iterations.
const fn is_for_mover(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Root | Purpose::Iteration)
}

/// A value for the side to move, for the side that moved to the node.
const fn from_parent(value: i32, purpose: Purpose) -> i32 {
    if is_for_mover(purpose) { value } else { -value }
}

/// Counts at most this many nodes of the full tree.
const MAX_COUNTED: u64 = 2_000_000;

/// The nodes that full-width minimax visits to `depth`, counted or, if there are too many, extrapolated by
/// the growth of the last levels.
pub(crate) fn full_width<G: GameType>(
    game: &GameHistory<G>,
    searchmoves: Option<&[G::Move]>,
    depth: u32,
    is_stopped: &dyn Fn() -> bool,
) -> Option<FullWidth> {
    if depth == 0 {
        return None;
    }
    let mut count = LevelCount {
        repetition: RepetitionHistory::new(game),
        levels: Vec::new(),
        left: MAX_COUNTED,
        searchmoves,
        is_stopped,
    };
    // Iterative deepening, so that counts of complete levels are known when the budget ends.
    let mut complete: Vec<u64> = Vec::new();
    for limit in 1..=depth {
        count.levels = vec![0; limit as usize];
        if !count.visit(game.position(), 0, limit as usize) {
            break;
        }
        complete.clone_from(&count.levels);
    }
    let counted = complete.len() as u32;
    let nodes: u64 = complete.iter().sum();
    if counted == depth || complete.last() == Some(&0) {
        return Some(FullWidth { depth, nodes, is_estimate: false });
    }
    let last = *complete.last()? as f64;
    // Levels of both sides differ: the mean growth over two.
    let growth = match complete.len() {
        1 => last,
        2 => last / complete[0] as f64,
        levels => (last / complete[levels - 3] as f64).sqrt(),
    };
    let levels = (1..=depth - counted).map(|level| last * growth.powi(level as i32));
    let estimate = nodes as f64 + levels.sum::<f64>();
    // Two digits are all that such an estimate deserves.
    let unit = 10f64.powf(estimate.log10().floor() - 1.0).max(1.0);
    let nodes = ((estimate / unit).round() * unit) as u64;
    Some(FullWidth { depth, nodes, is_estimate: true })
}

struct LevelCount<'a, G: GameType> {
    repetition: RepetitionHistory<G>,
    levels: Vec<u64>,
    left: u64,
    searchmoves: Option<&'a [G::Move]>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl<G: GameType> LevelCount<'_, G> {
    /// Counts the nodes below `position`; false if there are too many.
    fn visit(&mut self, position: &G, ply: usize, depth: usize) -> bool {
        let mut moves = Vec::new();
        position.each_move(|m| moves.push(m));
        if ply == 0
            && let Some(searchmoves) = self.searchmoves
        {
            moves.retain(|m| searchmoves.contains(m));
        }
        self.levels[ply] += moves.len() as u64;
        let Some(left) = self.left.checked_sub(moves.len() as u64) else { return false };
        self.left = left;
        if ply + 1 == depth {
            return !(self.is_stopped)();
        }
        for m in moves {
            let child = position.after(m);
            let key = child.key();
            if child.outcome().is_some()
                || self.repetition.draw_score(&child, key, ply + 1).is_some()
            {
                continue;
            }
            self.repetition.push(key);
            let is_complete = self.visit(&child, ply + 1, depth);
            self.repetition.pop();
            if !is_complete {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(m: u8, depth: i32) -> Entry<u8> {
        let window = [-score::INFINITE, 50];
        Entry { step: TreeStep::Move(m), purpose: Purpose::Full, depth, reduction: 0, window }
    }

    /// Visits a full tree; returns the nodes.
    fn visit(recorder: &mut Recorder<u8>, depth: i32, nodes: &mut u64) {
        for m in 0..10 {
            recorder.enter(entry(m, depth), *nodes);
            *nodes += 1;
            if depth > 0 {
                visit(recorder, depth - 1, nodes);
            }
            recorder.leave(Some(7), *nodes);
        }
    }

    #[test]
    fn a_large_tree_loses_old_iterations_and_deep_levels() {
        let mut recorder = Recorder::<u8>::new::<tablero_tictactoe::TicTacToe>(500);
        let mut nodes = 0;
        for depth in 1..=4 {
            recorder.enter_iteration(depth, 0, [-score::INFINITE, score::INFINITE], nodes);
            visit(&mut recorder, depth as i32 - 1, &mut nodes);
            recorder.leave_iteration(0, Some((3, 7)), nodes);
        }
        let choice = (3, ChoiceReason::LargestValue);
        let tree = recorder.finish("alphabeta", choice, Some(Value::Centi(7)), nodes, None);
        assert_eq!(nodes, 10 + 110 + 1110 + 11_110);
        assert!(tree.nodes.len() <= 500, "{}", tree.nodes.len());
        assert_eq!(tree.summary.max_ply, Some(3));
        assert_eq!(tree.summary.tree_nodes, nodes + 5, "root and iterations");
        let counts: Vec<u64> =
            tree.summary.iterations.iter().map(|iteration| iteration.nodes).collect();
        assert_eq!(counts, [10, 110, 1110, 11_110]);
        let numbers = |node: &TreeNode<u8>| match &node.numbers {
            Numbers::DepthFirst(node) => (**node).clone(),
            Numbers::BestFirst(_) => unreachable!(),
        };
        let children = tree.children();
        let of_iteration = |depth: i32| {
            let is_it =
                |node: &DepthFirstNode| node.purpose == Purpose::Iteration && node.depth == depth;
            let id = tree.nodes.iter().position(|node| is_it(&numbers(node))).expect("kept");
            children[id].len()
        };
        // The second was dropped only if room was needed since the fourth began.
        assert_eq!([1, 3, 4].map(of_iteration), [0, 10, 10]);
        for (id, node) in tree.nodes.iter().enumerate().skip(1) {
            assert!((node.parent as usize) < id);
            let numbers = numbers(node);
            if let TreeStep::Move(_) = node.step {
                // Negated: for the side that moved.
                assert_eq!(numbers.value, Some(Value::Centi(-7)));
                assert_eq!(numbers.window, [Some(Value::Centi(-50)), None]);
                assert_eq!(numbers.nodes, [1, 11, 111, 1111][numbers.depth as usize]);
            }
        }
    }
}
