//! The tree of a game: a main line with variations.

use std::collections::BTreeMap;

use crate::api::Node;
use crate::file::KeptNode;

/// Nodes by number; 0 is the start and is always there.
pub(crate) struct Tree {
    nodes: BTreeMap<u32, Node>,
    next_id: u32,
}

impl Tree {
    /// The tree of these nodes, which belong together.
    pub(crate) fn new(nodes: Vec<Node>, next_id: u32) -> Self {
        Self { nodes: nodes.into_iter().map(|node| (node.id, node)).collect(), next_id }
    }

    pub(crate) fn get(&self, id: u32) -> Option<&Node> {
        self.nodes.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: u32) -> Option<&mut Node> {
        self.nodes.get_mut(&id)
    }

    pub(crate) const fn next_id(&self) -> u32 {
        self.next_id
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes from the start to `id`, both included.
    pub(crate) fn path(&self, id: u32) -> Vec<&Node> {
        let mut path: Vec<&Node> = self.up_from(id).collect();
        path.reverse();
        path
    }

    /// `id` and the nodes above it, up to the start.
    fn up_from(&self, id: u32) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.get(id), |node| self.get(node.parent?))
    }

    /// The node that move `name` leads to from `parent`, if it is there already.
    pub(crate) fn child(&self, parent: u32, name: &str) -> Option<u32> {
        let children = &self.get(parent)?.children;
        let leads =
            |id: &&u32| self.get(**id).is_some_and(|node| node.name.as_deref() == Some(name));
        children.iter().find(leads).copied()
    }

    /// Adds `node` below its parent; its number.
    pub(crate) fn add(&mut self, mut node: Node) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        node.id = id;
        if let Some(parent) = node.parent.and_then(|parent| self.get_mut(parent)) {
            parent.children.push(id);
        }
        self.nodes.insert(id, node);
        id
    }

    /// Removes a node and all below it; the numbers of those that are gone.
    pub(crate) fn remove(&mut self, id: u32) -> Vec<u32> {
        let parent = self.get(id).and_then(|node| node.parent);
        if let Some(parent) = parent.and_then(|parent| self.get_mut(parent)) {
            parent.children.retain(|child| *child != id);
        }
        let (mut gone, mut next) = (Vec::new(), 0);
        gone.push(id);
        while let Some(&id) = gone.get(next) {
            gone.extend(self.nodes.remove(&id).map_or_else(Vec::new, |node| node.children));
            next += 1;
        }
        gone
    }

    /// Makes the variation that `id` belongs to the main one where it last branches off; the parent
    /// there, or none if `id` is on a main line all the way.
    pub(crate) fn promote(&mut self, id: u32) -> Option<u32> {
        let is_first = |node: &&Node| {
            let parent = node.parent.and_then(|parent| self.get(parent));
            parent.is_none_or(|parent| parent.children.first() == Some(&node.id))
        };
        let branch = self.up_from(id).find(|node| !is_first(node))?;
        let (child, parent) = (branch.id, branch.parent?);
        let siblings = &mut self.get_mut(parent)?.children;
        siblings.retain(|sibling| *sibling != child);
        siblings.insert(0, child);
        Some(parent)
    }

    /// How many variations lie inside each other on the way to a node.
    pub(crate) fn variation_depth(&self, id: u32) -> usize {
        let path = self.path(id);
        path.windows(2).filter(|pair| pair[0].children.first() != Some(&pair[1].id)).count()
    }

    /// All nodes, parents before children and siblings in order.
    pub(crate) fn in_order(&self) -> Vec<&Node> {
        let (mut order, mut open) = (Vec::with_capacity(self.nodes.len()), vec![0]);
        while let Some(node) = open.pop().and_then(|id| self.get(id)) {
            order.push(node);
            open.extend(node.children.iter().rev());
        }
        order
    }

    /// All nodes as they are kept.
    pub(crate) fn kept(&self) -> Vec<KeptNode> {
        self.in_order().into_iter().map(KeptNode::from).collect()
    }
}
