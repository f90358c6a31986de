//! The MCTS player: all games, both sides, all limits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tablero_chess::Chess;
use tablero_core::{
    Clock, Control, ForMover, Game, GameHistory, GameType, Info, Limits, Notation, Player,
    PlayerError, Rng, SearchResult, Side, Tactics, Value, Wdl,
};
use tablero_othello::Othello;
use tablero_search::mcts::{
    FinalMove, HeuristicPlayout, Mcts, MctsOptions, PlayoutPolicy, RandomPlayout, Simulation,
    StaticEvaluation,
};
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

fn start<G: GameType>() -> GameHistory<G> {
    GameHistory::new(G::start(G::Rules::default()))
}

fn iterations(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn options(nodes: u64) -> MctsOptions {
    MctsOptions { limits: iterations(nodes), ..MctsOptions::default() }
}

fn seeded<G: GameType>(options: MctsOptions, seed: u64) -> Mcts<G> {
    let mut player = Mcts::new(options, RandomPlayout);
    player.new_game(seed);
    player
}

fn choose<G: GameType>(
    player: &mut Mcts<G>,
    game: &GameHistory<G>,
    limits: &Limits,
) -> SearchResult<G> {
    let stop = AtomicBool::new(false);
    let mut report = |_: &Info<_>| {};
    let mut control = Control::new(&stop, &mut report);
    player.choose(game, limits, &mut control).expect("a move")
}

fn best<G: GameType>(game: &GameHistory<G>, nodes: u64) -> G::Move {
    choose(&mut seeded(options(nodes), 1), game, &Limits::default()).m
}

/// The game-theoretic result.
fn solve<G: GameType>(position: &G) -> ForMover<i32> {
    let mut best = None;
    position.each_move(|m| {
        let value = -solve(&position.after(m));
        best = best.max(Some(value));
    });
    best.unwrap_or_else(|| {
        ForMover(match position.outcome().expect("over").wdl(position.side()) {
            Wdl::Loss => -1,
            Wdl::Draw => 0,
            Wdl::Win => 1,
        })
    })
}

/// Plays against all replies.
fn never_loses(game: &mut GameHistory<TicTacToe>, machine: Side) {
    if let Some(end) = game.end() {
        assert_ne!(end.outcome.wdl(machine), Wdl::Loss, "{:?}", game.position());
        return;
    }
    let moves =
        if game.position().side() == machine { vec![best(game, 1500)] } else { game.moves() };
    for m in moves {
        game.play(m).expect("a legal move");
        never_loses(game, machine);
        game.undo();
    }
}

#[test]
fn never_loses_tic_tac_toe() {
    never_loses(&mut start(), Side::First);
    never_loses(&mut start(), Side::Second);
}

#[test]
fn tic_tac_toe_tactics_for_both_sides() {
    for (position, m) in [
        // Win in one.
        ("x xx. oo. ...", "c1"),
        ("o xx. oo. x..", "c2"),
        // Do not lose in one.
        ("o xx. .o. ...", "c1"),
        ("x oo. x.. x..", "c1"),
        // Win in two: a double threat.
        ("x xo. ... .ox", "b2"),
    ] {
        let position = TicTacToe::parse_position(position, Default::default()).expect("a position");
        let expected = position.parse_move(m).expect("a move");
        let chosen = best(&GameHistory::new(position), 3000);
        assert_eq!(chosen, expected, "{} {}", position.position_text(), position.move_text(chosen));
    }
}

/// At the end of random games, plays a win in one or an equally certain move, for both sides.
fn wins_in_one<G: GameType>(games: u64, nodes: u64) {
    let mut found = [0; 2];
    for seed in 0..games {
        let mut rng = Rng::seeded(seed);
        let mut game = start::<G>();
        while game.end().is_none() {
            let m = game.position().random_move(&mut rng).expect("a move");
            game.play(m).expect("a legal move");
        }
        game.undo();
        let mover = game.position().side();
        let wins =
            |m| game.position().after(m).outcome().is_some_and(|o| o.winner() == Some(mover));
        if game.moves().into_iter().any(wins) {
            let result = choose(&mut seeded(options(nodes), 1), &game, &Limits::default());
            let sure = result.info.lines[0].value == ForMover(Value::Centi(100));
            assert!(sure || wins(result.m), "{:?}: {result:?}", game.position());
            found[mover.index()] += 1;
        }
    }
    assert!(found[0] > 0 && found[1] > 0, "{found:?}");
}

#[test]
fn wins_in_one_in_every_game() {
    wins_in_one::<TicTacToe>(40, 500);
    wins_in_one::<Othello>(40, 1000);
    wins_in_one::<Shobu>(10, 2000);
    wins_in_one::<Chess>(20, 400);
}

#[test]
fn plays_othello_endgames_perfectly() {
    for seed in 0..30 {
        let mut rng = Rng::seeded(seed);
        let mut game = start::<Othello>();
        let empty = |game: &GameHistory<Othello>| {
            let position = game.position();
            (position.discs(Side::First) | position.discs(Side::Second)).count_zeros()
        };
        while empty(&game) > 6 && game.end().is_none() {
            let m = game.position().random_move(&mut rng).expect("a move");
            game.play(m).expect("a legal move");
        }
        if game.end().is_some() {
            continue;
        }
        let value = solve(game.position());
        let chosen = best(&game, 20_000);
        assert_eq!(-solve(&game.position().after(chosen)), value, "{:?}", game.position());
    }
}

#[test]
fn threefold_repetition_is_a_draw() {
    let text = "k7/8/8/8/8/8/r6r/4K3 w - - 0 1";
    let position = Chess::parse_position(text, Default::default()).expect("a position");
    let mut game = GameHistory::new(position);
    for text in ["Kf1", "Kb8", "Ke1", "Ka8"].repeat(2) {
        let m = game.position().parse_move(text).expect("a move");
        game.play(m).expect("a legal move");
    }
    let mut player = seeded::<Chess>(options(300), 1);
    let saving = game.position().parse_move("Kf1").expect("a move");
    assert_eq!(choose(&mut player, &game, &Limits::default()).m, saving);
    for stats in player.statistics() {
        assert_eq!(stats.m == saving, stats.mean == 0.0, "{stats:?}");
    }
}

fn plays_a_game<G: GameType>(nodes: u64, threads: usize) {
    let mut game = start::<G>();
    let mut player = seeded::<G>(MctsOptions { threads, ..options(nodes) }, 3);
    while game.end().is_none() && game.plies() < 40 {
        let result = choose(&mut player, &game, &Limits::default());
        assert_eq!(result.info.nodes, nodes);
        assert_eq!(result.info.lines[0].moves[0], result.m);
        let mut line = game.clone();
        for &m in &result.info.lines[0].moves {
            line.play(m).expect("the PV is legal");
        }
        let Value::Centi(value) = result.info.lines[0].value.0 else {
            panic!("{result:?}");
        };
        assert!((-100..=100).contains(&value));
        assert!(result.info.depth <= result.info.seldepth);
        game.play(result.m).expect("a legal move");
    }
}

#[test]
fn plays_all_games() {
    for threads in [1, 3] {
        plays_a_game::<TicTacToe>(100, threads);
        plays_a_game::<Othello>(100, threads);
        plays_a_game::<Shobu>(60, threads);
        plays_a_game::<Chess>(25, threads);
    }
}

fn twice_the_same<G: GameType>(nodes: u64) {
    for threads in [1, 2] {
        let play = |seed| {
            let mut game = start::<G>();
            let mut player = seeded::<G>(MctsOptions { threads, ..options(nodes) }, seed);
            let mut all = Vec::new();
            for _ in 0..4 {
                let result = choose(&mut player, &game, &Limits::default());
                all.push(player.statistics());
                game.play(result.m).expect("a legal move");
            }
            all
        };
        assert_eq!(play(5), play(5));
        assert_ne!(play(5), play(6));
    }
}

#[test]
fn the_same_seed_gives_the_same_search() {
    twice_the_same::<Othello>(501);
    twice_the_same::<Shobu>(101);
    twice_the_same::<Chess>(51);
}

#[test]
fn a_new_game_clears_the_tree() {
    let game = start::<Othello>();
    let mut player = seeded::<Othello>(options(300), 1);
    choose(&mut player, &game, &Limits::default());
    let first = player.statistics();
    choose(&mut player, &game, &Limits::default());
    player.new_game(1);
    choose(&mut player, &game, &Limits::default());
    assert_eq!(player.statistics(), first);
}

#[test]
fn iterations_are_counted_exactly() {
    let game = start::<Othello>();
    for threads in [1, 2, 3] {
        for nodes in [1, 2, 3, 7, 100] {
            let mut player = seeded::<Othello>(MctsOptions { threads, ..options(nodes) }, 1);
            let info = choose(&mut player, &game, &Limits::default()).info;
            let visits: u64 = player.statistics().iter().map(|stats| stats.visits).sum();
            assert_eq!((info.nodes, visits), (nodes, nodes));
        }
    }
    // The tighter of the player's and the call's limits.
    let mut player = seeded::<Othello>(options(100), 1);
    assert_eq!(choose(&mut player, &game, &iterations(30)).info.nodes, 30);
    assert_eq!(choose(&mut player, &game, &iterations(300)).info.nodes, 100);
    // No iteration: still a legal move.
    let result = choose(&mut seeded::<Othello>(options(0), 1), &game, &Limits::default());
    assert!(game.moves().contains(&result.m) && result.info.lines.is_empty());
}

fn unlimited<G: GameType>() -> Mcts<G> {
    seeded(MctsOptions { limits: Limits::default(), threads: 2, ..MctsOptions::default() }, 1)
}

#[test]
fn the_stop_flag_ends_an_unlimited_search() {
    let stop = AtomicBool::new(false);
    let mut reports = 0;
    let mut report = |_: &Info<Othello>| {
        reports += 1;
        stop.store(true, Ordering::Relaxed);
    };
    let mut control = Control::new(&stop, &mut report);
    let result = unlimited().choose(&start(), &Limits::default(), &mut control).expect("a move");
    assert!(result.info.nodes > 0);
    assert!(reports >= 1);
    // Set by another thread during the search.
    stop.store(false, Ordering::Relaxed);
    let result = std::thread::scope(|scope| {
        let mut ignore = |_: &Info<Chess>| {};
        let mut control = Control::new(&stop, &mut ignore);
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            stop.store(true, Ordering::Relaxed);
        });
        unlimited().choose(&start(), &Limits::default(), &mut control)
    });
    assert!(result.expect("a move").info.nodes > 0);
    // Set before the search.
    let mut report = |_: &Info<_>| {};
    let mut control = Control::new(&stop, &mut report);
    let result = unlimited().choose(&start::<Othello>(), &Limits::default(), &mut control);
    assert_eq!(result.expect("a move").info.nodes, 2, "one per thread");
}

