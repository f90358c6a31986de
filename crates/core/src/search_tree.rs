//! The tree of a search, recorded for people who want to see it.
//!
//! A caller that wants the tree attaches a [`Recording`] to the [`Control`](crate::Control) of a search;
//! players with [`records_tree`](crate::Player::records_tree) fill it. Recording changes neither the nodes
//! searched nor the move chosen.
//!
//! Every value is for the side that made the move to its node; at the root, and in its iterations, for the side
//! to move. So a node's value is the largest of its children's at the root, and the negated largest below.

use crate::Value;

/// Asks a search for its tree, and receives it.
#[derive(Debug)]
pub struct Recording<M> {
    /// The largest number of nodes to record; beyond it the tree is summarised.
    pub max_nodes: usize,
    /// The tree, after the search.
    pub tree: Option<SearchTree<M>>,
}

impl<M> Recording<M> {
    /// For a tree of at most this many nodes.
    pub const fn new(max_nodes: usize) -> Self {
        Self { max_nodes, tree: None }
    }
}

/// The tree of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchTree<M> {
    /// The search, by the name of its player kind.
    pub search: &'static str,
    /// The root first, parents before their children. Depth-first searches list nodes in the order of their
    /// visits, best-first ones by visit count.
    pub nodes: Vec<TreeNode<M>>,
    /// The move chosen.
    pub choice: Choice<M>,
    /// What the search did as a whole, nodes included that are not recorded.
    pub summary: TreeSummary<M>,
}

/// A node: a position, or one of several searches of it.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeNode<M> {
    /// Index of the parent; 0 for the root itself.
    pub parent: u32,
    /// How the parent's position leads here.
    pub step: TreeStep<M>,
    /// What the search found.
    pub numbers: Numbers,
}

/// How a node is reached from its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeStep<M> {
    /// The same position: the root, an iteration, a test.
    Stay,
    /// By a move.
    Move(M),
    /// By passing the turn, though the rules do not allow it (null-move pruning).
    NullMove,
}

/// The numbers of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum Numbers {
    /// Of a depth-first search. Boxed, as it is the larger by far.
    DepthFirst(Box<DepthFirstNode>),
    /// Of a best-first search.
    BestFirst(BestFirstNode),
}

/// A node of minimax or alpha-beta.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DepthFirstNode {
    /// Why it was searched.
    pub purpose: Purpose,
    /// Remaining depth in plies.
    pub depth: i32,
    /// Plies that its depth was reduced by.
    pub reduction: i32,
    /// The window, alpha first; `None` is unbounded.
    pub window: [Option<Value>; 2],
    /// The value; `None` if the search was stopped or the move pruned.
    pub value: Option<Value>,
    /// The static evaluation, where the search asked for it.
    pub static_eval: Option<Value>,
    /// The rule that cut the node off.
    pub cut: Option<Cut>,
    /// Why it has no children.
    pub leaf: Option<Leaf>,
    /// Legal moves, where they were generated.
    pub moves: Option<u32>,
    /// The place of the best move in the order of search, from 1, if one raised alpha.
    pub best_rank: Option<u32>,
    /// Nodes of its subtree, itself included, as the search counts them.
    pub nodes: u64,
}

/// Why a depth-first search visits a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Purpose {
    /// The root.
    #[default]
    Root,
    /// One iteration of iterative deepening, or a repetition of it with another aspiration window.
    Iteration,
    /// A move of plain minimax, or the first move of a node in principal variation search.
    Full,
    /// A later move, tested with a null window.
    Scout,
    /// Again to full depth: a reduced move beat alpha.
    DepthResearch,
    /// Again with the full window: the test failed high.
    WindowResearch,
    /// A null move.
    NullMove,
    /// A reduced search that verifies a null-move cutoff.
    Verification,
    /// All moves but the table's, to see whether that one is singular.
    SingularTest,
    /// Quiescence search of a node far below alpha.
    RazoringTest,
    /// A noisy move in a shallower search above beta.
    ProbCutTest,
    /// A noisy move beyond the horizon.
    Quiescence,
    /// A move that was not searched.
    Pruned,
}

/// The rules that cut off nodes and prune moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cut {
    /// A move reached beta: the opponent avoids this position.
    Beta,
    /// The transposition table had a deep enough value.
    TranspositionTable,
    /// No mate from here is shorter than one already found.
    MateDistance,
    /// Far below alpha, and quiescence search did not help.
    Razoring,
    /// The static evaluation is far above beta (static null move).
    ReverseFutility,
    /// Passing the turn still holds beta.
    NullMove,
    /// A noisy move exceeds beta by a margin in a shallower search.
    ProbCut,
    /// Even without the table move a move reaches beta.
    MultiCut,
    /// Quiescence search: the static evaluation reaches beta.
    StandPat,
    /// A late quiet move near the leaves.
    LateMove,
    /// A quiet move near the leaves, far below alpha.
    Futility,
    /// A move whose exchange loses material (SEE).
    Exchange,
    /// A capture that cannot reach alpha.
    Delta,
    /// Dropped at random, as some earlier works do.
    Dropout,
}

