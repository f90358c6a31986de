//! The tree as it is written: moves in the game's notation, values as numbers.

use serde::Serialize;
use tablero_core::{
    self as core, AnyMove, AnyPosition, BestFirstNode, DepthFirstNode, Numbers, SearchTree,
    TreeStep, TreeSteps, Value,
};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Mirrors an enum of the core with names for JSON.
macro_rules! mirror {
    ($(#[$meta:meta])* $name:ident as $schema:ident of $core:ty { $($(#[$doc:meta])* $variant:ident,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(ToSchema), schema(as = $schema))]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl From<$core> for $name {
            fn from(value: $core) -> Self {
                match value {
                    $(<$core>::$variant => Self::$variant,)+
                }
            }
        }
    };
}

mirror! {
    /// Why a depth-first search visits a node.
    Search as TreeSearch of core::Purpose {
        /// The root.
        Root,
        /// An iteration of iterative deepening, or its repetition with another window.
        Iteration,
        /// A move of plain minimax, or the first move of a node.
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
        /// All moves but the table's.
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
}

mirror! {
    /// The rules that cut off nodes and prune moves.
    Cut as TreeCut of core::Cut {
        /// A move reached beta.
        Beta,
        /// The transposition table had a deep enough value.
        TranspositionTable,
        /// No mate from here is shorter than one already found.
        MateDistance,
        /// Far below alpha, and quiescence search did not help.
        Razoring,
        /// The static evaluation is far above beta.
        ReverseFutility,
        /// Passing the turn still holds beta.
        NullMove,
        /// A noisy move exceeds beta by a margin in a shallower search.
        ProbCut,
        /// Even without the table move a move reaches beta.
        MultiCut,
        /// The static evaluation reaches beta in quiescence search.
        StandPat,
        /// A late quiet move near the leaves.
        LateMove,
        /// A quiet move near the leaves, far below alpha.
        Futility,
        /// A move whose exchange loses material (SEE).
        Exchange,
        /// A capture that cannot reach alpha.
        Delta,
        /// Dropped at random.
        Dropout,
    }
}

mirror! {
    /// Why a depth-first node has no children.
    Leaf as TreeLeaf of core::Leaf {
        /// The game is over.
        GameOver,
        /// A draw by repetition or another rule of the game.
        Draw,
        /// The horizon: the static evaluation.
        Horizon,
    }
}

mirror! {
    /// Rules of final move selection.
    ChoiceReason as TreeChoiceReason of core::ChoiceReason {
        /// There is only one move.
        OnlyMove,
        /// The largest value.
        LargestValue,
        /// A random one of those with the largest value.
        RandomOfLargest,
        /// Sampled among moves close to the largest value.
        SampledByValue,
        /// The most visits.
        MostVisits,
        /// The largest upper confidence bound.
        LargestBound,
        /// Sampled by visits.
        SampledByVisits,
        /// The last one left by sequential halving.
        SequentialHalving,
        /// A proven win, the shortest.
        ProvenWin,
        /// All moves are proven losses; the longest.
        LongestLoss,
    }
}

mirror! {
    /// The bounds of best-first searches.
    Bound as TreeBound of core::Bound {
        /// `Q + 2 Cp sqrt(ln N_parent / N)`.
        Ucb1,
        /// `Q + c P sqrt(N_parent) / (1 + N)`.
        Puct,
        /// The same, but for root moves `sigma(Q) + (gumbel + ln P)`.
        GumbelPuct,
    }
}

/// How a node is reached from its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeStep))]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The same position: the root, an iteration, a test.
    Stay,
    /// By a move.
    #[default]
    Move,
    /// By passing the turn, though the rules do not allow it.
    NullMove,
}

/// A proven result for the side that made the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeProven))]
pub struct Proven {
    /// The result.
    pub outcome: Outcome,
    /// In at most this many plies from here.
    pub plies: u32,
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeOutcome))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A win.
    Win,
    /// A draw.
    Draw,
    /// A loss.
    Loss,
}

