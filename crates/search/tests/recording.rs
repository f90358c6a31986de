//! Recorded trees: watching changes nothing, and what is recorded is what the search did.

use std::sync::atomic::AtomicBool;

use tablero_chess::{Chess, ChessRules};
use tablero_core::{
    BestFirstNode, ChoiceReason, Control, Cut, DepthFirstNode, ForMover, Game, GameHistory,
    GameType, Limits, Numbers, Player, PolicyValue, Proven, Purpose, Recording, Rng, SearchResult,
    SearchTree, StandardRules, Tactics, TreeStep, Value,
};
use tablero_othello::Othello;
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
use tablero_search::mcts::{Mcts, MctsOptions, RandomPlayout};
use tablero_search::minimax::{Minimax, MinimaxOptions};
use tablero_search::puct::{Exploration, Puct, PuctOptions, RootSelection};
use tablero_shobu::{Shobu, ShobuRules};
use tablero_tictactoe::TicTacToe;

type Tree<G> = SearchTree<<G as Game>::Move>;

fn search<G: GameType>(
    player: &mut dyn Player<G>,
    game: &GameHistory<G>,
    recording: Option<&mut Recording<G::Move>>,
) -> SearchResult<G> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore);
    if let Some(recording) = recording {
        control = control.with_recording(recording);
    }
    player.choose(game, &Limits::default(), &mut control).expect("a move")
}

fn record<G: GameType>(
    player: &mut dyn Player<G>,
    game: &GameHistory<G>,
    max_nodes: usize,
) -> (SearchResult<G>, Tree<G>) {
    assert!(player.records_tree());
    let mut recording = Recording::new(max_nodes);
    let result = search(player, game, Some(&mut recording));
    (result, recording.tree.expect("recorded"))
}

/// A network that prefers some moves, by the position's key.
#[derive(Clone)]
struct Hashed;

