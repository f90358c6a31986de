//! The search tree of one thread.
//!
//! Nodes are stored in groups of four siblings, two cache lines each. A node's children are a
//! linked list of groups, so that selection computes four UCB1 values at a time (SIMD), and freed
//! groups of a uniform size are reused without fragmentation.

/// Nodes in a group.
const GROUP_SIZE: usize = 4;
/// Null link: group 0 holds the root, which is no child.
const NONE: u32 = 0;
/// Instead of a number of untried moves: moves not generated yet.
const UNEXPANDED: u16 = u16::MAX;
/// Instead of a number of untried moves: the game is over.
const TERMINAL: u16 = u16::MAX - 1;

/// Up to four siblings, with the fields that selection reads first.
///
/// An empty slot has no visits and a mean of negative infinity.
#[repr(C, align(64))]
#[derive(Clone)]
struct Group<M> {
    /// The value of each node in UCB1: its mean reward, mixed with its minimax value.
    mean: [f32; GROUP_SIZE],
    visits: [u32; GROUP_SIZE],
    /// First group of each node's children.
    children: [u32; GROUP_SIZE],
    untried: [u16; GROUP_SIZE],
    /// Next group with the same parent.
    next: u32,
    /// Move that leads to each node.
    m: [M; GROUP_SIZE],
    /// Its index in the parent's generation order.
    index: [u16; GROUP_SIZE],
    /// Minimax value, in units of 1 / `i16::MAX`.
    minimax: [i16; GROUP_SIZE],
    /// Sum of rewards; an `f32` would lose precision.
    reward_sum: [f64; GROUP_SIZE],
}

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeId(u32);

/// Expansion state of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expansion {
    /// Its moves have not been generated.
    Unexpanded,
    /// This many moves are untried.
    Partial(u16),
    /// Every move has a child.
    Full,
    /// The game is over; the mean is the exact value.
    Terminal,
}

/// A search tree. Means are rewards from -1 to 1 for the player *who moved* to the node, so that
/// selection maximizes.
pub(super) struct Tree<M> {
    groups: Vec<Group<M>>,
    /// Detached subtrees. Their groups are reused one by one, so that rerooting takes constant
    /// time.
    free_chains: Vec<u32>,
    max_groups: usize,
    minimax_weight: f32,
}

impl NodeId {
    pub(super) const ROOT: Self = Self(NONE * GROUP_SIZE as u32);

    const fn new(group: u32, slot: usize) -> Self {
        Self(group * GROUP_SIZE as u32 + slot as u32)
    }

    /// The node as an index.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    const fn group(self) -> usize {
        self.0 as usize / GROUP_SIZE
    }

    const fn slot(self) -> usize {
        self.0 as usize % GROUP_SIZE
    }
}

impl<M: Copy> Group<M> {
    fn empty(any_move: M) -> Self {
        Self {
            mean: [f32::NEG_INFINITY; GROUP_SIZE],
            visits: [0; GROUP_SIZE],
            children: [NONE; GROUP_SIZE],
            untried: [UNEXPANDED; GROUP_SIZE],
            next: NONE,
            m: [any_move; GROUP_SIZE],
            index: [0; GROUP_SIZE],
            minimax: [0; GROUP_SIZE],
            reward_sum: [0.0; GROUP_SIZE],
        }
    }
}

impl<M: Copy> Tree<M> {
    /// A tree of just the root, limited to `bytes` but to no less than
    /// [`MIN_NODES`](Self::MIN_NODES). `any_move` only fills empty slots.
    pub(super) fn new(any_move: M, bytes: usize, minimax_weight: f32) -> Self {
        let group_limit = u32::MAX as usize / GROUP_SIZE;
        Self {
            groups: vec![Group::empty(any_move)],
            free_chains: Vec::new(),
            max_groups: (bytes / size_of::<Group<M>>())
                .clamp(Self::MIN_NODES / GROUP_SIZE, group_limit),
            minimax_weight,
        }
    }

    /// Enough for the children of any root.
    pub(super) const MIN_NODES: usize = 4096;

    /// More than the index of any node.
    pub(super) const fn index_limit(&self) -> usize {
        self.groups.len() * GROUP_SIZE
    }

