//! The player: limits, reports, move result.

use std::collections::BTreeSet;
use std::time::Duration;

use tablero_core::{Clock, Notation, StandardRules};
use tablero_othello::Othello;

use super::*;
use crate::minimax::Minimax;
use crate::simple::{Greedy, Random};

#[test]
fn one_thread_is_deterministic() {
    let game = random_game::<Othello>(12, &mut Rng::seeded(5));
    let mut options = AlphaBetaOptions::for_game::<Othello>();
    options.limits.nodes = Some(30_000);
    options.hash_mb = 1;
    let mut player = AlphaBeta::new(options, Othello::evaluations()[0].hand_tuned());
    let run = |player: &mut AlphaBeta<Othello>| {
        player.new_game(1);
        let Info { depth, nodes, lines, .. } = choose(player, &game, &Limits::default()).info;
        (depth, nodes, lines)
    };
    let first = run(&mut player);
    assert_eq!(first.1, 30_000, "uses the whole node limit");
    assert_eq!(first, run(&mut player));
    assert_eq!(signature::<Othello>(3), signature::<Othello>(3));
}

#[test]
fn stops_when_the_flag_is_set() {
    let game = GameHistory::new(Othello::start(StandardRules));
    for threads in [1, 3] {
        let options =
            AlphaBetaOptions { threads, hash_mb: 1, ..AlphaBetaOptions::for_game::<Othello>() };
        let mut player = AlphaBeta::new(options, Othello::evaluations()[0].hand_tuned());
        // At once, and after something was reported.
        for at_once in [true, false] {
            let stop = AtomicBool::new(at_once);
            let mut report = |info: &Info<Othello>| stop.store(info.depth >= 3, Ordering::Relaxed);
            let mut control = Control::new(&stop, &mut report);
            let result = player.choose(&game, &Limits::default(), &mut control);
            assert!(game.position().is_legal(result.expect("not over").m));
        }
    }
}

#[test]
fn reports_after_each_iteration() {
    let game = GameHistory::new(Othello::start(StandardRules));
    let mut options = AlphaBetaOptions::for_game::<Othello>();
    options.limits.depth = Some(5);
    options.multi_pv = 2;
    let mut player = AlphaBeta::new(options, Othello::evaluations()[0].hand_tuned());
    let (stop, mut seen) = (AtomicBool::new(false), Vec::new());
    let mut report = |info: &Info<Othello>| seen.push(info.clone());
    let mut control = Control::new(&stop, &mut report);
    let result = player.choose(&game, &Limits::default(), &mut control).expect("not over");
    let mut depths: Vec<u32> = seen.iter().map(|info| info.depth).collect();
    depths.dedup();
    assert_eq!(depths, [1, 2, 3, 4, 5]);
    assert!(seen.iter().all(|info| info.lines.len() == 2 && info.seldepth >= info.depth));
    assert!(seen.iter().is_sorted_by_key(|info| info.nodes));
    assert_eq!(result.info.lines[0].moves[0], result.m);
}

#[test]
fn respects_time_limits() {
    let game = GameHistory::new(Othello::start(StandardRules));
    let mut player = AlphaBeta::new(
        AlphaBetaOptions { hash_mb: 1, ..AlphaBetaOptions::for_game::<Othello>() },
        Othello::evaluations()[0].hand_tuned(),
    );
    let clock = |left| Clock {
        left: Duration::from_millis(left),
        increment: Duration::from_secs(60),
        moves_to_go: None,
    };
    for limits in [
        Limits { time: Some(Duration::from_millis(20)), ..Limits::default() },
        Limits { clock: Some(clock(100)), ..Limits::default() },
        Limits { clock: Some(clock(0)), ..Limits::default() },
    ] {
        let result = choose(&mut player, &game, &limits);
        assert!(game.position().is_legal(result.m));
        // Generous: the machine may be busy with something else.
        assert!(result.info.time < Duration::from_secs(10), "{:?}", result.info.time);
    }
}

#[test]
fn searches_only_searchmoves() {
    let game = GameHistory::new(Othello::start(StandardRules));
    let only = &game.moves()[1..3];
    let mut options = AlphaBetaOptions::for_game::<Othello>();
    options.limits.depth = Some(4);
    options.multi_pv = 4;
    let mut player = AlphaBeta::new(options, Othello::evaluations()[0].hand_tuned());
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore).with_searchmoves(only);
    let result = player.choose(&game, &Limits::default(), &mut control).expect("not over");
    assert_eq!(result.info.lines.len(), 2);
    assert!(result.info.lines.iter().all(|line| only.contains(&line.moves[0])));
}

#[test]
fn move_sampling_varies_but_does_not_blunder() {
    let game = GameHistory::new(TicTacToe::start(StandardRules));
    let mut options = AlphaBetaOptions::for_game::<TicTacToe>();
    options.move_sampling = Some(MoveSampling { within: 0, temperature: 1.0 });
    let mut player = AlphaBeta::new(options, TicTacToe::evaluations()[0].hand_tuned());
    let mut seen = BTreeSet::new();
    for seed in 0..40 {
        player.new_game(seed);
        let result = choose(&mut player, &game, &Limits::default());
        assert_eq!(result.info.lines.len(), 1, "multi_pv is 1");
        seen.insert(result.m);
    }
    assert!(seen.len() > 6, "all first moves draw: {seen:?}");
    // A forced win is played at any temperature.
    let won = TicTacToe::parse_position("x xx. oo. ...", StandardRules).expect("a position");
    player.options.move_sampling = Some(MoveSampling { within: 1000, temperature: 1e9 });
    let wins = (0..20).filter(|&seed| {
        player.new_game(seed);
        choose(&mut player, &GameHistory::new(won), &Limits::default()).m == 2
    });
    assert_eq!(wins.count(), 20);
}

#[test]
fn a_finished_game_has_no_move() {
    let over = TicTacToe::parse_position("o xxx oo. ...", StandardRules).expect("a position");
    let game = GameHistory::new(over);
    let evaluation = || TicTacToe::evaluations()[0].hand_tuned();
    let players: [Box<dyn Player<TicTacToe>>; 4] = [
        Box::new(AlphaBeta::new(AlphaBetaOptions::for_game::<TicTacToe>(), evaluation())),
        Box::new(Minimax::new(3, evaluation())),
        Box::new(Greedy::new(evaluation(), 1)),
        Box::new(Random::new(1)),
    ];
    for mut player in players {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = Control::new(&stop, &mut ignore);
        let result = player.choose(&game, &Limits::default(), &mut control);
        assert_eq!(result, Err(PlayerError::GameOver));
    }
}

#[test]
fn the_table_is_allocated_when_first_used() {
    let game = random_game::<Othello>(12, &mut Rng::seeded(5));
    let mut options = AlphaBetaOptions::for_game::<Othello>();
    options.hash_mb = 2;
    assert!(!options.selectivity.check_extension);
    let mut player = AlphaBeta::new(options, Othello::evaluations()[0].hand_tuned());
    player.new_game(1);
    assert_eq!(player.memory(), 0, "not before the first search");
    let to_depth = |player: &mut AlphaBeta<Othello>, depth| {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let Info { nodes, lines, .. } = choose(player, &game, &limits).info;
        (nodes, lines, player.memory())
    };
    assert_eq!(to_depth(&mut player, 1).2, 0, "one ply needs no table");
    let first = to_depth(&mut player, 5);
    assert_eq!(first.2, 2 << 20);
    player.release_memory();
    assert_eq!(player.memory(), 0);
    player.new_game(1);
    assert_eq!(to_depth(&mut player, 5), first);
}
