use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tablero_core::{Control, Game, GameHistory, Limits, Player, StandardRules};
use tablero_othello::Othello;

use crate::engine::{Engine, Iteration, Request};
use crate::eval::Weights;
use crate::search::worker::PROGRESS_INTERVAL;
use crate::test_positions::positions;
use crate::{Board, Champion, ChampionOptions, Selectivity};

fn engine(threads: usize) -> Engine<&'static Weights> {
    Engine::new(Weights::embedded(), 4 << 20, threads)
}

/// Plain alpha-beta.
fn exact(board: Board, mut alpha: i32, beta: i32) -> i32 {
    let moves = board.moves();
    if moves == 0 {
        let next = board.pass();
        return if next.moves() == 0 { board.margin() } else { -exact(next, -beta, -alpha) };
    }
    let mut best = -64;
    for square in tablero_othello::bitboard::squares(moves) {
        let square = square.index() as u8;
        let next = board.play(square, board.flips(square));
        best = best.max(-exact(next, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[test]
fn solve_agrees_with_plain_alpha_beta() {
    let mut engine = engine(1);
    for (empties, count) in [(1, 20), (4, 20), (8, 20), (10, 5), (11, 2)] {
        for position in positions(empties, count, 7) {
            let board = Board::from(&position);
            let (value, best) = engine.solve(board);
            assert_eq!(value, exact(board, -64, 64), "{position:?}");
            if board.moves() != 0 {
                let next = board.play(best, board.flips(best));
                assert_eq!(-exact(next, -64, 64), value, "{position:?} {best}");
            }
        }
    }
}

#[test]
fn threads_and_wld_agree_with_the_exact_score() {
    let (mut one, mut four) = (engine(1), engine(4));
    let stop = AtomicBool::new(false);
    for position in positions(17, 6, 8) {
        let board = Board::from(&position);
        let (value, _) = one.solve(board);
        assert_eq!(four.solve(board).0, value, "{position:?}");
        one.clear();
        let goal = Iteration { depth: 60, selectivity: Selectivity::NONE };
        let request = Request { wld: true, ..Request::new(board, goal, &stop) };
        let outcome = one.search(&request, &mut |_| {}).value();
        assert_eq!(outcome.signum(), value.signum(), "{position:?}");
    }
}

#[test]
fn without_selectivity_the_value_is_that_of_minimax() {
    let evaluation = |position: &Othello| {
        let board = Board::from(position);
        let features = crate::eval::Features::of(board.player, board.opponent);
        let value = Weights::embedded().evaluate(&features, board.player, board.opponent);
        super::shallow::to_discs(value)
    };
    fn minimax(position: &Othello, depth: u32, evaluation: &dyn Fn(&Othello) -> i32) -> i32 {
        let board = Board::from(position);
        if position.outcome().is_some() {
            return board.margin();
        }
        let passes = board.moves() == 0;
        if depth == 0 && !passes {
            return evaluation(position);
        }
        let next = |m| -minimax(&position.after(m), depth - u32::from(!passes), evaluation);
        position.moves().into_iter().map(next).max().expect("not over")
    }
    let mut engine = engine(1);
    for position in positions(40, 8, 9) {
        for depth in 1..=4 {
            engine.clear();
            let (value, _) = engine.value(Board::from(&position), depth, Selectivity::NONE);
            let expected = minimax(&position, depth, &evaluation);
            // Up to rounding to discs.
            assert!((value - expected).abs() <= 1, "{position:?} {depth}: {value} {expected}");
        }
    }
}

#[test]
fn multi_pv_values_are_exact() {
    let mut engine = engine(1);
    let stop = AtomicBool::new(false);
    for position in positions(11, 5, 10) {
        let board = Board::from(&position);
        let goal = Iteration { depth: 60, selectivity: Selectivity::NONE };
        let request = Request { multi_pv: 64, ..Request::new(board, goal, &stop) };
        let found = engine.search(&request, &mut |_| {});
        if board.moves() == 0 {
            continue;
        }
        assert_eq!(found.pvs.len() as u32, board.moves().count_ones());
        for line in &found.pvs {
            let square = line.squares[0];
            let next = board.play(square, board.flips(square));
            assert_eq!(line.value, -exact(next, -64, 64), "{position:?} {square}");
        }
        assert!(found.pvs.is_sorted_by(|a, b| a.value >= b.value));
    }
}

#[test]
fn one_thread_is_deterministic_and_respects_the_node_limit() {
    let search = |nodes: Option<u64>| {
        let stop = AtomicBool::new(false);
        let board = Board::from(&Othello::start(StandardRules));
        let goal = Iteration { depth: 12, selectivity: Selectivity::LOWEST_CONFIDENCE };
        let request = Request { node_limit: nodes, ..Request::new(board, goal, &stop) };
        let progress = engine(1).search(&request, &mut |_| {});
        (progress.nodes, progress.pvs)
    };
    assert_eq!(search(None), search(None));
    assert!(search(Some(5_000)).0 < 50_000);
}

#[test]
fn a_stopped_search_returns_a_legal_move() {
    let game = GameHistory::new(positions(50, 1, 11)[0]);
    for threads in [1, 3] {
        let mut player =
            Champion::new(ChampionOptions { hash_mb: 1, threads, ..Default::default() });
        let stop = AtomicBool::new(false);
        let mut reports = 0;
        let mut stop_soon = |_: &_| {
            reports += 1;
            if reports == 5 {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        };
        let mut control = Control::new(&stop, &mut stop_soon);
        let result = player.choose(&game, &Limits::default(), &mut control).expect("a move");
        assert!(game.position().is_legal(result.m));
        // A few more iterations may complete before the next check of the flag.
        assert!((5..10).contains(&result.info.depth), "{}", result.info.depth);
    }
    // Set before the search.
    let stop = AtomicBool::new(true);
    let mut ignore = |_: &_| {};
    let mut player = Champion::new(ChampionOptions { hash_mb: 0, ..Default::default() });
    let mut control = Control::new(&stop, &mut ignore);
    let result = player.choose(&game, &Limits::default(), &mut control).expect("a move");
    assert!(game.position().is_legal(result.m));
}

#[test]
fn searches_only_searchmoves() {
    let game = GameHistory::new(positions(30, 1, 12)[0]);
    let mut player = Champion::new(ChampionOptions { hash_mb: 1, ..Default::default() });
    let stop = AtomicBool::new(false);
    for m in game.moves() {
        let mut ignore = |_: &_| {};
        let only = [m];
        let mut control = Control::new(&stop, &mut ignore).with_searchmoves(&only);
        let limits = Limits { depth: Some(4), ..Limits::default() };
        assert_eq!(player.choose(&game, &limits, &mut control).expect("a move").m, m);
    }
}

#[test]
fn respects_the_time_limit() {
    let game = GameHistory::new(positions(40, 1, 13)[0]);
    let mut player = Champion::new(ChampionOptions { hash_mb: 1, ..Default::default() });
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let limits = Limits { time: Some(Duration::from_millis(20)), ..Limits::default() };
    let mut control = Control::new(&stop, &mut ignore);
    let result = player.choose(&game, &limits, &mut control).expect("a move");
    assert!(result.info.depth < 40);
}

/// FFO 40, the first of the French federation's endgame tests.
#[test]
fn solves_ffo_40() {
    let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X;";
    let entries =
        tablero_othello::files::obf::read(text).collect::<Result<Vec<_>, _>>().expect("readable");
    let board = Board::from(&entries[0].position);
    assert_eq!(engine(1).solve(board), (38, 8));
}

#[test]
fn games_end_with_the_solved_score() {
    let mut player =
        Champion::new(ChampionOptions { level: Some(7), hash_mb: 1, ..Default::default() });
    let stop = AtomicBool::new(false);
    let mut game = GameHistory::new(Othello::start(StandardRules));
    let mut solved: Option<tablero_core::ForFirst<i32>> = None;
    while game.end().is_none() {
        let mut ignore = |_: &Info| {};
        let mut control = Control::new(&stop, &mut ignore);
        let result = player.choose(&game, &Limits::default(), &mut control).expect("a move");
        let side = game.position().side();
        if game.position().empties().count_ones() <= 14 {
            let tablero_core::Value::Centi(value) = result.info.lines[0].value.0 else {
                panic!("discs have no mate")
            };
            let value = tablero_core::ForMover(value / 100).for_first(side);
            assert_eq!(*solved.get_or_insert(value), value);
        }
        game.play(result.m).expect("legal");
    }
    let outcome = game.position().outcome().expect("over");
    assert_eq!(i32::from(outcome.margin().0), solved.expect("solved").0);
}

type Info = tablero_core::Info<Othello>;

#[test]
fn long_iterations_report_progress() {
    let (position, stop) = (&positions(40, 1, 9)[0], AtomicBool::new(false));
    let goal = Iteration { depth: 40, selectivity: Selectivity::NONE };
    let nodes = Some(2 * PROGRESS_INTERVAL + PROGRESS_INTERVAL / 2);
    let request = Request { node_limit: nodes, ..Request::new(Board::from(position), goal, &stop) };
    let mut reports: Vec<(Iteration, u64)> = Vec::new();
    engine(1).search(&request, &mut |progress| reports.push((progress.iteration, progress.nodes)));
    let again = reports.windows(2).filter(|two| two[0].0 == two[1].0).count();
    assert_eq!(again, 2, "{reports:?}");
    assert!(reports.is_sorted_by_key(|&(_, nodes)| nodes), "{reports:?}");
}