/// Why a depth-first node has no children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// The game is over.
    GameOver,
    /// A draw by repetition or another rule of the game.
    Draw,
    /// The horizon: the static evaluation.
    Horizon,
}

/// A node of MCTS or PUCT.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BestFirstNode {
    /// Visits N.
    pub visits: u64,
    /// Mean value Q from -1 to 1; `None` if unvisited.
    pub q: Option<f64>,
    /// The prior P, with noise if the root has any.
    pub prior: Option<f64>,
    /// The two parts of the bound by which selection compares siblings, after the last iteration: exploitation
    /// (Q, or first-play urgency) and exploration. None at the root.
    pub bound: Option<[f64; 2]>,
    /// The network's value of the position.
    pub network_value: Option<f64>,
    /// A proven result.
    pub proven: Option<Proven>,
    /// The game is over here.
    pub is_terminal: bool,
    /// The position is also reached by another line: that node has the children, and shares their statistics.
    pub transposes_to: Option<u32>,
}

/// A proven result for the side that made the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proven {
    /// A win in at most this many plies.
    Win(u32),
    /// A draw.
    Draw,
    /// A loss in at most this many plies.
    Loss(u32),
}

impl Proven {
    /// The same for the opponent.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies),
        }
    }
}

/// The move chosen, and the rule that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice<M> {
    /// The move.
    pub m: M,
    /// The rule.
    pub reason: ChoiceReason,
}

/// Rules of final move selection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceReason {
    /// There is only one move.
    OnlyMove,
    /// The largest value; the first of equal ones.
    LargestValue,
    /// A random one of those with the largest value.
    RandomOfLargest,
    /// Sampled among moves close to the largest value.
    SampledByValue,
    /// The most visits ("robust child").
    MostVisits,
    /// The largest upper confidence bound.
    LargestBound,
    /// Sampled by visits.
    SampledByVisits,
    /// The last one left by sequential halving (Gumbel AlphaZero).
    SequentialHalving,
    /// A proven win, the shortest.
    ProvenWin,
    /// All moves are proven losses; the longest.
    LongestLoss,
}

/// What a search did as a whole.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeSummary<M> {
    /// Nodes, iterations or simulations of the search, as it counts them.
    pub searched: u64,
    /// Nodes in the whole tree, recorded or not.
    pub tree_nodes: u64,
    /// The deepest recorded level below the root, if the tree was cut there to bound memory.
    pub max_ply: Option<u32>,
    /// Iterations of iterative deepening; their trees are recorded at least of the last two.
    pub iterations: Vec<Iteration<M>>,
    /// How often each rule cut a node off or pruned a move.
    pub cuts: Vec<(Cut, u64)>,
    /// Beta cutoffs by the rank of the move that caused them: entry `i` counts rank `i + 1`, the last one all
    /// later ranks. With perfect ordering all are at rank 1.
    pub cutoff_ranks: Vec<u64>,
    /// The same depth by plain minimax.
    pub full_width: Option<FullWidth>,
    /// The bound by which a best-first search selects.
    pub bound: Option<Bound>,
    /// Visits of the root before this search, in a reused tree.
    pub reused_visits: u64,
    /// How the tree of a best-first search grew.
    pub growth: Option<Growth>,
}

impl<M> Default for TreeSummary<M> {
    fn default() -> Self {
        Self {
            searched: 0,
            tree_nodes: 0,
            max_ply: None,
            iterations: Vec::new(),
            cuts: Vec::new(),
            cutoff_ranks: Vec::new(),
            full_width: None,
            bound: None,
            reused_visits: 0,
            growth: None,
        }
    }
}

/// The bounds of best-first searches, whose two parts [nodes](BestFirstNode::bound) have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// `Q + 2 Cp sqrt(ln N_parent / N)`.
    Ucb1,
    /// `Q + c P sqrt(N_parent) / (1 + N)`.
    Puct,
    /// The same, but for root moves `sigma(Q) + (gumbel + ln P)` (Gumbel AlphaZero).
    GumbelPuct,
}

/// One iteration of iterative deepening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Iteration<M> {
    /// Depth.
    pub depth: u32,
    /// Nodes, re-searches with wider windows included.
    pub nodes: u64,
    /// The best move and its value; `None` if the search was stopped before.
    pub best: Option<(M, Value)>,
    /// Searches with a wider window.
    pub researches: u32,
}

