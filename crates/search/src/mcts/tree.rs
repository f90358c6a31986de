//! The tree of one thread: what is known about every position that the search has added.
//!
//! Nodes live side by side in groups of four, two cache lines a group. A node's children are a chain
//! of groups, so that choosing a child reads four of them at a time, and a group that is no longer
//! needed fits any other node: memory never falls to pieces, however often parts of the tree are
//! dropped.

/// Nodes in a group.
const WIDTH: usize = 4;
/// No group: the group of that number holds the root, which is nobody's child.
const NONE: u32 = 0;
/// In place of a number of untried moves: not counted yet.
const UNSEEN: u16 = u16::MAX;
/// In place of a number of untried moves: the game is over here.
const OVER: u16 = u16::MAX - 1;

/// Up to four nodes with the same parent. What a descent reads comes first.
///
/// A place without a node has no visits and a mean below every other.
#[repr(C, align(64))]
#[derive(Clone)]
struct Group<M> {
    mean: [f32; WIDTH],
    visits: [u32; WIDTH],
    /// The first group of each node's children.
    children: [u32; WIDTH],
    untried: [u16; WIDTH],
    /// The next group with the same parent.
    next: u32,
    /// The move that led to each node.
    m: [M; WIDTH],
    /// Which of the parent's moves that was.
    index: [u16; WIDTH],
    /// The sum of rewards behind the mean, exact where an `f32` would stop counting.
    total: [f64; WIDTH],
}

/// A place in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeId(u32);

/// How far a node has been looked into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Its moves have not been counted.
    Unseen,
    /// So many of its moves have not been tried.
    Open(u16),
    /// Every move has been tried.
    Complete,
    /// The game is over here; the mean is its exact value.
    Over,
}

/// A tree of moves. Means are rewards from -1 to 1 for the player *who moved* to the node, so that
/// the player who chooses among children wants the largest.
pub(super) struct Tree<M> {
    groups: Vec<Group<M>>,
    /// Chains that are no longer part of the tree, with everything below them. Their groups are
    /// used again one by one, so that dropping a large part of a tree takes no time.
    dropped: Vec<u32>,
    most_groups: usize,
}

impl NodeId {
    pub(super) const ROOT: Self = Self(NONE * WIDTH as u32);

    const fn new(group: u32, place: usize) -> Self {
        Self(group * WIDTH as u32 + place as u32)
    }

    const fn group(self) -> usize {
        self.0 as usize / WIDTH
    }

    const fn place(self) -> usize {
        self.0 as usize % WIDTH
    }
}

impl<M: Copy> Group<M> {
    fn empty(any_move: M) -> Self {
        Self {
            mean: [f32::NEG_INFINITY; WIDTH],
            visits: [0; WIDTH],
            children: [NONE; WIDTH],
            untried: [UNSEEN; WIDTH],
            next: NONE,
            m: [any_move; WIDTH],
            index: [0; WIDTH],
            total: [0.0; WIDTH],
        }
    }
}

impl<M: Copy> Tree<M> {
    /// A tree with nothing but its root, to take `bytes` of memory at most (but never less than
    /// [`LEAST_NODES`](Self::LEAST_NODES) take). Which move `any_move` is does not matter.
    pub(super) fn new(any_move: M, bytes: usize) -> Self {
        let group_limit = u32::MAX as usize / WIDTH;
        Self {
            groups: vec![Group::empty(any_move)],
            dropped: Vec::new(),
            most_groups: (bytes / size_of::<Group<M>>())
                .clamp(Self::LEAST_NODES / WIDTH, group_limit),
        }
    }