/// The tree of a search. Every value is for the side that made the move to its node (`side`); at the root, for the side
/// to move.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = SearchTree))]
pub struct Tree {
    /// The search, by the name of its player kind.
    pub search: String,
    /// The game.
    pub game: String,
    /// The position.
    pub position: String,
    /// The names of the sides, the first player's first.
    pub sides: [String; 2],
    /// The side to move at the root: 0 or 1.
    pub turn: usize,
    /// The move chosen.
    pub choice: Choice,
    /// Nodes, iterations or simulations of the search, as it counts them.
    pub searched: u64,
    /// Nodes of the whole tree, recorded or not.
    pub tree_nodes: u64,
    /// Whether all of them are recorded.
    pub is_complete: bool,
    /// The deepest recorded level below the root, if the tree was cut there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ply: Option<u32>,
    /// Iterations of iterative deepening.
    pub iterations: Vec<Iteration>,
    /// How often each rule cut a node off or pruned a move, in the whole tree.
    pub cuts: Vec<CutCount>,
    /// Beta cutoffs by the rank of the move that caused them: the first entry counts rank 1, the 16th all from 16 on.
    pub cutoff_ranks: Vec<u64>,
    /// The same depth by plain minimax.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_width: Option<FullWidth>,
    /// The bound by which a best-first search selects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Visits of the root before this search, in a reused tree.
    pub reused_visits: u64,
    /// How the tree of a best-first search grew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    /// The root first, parents before their children: in the order of the search (minimax, alphabeta), or by visits
    /// (mcts, puct).
    pub nodes: Vec<Node>,
}

/// The move chosen, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeChoice))]
pub struct Choice {
    /// The move.
    #[serde(rename = "move")]
    pub m: String,
    /// The rule that chose it.
    pub reason: ChoiceReason,
}

/// One iteration of iterative deepening.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeIteration))]
pub struct Iteration {
    /// Depth.
    pub depth: u32,
    /// Nodes, re-searches included.
    pub nodes: u64,
    /// The best move; none if the search was stopped before.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub m: Option<String>,
    /// Its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Searches with a wider window.
    pub researches: u32,
}

/// How often a rule cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeCutCount))]
pub struct CutCount {
    /// The rule.
    pub cut: Cut,
    /// How often.
    pub count: u64,
}

/// What minimax without pruning visits to the same depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeFullWidth))]
pub struct FullWidth {
    /// Depth in plies.
    pub depth: u32,
    /// Nodes.
    pub nodes: u64,
    /// Extrapolated from smaller depths.
    pub is_estimate: bool,
}

/// The growth of a tree: for every iteration the node that it ended at, and its value. All nodes from there to the root
/// were visited.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeGrowth))]
pub struct Growth {
    /// The deepest recorded node of each iteration.
    pub leaves: Vec<u32>,
    /// The values, from -1 to 1, for the side to move at the root.
    pub values: Vec<f32>,
    /// Iterations that went through transpositions.
    pub jumps: Vec<Jump>,
}

/// The transpositions of an iteration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeJump))]
pub struct Jump {
    /// The iteration, from 0.
    pub iteration: u32,
    /// Nodes on its path with `transposes_to`, the deepest first: where the way up reaches the node that one
    /// transposes to, it continues from the one.
    pub nodes: Vec<u32>,
}

/// A node of a search.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = TreeNode))]
pub struct Node {
    /// Its index.
    pub id: u32,
    /// Its parent; none for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// How it is reached from its parent.
    #[serde(skip_serializing_if = "is_move")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub step: Step,
    /// The move to it, in the game's notation.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub m: Option<String>,
    /// The side whose values these are: the one that made the move, at the root the one to move.
    pub side: usize,
    /// The value: of minimax and alphabeta in the game's unit (a win in n moves is 10000 - n), of mcts and puct the mean
    /// result Q from -1 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Why a depth-first search visited it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// Remaining depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<i32>,
    /// Plies that its depth was reduced by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduction: Option<i32>,
    /// The window, alpha first; null is unbounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<[Option<f64>; 2]>,
    /// The static evaluation, where the search asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_eval: Option<f64>,
    /// The rule that cut it off or pruned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// Why it has no children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf: Option<Leaf>,
    /// Legal moves, where they were generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<u32>,
    /// The place of the best move in the order of search, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_rank: Option<u32>,
    /// Nodes of its subtree, itself included, as the search counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Visits N.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// The prior P.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<f64>,
    /// The two parts of the bound: exploitation and exploration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<[f64; 2]>,
    /// The network's value of the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_value: Option<f64>,
    /// A proven result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proven: Option<Proven>,
    /// The node that has the children of this position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transposes_to: Option<u32>,
}

const fn is_move(step: &Step) -> bool {
    matches!(step, Step::Move)
}

