//! Internals: UCB1, the tree, tree reuse.

use std::f32::consts::SQRT_2;
use std::sync::atomic::AtomicBool;

use tablero_chess::Chess;
use tablero_core::{
    ForFirst, ForMover, Game, GameInfo, HistoryRules, Notation, Outcome, Side, StandardRules,
};
use tablero_othello::Othello;
use tablero_tictactoe::TicTacToe;

use super::tree::ucb1;
use super::*;

/// A tree whose root has children with these visits and reward sums.
fn hand_made(children: &[(u32, f32)]) -> Tree<u8> {
    let mut tree = Tree::new(0, 0, 0.0);
    for (index, &(visits, total)) in children.iter().enumerate() {
        let child = tree.add_child(NodeId::ROOT, index as u8, index);
        for _ in 0..visits {
            tree.update(child, total / visits as f32);
            tree.update(NodeId::ROOT, -total / visits as f32);
        }
    }
    tree.set_untried(NodeId::ROOT, 0);
    tree
}

fn selected(tree: &Tree<u8>, cp: f32) -> u8 {
    tree.incoming_move(tree.select(NodeId::ROOT, 2.0 * cp))
}

#[test]
fn ucb1_matches_hand_computed_values() {
    // 0.5 + 2 * 1.414214 * sqrt(ln 100 / 10) = 0.5 + 2.828427 * 0.678614
    assert!((ucb1(0.5, 10.0, 100f32.ln(), 2.0 * SQRT_2) - 2.419_41).abs() < 1e-5);
    // -1 + 2 * 1 * sqrt(ln 8 / 2) = -1 + 2 * 1.019667
    assert!((ucb1(-1.0, 2.0, 8f32.ln(), 2.0) - 1.039_33).abs() < 1e-5);
}

#[test]
fn selection_matches_hand_computed_values() {
    // ln 20 = 2.995732. With Cp = 1.414214:
    //   0.6 + 2.828427 * sqrt(2.995732 / 10) =  0.6  + 1.548092 = 2.148092
    //   0.5 + 2.828427 * sqrt(2.995732 /  6) =  0.5  + 1.998578 = 2.498578
    // -0.25 + 2.828427 * sqrt(2.995732 /  4) = -0.25 + 2.447746 = 2.197746
    let tree = hand_made(&[(10, 6.0), (6, 3.0), (4, -1.0)]);
    assert_eq!(tree.visits(NodeId::ROOT), 20);
    assert_eq!(selected(&tree, SQRT_2), 1);
    // Cp = 0 selects the best mean, 0.6; a large Cp the fewest visits, 4.
    assert_eq!(selected(&tree, 0.0), 0);
    assert_eq!(selected(&tree, 10.0), 2);
}

#[test]
fn minimax_values_are_mixed_into_the_mean() {
    let mut tree = Tree::new(0_u8, 0, 0.5);
    let node = tree.add_child(NodeId::ROOT, 0, 0);
    tree.update(node, 0.2);
    for (index, untried, reward) in [(0, 1, 0.6), (1, 0, -0.4)] {
        let reply = tree.add_child(node, index, usize::from(index));
        tree.set_untried(node, untried);
        tree.update(reply, reward);
        tree.update(node, -reward);
        // The first reward until all replies are known: (0.2 - 0.6) / 2 and 0.2; then the best of them for the one
        // who replies: (0.2 - 0.6 + 0.4) / 3 and -0.6.
        let expected = if untried > 0 { 0.0 } else { -0.3 };
        assert!((tree.mean(node) - expected).abs() < 1e-4, "{}", tree.mean(node));
    }
    let third = tree.reward_sum(node) / f64::from(tree.visits(node));
    assert!(third.abs() < 1e-6, "the mean of rewards is not mixed");
}

/// The second move has a reply with enough visits, and takes its value.
#[test]
fn expected_results_come_from_the_end_of_the_pv() {
    let mut tree = hand_made(&[(10, 10.0), (200, 100.0), (20, -5.0)]);
    let second = tree.children(NodeId::ROOT).nth(1).expect("three moves");
    for (index, visits, mean) in [(0, 120, 0.25), (1, 80, -1.0)] {
        let reply = tree.add_child(second, index, usize::from(index));
        (0..visits).for_each(|_| tree.update(reply, mean));
    }
    let root = MergedNode::root([&tree].into_iter());
    // The first move has too few visits, the third too few for its replies to count.
    assert_eq!(root.expected(), [(1, -0.25), (2, -0.25)]);
    assert_eq!(root.expected_replies(), [([1, 0], 0.25), ([1, 1], -1.0)]);
}

