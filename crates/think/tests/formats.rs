//! Trees of real searches in every format.

use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tablero_core::{AnyControl, AnyGameHistory, Limits, PlayerSetup, Recording};
use tablero_think::{Tree, TreeFormat};

fn tree(game: &str, position: &str, player: &str, max_nodes: usize) -> Tree {
    tablero_registry::install(tablero_catalog::games());
    let entry = tablero_registry::find(game).expect("a game");
    let rules = entry.game().default_rules();
    let history: AnyGameHistory = entry.game().parse_history(position, rules).expect("a position");
    let mut player = entry.build(player, &PlayerSetup::LOCAL).expect("a player");
    player.new_game(1);
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut recording = Recording::new(max_nodes);
    let mut control = AnyControl::new(&stop, &mut ignore).with_recording(&mut recording);
    player.choose(&history, &Limits::default(), &mut control).expect("a move");
    Tree::new(history.position(), &recording.tree.expect("recorded"))
}

fn text(tree: &Tree, format: TreeFormat) -> String {
    String::from_utf8(tree.write(format)).expect("UTF-8")
}

/// Opened and closed elements balance, and no text has markup of its own.
fn check_svg(svg: &str) {
    let mut open = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').expect("tags end");
        assert!(!rest.contains('>'), "unescaped: {rest}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a name"));
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn every_search_is_written_in_every_format() {
    for (game, player) in [
        ("othello", "minimax depth=3"),
        ("chess", "alphabeta depth=6"),
        ("shobu", "alphabeta depth=3"),
        ("connectfour", "mcts iterations=400"),
        ("chess", "puct net=chess-4x32 sims=60"),
    ] {
        let tree = tree(game, "start", player, 5000);
        let json: Value = serde_json::from_str(&text(&tree, TreeFormat::Json)).expect("JSON");
        assert_eq!(json["nodes"].as_array().map(Vec::len), Some(tree.nodes.len()));
        assert_eq!(json["search"], player.split(' ').next().expect("a kind"));
        // Whose values: the root's side to move, then in turns.
        for node in &tree.nodes {
            let parent = node.parent.map(|parent| &tree.nodes[parent as usize]);
            let expected = match parent {
                None => tree.turn,
                Some(parent) if node.step == tablero_think::Step::Stay => parent.side,
                Some(parent) if parent.parent.is_none() => parent.side,
                Some(parent) if parent.search == Some(tablero_think::Search::Iteration) => {
                    parent.side
                }
                Some(parent) => 1 - parent.side,
            };
            assert_eq!(node.side, expected, "{player}: {node:?}");
        }
        let svg = text(&tree, TreeFormat::Svg);
        check_svg(&svg);
        assert!(svg.matches("<rect").count() <= 1 + 2 * 60, "only the top");
        let dot = text(&tree, TreeFormat::Dot);
        assert!(dot.starts_with("digraph tree {") && dot.ends_with("}\n"));
        let quotes = dot.replace("\\\"", "").matches('"').count();
        assert_eq!(quotes % 2, 0);
    }
}

/// A mate is written as in `tablero best`: 10000 less the moves, `#1` in pictures.
#[test]
fn mates_are_numbers_that_compare() {
    let mate = "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1";
    let tree = tree("chess", mate, "alphabeta depth=3", 5000);
    assert_eq!(tree.choice.m, "Ra8#");
    assert_eq!(tree.nodes[0].value, Some(9999.0));
    assert!(text(&tree, TreeFormat::Svg).contains("Ra8#  #1"));
}

/// Null moves and their replies have positions of their own.
#[test]
fn null_moves_are_shown() {
    let tree = tree("chess", "start", "alphabeta depth=7", 200_000);
    let null_moves = tree.nodes.iter().filter(|node| node.step == tablero_think::Step::NullMove);
    let mut replies = null_moves.flat_map(|null| {
        assert!(null.m.is_none());
        let replies = tree.nodes.iter().filter(move |node| node.parent == Some(null.id));
        replies.filter(|reply| reply.m.is_some()).map(move |reply| (null.side, reply.side))
    });
    assert!(replies.clone().next().is_some(), "there are some");
    assert!(replies.all(|(null, reply)| null != reply));
}

#[test]
fn formats_follow_extensions() {
    let of = |name: &str| TreeFormat::of(name.as_ref());
    assert_eq!([of("a.json"), of("b.SVG")], [Some(TreeFormat::Json), Some(TreeFormat::Svg)]);
    assert_eq!([of("c.gv"), of("d.png"), of("e")], [Some(TreeFormat::Dot), None, None]);
}