impl Tree {
    /// The tree of a search of `position`.
    pub fn new(position: &AnyPosition, tree: &SearchTree<AnyMove>) -> Self {
        let steps = TreeSteps {
            clone: AnyPosition::clone,
            after: |position: &AnyPosition, m| position.after(m),
            null_move: |position| position.null_move().unwrap_or_else(|| position.clone()),
        };
        let summary = &tree.summary;
        let turn = position.side().index();
        let mut nodes: Vec<Node> = vec![Node::default(); tree.nodes.len()];
        tree.each_position(position.clone(), steps, |id, before, _| {
            let node = &tree.nodes[id];
            let (step, m) = match node.step {
                TreeStep::Stay => (Step::Stay, None),
                TreeStep::NullMove => (Step::NullMove, None),
                TreeStep::Move(m) => (Step::Move, Some(before.move_text(m))),
            };
            let parent = (id > 0).then_some(node.parent);
            // Parents come first.
            let side = match (step, parent) {
                (_, None) => turn,
                (Step::Stay, Some(parent)) => nodes[parent as usize].side,
                (_, Some(_)) => before.side().index(),
            };
            let about = Node { id: id as u32, parent, step, m, side, ..Node::default() };
            nodes[id] = match &node.numbers {
                Numbers::DepthFirst(numbers) => about.with_depth_first(numbers),
                Numbers::BestFirst(numbers) => about.with_best_first(numbers),
            };
        });
        let iteration = |iteration: &core::Iteration<AnyMove>| Iteration {
            depth: iteration.depth,
            nodes: iteration.nodes,
            m: iteration.best.map(|(m, _)| position.move_text(m)),
            value: iteration.best.map(|(_, value)| value.score()),
            researches: iteration.researches,
        };
        let sides = position.info().sides;
        Self {
            search: tree.search.into(),
            game: position.game().name().into(),
            position: position.position_text(),
            sides: sides.map(String::from),
            turn,
            choice: Choice {
                m: position.move_text(tree.choice.m),
                reason: tree.choice.reason.into(),
            },
            searched: summary.searched,
            tree_nodes: summary.tree_nodes,
            is_complete: summary.tree_nodes <= nodes.len() as u64,
            max_ply: summary.max_ply,
            iterations: summary.iterations.iter().map(iteration).collect(),
            cuts: summary
                .cuts
                .iter()
                .map(|&(cut, count)| CutCount { cut: cut.into(), count })
                .collect(),
            cutoff_ranks: summary.cutoff_ranks.clone(),
            full_width: summary.full_width.map(|full| FullWidth {
                depth: full.depth,
                nodes: full.nodes,
                is_estimate: full.is_estimate,
            }),
            bound: summary.bound.map(Bound::from),
            reused_visits: summary.reused_visits,
            growth: summary.growth.as_ref().map(Growth::new),
            nodes,
        }
    }
}

impl Growth {
    fn new(growth: &core::Growth) -> Self {
        let jump = |(iteration, nodes): &(u32, Vec<u32>)| Jump {
            iteration: *iteration,
            nodes: nodes.clone(),
        };
        Self {
            leaves: growth.leaves.clone(),
            values: growth.values.iter().map(|value| (value * 1e4).round() / 1e4).collect(),
            jumps: growth.jumps.iter().map(jump).collect(),
        }
    }
}

impl Node {
    fn with_depth_first(self, node: &DepthFirstNode) -> Self {
        let is_searched = node.purpose != core::Purpose::Pruned;
        let is_root = node.purpose == core::Purpose::Root;
        let has_window = is_searched && !is_root;
        Self {
            value: node.value.map(Value::score),
            search: Some(node.purpose.into()),
            depth: has_window.then_some(node.depth),
            reduction: (node.reduction > 0).then_some(node.reduction),
            window: has_window.then(|| node.window.map(|bound| bound.map(Value::score))),
            static_eval: node.static_eval.map(Value::score),
            cut: node.cut.map(Cut::from),
            leaf: node.leaf.map(Leaf::from),
            moves: node.moves,
            best_rank: node.best_rank,
            nodes: is_searched.then_some(node.nodes),
            ..self
        }
    }

    fn with_best_first(self, node: &BestFirstNode) -> Self {
        let proven = node.proven.map(|proven| match proven {
            core::Proven::Win(plies) => Proven { outcome: Outcome::Win, plies },
            core::Proven::Draw => Proven { outcome: Outcome::Draw, plies: 0 },
            core::Proven::Loss(plies) => Proven { outcome: Outcome::Loss, plies },
        });
        Self {
            value: node.q.map(rounded),
            visits: Some(node.visits),
            prior: node.prior.map(rounded),
            bound: node.bound.map(|parts| parts.map(rounded)),
            network_value: node.network_value.map(rounded),
            leaf: node.is_terminal.then_some(Leaf::GameOver),
            proven,
            transposes_to: node.transposes_to,
            ..self
        }
    }

    /// How much of the search it is: nodes of the subtree, or visits.
    pub(crate) fn weight(&self) -> u64 {
        self.visits.or(self.nodes).unwrap_or(0)
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
