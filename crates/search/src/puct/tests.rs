//! The whole player, with judges made by hand.

use std::sync::atomic::AtomicBool;

use tablero_chess::{Chess, ChessRules};
use tablero_core::{ForMover, Game, Info, Limits, Notation, StandardRules, Value};
use tablero_othello::Othello;
use tablero_shobu::{Shobu, ShobuRules};
use tablero_tictactoe::TicTacToe;

use super::*;
use crate::simple::Random;

/// Says the same about all moves and positions.
#[derive(Clone)]
struct Says {
    prior: f32,
    value: f32,
}

const EVEN: Says = Says { prior: 1.0, value: 0.0 };

impl<G: GameType> PolicyValue<G> for Says {
    fn judge(&mut self, _: &G, _: u32, _: &[G::Move], priors: &mut [f32]) -> ForMover<f32> {
        priors.fill(self.prior);
        ForMover(self.value)
    }
}

/// Says something that depends on the position only, without any sense.
#[derive(Clone)]
struct Noise;

impl<G: GameType> PolicyValue<G> for Noise {
    fn judge(&mut self, position: &G, _: u32, _: &[G::Move], priors: &mut [f32]) -> ForMover<f32> {
        let mut rng = Rng::seeded(position.key());
        priors.iter_mut().for_each(|prior| *prior = rng.unit() as f32);
        ForMover(rng.unit() as f32 - 0.5)
    }
}

fn simulations(count: u64) -> PuctOptions {
    let limits = Limits { nodes: Some(count), ..Limits::default() };
    PuctOptions { limits, ..PuctOptions::default() }
}

fn choose<G: GameType, J: PolicyValue<G>>(player: &mut Puct<G, J>, game: &Match<G>) -> Choice<G> {
    let stop = AtomicBool::new(false);
    let mut ignore = |_: &Info<G>| {};
    let mut control = Control::new(&stop, &mut ignore);
    player.choose(game, &Limits::default(), &mut control).expect("a move")
}

fn decide<G: GameType, J: PolicyValue<G>>(
    position: G,
    options: PuctOptions,
    judge: J,
) -> Choice<G> {
    choose(&mut Puct::new(options, judge), &Match::new(position))
}

fn tictactoe(text: &str) -> TicTacToe {
    TicTacToe::parse_position(text, StandardRules).expect("a position")
}

fn chess(text: &str) -> Chess {
    Chess::parse_position(text, ChessRules::Standard).expect("a position")
}

#[test]
fn the_first_simulation_tries_the_best_prior() {
    let choice = decide(Othello::start(StandardRules), simulations(1), Noise);
    let mut priors = [0.0; 4];
    let start = Othello::start(StandardRules);
    Noise.judge(&start, 0, &start.moves(), &mut priors);
    let best = (0..4).max_by(|&a, &b| priors[a].total_cmp(&priors[b])).expect("four");
    assert_eq!(choice.m, start.moves()[best]);
    assert_eq!(choice.info.nodes, 1);
}