impl<G: GameType> PolicyValue<G> for Hashed {
    fn evaluate(
        &mut self,
        position: &G,
        _: u32,
        moves: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32> {
        assert_eq!(moves.len(), priors.len());
        let mut rng = Rng::seeded(position.key());
        priors.iter_mut().for_each(|prior| *prior = rng.unit() as f32 + 0.01);
        ForMover(rng.unit() as f32 - 0.5)
    }
}

/// The searches, with and without pruning, noise, threads, sampling.
fn players<G: Tactics>() -> Vec<(&'static str, Box<dyn Player<G>>)> {
    let evaluation = || G::evaluations()[0].hand_tuned();
    let options = AlphaBetaOptions {
        limits: Limits { nodes: Some(4000), ..Limits::default() },
        ..AlphaBetaOptions::for_game::<G>()
    };
    let plain = AlphaBetaOptions {
        selectivity: tablero_core::Selectivity::NONE,
        limits: Limits { depth: Some(3), ..Limits::default() },
        multi_pv: 2,
        ..options
    };
    let pruning = MinimaxOptions { pruning: true, random_ties: true, ..MinimaxOptions::default() };
    let dropping = MinimaxOptions { drop: 0.4, ..MinimaxOptions::default() };
    let iterations = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
    let mcts = MctsOptions { limits: iterations(300), ..MctsOptions::default() };
    let puct = PuctOptions { limits: iterations(200), ..PuctOptions::default() };
    let noisy = PuctOptions {
        exploration: Some(Exploration::default()),
        batch_size: 4,
        threads: 2,
        ..puct.clone()
    };
    let gumbel = PuctOptions { root_selection: RootSelection::Gumbel(4), ..puct.clone() };
    vec![
        ("alphabeta", Box::new(AlphaBeta::new(options, evaluation()))),
        ("alphabeta plain", Box::new(AlphaBeta::new(plain, evaluation()))),
        ("minimax", Box::new(Minimax::new(2, evaluation()))),
        ("minimax pruning", Box::new(Minimax::new(2, evaluation()).with_options(pruning))),
        ("minimax drop", Box::new(Minimax::new(2, evaluation()).with_options(dropping))),
        ("mcts", Box::new(Mcts::<G>::new(mcts.clone(), RandomPlayout))),
        (
            "mcts threads",
            Box::new(Mcts::<G>::new(MctsOptions { threads: 2, ..mcts }, RandomPlayout)),
        ),
        ("puct", Box::new(Puct::<G, _>::new(puct, Hashed))),
        ("puct noisy", Box::new(Puct::<G, _>::new(noisy, Hashed))),
        ("puct gumbel", Box::new(Puct::<G, _>::new(gumbel, Hashed))),
    ]
}

fn check_structure<G: GameType>(name: &str, game: &GameHistory<G>, tree: &Tree<G>) {
    for (id, node) in tree.nodes.iter().enumerate().skip(1) {
        assert!((node.parent as usize) < id, "{name}");
    }
    assert!(game.position().is_legal(tree.choice.m), "{name}");
    assert!(tree.summary.searched > 0 && tree.summary.tree_nodes >= tree.nodes.len() as u64);
    let steps = tablero_core::TreeSteps {
        clone: G::clone,
        after: |position: &G, m| {
            assert!(position.is_legal(m));
            position.after(m)
        },
        null_move: G::clone,
    };
    let has_null_moves = tree.nodes.iter().any(|node| node.step == TreeStep::NullMove);
    if !has_null_moves {
        let mut visited = 0;
        tree.each_position(game.position().clone(), steps, |_, _, _| visited += 1);
        assert_eq!(visited, tree.nodes.len(), "{name}");
    }
}

/// Plays a random game: at every fourth position all searches choose the same move after the same nodes, watched
/// or not.
fn watching_changes_nothing<G: Tactics>(start: &G, plies: usize) {
    let (mut watched, mut unwatched) = (players::<G>(), players::<G>());
    for (_, player) in watched.iter_mut().chain(&mut unwatched) {
        player.new_game(5);
    }
    let (mut game, mut rng) = (GameHistory::new(start.clone()), Rng::seeded(11));
    for ply in 0..plies {
        let Some(m) = game.position().random_move(&mut rng).filter(|_| game.end().is_none()) else {
            break;
        };
        if ply % 4 == 0 {
            for ((name, watched), (_, unwatched)) in watched.iter_mut().zip(&mut unwatched) {
                let (a, tree) = record(&mut **watched, &game, 500);
                let b = search(&mut **unwatched, &game, None);
                assert_eq!((a.m, a.info.nodes), (b.m, b.info.nodes), "{name} at ply {ply}");
                assert_eq!(a.info.lines, b.info.lines, "{name} at ply {ply}");
                assert_eq!(tree.choice.m, a.m);
                assert!(tree.nodes.len() <= 1000, "{name}: {}", tree.nodes.len());
                check_structure(name, &game, &tree);
            }
        }
        game.play_on(m).expect("legal");
    }
}

#[test]
fn watching_tic_tac_toe_changes_nothing() {
    watching_changes_nothing(&TicTacToe::start(StandardRules), 9);
}

#[test]
fn watching_othello_changes_nothing() {
    watching_changes_nothing(&Othello::start(StandardRules), 60);
}

#[test]
fn watching_chess_changes_nothing() {
    watching_changes_nothing(&Chess::start(ChessRules::default()), 40);
}

#[test]
fn watching_shobu_changes_nothing() {
    watching_changes_nothing(&Shobu::start(ShobuRules::Across), 12);
}

fn depth_first<M>(tree: &SearchTree<M>, id: usize) -> &DepthFirstNode {
    match &tree.nodes[id].numbers {
        Numbers::DepthFirst(node) => node,
        Numbers::BestFirst(_) => panic!("a best-first node"),
    }
}

fn best_first<M>(tree: &SearchTree<M>, id: usize) -> &BestFirstNode {
    match &tree.nodes[id].numbers {
        Numbers::BestFirst(node) => node,
        Numbers::DepthFirst(_) => panic!("a depth-first node"),
    }
}

const fn centi(value: Option<Value>) -> i32 {
    match value {
        Some(Value::Centi(value)) => value,
        Some(Value::WinIn(moves)) => 1_000_000 - moves as i32,
        Some(Value::LossIn(moves)) => moves as i32 - 1_000_000,
        None => panic!("no value"),
    }
}

/// Every node has the negated maximum of its children, and the whole tree is there.
#[test]
fn minimax_records_every_node_with_its_value() {
    let game = GameHistory::new(Othello::start(StandardRules));
    let mut player = Minimax::new(4, Othello::evaluations()[0].hand_tuned());
    let (result, tree) = record(&mut player, &game, 100_000);
    let nodes = 4 + 12 + 56 + 244;
    assert_eq!((result.info.nodes, tree.nodes.len() as u64), (nodes, nodes + 1));
    let width = tree.summary.full_width.expect("counted");
    assert_eq!((width.depth, width.nodes, width.is_estimate), (4, nodes, false));
    assert_eq!(tree.choice.reason, ChoiceReason::LargestValue);
    for (id, children) in tree.children().iter().enumerate().filter(|(_, list)| !list.is_empty()) {
        let best = children.iter().map(|&child| centi(depth_first(&tree, child as usize).value));
        let sign = if id == 0 { 1 } else { -1 };
        let node = depth_first(&tree, id);
        assert_eq!(Some(centi(node.value)), best.clone().max().map(|best| sign * best));
        let rank = node.best_rank.expect("a best move") as usize;
        assert_eq!(best.clone().nth(rank - 1), best.max());
        let below: u64 =
            children.iter().map(|&child| depth_first(&tree, child as usize).nodes).sum();
        assert_eq!(node.nodes, below + u64::from(id > 0));
    }
}

/// Pruned minimax: fewer nodes, each cut explained.
#[test]
fn beta_cutoffs_are_recorded_with_their_rank() {
    let game = GameHistory::new(Othello::start(StandardRules));
    let options = MinimaxOptions { pruning: true, ..MinimaxOptions::default() };
    let mut player = Minimax::new(5, Othello::evaluations()[0].hand_tuned()).with_options(options);
    let (result, tree) = record(&mut player, &game, 100_000);
    let full = tree.summary.full_width.expect("counted");
    assert_eq!(full.nodes, 4 + 12 + 56 + 244 + 1396);
    assert!(result.info.nodes < full.nodes);
    let cut = (0..tree.nodes.len()).filter(|&id| depth_first(&tree, id).cut == Some(Cut::Beta));
    let cut: Vec<usize> = cut.collect();
    assert_eq!(tree.summary.cuts, [(Cut::Beta, cut.len() as u64)]);
    assert_eq!(tree.summary.cutoff_ranks.iter().sum::<u64>(), cut.len() as u64);
    for id in cut {
        // From the point of view of the side that moved there, a beta cutoff is a value at or below alpha.
        let node = depth_first(&tree, id);
        assert!(centi(node.value) <= centi(node.window[0]), "{node:?}");
    }
}

/// Alpha-beta: iterations are nodes of their own, values respect windows, and searched nodes add up.
#[test]
fn alpha_beta_records_iterations_cuts_and_researches() {
    let game = GameHistory::new(Chess::start(ChessRules::default()));
    let options = AlphaBetaOptions {
        limits: Limits { depth: Some(7), ..Limits::default() },
        ..AlphaBetaOptions::for_game::<Chess>()
    };
    let mut player = AlphaBeta::new(options, Chess::evaluations()[0].hand_tuned());
    let (result, tree) = record(&mut player, &game, 1_000_000);
    assert_eq!(tree.summary.max_ply, None, "complete");
    assert_eq!(tree.summary.tree_nodes, tree.nodes.len() as u64);
    let iterations = &tree.summary.iterations;
    assert_eq!(iterations.len(), 7);
    let nodes: u64 = iterations.iter().map(|iteration| iteration.nodes).sum();
    assert_eq!(nodes, result.info.nodes);
    let value = result.info.lines[0].value.0;
    assert_eq!(iterations[6].best, Some((result.m, value)));
    let full = tree.summary.full_width.expect("estimated");
    assert!(full.is_estimate && full.nodes > 1_000_000_000, "{full:?}");
    for cut in
        [Cut::Beta, Cut::TranspositionTable, Cut::ReverseFutility, Cut::NullMove, Cut::LateMove]
    {
        assert!(
            tree.summary.cuts.iter().any(|&(known, count)| known == cut && count > 0),
            "{cut:?}"
        );
    }
    let has = |purpose: Purpose| {
        (0..tree.nodes.len()).any(|id| depth_first(&tree, id).purpose == purpose)
    };
    for purpose in [Purpose::Scout, Purpose::WindowResearch, Purpose::Quiescence, Purpose::Pruned] {
        assert!(has(purpose), "{purpose:?}");
    }
    let children = tree.children();
    for id in children[0].iter().map(|&child| child as usize) {
        let node = depth_first(&tree, id);
        assert_eq!(node.purpose, Purpose::Iteration);
        let below: u64 =
            children[id].iter().map(|&child| depth_first(&tree, child as usize).nodes).sum();
        assert_eq!(node.nodes, below);
    }
    let firsts = tree.summary.cutoff_ranks[0] as f64;
    let all: u64 = tree.summary.cutoff_ranks.iter().sum();
    assert!(firsts / all as f64 > 0.6, "ordering: {firsts} of {all}");
}

/// Visits and means by replaying the log, as a page does.
fn replay<M: Copy>(tree: &SearchTree<M>) -> Vec<(u64, f64)> {
    let growth = tree.summary.growth.as_ref().expect("a log");
    let mut depth = vec![0; tree.nodes.len()];
    for (id, node) in tree.nodes.iter().enumerate().skip(1) {
        depth[id] = depth[node.parent as usize] + 1;
    }
    let mut totals = vec![(0, 0.0); tree.nodes.len()];
    let mut jumps = growth.jumps.iter().peekable();
    for (iteration, (&leaf, &value)) in (0..).zip(growth.leaves.iter().zip(&growth.values)) {
        let jumps = jumps.next_if(|(at, _)| *at == iteration).map_or(&[][..], |(_, list)| list);
        let mut jumps = jumps.iter().copied().peekable();
        let mut path = vec![leaf];
        while let Some(&at) = path.last().filter(|&&at| at != 0) {
            let parent = tree.nodes[at as usize].parent;
            let transposed =
                |jump: &u32| best_first(tree, *jump as usize).transposes_to == Some(parent);
            path.push(jumps.next_if(transposed).unwrap_or(parent));
        }
        assert_eq!(jumps.next(), None, "all jumps are used");
        for (ply, &at) in path.iter().rev().enumerate() {
            let sign = if ply % 2 == 1 || at == 0 { 1.0 } else { -1.0 };
            totals[at as usize].0 += 1;
            totals[at as usize].1 += sign * f64::from(value);
        }
    }
    totals
}

#[test]
fn the_growth_of_mcts_replays_to_its_final_numbers() {
    for threads in [1, 3] {
        let game = GameHistory::new(Othello::start(StandardRules));
        let options = MctsOptions { threads, ..MctsOptions::default() };
        let mut player = Mcts::<Othello>::new(options, RandomPlayout);
        player.new_game(3);
        let (result, tree) = record(&mut player, &game, 10_000);
        assert_eq!(tree.summary.tree_nodes, tree.nodes.len() as u64, "complete");
        for (id, (visits, sum)) in replay(&tree).into_iter().enumerate() {
            let node = best_first(&tree, id);
            assert_eq!(node.visits, visits);
            assert!((node.q.expect("visited") - sum / visits as f64).abs() < 1e-4, "{node:?}");
        }
        let most = (1..tree.nodes.len()).max_by_key(|&id| best_first(&tree, id).visits);
        assert_eq!(tree.nodes[most.expect("children")].step, TreeStep::Move(result.m));
        let siblings = tree.children()[0].len();
        assert_eq!(siblings, 4);
        // UCB1 keeps the bounds of root moves close.
        if threads == 1 {
            let bounds = (1..=4).map(|id| best_first(&tree, id).bound.expect("a bound"));
            let bounds: Vec<f64> = bounds.map(|[q, bonus]| q + bonus).collect();
            let range = |pick: fn(f64, f64) -> f64| bounds.iter().copied().reduce(pick);
            let [low, high] = [range(f64::min), range(f64::max)].map(|bound| bound.expect("some"));
            assert!(high - low < 0.2, "{bounds:?}");
        }
    }
}

#[test]
fn the_growth_of_puct_replays_through_transpositions() {
    let game = GameHistory::new(Chess::start(ChessRules::default()));
    let options = PuctOptions {
        limits: Limits { nodes: Some(3000), ..Limits::default() },
        c_puct: 6.0,
        ..PuctOptions::default()
    };
    let mut player = Puct::<Chess, _>::new(options, Hashed);
    let (result, tree) = record(&mut player, &game, 1_000_000);
    assert_eq!(tree.summary.growth.as_ref().map(|growth| growth.leaves.len()), Some(3000));
    let transposed = |id: &usize| best_first(&tree, *id).transposes_to.is_some();
    assert!((0..tree.nodes.len()).filter(transposed).count() > 10, "there are transpositions");
    for (id, (visits, sum)) in replay(&tree).into_iter().enumerate() {
        let node = best_first(&tree, id);
        assert_eq!(node.visits, visits, "node {id}");
        if id > 0 && visits > 0 {
            assert!((node.q.expect("visited") - sum / visits as f64).abs() < 1e-4, "{node:?}");
        }
    }
    let priors: f64 = tree.children()[0]
        .iter()
        .filter_map(|&child| best_first(&tree, child as usize).prior)
        .sum();
    assert!((priors - 1.0).abs() < 1e-4, "{priors}");
    assert_eq!(tree.choice.m, result.m);
    assert_eq!(tree.choice.reason, ChoiceReason::MostVisits);
}

/// X wins at c1 at once.
#[test]
fn proven_results_explain_the_choice() {
    use tablero_core::Notation;
    let position = TicTacToe::parse_position("x xx. oo. ...", StandardRules).expect("a position");
    let game = GameHistory::new(position);
    let mut player = Puct::<TicTacToe, _>::new(PuctOptions::default(), Hashed);
    let (result, tree) = record(&mut player, &game, 1000);
    assert_eq!(tree.choice.reason, ChoiceReason::ProvenWin);
    let chosen = (1..tree.nodes.len())
        .find(|&id| tree.nodes[id].parent == 0 && tree.nodes[id].step == TreeStep::Move(result.m));
    let chosen = best_first(&tree, chosen.expect("recorded"));
    assert_eq!((chosen.proven, chosen.is_terminal), (Some(Proven::Win(0)), true));
    assert_eq!(best_first(&tree, 0).proven, Some(Proven::Win(1)));
}

/// A reused tree keeps its visits, and says so.
#[test]
fn a_reused_tree_says_so() {
    let mut game = GameHistory::new(Othello::start(StandardRules));
    let mut player = Mcts::<Othello>::new(MctsOptions::default(), RandomPlayout);
    let (result, _) = record(&mut player, &game, 10_000);
    game.play_on(result.m).expect("legal");
    let (_, tree) = record(&mut player, &game, 10_000);
    assert!(tree.summary.reused_visits > 0);
    assert_eq!(best_first(&tree, 0).visits, 1000 + tree.summary.reused_visits);
}
