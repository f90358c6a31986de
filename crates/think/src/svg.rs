//! A picture of the top of a tree: left to right, children below one another.

use std::fmt::Write as _;

use crate::model::{Node, Tree};
use crate::top::top;

const BOX: [f64; 2] = [250.0, 40.0];
const GAP: [f64; 2] = [44.0, 10.0];
const MARGIN: f64 = 20.0;
const LINE: f64 = 20.0;

/// A node with its place.
struct Placed<'a> {
    node: &'a Node,
    column: usize,
    y: f64,
    /// Children that are not shown.
    hidden: usize,
}

/// The most important nodes as a picture.
pub(crate) fn write(tree: &Tree, max_nodes: usize) -> String {
    let ids = top(tree, max_nodes);
    let mut title = tree.headline();
    if ids.len() < tree.nodes.len() {
        title.push(format!("The {} most searched nodes", ids.len()));
    }
    let top_margin = MARGIN + LINE * (title.len() as f64 + 0.5);
    let placed = place(tree, &ids, top_margin);
    let columns = placed.iter().map(|placed| placed.column).max().unwrap_or(0) + 1;
    let bottom = placed.iter().map(|placed| placed.y + BOX[1]).fold(top_margin, f64::max);
    let width = 2.0 * MARGIN + columns as f64 * (BOX[0] + GAP[0]);
    let height = bottom + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"system-ui, sans-serif\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        escaped(&title[0])
    );
    for (number, line) in title.iter().enumerate() {
        let weight = if number == 0 { " font-weight=\"bold\"" } else { "" };
        text(&mut svg, [MARGIN, MARGIN + LINE * (number as f64 + 0.6)], 14.0, weight, line);
    }
    let at = |id: u32| ids.binary_search(&(id as usize)).ok().map(|at| &placed[at]);
    for child in &placed {
        if let Some(parent) = child.node.parent.and_then(at) {
            edge(&mut svg, parent, child);
        }
    }
    for child in &placed {
        node_box(&mut svg, tree, child, is_chosen(tree, child.node));
    }
    svg.push_str("</svg>\n");
    svg
}

/// As in an outline: leaves one below the other, a parent beside its first child.
fn place<'a>(tree: &'a Tree, ids: &[usize], top_margin: f64) -> Vec<Placed<'a>> {
    let index = |id: u32| ids.binary_search(&(id as usize)).ok();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); ids.len()];
    let mut columns = vec![0; ids.len()];
    for (at, &id) in ids.iter().enumerate() {
        if let Some(parent) = tree.nodes[id].parent.and_then(index) {
            children[parent].push(at);
            columns[at] = columns[parent] + 1;
        }
    }
    let mut all_children = vec![0; ids.len()];
    for node in &tree.nodes {
        if let Some(parent) = node.parent.and_then(index) {
            all_children[parent] += 1;
        }
    }
    // The order of the picture: depth first.
    let mut order = Vec::new();
    let mut stack = vec![0];
    while let Some(at) = stack.pop().filter(|&at| at < ids.len()) {
        order.push(at);
        stack.extend(children[at].iter().rev());
    }
    let mut y = vec![0.0; ids.len()];
    let mut row = top_margin;
    for &at in &order {
        if children[at].is_empty() {
            y[at] = row;
            row += BOX[1] + GAP[1];
        }
    }
    for &at in order.iter().rev() {
        if let Some(&first) = children[at].first() {
            y[at] = y[first];
        }
    }
    let placed = ids.iter().enumerate().map(|(at, &id)| Placed {
        node: &tree.nodes[id],
        column: columns[at],
        y: y[at],
        hidden: all_children[at] - children[at].len(),
    });
    placed.collect()
}

/// Whether a node is the chosen move at the root, of any iteration.
fn is_chosen(tree: &Tree, node: &Node) -> bool {
    let is_root_move = node.parent.is_some_and(|parent| {
        let parent = &tree.nodes[parent as usize];
        parent.parent.is_none() || parent.search == Some(crate::model::Search::Iteration)
    });
    is_root_move && node.m.as_ref() == Some(&tree.choice.m)
}

fn x(column: usize) -> f64 {
    MARGIN + column as f64 * (BOX[0] + GAP[0])
}

fn edge(svg: &mut String, parent: &Placed<'_>, child: &Placed<'_>) {
    let share = child.node.weight() as f64 / parent.node.weight().max(1) as f64;
    let width = 1.0 + 6.0 * share.min(1.0);
    let (x1, y1) = (x(parent.column) + BOX[0], parent.y + BOX[1] / 2.0);
    let (x2, y2) = (x(child.column), child.y + BOX[1] / 2.0);
    let middle = f64::midpoint(x1, x2);
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<path d=\"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}\" fill=\"none\" stroke=\"#999999\" \
         stroke-width=\"{width:.1}\" stroke-linecap=\"round\"/>"
    );
}

fn node_box(svg: &mut String, tree: &Tree, placed: &Placed<'_>, is_chosen: bool) {
    let (x, y) = (x(placed.column), placed.y);
    let [width, height] = BOX;
    let is_first = placed.node.side == 0;
    let (bar, stroke) = if is_first { ("#222222", "#222222") } else { ("#ffffff", "#888888") };
    let fill = match (is_chosen, placed.node.cut) {
        (true, _) => "#d7f0e2",
        (false, Some(_)) => "#fbe7d9",
        (false, None) => "#f6f6f6",
    };
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\" fill=\"{fill}\" \
         stroke=\"#888888\"/>\n<rect x=\"{}\" y=\"{}\" width=\"9\" height=\"{}\" rx=\"4\" fill=\"{bar}\" \
         stroke=\"{stroke}\"/>",
        x + 4.0,
        y + 5.0,
        height - 10.0
    );
    let [first, second] = tree.label(placed.node);
    text(svg, [x + 20.0, y + 17.0], 13.0, " font-weight=\"bold\"", &first);
    text(svg, [x + 20.0, y + 33.0], 11.0, "", &second);
    if placed.hidden > 0 {
        let more = format!("+{} more", placed.hidden);
        text(
            svg,
            [x + width - 8.0, y + 17.0],
            11.0,
            " text-anchor=\"end\" fill-opacity=\"0.7\"",
            &more,
        );
    }
}

fn text(svg: &mut String, [x, y]: [f64; 2], size: f64, attributes: &str, text: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"#222222\"{attributes}>{}</text>",
        escaped(text)
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