/// A value that is good for whoever is to move is bad for whoever moved there.
#[test]
fn values_change_sides_every_ply() {
    #[derive(Clone)]
    struct LikesCorner;
    impl PolicyValue<TicTacToe> for LikesCorner {
        fn judge(&mut self, at: &TicTacToe, _: u32, _: &[u8], priors: &mut [f32]) -> ForMover<f32> {
            priors.fill(1.0);
            // The corner a1 is good for whoever has it.
            let owner = at.owner(0).map(|side| if side == at.side() { 0.9 } else { -0.9 });
            ForMover(owner.unwrap_or(0.0))
        }
    }
    let start = TicTacToe::start(StandardRules);
    assert_eq!(decide(start, simulations(60), LikesCorner).m, 0);
    let mut player = Puct::new(simulations(60), LikesCorner);
    choose(&mut player, &Match::new(start));
    let root = player.root().expect("a decision");
    assert!(root.moves[0].mean.expect("tried") > 0.5, "{root:?}");
    assert!(root.value.0 > 0.3, "{root:?}");
    assert!(root.moves[0].improved > 0.9, "{root:?}");
    assert!((root.moves.iter().map(|m| m.improved).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn proofs_reach_the_root() {
    // X wins at once, and O cannot stop both threats.
    let choice = decide(tictactoe("x xx. oo. ..."), simulations(200), EVEN);
    assert_eq!(choice.m, 2);
    assert_eq!(choice.info.lines[0].value, ForMover(Value::WinIn(1)));
    assert!(choice.info.nodes < 200, "a proof ends the search");
    let lost = decide(tictactoe("o x.x .o. x.."), simulations(2000), EVEN);
    assert_eq!(lost.info.lines[0].value, ForMover(Value::LossIn(1)));
    let mate = decide(chess("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"), simulations(200), EVEN);
    assert_eq!(mate.info.lines[0].value, ForMover(Value::WinIn(1)));
    assert_eq!(mate.m.to_string(), "a1a8");
}

#[test]
fn tictactoe_is_solved_without_a_network() {
    for selection in [RootSelection::Formula, RootSelection::Halving(16)] {
        let options = PuctOptions { selection, ..simulations(1500) };
        for seed in 0..6 {
            let mut player = Puct::new(options.clone(), EVEN);
            let mut random = Random::new(seed);
            player.new_game(seed);
            let mut game = Match::new(TicTacToe::start(StandardRules));
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
            assert_ne!(outcome.winner(), Some(!us), "{seed} {selection:?}");
        }
    }
}

/// Draws are worth what the options say to the player whose move brings them about.
#[test]
fn the_worth_of_a_draw() {
    // The last square: a draw, and X makes it.
    let position = tictactoe("x .xo oox xxo");
    for (draw, expected) in [(-0.5, -50), (0.0, 0), (0.25, 25)] {
        let options = PuctOptions { draw, ..simulations(10) };
        let choice = decide(position, options, EVEN);
        assert_eq!(choice.info.lines[0].value, ForMover(Value::Hundredths(expected)));
    }
}

#[test]
fn repetition_is_a_draw_on_the_way_only() {
    // Black can only go to and fro; White, a queen up, must not repeat for ever.
    let start = chess("7k/8/8/8/8/8/8/KQ6 w - - 0 1");
    let mut game = Match::new(start);
    for m in ["Qb2+", "Kg8", "Qb1", "Kh8", "Qb2+", "Kg8"] {
        let m = game.position().parse_move(m).expect("legal");
        game.play(m).expect("legal");
    }
    #[derive(Clone)]
    struct WhiteWins;
    impl PolicyValue<Chess> for WhiteWins {
        fn judge(
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
    let choice = choose(&mut player, &game);
    assert_ne!(choice.m.to_string(), "b2b1", "that would repeat");
    let root = player.root().expect("a decision");
    let back = root.moves.iter().find(|m| m.m.to_string() == "b2b1").expect("legal");
    assert!(back.visits < 50, "{back:?}");
}

#[test]
fn nonsense_does_no_harm() {
    for prior in [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e-9] {
        for value in [f32::NAN, f32::INFINITY, -1e30] {
            let judge = Says { prior, value };
            for exploration in [None, Some(Exploration::default())] {
                let options = PuctOptions { exploration, ..simulations(30) };
                let start = Othello::start(StandardRules);
                assert!(start.is_legal(decide(start, options, judge.clone()).m));
            }
        }
    }
    let zero = simulations(0);
    let start = Othello::start(StandardRules);
    assert!(start.is_legal(decide(start, zero, EVEN).m));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let decide = |threads, batch| {
        let options = PuctOptions { threads, batch, lines: 3, ..simulations(300) };
        let mut choice = decide(Othello::start(StandardRules), options, Noise);
        choice.info.time = Default::default();
        choice
    };
    assert_eq!(decide(1, 8), decide(3, 8));
    assert_eq!(decide(1, 1), decide(2, 1));
    assert_eq!(decide(3, 8).info.lines.len(), 3);
    assert_eq!(decide(3, 8).info.nodes, 300);
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let play = |seed| {
        let exploration = Some(Exploration::default());
        let mut player = Puct::new(PuctOptions { exploration, ..simulations(20) }, Noise);
        player.new_game(seed);
        let mut game = Match::new(Othello::start(StandardRules));
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
fn what_is_known_is_kept_for_the_next_move() {
    let mut player = Puct::new(simulations(400), Noise);
    let mut game = Match::new(Othello::start(StandardRules));
    let choice = choose(&mut player, &game);
    let line = &choice.info.lines[0].moves;
    for &m in &line[..2] {
        game.play(m).expect("legal");
    }
    choose(&mut player, &game);
    let visits: u32 = player.root().expect("a decision").moves.iter().map(|m| m.visits).sum();
    assert!(visits > 400, "{visits}");
}

#[test]
fn only_the_allowed_moves_are_chosen() {
    let start = Shobu::start(ShobuRules::Official);
    let all = start.moves();
    for selection in [RootSelection::Formula, RootSelection::Halving(16)] {
        for &only in [&all[3], &all[all.len() - 1], &all[50]] {
            let mut player = Puct::new(PuctOptions { selection, ..simulations(40) }, Noise);
            let stop = AtomicBool::new(false);
            let (allowed, mut ignore) = ([only], |_: &Info<Shobu>| {});
            let mut control = Control::new(&stop, &mut ignore).with_only(&allowed);
            let game = Match::new(start);
            let choice = player.choose(&game, &Limits::default(), &mut control).expect("a move");
            assert_eq!(choice.m, only);
            assert_eq!(choice.info.lines[0].moves[0], only);
        }
    }
}

#[test]
fn without_memory_it_still_searches() {
    let options = PuctOptions { memory: 0, ..simulations(200) };
    let choice = decide(Othello::start(StandardRules), options, Noise);
    assert_eq!(choice.info.nodes, 200);
}

#[test]
fn halving_finds_a_win_with_few_simulations() {
    let options = PuctOptions { selection: RootSelection::Halving(16), ..simulations(12) };
    let position = tictactoe("x xx. oo. ...");
    assert_eq!(decide(position, options, EVEN).m, 2);
}

#[test]
fn a_stopped_search_still_answers() {
    let stop = AtomicBool::new(true);
    let mut player = Puct::new(simulations(u64::MAX), Noise);
    let mut reports = 0;
    let mut report = |_: &Info<Othello>| reports += 1;
    let game = Match::new(Othello::start(StandardRules));
    let mut control = Control::new(&stop, &mut report);
    let choice = player.choose(&game, &Limits::default(), &mut control).expect("a move");
    assert!(game.position().is_legal(choice.m));
    assert_eq!(reports, 1);
}

#[test]
fn memory_can_be_released() {
    let mut player = Puct::new(simulations(200), Noise);
    assert_eq!(player.memory(), 0, "not before the first search");
    let game = Match::new(Othello::start(StandardRules));
    let choice = choose(&mut player, &game);
    assert!(player.memory() > 200 * size_of::<f64>(), "{}", player.memory());
    player.release_memory();
    assert_eq!(player.memory(), 0);
    assert!(player.root().is_none() && player.expected().is_empty());
    assert_eq!(choose(&mut player, &game).m, choice.m);
}
