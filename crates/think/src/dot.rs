//! Trees for Graphviz.

use std::fmt::Write as _;

use crate::model::Tree;
use crate::top::top;

/// The most important nodes as a DOT graph.
pub(crate) fn write(tree: &Tree, max_nodes: usize) -> String {
    let ids = top(tree, max_nodes);
    let mut title = tree.headline();
    if ids.len() < tree.nodes.len() {
        title.push(format!("shown: the {} most searched nodes", ids.len()));
    }
    let mut text = format!(
        "digraph tree {{\n  graph [rankdir=LR, label={}, labelloc=t, fontname=\"sans-serif\"];\n  \
         node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=10];\n  \
         edge [arrowhead=none, color=\"#888888\"];\n",
        quoted(&title.join("\n"))
    );
    for &id in &ids {
        let node = &tree.nodes[id];
        let label = tree.label(node).join("\n");
        let (fill, font) = if node.side == 0 { ("#333333", "white") } else { ("#f4f4f4", "black") };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  n{id} [label={}, fillcolor=\"{fill}\", fontcolor=\"{font}\"];",
            quoted(&label)
        );
        if let Some(parent) = node.parent {
            let total = tree.nodes[parent as usize].weight().max(1) as f64;
            let width = 0.5 + 4.0 * (node.weight() as f64 / total).min(1.0);
            let _ = writeln!(text, "  n{parent} -> n{id} [penwidth={width:.1}];");
        }
    }
    text.push_str("}\n");
    text
}

/// A string of DOT.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    #[test]
    fn text_is_escaped() {
        assert_eq!(super::quoted("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
    }
}