    /// Removes all nodes but the root.
    pub(super) fn clear(&mut self) {
        let any_move = self.groups[0].m[0];
        self.groups.clear();
        self.groups.push(Group::empty(any_move));
        self.free_chains.clear();
    }

    /// Removes all nodes but the root and frees the memory.
    pub(super) fn release(&mut self) {
        self.clear();
        self.groups.shrink_to_fit();
        self.free_chains.shrink_to_fit();
    }

    /// Bytes allocated.
    pub(super) fn memory(&self) -> usize {
        self.groups.capacity() * size_of::<Group<M>>()
    }

    #[inline]
    pub(super) fn visits(&self, node: NodeId) -> u32 {
        self.groups[node.group()].visits[node.slot()]
    }

    /// Mean reward of the player who moved to `node`, mixed with its minimax value.
    #[inline]
    pub(super) fn mean(&self, node: NodeId) -> f32 {
        self.groups[node.group()].mean[node.slot()]
    }

    /// Sum of rewards of the player who moved to `node`.
    pub(super) fn reward_sum(&self, node: NodeId) -> f64 {
        self.groups[node.group()].reward_sum[node.slot()]
    }

    /// The move that leads to `node`, which is not the root.
    #[inline]
    pub(super) fn incoming_move(&self, node: NodeId) -> M {
        self.groups[node.group()].m[node.slot()]
    }

    /// Index of that move in the parent's generation order.
    #[inline]
    pub(super) fn index(&self, node: NodeId) -> usize {
        usize::from(self.groups[node.group()].index[node.slot()])
    }

    #[inline]
    pub(super) fn expansion(&self, node: NodeId) -> Expansion {
        match self.groups[node.group()].untried[node.slot()] {
            UNEXPANDED => Expansion::Unexpanded,
            TERMINAL => Expansion::Terminal,
            0 => Expansion::Full,
            untried => Expansion::Partial(untried),
        }
    }

    pub(super) fn set_untried(&mut self, node: NodeId, untried: usize) {
        assert!(untried < usize::from(TERMINAL), "a position with {untried} moves");
        self.groups[node.group()].untried[node.slot()] = untried as u16;
    }

    pub(super) fn set_terminal(&mut self, node: NodeId) {
        self.groups[node.group()].untried[node.slot()] = TERMINAL;
    }