#[test]
fn time_and_clock_end_a_search() {
    let time = Limits { time: Some(Duration::from_millis(30)), ..Limits::default() };
    let clock =
        Clock { left: Duration::from_millis(900), increment: Duration::ZERO, moves_to_go: None };
    let clock = Limits { clock: Some(clock), ..Limits::default() };
    for limits in [time, clock] {
        let info = choose(&mut unlimited::<Shobu>(), &start(), &limits).info;
        assert!(info.time >= Duration::from_millis(10) && info.nodes > 0);
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let mut game = start::<TicTacToe>();
    for m in [0, 3, 1, 4, 2] {
        game.play(m).expect("a legal move");
    }
    let stop = AtomicBool::new(false);
    let mut report = |_: &Info<_>| {};
    let mut control = Control::new(&stop, &mut report);
    let result = unlimited().choose(&game, &Limits::default(), &mut control);
    assert_eq!(result, Err(PlayerError::GameOver));
}

#[test]
fn searches_only_searchmoves() {
    let game = start::<TicTacToe>();
    let stop = AtomicBool::new(false);
    let mut player = seeded::<TicTacToe>(options(500), 1);
    choose(&mut player, &game, &Limits::default());
    let mut report = |_: &Info<TicTacToe>| {};
    let mut control = Control::new(&stop, &mut report).with_searchmoves(&[1, 7]);
    let result = player.choose(&game, &Limits::default(), &mut control).expect("a move");
    assert!([1, 7].contains(&result.m));
    assert_eq!(player.statistics().len(), 2);
    // The next search has all moves again.
    choose(&mut player, &game, &Limits::default());
    assert_eq!(player.statistics().len(), 9);
}

#[test]
fn reports_multiple_pvs() {
    let game = start::<Othello>();
    let options = MctsOptions { multi_pv: 3, ..options(400) };
    let mut player = seeded::<Othello>(options, 1);
    let result = choose(&mut player, &game, &Limits::default());
    let statistics = player.statistics();
    let firsts: Vec<_> = result.info.lines.iter().map(|line| line.moves[0]).collect();
    assert_eq!(firsts, statistics[..3].iter().map(|stats| stats.m).collect::<Vec<_>>());
    for (line, stats) in result.info.lines.iter().zip(&statistics) {
        assert_eq!(line.value.0, Value::Centi((100.0 * stats.mean).round() as i32));
    }
}

#[test]
fn both_final_move_selections_find_a_win() {
    let position = "x xx. oo. ...";
    let position = TicTacToe::parse_position(position, Default::default()).expect("a position");
    for final_move in [FinalMove::RobustChild, FinalMove::MaxUcb] {
        let mut player = seeded(MctsOptions { final_move, ..options(2000) }, 1);
        assert_eq!(choose(&mut player, &GameHistory::new(position), &Limits::default()).m, 2);
    }
}

/// The mean value of playouts for the side to move.
fn mean_value<G: GameType>(mut simulation: impl Simulation<G>, position: &G) -> f32 {
    let mut rng = Rng::seeded(1);
    let values = (0..200).map(|_| simulation.value(position, 5000, &mut rng).0);
    values.sum::<f32>() / 200.0
}

fn evaluated<G: Tactics>(policy: PlayoutPolicy) -> HeuristicPlayout<G> {
    HeuristicPlayout::new(policy, Some(G::evaluations()[0].hand_tuned().into()))
}

/// X wins at c1 if it sees that, and O next move otherwise.
#[test]
fn playouts_with_a_strategy_see_what_random_ones_miss() {
    let position = TicTacToe::parse_position("x xx. oo. ...", Default::default()).expect("valid");
    let random = mean_value(RandomPlayout, &position);
    let weighted = mean_value(evaluated(PlayoutPolicy::Weighted), &position);
    let greedy = mean_value(evaluated(PlayoutPolicy::Greedy), &position);
    assert!(random < 0.9, "{random}");
    assert!(weighted > 0.99, "a win outweighs every evaluation: {weighted}");
    assert!(greedy > random && greedy < 1.0, "some moves are random: {greedy}");
}

#[test]
fn the_static_evaluation_is_an_expected_result() {
    let value = |fen: &str| {
        let position = Chess::parse_position(fen, Default::default()).expect("a position");
        let evaluation = Chess::evaluations()[0].hand_tuned().into();
        mean_value(StaticEvaluation::new(evaluation), &position)
    };
    let ahead = value("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1");
    assert!(ahead > 0.8 && ahead <= 1.0, "{ahead}");
    let behind = value("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1");
    assert!((-1.0..-0.8).contains(&behind), "{behind}");
}

/// Every game, to its end; the same seed gives the same playouts.
#[test]
fn playouts_with_a_strategy_end_in_every_game() {
    fn check<G: Tactics>() {
        for policy in [PlayoutPolicy::Greedy, PlayoutPolicy::Weighted] {
            let position = G::start(G::Rules::default());
            for mut playout in [evaluated(policy), HeuristicPlayout::new(policy, None)] {
                let mut value =
                    |seed: u64| playout.value(&position, 5000, &mut Rng::seeded(seed)).0;
                for seed in 0..3 {
                    assert!([-1.0, 0.0, 1.0].contains(&value(seed)));
                    assert_eq!(value(seed), value(seed));
                }
            }
        }
    }
    check::<TicTacToe>();
    check::<Othello>();
    check::<Chess>();
    check::<Shobu>();
}