#[test]
fn vectorized_selection_agrees_with_the_scalar_formula() {
    let mut rng = Rng::seeded(1);
    for count in 1..300 {
        let mut child = || {
            let visits = 1 + rng.below(40) as u32;
            (visits, visits as f32 * (2.0 * rng.unit() as f32 - 1.0))
        };
        let children: Vec<_> = (0..count).map(|_| child()).collect();
        let parent: u32 = children.iter().map(|(visits, _)| visits).sum();
        let score = |index: usize| {
            let (visits, total) = (f64::from(children[index].0), f64::from(children[index].1));
            total / visits
                + 2.0 * std::f64::consts::SQRT_2 * (f64::from(parent).ln() / visits).sqrt()
        };
        let best = (0..count).map(score).fold(f64::NEG_INFINITY, f64::max);
        let tree = hand_made(&children);
        let chosen = tree.index(tree.select(NodeId::ROOT, 2.0 * SQRT_2));
        assert!(score(chosen) > best - 1e-5, "{count} children");
        assert_eq!(tree.children(NodeId::ROOT).count(), count);
    }
}

fn decide<G: GameType, S: Simulation<G>>(
    player: &mut Mcts<G, S>,
    game: &GameHistory<G>,
) -> SearchResult<G> {
    let stop = AtomicBool::new(false);
    let mut report = |_: &Info<G>| {};
    let mut control = Control::new(&stop, &mut report);
    player.choose(game, &Limits::default(), &mut control).expect("a move")
}

fn player<G: GameType>(iterations: u64, threads: usize) -> Mcts<G> {
    let limits = Limits { nodes: Some(iterations), ..Limits::default() };
    let options = MctsOptions { limits, threads, ..MctsOptions::default() };
    Mcts::new(options, RandomPlayout)
}

fn start<G: GameType>() -> GameHistory<G> {
    GameHistory::new(G::start(G::Rules::default()))
}

/// Move, expansion, visits and reward sum of every node below `node`, in order.
fn dump<M: Copy>(tree: &Tree<M>, node: NodeId) -> Vec<(M, Expansion, u32, f64)> {
    let mut all = Vec::new();
    let mut nodes: Vec<NodeId> = tree.children(node).collect();
    while let Some(node) = nodes.pop() {
        all.push((
            tree.incoming_move(node),
            tree.expansion(node),
            tree.visits(node),
            tree.reward_sum(node),
        ));
        nodes.extend(tree.children(node));
    }
    all
}

#[test]
fn each_node_counts_itself_and_its_children() {
    let mut player = player::<Othello>(3000, 1);
    decide(&mut player, &start());
    let tree = &player.workers[0].tree;
    let mut nodes = vec![NodeId::ROOT];
    let mut seen = 0;
    while let Some(node) = nodes.pop() {
        seen += 1;
        let children: Vec<NodeId> = tree.children(node).collect();
        let visits: u32 = children.iter().map(|&child| tree.visits(child)).sum();
        let own = u32::from(node != NodeId::ROOT);
        assert_eq!(tree.visits(node), visits + own);
        // Zero-sum: reward sums differ by the node's own playout.
        let total: f64 = children.iter().map(|&child| tree.reward_sum(child)).sum();
        assert!((tree.reward_sum(node) + total).abs() <= f64::from(own));
        nodes.extend(children);
    }
    assert_eq!(seen, 1 + 3000, "one node per iteration");
}

#[test]
fn rerooting_keeps_the_subtree() {
    let mut player = player::<Othello>(5000, 1);
    let mut game = start::<Othello>();
    for _ in 0..10 {
        let line = decide(&mut player, &game).info.lines.remove(0).moves;
        let tree = &player.workers[0].tree;
        let mut node = NodeId::ROOT;
        for &m in &line[..2] {
            game.play(m).expect("a legal move");
            node = tree
                .children(node)
                .find(|&child| tree.incoming_move(child) == m)
                .expect("the nodes of the PV");
        }
        let (visits, below) = (tree.visits(node), dump(tree, node));
        assert!(visits > 0 && !below.is_empty());
        player.prepare_trees(&game, line[0], false);
        let tree = &player.workers[0].tree;
        assert_eq!(tree.visits(NodeId::ROOT), visits);
        assert_eq!(dump(tree, NodeId::ROOT), below);
        decide(&mut player, &game);
        assert_eq!(player.workers[0].tree.visits(NodeId::ROOT), visits + 5000, "{}", game.plies());
    }
}

#[test]
fn freed_groups_are_reused() {
    let mut player = player::<Othello>(2000, 1);
    let mut game = start::<Othello>();
    while game.end().is_none() {
        let m = decide(&mut player, &game).m;
        game.play(m).expect("a legal move");
        // Two or three times what one search adds, not sixty times.
        let bytes = player.workers[0].tree.memory();
        assert!(bytes < 1 << 20, "{bytes} after {} plies", game.plies());
    }
}

