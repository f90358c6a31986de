//! The most important nodes of a tree, for pictures.

use std::collections::BinaryHeap;

use crate::model::{Search, Tree};

/// The most important nodes with each its parent, by index in order: those with the largest share of the search. Of
/// several iterations only the last complete one is shown.
pub(crate) fn top(tree: &Tree, max: usize) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); tree.nodes.len()];
    for node in &tree.nodes {
        if let Some(parent) = node.parent {
            children[parent as usize].push(node.id as usize);
        }
    }
    let iteration = shown_iteration(tree);
    let is_shown =
        |id: usize| tree.nodes[id].search != Some(Search::Iteration) || Some(id) == iteration;
    // Of equal nodes the one found first.
    let rank = |id: usize| (tree.nodes[id].weight(), std::cmp::Reverse(id));
    let mut heap = BinaryHeap::from_iter((!tree.nodes.is_empty()).then(|| rank(0)));
    let mut chosen = Vec::new();
    while let Some((_, std::cmp::Reverse(id))) = heap.pop()
        && chosen.len() < max
    {
        chosen.push(id);
        heap.extend(children[id].iter().copied().filter(|&child| is_shown(child)).map(rank));
    }
    chosen.sort_unstable();
    chosen
}

/// The last iteration with a value, if there are iterations.
pub(crate) fn shown_iteration(tree: &Tree) -> Option<usize> {
    let is_iteration = |&id: &usize| tree.nodes[id].search == Some(Search::Iteration);
    let mut iterations = (0..tree.nodes.len()).filter(is_iteration).rev();
    let last = iterations.clone().next();
    iterations.find(|&id| tree.nodes[id].value.is_some()).or(last)
}
