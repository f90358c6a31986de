//! The move tree of a game: a main line with variations.

use std::collections::BTreeMap;

use crate::api::Node;
use crate::game_file::StoredNode;

/// Nodes by id; 0 is the root and always exists.
pub(crate) struct Tree {
    nodes: BTreeMap<u32, Node>,
    next_id: u32,
}

impl Tree {
    /// A tree of nodes with consistent parents and children.
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

    /// The nodes from the root to `id`, both included.
    pub(crate) fn path(&self, id: u32) -> Vec<&Node> {
        let mut path: Vec<&Node> = self.ancestors(id).collect();
        path.reverse();
        path
    }

    /// `id` and its ancestors, up to the root.
    fn ancestors(&self, id: u32) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.get(id), |node| self.get(node.parent?))
    }

    /// The child of `parent` after move `name`, if it exists.
    pub(crate) fn child(&self, parent: u32, name: &str) -> Option<u32> {
        let children = &self.get(parent)?.children;
        let has_move =
            |id: &&u32| self.get(**id).is_some_and(|node| node.name.as_deref() == Some(name));
        children.iter().find(has_move).copied()
    }

    /// Adds `node` to its parent's children; returns its id.
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

    /// Removes a node and its descendants; returns their ids.
    pub(crate) fn remove(&mut self, id: u32) -> Vec<u32> {
        let parent = self.get(id).and_then(|node| node.parent);
        if let Some(parent) = parent.and_then(|parent| self.get_mut(parent)) {
            parent.children.retain(|child| *child != id);
        }
        let (mut removed, mut next) = (Vec::new(), 0);
        removed.push(id);
        while let Some(&id) = removed.get(next) {
            removed.extend(self.nodes.remove(&id).map_or_else(Vec::new, |node| node.children));
            next += 1;
        }
        removed
    }

    /// Promotes the innermost variation that contains `id` to the main line of its parent; returns that
    /// parent, or `None` if `id` is on the main line.
    pub(crate) fn promote(&mut self, id: u32) -> Option<u32> {
        let is_first = |node: &&Node| {
            let parent = node.parent.and_then(|parent| self.get(parent));
            parent.is_none_or(|parent| parent.children.first() == Some(&node.id))
        };
        let branch = self.ancestors(id).find(|node| !is_first(node))?;
        let (child, parent) = (branch.id, branch.parent?);
        let siblings = &mut self.get_mut(parent)?.children;
        siblings.retain(|sibling| *sibling != child);
        siblings.insert(0, child);
        Some(parent)
    }

    /// How deeply nested the variation of a node is; 0 on the main line.
    pub(crate) fn variation_depth(&self, id: u32) -> usize {
        let path = self.path(id);
        path.windows(2).filter(|pair| pair[0].children.first() != Some(&pair[1].id)).count()
    }

    /// All nodes in pre-order: parents before children, siblings in order.
    pub(crate) fn in_order(&self) -> Vec<&Node> {
        let (mut order, mut stack) = (Vec::with_capacity(self.nodes.len()), vec![0]);
        while let Some(node) = stack.pop().and_then(|id| self.get(id)) {
            order.push(node);
            stack.extend(node.children.iter().rev());
        }
        order
    }

    /// All nodes as they are stored.
    pub(crate) fn stored(&self) -> Vec<StoredNode> {
        self.in_order().into_iter().map(StoredNode::from).collect()
    }
}