/// The size of the full tree to a depth: what minimax without pruning visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FullWidth {
    /// Depth in plies.
    pub depth: u32,
    /// Nodes.
    pub nodes: u64,
    /// Extrapolated from smaller depths.
    pub is_estimate: bool,
}

/// The growth of a tree: for every iteration of this search the node that it ended at, and its value. The nodes from
/// there to the root were visited. May stop before the last iteration, to bound memory.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Growth {
    /// The deepest recorded node of each iteration's path.
    pub leaves: Vec<u32>,
    /// The values, from -1 to 1, for the side to move at the root.
    pub values: Vec<f32>,
    /// Iterations whose path went through [transpositions](BestFirstNode::transposes_to): those nodes, the
    /// deepest first. Where the way up reaches the node that one transposes to, it continues from the one.
    pub jumps: Vec<(u32, Vec<u32>)>,
}

impl<M: Copy> SearchTree<M> {
    /// The same tree with other moves: `root` and [`TreeSteps`] tell the positions, `convert` a position's moves.
    pub fn map_moves<P, N>(
        &self,
        root: P,
        steps: TreeSteps<P, M>,
        mut convert: impl FnMut(&P, M) -> N,
    ) -> SearchTree<N> {
        let first = |m: M, convert: &mut dyn FnMut(&P, M) -> N| convert(&root, m);
        let choice = Choice { m: first(self.choice.m, &mut convert), reason: self.choice.reason };
        let iterations = self.summary.iterations.iter().map(|iteration| Iteration {
            depth: iteration.depth,
            nodes: iteration.nodes,
            best: iteration.best.map(|(m, value)| (first(m, &mut convert), value)),
            researches: iteration.researches,
        });
        let summary = TreeSummary {
            searched: self.summary.searched,
            tree_nodes: self.summary.tree_nodes,
            max_ply: self.summary.max_ply,
            iterations: iterations.collect(),
            cuts: self.summary.cuts.clone(),
            cutoff_ranks: self.summary.cutoff_ranks.clone(),
            full_width: self.summary.full_width,
            bound: self.summary.bound,
            reused_visits: self.summary.reused_visits,
            growth: self.summary.growth.clone(),
        };
        let mut converted: Vec<Option<TreeStep<N>>> = self.nodes.iter().map(|_| None).collect();
        self.each_position(root, steps, |id, before, _| {
            converted[id] = Some(match self.nodes[id].step {
                TreeStep::Stay => TreeStep::Stay,
                TreeStep::NullMove => TreeStep::NullMove,
                TreeStep::Move(m) => TreeStep::Move(convert(before, m)),
            });
        });
        let nodes = self.nodes.iter().zip(converted).map(|(node, step)| TreeNode {
            parent: node.parent,
            step: step.unwrap_or(TreeStep::Stay),
            numbers: node.numbers.clone(),
        });
        SearchTree { search: self.search, nodes: nodes.collect(), choice, summary }
    }

    /// Visits every node, parents first, with its parent's position and its own. Keeps one line of positions in
    /// memory.
    pub fn each_position<P>(
        &self,
        root: P,
        steps: TreeSteps<P, M>,
        mut visit: impl FnMut(usize, &P, &P),
    ) {
        let children = self.children();
        let mut line: Vec<P> = vec![root];
        visit(0, &line[0], &line[0]);
        // Depth in `line`, and the node.
        let mut stack: Vec<(usize, usize)> =
            children[0].iter().rev().map(|&child| (1, child as usize)).collect();
        while let Some((depth, id)) = stack.pop() {
            line.truncate(depth);
            let before = &line[depth - 1];
            let after = match self.nodes[id].step {
                TreeStep::Stay => (steps.clone)(before),
                TreeStep::Move(m) => (steps.after)(before, m),
                TreeStep::NullMove => (steps.null_move)(before),
            };
            visit(id, before, &after);
            line.push(after);
            stack.extend(children[id].iter().rev().map(|&child| (depth + 1, child as usize)));
        }
    }

    /// The children of every node, in the order of the nodes.
    pub fn children(&self) -> Vec<Vec<u32>> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate().skip(1) {
            children[node.parent as usize].push(id as u32);
        }
        children
    }
}

/// How positions follow from one another, for [`SearchTree::each_position`].
#[derive(Clone, Copy, Debug)]
pub struct TreeSteps<P, M> {
    /// A copy.
    pub clone: fn(&P) -> P,
    /// The position after a move.
    pub after: fn(&P, M) -> P,
    /// The position after a null move.
    pub null_move: fn(&P) -> P,
}