    /// Enough for the moves of any root and some more.
    pub(super) const LEAST_NODES: usize = 4096;

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        let any_move = self.groups[0].m[0];
        self.groups.clear();
        self.groups.push(Group::empty(any_move));
        self.dropped.clear();
    }

    /// Forgets everything and gives the memory back.
    pub(super) fn release(&mut self) {
        self.clear();
        self.groups.shrink_to_fit();
        self.dropped.shrink_to_fit();
    }

    /// Bytes taken now.
    pub(super) fn memory(&self) -> usize {
        self.groups.capacity() * size_of::<Group<M>>()
    }

    #[inline]
    pub(super) fn visits(&self, node: NodeId) -> u32 {
        self.groups[node.group()].visits[node.place()]
    }

    /// The mean reward of whoever moved to `node`.
    #[inline]
    pub(super) fn mean(&self, node: NodeId) -> f32 {
        self.groups[node.group()].mean[node.place()]
    }

    /// The sum of rewards of whoever moved to `node`.
    pub(super) fn total(&self, node: NodeId) -> f64 {
        self.groups[node.group()].total[node.place()]
    }

    /// The move that led to `node`, which is not the root.
    #[inline]
    pub(super) fn move_to(&self, node: NodeId) -> M {
        self.groups[node.group()].m[node.place()]
    }

    /// Which of its parent's moves led to `node`.
    #[inline]
    pub(super) fn index(&self, node: NodeId) -> usize {
        usize::from(self.groups[node.group()].index[node.place()])
    }

    #[inline]
    pub(super) fn stage(&self, node: NodeId) -> Stage {
        match self.groups[node.group()].untried[node.place()] {
            UNSEEN => Stage::Unseen,
            OVER => Stage::Over,
            0 => Stage::Complete,
            untried => Stage::Open(untried),
        }
    }

    pub(super) fn set_untried(&mut self, node: NodeId, untried: usize) {
        assert!(untried < usize::from(OVER), "a position with {untried} moves");
        self.groups[node.group()].untried[node.place()] = untried as u16;
    }

    pub(super) fn set_over(&mut self, node: NodeId) {
        self.groups[node.group()].untried[node.place()] = OVER;
    }

    /// The children of `node` that have been visited.
    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.groups[node.group()].children[node.place()];
        self.chain(first).flat_map(move |group| {
            let visited = move |place: &usize| self.groups[group as usize].visits[*place] > 0;
            (0..WIDTH).filter(visited).map(move |place| NodeId::new(group, place))
        })
    }

    /// Whether `node` can get another child.
    #[inline]
    pub(super) fn has_room(&self, node: NodeId) -> bool {
        let head = self.groups[node.group()].children[node.place()];
        !self.dropped.is_empty()
            || self.groups.len() < self.most_groups
            || (head != NONE && self.groups[head as usize].visits[WIDTH - 1] == 0)
    }

    /// Adds the child of `parent` to which its move `m`, the one numbered `index`, leads. There
    /// must be room, and the child must be visited before another one is added.
    #[inline]
    pub(super) fn add_child(&mut self, parent: NodeId, m: M, index: usize) -> NodeId {
        let head = self.groups[parent.group()].children[parent.place()];
        let place = match head {
            NONE => None,
            _ => self.groups[head as usize].visits.iter().position(|&visits| visits == 0),
        };
        let child = if let Some(place) = place {
            NodeId::new(head, place)
        } else {
            let group = self.take_group(m, head);
            self.groups[parent.group()].children[parent.place()] = group;
            NodeId::new(group, 0)
        };
        let group = &mut self.groups[child.group()];
        group.m[child.place()] = m;
        group.index[child.place()] = index as u16;
        child
    }

    /// The child of a node without untried moves for which
    /// `Q / N + exploration * sqrt(ln N_parent / N)` is largest.
    #[inline]
    pub(super) fn select(&self, parent: NodeId, exploration: f32) -> NodeId {
        let group = &self.groups[parent.group()];
        let log = (group.visits[parent.place()] as f32).ln();
        let mut next = group.children[parent.place()];
        let (mut best, mut best_score) = (NodeId::new(next, 0), f32::NEG_INFINITY);
        while next != NONE {
            let group = &self.groups[next as usize];
            // Four at once; not a number, hence never the largest, where there is no node.
            let scores: [f32; WIDTH] = std::array::from_fn(|place| {
                uct(group.mean[place], group.visits[place] as i32 as f32, log, exploration)
            });
            for (place, &score) in scores.iter().enumerate() {
                if score > best_score {
                    (best, best_score) = (NodeId::new(next, place), score);
                }
            }
            next = group.next;
        }
        best
    }

    /// Counts a visit that brought `reward` to the player who moved to `node`.
    #[inline]
    pub(super) fn visit(&mut self, node: NodeId, reward: f32) {
        let (group, place) = (&mut self.groups[node.group()], node.place());
        group.visits[place] += 1;
        group.total[place] += f64::from(reward);
        group.mean[place] = (group.total[place] / f64::from(group.visits[place])) as f32;
    }

    /// Makes `node` the root, with everything below it, and drops the rest of the tree.
    pub(super) fn keep_only(&mut self, node: NodeId) {
        if node == NodeId::ROOT {
            return;
        }
        let mut root = Group::empty(self.move_to(node));
        let (from, place) = (&mut self.groups[node.group()], node.place());
        root.mean[0] = from.mean[place];
        root.visits[0] = from.visits[place];
        root.children[0] = std::mem::replace(&mut from.children[place], NONE);
        root.untried[0] = from.untried[place];
        root.total[0] = from.total[place];
        self.dropped.push(std::mem::replace(&mut self.groups[0], root).children[0]);
    }

    /// The groups from `first` on.
    fn chain(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |group: u32| (group != NONE).then_some(group);
        std::iter::successors(some(first), move |&group| some(self.groups[group as usize].next))
    }

    /// A group without nodes, to stand before `next` in a chain.
    fn take_group(&mut self, any_move: M, next: u32) -> u32 {
        let empty = Group { next, ..Group::empty(any_move) };
        if let Some(group) = self.dropped.pop() {
            let old = std::mem::replace(&mut self.groups[group as usize], empty);
            let chains = old.children.into_iter().chain([old.next]);
            self.dropped.extend(chains.filter(|&chain| chain != NONE));
            return group;
        }
        if self.groups.len() == self.groups.capacity() {
            // Doubling, but never beyond the bound.
            let more = self.groups.len().max(64).min(self.most_groups - self.groups.len());
            self.groups.reserve_exact(more);
        }
        self.groups.push(empty);
        (self.groups.len() - 1) as u32
    }
}

/// The upper confidence bound: what a child brought so far, and the more the less it was visited.
#[inline]
pub(super) fn uct(mean: f32, visits: f32, log_parent_visits: f32, exploration: f32) -> f32 {
    mean + exploration * (log_parent_visits / visits).sqrt()
}
