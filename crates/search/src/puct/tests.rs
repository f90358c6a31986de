//! The PUCT player with hand-made evaluators.

use std::sync::atomic::AtomicBool;

use tablero_chess::{Chess, ChessRules};
use tablero_core::{ForMover, Game, Info, Limits, Notation, StandardRules, Value};
use tablero_othello::Othello;
use tablero_shobu::{Shobu, ShobuRules};
use tablero_tictactoe::TicTacToe;

use super::*;
use crate::simple::Random;

/// The same prior and value everywhere.
#[derive(Clone)]
struct Constant {
    prior: f32,
    value: f32,
}

const EVEN: Constant = Constant { prior: 1.0, value: 0.0 };

impl<G: GameType> PolicyValue<G> for Constant {
    fn evaluate(&mut self, _: &G, _: u32, _: &[G::Move], priors: &mut [f32]) -> ForMover<f32> {
        priors.fill(self.prior);
        ForMover(self.value)
    }
}

/// Pseudo-random priors and values, a function of the position.
#[derive(Clone)]
struct Hashed;

impl<G: GameType> PolicyValue<G> for Hashed {
    fn evaluate(
        &mut self,
        position: &G,
        _: u32,
        _: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32> {
        let mut rng = Rng::seeded(position.key());
        priors.iter_mut().for_each(|prior| *prior = rng.unit() as f32);
        ForMover(rng.unit() as f32 - 0.5)
    }
}

fn simulations(count: u64) -> PuctOptions {
    let limits = Limits { nodes: Some(count), ..Limits::default() };
    PuctOptions { limits, ..PuctOptions::default() }
}

fn choose<G: GameType, E: PolicyValue<G>>(
    player: &mut Puct<G, E>,
    game: &GameHistory<G>,
) -> SearchResult<G> {
    let stop = AtomicBool::new(false);
    let mut ignore = |_: &Info<G>| {};
    let mut control = Control::new(&stop, &mut ignore);
    player.choose(game, &Limits::default(), &mut control).expect("a move")
}

fn search<G: GameType, E: PolicyValue<G>>(
    position: G,
    options: PuctOptions,
    evaluator: E,
) -> SearchResult<G> {
    choose(&mut Puct::new(options, evaluator), &GameHistory::new(position))
}

fn tictactoe(text: &str) -> TicTacToe {
    TicTacToe::parse_position(text, StandardRules).expect("a position")
}

fn chess(text: &str) -> Chess {
    Chess::parse_position(text, ChessRules::Standard).expect("a position")
}

#[test]
fn the_first_simulation_selects_the_largest_prior() {
    let result = search(Othello::start(StandardRules), simulations(1), Hashed);
    let mut priors = [0.0; 4];
    let start = Othello::start(StandardRules);
    Hashed.evaluate(&start, 0, &start.moves(), &mut priors);
    let best = (0..4).max_by(|&a, &b| priors[a].total_cmp(&priors[b])).expect("four");
    assert_eq!(result.m, start.moves()[best]);
    assert_eq!(result.info.nodes, 1);
}

#[test]
fn values_are_negated_every_ply() {
    #[derive(Clone)]
    struct LikesCorner;
    impl PolicyValue<TicTacToe> for LikesCorner {
        fn evaluate(
            &mut self,
            at: &TicTacToe,
            _: u32,
            _: &[u8],
            priors: &mut [f32],
        ) -> ForMover<f32> {
            priors.fill(1.0);
            // The corner a1 is good for its owner.
            let owner = at.owner(0).map(|side| if side == at.side() { 0.9 } else { -0.9 });
            ForMover(owner.unwrap_or(0.0))
        }
    }
    let start = TicTacToe::start(StandardRules);
    assert_eq!(search(start, simulations(60), LikesCorner).m, 0);
    let mut player = Puct::new(simulations(60), LikesCorner);
    choose(&mut player, &GameHistory::new(start));
    let root = player.root_stats().expect("a search");
    assert!(root.moves[0].q.expect("visited") > 0.5, "{root:?}");
    assert!(root.value.0 > 0.3, "{root:?}");
    assert!(root.moves[0].improved_policy > 0.9, "{root:?}");
    assert!((root.moves.iter().map(|m| m.improved_policy).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn proven_results_reach_the_root() {
    // X wins at once, and O cannot stop both threats.
    let result = search(tictactoe("x xx. oo. ..."), simulations(200), EVEN);
    assert_eq!(result.m, 2);
    assert_eq!(result.info.lines[0].value, ForMover(Value::WinIn(1)));
    assert!(result.info.nodes < 200, "a proven root ends the search");
    let lost = search(tictactoe("o x.x .o. x.."), simulations(2000), EVEN);
    assert_eq!(lost.info.lines[0].value, ForMover(Value::LossIn(1)));
    let mate = search(chess("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"), simulations(200), EVEN);
    assert_eq!(mate.info.lines[0].value, ForMover(Value::WinIn(1)));
    assert_eq!(mate.m.to_string(), "a1a8");
}

#[test]
fn never_loses_tictactoe_without_a_network() {
    for root_selection in [RootSelection::Puct, RootSelection::Gumbel(16)] {
        let options = PuctOptions { root_selection, ..simulations(1500) };
        for seed in 0..6 {
            let mut player = Puct::new(options.clone(), EVEN);
            let mut random = Random::new(seed);
            player.new_game(seed);
            let mut game = GameHistory::new(TicTacToe::start(StandardRules));
            while game.end().is_none() {
                let ours = game.plies() % 2 == (seed % 2) as usize;
                let m = if ours {
                    choose(&mut player, &game).m
                } else {
                    let stop = AtomicBool::new(false);
                    let mut ignore = |_: &Info<_>| {};
                    let mut control = Control::new(&stop, &mut ignore);
                    random.choose(&game, &Limits::default(), &mut control).expect("a move").m
                };
                game.play(m).expect("legal");
            }
            let us = tablero_core::Side::BOTH[(seed % 2) as usize];
            let outcome = game.end().expect("over").outcome;
            assert_ne!(outcome.winner(), Some(!us), "{seed} {root_selection:?}");
        }
    }
}

/// The draw value is for the player whose move makes the draw.
#[test]
fn draws_have_the_draw_value() {
    // X fills the last square.
    let position = tictactoe("x .xo oox xxo");
    for (draw_value, expected) in [(-0.5, -50), (0.0, 0), (0.25, 25)] {
        let options = PuctOptions { draw_value, ..simulations(10) };
        let result = search(position, options, EVEN);
        assert_eq!(result.info.lines[0].value, ForMover(Value::Centi(expected)));
    }
}

/// Hatchet1 penalizes stalemate, seventy-five moves and fivefold repetition, but neither dead positions nor
/// draws that must be claimed.
#[test]
fn contempt_may_be_for_automatic_draws_only() {
    let value = |fen: &str, m: &str, contempt: Contempt| {
        let options = PuctOptions { draw_value: -0.5, contempt, ..simulations(200) };
        let mut player = Puct::new(options, EVEN);
        choose(&mut player, &GameHistory::new(chess(fen)));
        let root = player.root_stats().expect("a search");
        let played = root.moves.iter().find(|stats| stats.m.to_string() == m).expect(m);
        played.q.expect("visited")
    };
    for (fen, m, expected) in [
        ("k7/P7/K7/8/8/8/8/8 w - - 0 1", "a6b6", -0.5),
        ("k7/8/8/8/8/8/4R3/K7 w - - 149 160", "e2e3", -0.5),
        ("k7/8/8/8/8/8/4R3/K7 w - - 99 120", "e2e3", 0.0),
        ("8/8/8/8/k7/8/3p4/3K4 w - - 0 1", "d1d2", 0.0),
    ] {
        assert_eq!(value(fen, m, Contempt::AutomaticDraws), expected, "{fen}");
        assert_eq!(value(fen, m, Contempt::AllDraws), -0.5, "{fen}");
    }
    // The third occurrence may be claimed, the fifth ends the game.
    let after_repetitions = |times: usize| {
        let mut game = GameHistory::new(chess("k7/8/8/8/8/8/4R3/K7 w - - 0 1"));
        let cycle = ["Re3", "Ka7", "Re2", "Ka8"];
        for m in cycle.iter().cycle().take(4 * times - 1) {
            let m = game.position().parse_move(m).expect("legal");
            game.play_on(m).expect("legal");
        }
        let options = PuctOptions {
            draw_value: -0.5,
            contempt: Contempt::AutomaticDraws,
            ..simulations(200)
        };
        let mut player = Puct::new(options, EVEN);
        choose(&mut player, &game);
        let root = player.root_stats().expect("a search");
        let back = root.moves.iter().find(|stats| stats.m.to_string() == "a7a8").expect("legal");
        back.q.expect("visited")
    };
    assert_eq!(after_repetitions(2), 0.0);
    assert_eq!(after_repetitions(4), -0.5);
}

#[test]
fn repetitions_are_draws_of_the_path() {
    // White, a queen up, must avoid the repetition.
    let start = chess("7k/8/8/8/8/8/8/KQ6 w - - 0 1");
    let mut game = GameHistory::new(start);
    for m in ["Qb2+", "Kg8", "Qb1", "Kh8", "Qb2+", "Kg8"] {
        let m = game.position().parse_move(m).expect("legal");
        game.play(m).expect("legal");
    }
    #[derive(Clone)]
    struct WhiteWins;
    impl PolicyValue<Chess> for WhiteWins {
        fn evaluate(
            &mut self,
            at: &Chess,
            _: u32,
            _: &[tablero_chess::Move],
            p: &mut [f32],
        ) -> ForMover<f32> {
            p.fill(1.0);
            tablero_core::ForFirst(0.5).for_mover(at.side())
        }
    }
    let mut player = Puct::new(simulations(800), WhiteWins);
    let result = choose(&mut player, &game);
    assert_ne!(result.m.to_string(), "b2b1", "that would repeat");
    let root = player.root_stats().expect("a search");
    let back = root.moves.iter().find(|m| m.m.to_string() == "b2b1").expect("legal");
    assert!(back.visits < 50, "{back:?}");
}

#[test]
fn invalid_evaluations_are_handled() {
    for prior in [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e-9] {
        for value in [f32::NAN, f32::INFINITY, -1e30] {
            let evaluator = Constant { prior, value };
            for exploration in [None, Some(Exploration::default())] {
                let options = PuctOptions { exploration, ..simulations(30) };
                let start = Othello::start(StandardRules);
                assert!(start.is_legal(search(start, options, evaluator.clone()).m));
            }
        }
    }
    let zero = simulations(0);
    let start = Othello::start(StandardRules);
    assert!(start.is_legal(search(start, zero, EVEN).m));
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let search = |threads, batch_size| {
        let options = PuctOptions { threads, batch_size, multi_pv: 3, ..simulations(300) };
        let mut result = search(Othello::start(StandardRules), options, Hashed);
        result.info.time = Default::default();
        result
    };
    assert_eq!(search(1, 8), search(3, 8));
    assert_eq!(search(1, 1), search(2, 1));
    assert_eq!(search(3, 8).info.lines.len(), 3);
    assert_eq!(search(3, 8).info.nodes, 300);
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let play = |seed| {
        let exploration = Some(Exploration::default());
        let mut player = Puct::new(PuctOptions { exploration, ..simulations(20) }, Hashed);
        player.new_game(seed);
        let mut game = GameHistory::new(Othello::start(StandardRules));
        while game.end().is_none() {
            let m = choose(&mut player, &game).m;
            game.play(m).expect("legal");
        }
        game.played().collect::<Vec<_>>()
    };
    assert_eq!(play(1), play(1));
    assert_ne!(play(1), play(2));
}

#[test]
fn the_tree_is_reused_for_the_next_move() {
    let mut player = Puct::new(simulations(400), Hashed);
    let mut game = GameHistory::new(Othello::start(StandardRules));
    let result = choose(&mut player, &game);
    let line = &result.info.lines[0].moves;
    for &m in &line[..2] {
        game.play(m).expect("legal");
    }
    choose(&mut player, &game);
    let visits: u32 = player.root_stats().expect("a search").moves.iter().map(|m| m.visits).sum();
    assert!(visits > 400, "{visits}");
}

#[test]
fn searches_only_searchmoves() {
    let start = Shobu::start(ShobuRules::Official);
    let all = start.moves();
    for root_selection in [RootSelection::Puct, RootSelection::Gumbel(16)] {
        for &only in [&all[3], &all[all.len() - 1], &all[50]] {
            let mut player = Puct::new(PuctOptions { root_selection, ..simulations(40) }, Hashed);
            let stop = AtomicBool::new(false);
            let (allowed, mut ignore) = ([only], |_: &Info<Shobu>| {});
            let mut control = Control::new(&stop, &mut ignore).with_searchmoves(&allowed);
            let game = GameHistory::new(start);
            let result = player.choose(&game, &Limits::default(), &mut control).expect("a move");
            assert_eq!(result.m, only);
            assert_eq!(result.info.lines[0].moves[0], only);
        }
    }
}

#[test]
fn searches_without_memory_for_the_tree() {
    let options = PuctOptions { memory_mb: 0, ..simulations(200) };
    let result = search(Othello::start(StandardRules), options, Hashed);
    assert_eq!(result.info.nodes, 200);
}

#[test]
fn gumbel_finds_a_win_with_few_simulations() {
    let options = PuctOptions { root_selection: RootSelection::Gumbel(16), ..simulations(12) };
    let position = tictactoe("x xx. oo. ...");
    assert_eq!(search(position, options, EVEN).m, 2);
}

#[test]
fn a_stopped_search_returns_a_move() {
    let stop = AtomicBool::new(true);
    let mut player = Puct::new(simulations(u64::MAX), Hashed);
    let mut reports = 0;
    let mut report = |_: &Info<Othello>| reports += 1;
    let game = GameHistory::new(Othello::start(StandardRules));
    let mut control = Control::new(&stop, &mut report);
    let result = player.choose(&game, &Limits::default(), &mut control).expect("a move");
    assert!(game.position().is_legal(result.m));
    assert_eq!(reports, 1);
}

#[test]
fn memory_can_be_released() {
    let mut player = Puct::new(simulations(200), Hashed);
    assert_eq!(player.memory(), 0, "not before the first search");
    let game = GameHistory::new(Othello::start(StandardRules));
    let result = choose(&mut player, &game);
    assert!(player.memory() > 200 * size_of::<f64>(), "{}", player.memory());
    player.release_memory();
    assert_eq!(player.memory(), 0);
    assert!(player.root_stats().is_none() && player.root_q_values().is_empty());
    assert_eq!(choose(&mut player, &game).m, result.m);
}

/// Stepped searches of several games at once play as [`Puct`] does.
fn stepped_searches_agree<G: GameType>(rules: G::Rules, options: &PuctOptions) {
    let start = || GameHistory::new(G::start(rules));
    let seeds = [3, 4, 5];
    let mut games = seeds.map(|_| start());
    let mut searches = seeds.map(|seed| {
        let mut search = SteppedPuct::new(options.clone());
        search.new_game(seed);
        search
    });
    let mut players = seeds.map(|seed| {
        let mut player = Puct::new(options.clone(), Hashed);
        player.new_game(seed);
        player
    });
    for _ in 0..12 {
        searches.iter_mut().zip(&games).for_each(|(search, game)| search.start(game));
        while searches.iter().any(SteppedPuct::is_waiting) {
            SteppedPuct::evaluate_all(&mut searches, &mut Hashed);
            let paused = searches.iter_mut().zip(&games).filter(|(search, _)| search.is_waiting());
            paused.for_each(|(search, game)| search.resume(game));
        }
        for ((search, game), player) in searches.iter_mut().zip(&mut games).zip(&mut players) {
            let found = search.finish(game).expect("a move");
            let expected = choose(player, game).m;
            assert_eq!(Some(found), player.root_stats().map(|stats| (expected, stats)));
            game.play(expected).expect("legal");
        }
    }
    assert!(searches[0].finish(&games[0]).is_none(), "not started");
}

#[test]
fn stepped_searches_play_as_puct_does() {
    let plain = PuctOptions { reuse_tree: false, ..simulations(40) };
    let exploration = Some(Exploration::default());
    let batched = PuctOptions { batch_size: 4, exploration, ..plain.clone() };
    let gumbel = PuctOptions { root_selection: RootSelection::Gumbel(8), ..batched.clone() };
    for options in [&plain, &batched, &gumbel] {
        stepped_searches_agree::<Othello>(StandardRules, options);
        stepped_searches_agree::<Chess>(ChessRules::default(), options);
    }
}