    /// The visited children of `node`.
    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.groups[node.group()].children[node.slot()];
        self.chain(first).flat_map(move |group| {
            let visited = move |slot: &usize| self.groups[group as usize].visits[*slot] > 0;
            (0..GROUP_SIZE).filter(visited).map(move |slot| NodeId::new(group, slot))
        })
    }

    /// Whether there is memory for another child of `node`.
    #[inline]
    pub(super) fn has_capacity(&self, node: NodeId) -> bool {
        let head = self.groups[node.group()].children[node.slot()];
        !self.free_chains.is_empty()
            || self.groups.len() < self.max_groups
            || (head != NONE && self.groups[head as usize].visits[GROUP_SIZE - 1] == 0)
    }

    /// Adds the child of `parent` by move `m` with this generation index. There must be capacity,
    /// and the child must be visited before another one is added.
    #[inline]
    pub(super) fn add_child(&mut self, parent: NodeId, m: M, index: usize) -> NodeId {
        let head = self.groups[parent.group()].children[parent.slot()];
        let slot = match head {
            NONE => None,
            _ => self.groups[head as usize].visits.iter().position(|&visits| visits == 0),
        };
        let child = if let Some(slot) = slot {
            NodeId::new(head, slot)
        } else {
            let group = self.allocate_group(m, head);
            self.groups[parent.group()].children[parent.slot()] = group;
            NodeId::new(group, 0)
        };
        let group = &mut self.groups[child.group()];
        group.m[child.slot()] = m;
        group.index[child.slot()] = index as u16;
        child
    }

    /// The child of a fully expanded node with the largest UCB1 value.
    #[inline]
    pub(super) fn select(&self, parent: NodeId, exploration: f32) -> NodeId {
        let group = &self.groups[parent.group()];
        let log = (group.visits[parent.slot()] as f32).ln();
        let mut next = group.children[parent.slot()];
        let (mut best, mut best_score) = (NodeId::new(next, 0), f32::NEG_INFINITY);
        while next != NONE {
            let group = &self.groups[next as usize];
            // Vectorized; NaN in empty slots, hence never the largest.
            let scores: [f32; GROUP_SIZE] = std::array::from_fn(|slot| {
                ucb1(group.mean[slot], group.visits[slot] as i32 as f32, log, exploration)
            });
            for (slot, &score) in scores.iter().enumerate() {
                if score > best_score {
                    (best, best_score) = (NodeId::new(next, slot), score);
                }
            }
            next = group.next;
        }
        best
    }

    /// Adds a visit with `reward` for the player who moved to `node`.
    #[inline]
    pub(super) fn update(&mut self, node: NodeId, reward: f32) {
        let (group, slot) = (&mut self.groups[node.group()], node.slot());
        group.visits[slot] += 1;
        group.reward_sum[slot] += f64::from(reward);
        group.mean[slot] = (group.reward_sum[slot] / f64::from(group.visits[slot])) as f32;
        if self.minimax_weight > 0.0 {
            self.update_minimax(node, reward);
        }
    }

    /// The minimax value of a node is its first reward until it is fully expanded, then that of its best child.
    fn update_minimax(&mut self, node: NodeId, reward: f32) {
        let (group, slot) = (&self.groups[node.group()], node.slot());
        let minimax = match (group.visits[slot], group.untried[slot]) {
            (1, _) => (reward * f32::from(i16::MAX)) as i16,
            (_, 0) => -self.best_minimax(group.children[slot]),
            _ => group.minimax[slot],
        };
        let group = &mut self.groups[node.group()];
        group.minimax[slot] = minimax;
        let value = f32::from(minimax) / f32::from(i16::MAX);
        group.mean[slot] += self.minimax_weight * (value - group.mean[slot]);
    }

    /// The largest minimax value of a fully expanded node's children.
    fn best_minimax(&self, first: u32) -> i16 {
        let values = self.chain(first).flat_map(|group| {
            let group = &self.groups[group as usize];
            group.minimax.iter().zip(&group.visits)
        });
        values.filter(|(_, visits)| **visits > 0).map(|(value, _)| *value).max().unwrap_or(0)
    }

    /// Makes `node` the root and frees the rest of the tree.
    pub(super) fn reroot(&mut self, node: NodeId) {
        if node == NodeId::ROOT {
            return;
        }
        let mut root = Group::empty(self.incoming_move(node));
        let (from, slot) = (&mut self.groups[node.group()], node.slot());
        root.mean[0] = from.mean[slot];
        root.visits[0] = from.visits[slot];
        root.children[0] = std::mem::replace(&mut from.children[slot], NONE);
        root.untried[0] = from.untried[slot];
        root.minimax[0] = from.minimax[slot];
        root.reward_sum[0] = from.reward_sum[slot];
        self.free_chains.push(std::mem::replace(&mut self.groups[0], root).children[0]);
    }

    /// The linked list of groups from `first` on.
    fn chain(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |group: u32| (group != NONE).then_some(group);
        std::iter::successors(some(first), move |&group| some(self.groups[group as usize].next))
    }

    /// An empty group, linked before `next`.
    fn allocate_group(&mut self, any_move: M, next: u32) -> u32 {
        let empty = Group { next, ..Group::empty(any_move) };
        if let Some(group) = self.free_chains.pop() {
            let old = std::mem::replace(&mut self.groups[group as usize], empty);
            let chains = old.children.into_iter().chain([old.next]);
            self.free_chains.extend(chains.filter(|&chain| chain != NONE));
            return group;
        }
        if self.groups.len() == self.groups.capacity() {
            // Doubling up to the limit.
            let more = self.groups.len().max(64).min(self.max_groups - self.groups.len());
            self.groups.reserve_exact(more);
        }
        self.groups.push(empty);
        (self.groups.len() - 1) as u32
    }
}

/// UCB1 (Auer et al. 2002): mean plus exploration bonus.
#[inline]
pub(super) fn ucb1(mean: f32, visits: f32, log_parent_visits: f32, exploration: f32) -> f32 {
    mean + exploration * (log_parent_visits / visits).sqrt()
}