#[test]
fn extreme_values_of_cp_do_not_hang() {
    for cp in [f32::NAN, f32::INFINITY, f32::MAX, -1.0] {
        let mut player = player::<TicTacToe>(2000, 1);
        player.options.cp = cp;
        decide(&mut player, &start());
    }
}

#[test]
fn the_tree_is_reused_only_if_the_game_continues() {
    let mut player = player::<TicTacToe>(500, 1);
    let mut game = start::<TicTacToe>();
    decide(&mut player, &game);
    let root_visits = |player: &Mcts<TicTacToe>| player.workers[0].tree.visits(NodeId::ROOT);
    // The same position again: the tree is kept.
    decide(&mut player, &game);
    assert_eq!(root_visits(&player), 1000);
    game.play(4).expect("the centre");
    decide(&mut player, &game);
    assert!(root_visits(&player) > 500);
    // An undone move, another start position, a new game, or reuse disabled: the tree is cleared.
    game.undo();
    decide(&mut player, &game);
    assert_eq!(root_visits(&player), 500);
    decide(&mut player, &GameHistory::new(game.position().after(0)));
    assert_eq!(root_visits(&player), 500);
    player.new_game(1);
    decide(&mut player, &game);
    assert_eq!(root_visits(&player), 500);
    player.options.reuse_tree = false;
    decide(&mut player, &game);
    assert_eq!(root_visits(&player), 500);
}

#[test]
fn memory_is_bounded() {
    let mut player = player::<Othello>(50_000, 1);
    player.options.memory_mb = 1;
    let mut game = start::<Othello>();
    for _ in 0..6 {
        let result = decide(&mut player, &game);
        assert_eq!(result.info.nodes, 50_000, "continues without expansion");
        let tree = &player.workers[0].tree;
        assert!(tree.memory() <= 1 << 20, "{}", tree.memory());
        assert!(dump(tree, NodeId::ROOT).len() > 15_000, "all memory is used");
        assert_eq!(tree.expansion(NodeId::ROOT), Expansion::Full);
        game.play(result.m).expect("a legal move");
    }
}

#[test]
fn evaluations_are_for_the_side_to_move() {
    // The first player is always slightly better.
    let value = |position: &Othello| ForFirst(0.25).for_mover(position.side());
    let mut player = Mcts::new(MctsOptions::default(), value);
    let mut game = start::<Othello>();
    for _ in 0..4 {
        decide(&mut player, &game);
        let expected = match game.position().side() {
            Side::First => 0.25,
            Side::Second => -0.25,
        };
        for stats in player.statistics() {
            assert_eq!(stats.mean, expected, "{stats:?} after {} plies", game.plies());
        }
        let tree = &player.workers[0].tree;
        let mean = f64::from(tree.mean(NodeId::ROOT));
        assert_eq!(mean, -expected, "the root's mean is for the player who moved there");
        game.play(game.moves()[0]).expect("a legal move");
    }
}

#[test]
fn evaluations_out_of_range_are_clamped() {
    let wild = |position: &Othello| {
        ForMover([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 7.0][(position.key() % 4) as usize])
    };
    let mut player = Mcts::new(MctsOptions::default(), wild);
    let result = decide(&mut player, &start());
    assert_eq!(result.info.nodes, 1000);
    assert!(player.statistics().iter().all(|stats| stats.mean.abs() <= 1.0));
}

#[test]
fn final_move_selection() {
    let tree = hand_made(&[(10, 6.0), (6, 3.0), (4, -1.0)]);
    let best = |final_move, cp| {
        let options = MctsOptions { final_move, cp, multi_pv: 9, ..MctsOptions::default() };
        let lines = lines::<TicTacToe>(&MergedNode::root(std::iter::once(&tree)), &options);
        lines.iter().map(|line| line.moves[0]).collect::<Vec<u8>>()
    };
    assert_eq!(best(FinalMove::RobustChild, SQRT_2), [0, 1, 2]);
    assert_eq!(best(FinalMove::MaxUcb, SQRT_2), [1, 2, 0]);
    assert_eq!(best(FinalMove::MaxUcb, 0.0), [0, 1, 2]);
}

#[test]
fn trees_of_threads_are_merged() {
    let trees = [hand_made(&[(10, 6.0), (6, 3.0)]), hand_made(&[(3, 1.5), (9, 0.0)])];
    let statistics = MergedNode::root(trees.iter()).statistics();
    assert_eq!(statistics[0], MoveStatistics { m: 1, visits: 15, mean: 3.0 / 15.0 });
    assert_eq!((statistics[1].m, statistics[1].visits), (0, 13));
    assert!((statistics[1].mean - 7.5 / 13.0).abs() < 1e-6);
}

/// A stone moves up or down a line. Three up wins for the first player, three down for the second;
/// after six plies it is a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct UpAndDown {
    height: i8,
    side: Side,
}

impl GameType for UpAndDown {
    const NAME: &'static str = "up and down";
    const SIDES: [&'static str; 2] = ["up", "down"];
    const HISTORY: HistoryRules =
        HistoryRules { draw_at_ply: Some(6), draw_at_repetition: Some(2), ..HistoryRules::NONE };
}

impl Game for UpAndDown {
    type Move = i8;
    type Rules = StandardRules;

    fn start(_: StandardRules) -> Self {
        Self { height: 0, side: Side::First }
    }

    fn info(&self) -> &'static GameInfo {
        &Self::INFO
    }

    fn rules(&self) -> StandardRules {
        StandardRules
    }

    fn side(&self) -> Side {
        self.side
    }

    fn each_move(&self, visit: impl FnMut(i8)) {
        if self.outcome().is_none() {
            [1, -1].into_iter().for_each(visit);
        }
    }

    fn play(&mut self, m: i8) {
        self.height += m;
        self.side = !self.side;
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.height {
            3 => Some(Outcome::win(Side::First)),
            -3 => Some(Outcome::win(Side::Second)),
            _ => None,
        }
    }

    fn key(&self) -> u64 {
        (self.height + 8) as u64 * 2 + self.side.index() as u64
    }
}

#[test]
fn draws_by_history_are_leaves() {
    let game = start::<UpAndDown>();
    let mut player = player::<UpAndDown>(200, 1);
    // Every repetition is a draw.
    decide(&mut player, &game);
    let tree = &player.workers[0].tree;
    for first in tree.children(NodeId::ROOT) {
        for second in tree.children(first) {
            let back = tree.incoming_move(first) == -tree.incoming_move(second);
            assert_eq!(tree.children(second).next().is_none(), back);
            assert!(!back || tree.reward_sum(second) == 0.0);
        }
    }
    // One ply before the ply limit every move draws, except the win.
    let mut last_ply = GameHistory::new(UpAndDown { height: 1, side: Side::Second });
    for m in [1, -1, -1, -1, -1] {
        last_ply.play_on(m).expect("a legal move");
    }
    assert_eq!(last_ply.position(), &UpAndDown { height: -2, side: Side::First });
    assert_eq!(last_ply.end(), None);
    decide(&mut player, &last_ply);
    let mut means: Vec<_> = player.statistics().iter().map(|stats| (stats.m, stats.mean)).collect();
    means.sort_by_key(|(m, _)| *m);
    assert_eq!(means, [(-1, -1.0), (1, 0.0)]);
}

#[test]
fn memory_can_be_released() {
    let mut player = player::<Othello>(2000, 2);
    let mut game = start::<Othello>();
    assert_eq!(player.memory(), 0, "not before the first search");
    let m = decide(&mut player, &game).m;
    let taken = player.memory();
    assert!(taken > 2000 * size_of::<f64>(), "{taken}");
    player.release_memory();
    assert!(player.memory() < 1024, "{}", player.memory());
    game.play(m).expect("a legal move");
    assert_eq!(decide(&mut player, &game).info.nodes, 2000);
    assert_eq!(player.workers[0].tree.visits(NodeId::ROOT), 1000, "the tree was not kept");
}

/// A perpetual check: the third check repeats the first position below the root and is a leaf,
/// until the tree is reused and that position was on the board.
#[test]
fn a_repetition_is_a_leaf_only_while_it_is_one() {
    let position = Chess::parse_position("6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1", Default::default());
    let mut game = GameHistory::new(position.expect("a position"));
    let limits = Limits { nodes: Some(60_000), ..Limits::default() };
    let options = MctsOptions { limits, cp: 0.3, ..MctsOptions::default() };
    let behind = |position: &Chess| ForFirst(-0.9).for_mover(position.side());
    let mut player = Mcts::new(options, behind);
    let line = ["h5e8", "g8h7", "e8h5", "h7g8", "h5e8"];
    let follow = |tree: &Tree<tablero_chess::Move>, line: &[&str]| {
        line.iter().fold(NodeId::ROOT, |node, &text| {
            let is_next = |&child: &NodeId| tree.incoming_move(child).to_string() == text;
            tree.children(node).find(is_next).expect("a node")
        })
    };
    decide(&mut player, &game);
    let tree = &player.workers[0].tree;
    let end = follow(tree, &line);
    assert!(tree.visits(end) > 10 && tree.reward_sum(end) == 0.0);
    assert!(tree.children(end).next().is_none());
    for text in &line[..2] {
        let m = game.position().parse_move(text).expect("a move");
        game.play(m).expect("a legal move");
    }
    decide(&mut player, &game);
    let tree = &player.workers[0].tree;
    assert!(tree.children(follow(tree, &line[2..])).next().is_some());
}
