//! Alpha-beta against plain minimax, and against positions whose value is known.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tablero_chess::Chess;
use tablero_core::{
    Clock, Draw, EvaluationKind, ForMover, Game, HistoryRules, Notation, Outcome, Selectivity,
    Side, StandardRules, Value, Wdl,
};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use super::*;
use crate::plain::minimax;
use crate::score;

/// A game with tactics that know nothing and are therefore wrong as often as not: what a search
/// finds must not depend on them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Bare<G>(G);

impl<G: Game> Game for Bare<G> {
    type Move = G::Move;
    type Rules = G::Rules;

    const NAME: &'static str = G::NAME;
    const SIDES: [&'static str; 2] = G::SIDES;
    const MARGIN: Option<&'static str> = G::MARGIN;
    /// Games end so soon that searches come to it.
    const HISTORY: HistoryRules = HistoryRules {
        draw_at_ply: match G::HISTORY.draw_at_ply {
            Some(_) => Some(40),
            None => None,
        },
        ..G::HISTORY
    };

    fn start(rules: G::Rules) -> Self {
        Self(G::start(rules))
    }

    fn rules(&self) -> G::Rules {
        self.0.rules()
    }

    fn side(&self) -> Side {
        self.0.side()
    }

    fn each_move(&self, visit: impl FnMut(G::Move)) {
        self.0.each_move(visit);
    }

    fn each_distinct_move(&self, visit: impl FnMut(G::Move)) {
        self.0.each_distinct_move(visit);
    }

    fn play(&mut self, m: G::Move) {
        self.0.play(m);
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn draw(&self) -> Option<Draw> {
        self.0.draw()
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl<G: Game> Tactics for Bare<G> {
    const HISTORY_SLOTS: usize = 50;

    fn evaluations() -> &'static [EvaluationKind<Self>] {
        &[]
    }

    fn history_slot(&self, m: G::Move) -> usize {
        hash(m) as usize % Self::HISTORY_SLOTS
    }

    fn promise(&self, m: G::Move) -> i32 {
        hash((self.key(), m)) as i32 % 20
    }

    fn is_noisy(&self, m: G::Move) -> bool {
        hash((m, self.key())).is_multiple_of(3)
    }

    fn each_noisy_move(&self, mut visit: impl FnMut(G::Move)) {
        self.each_distinct_move(|m| {
            if self.is_noisy(m) {
                visit(m);
            }
        });
    }
}

/// Anything, but the same for the same position: one of so many values.
struct Hashed(u64);

impl<G: Game> Evaluation<G> for Hashed {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        let spread = hash(position.key()) % self.0;
        ForMover(spread as i32 - self.0 as i32 / 2)
    }
}

fn exact_options(depth: u32) -> AlphaBetaOptions {
    let mut options = AlphaBetaOptions::of::<Bare<TicTacToe>>();
    options.limits.depth = Some(depth);
    options.hash_mb = 0;
    options.quiescence = false;
    options
}

fn search<G: Tactics>(player: &mut AlphaBeta<G>, game: &Match<G>) -> Found<G> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore);
    player.search(game, &Limits::default(), &mut control).expect("the game is not over")
}

/// A game of `plies` random moves, ended before its end. Where repetition matters it also has
/// positions that came more than once.
fn random_game<G: Game>(plies: u64, rng: &mut Rng) -> Match<G> {
    let mut game = Match::new(G::start(G::Rules::default()));
    while (game.plies() as u64) < plies {
        let Some(m) = game.position().random_move(rng) else {
            break;
        };
        game.play(m).expect("legal");
        if rng.below(6) == 0 {
            go_back(&mut game);
        }
        if game.end().is_some() {
            game.undo();
            break;
        }
    }
    game
}

/// Plays two moves that lead back to where the game was two plies ago, if there are any.
fn go_back<G: Game>(game: &mut Match<G>) {
    if G::HISTORY == HistoryRules::NONE || game.plies() < 2 || game.end().is_some() {
        return;
    }
    let goal = game.positions().rev().nth(2).expect("played").key();
    for m in game.position().moves() {
        let next = game.position().after(m);
        let mut back = None;
        next.each_move(|reply| {
            if next.after(reply).key() == goal {
                back = Some(reply);
            }
        });
        if let Some(reply) = back {
            game.play(m).expect("legal");
            let _ = game.play(reply);
            return;
        }
    }
}

/// The values of all moves that lead to different positions, the best first, by plain minimax.
fn all_values<G: Game>(game: &Match<G>, depth: u32, evaluation: &dyn Evaluation<G>) -> Vec<i32> {
    let mut values = Vec::new();
    game.position().each_distinct_move(|m| {
        values.push(minimax(game, m, depth, evaluation));
    });
    values.sort_unstable_by_key(|&value| std::cmp::Reverse(value));
    values
}

fn check_exactness<G: Game>(
    games: u64,
    longest: u64,
    depth: impl Fn(&Match<Bare<G>>, &mut Rng) -> u32,
) {
    for number in 0..games {
        let mut rng = Rng::for_part(7, number);
        let game = random_game::<Bare<G>>(rng.below(longest), &mut rng);
        if game.end().is_some() {
            continue;
        }
        let depth = depth(&game, &mut rng);
        let spread = [1, 3, 50, 4001][rng.below(4) as usize];
        let expected = all_values(&game, depth, &Hashed(spread));
        let about = format!("game {number}, depth {depth}, {:?}", game.position());
        for (hash_mb, threads, multi_pv) in [(0, 1, 1), (1, 1, 3), (0, 2, 2), (1, 2, 1)] {
            let options = AlphaBetaOptions { hash_mb, threads, multi_pv, ..exact_options(depth) };
            let mut player = AlphaBeta::new(options, Box::new(Hashed(spread)));
            let found = search(&mut player, &game);
            let values: Vec<i32> = found.exact.iter().map(|&(_, value)| value).collect();
            let wanted = expected.len().min(multi_pv);
            assert_eq!(values, expected[..wanted], "{hash_mb} MB, {threads} threads, {about}");
            for line in &found.info.lines {
                check_line(&game, line, found.info.depth, &Hashed(spread), &about);
            }
        }
    }
}

/// The line is legal, as long as the search was deep, and its end is worth what it says.
fn check_line<G: Game>(
    game: &Match<G>,
    line: &tablero_core::Line<G>,
    depth: u32,
    evaluation: &dyn Evaluation<G>,
    about: &str,
) {
    let mut end = game.clone();
    for &m in &line.moves {
        assert!(end.position().outcome().is_none(), "{about}");
        end.play_on(m).expect("lines are legal");
    }
    let ply = line.moves.len();
    let position = end.position();
    let repeated = end.repetitions() > 1;
    let mut value = match position.outcome() {
        Some(outcome) => score::of_outcome::<G>(outcome, position.side(), ply),
        None if end.draw().is_some() || repeated && line.value.0 == Value::Hundredths(0) => 0,
        None => {
            assert_eq!(ply as u32, depth, "the line is complete: {about}");
            evaluation.evaluate(position).0
        }
    };
    if position.side() != game.position().side() {
        value = -value;
    }
    assert_eq!(score::to_value::<G>(value), line.value, "{about}");
}

#[test]
fn equals_minimax_in_tictactoe() {
    check_exactness::<TicTacToe>(100, 9, |_, rng| 1 + rng.below(7) as u32);
}

#[test]
fn equals_minimax_in_othello() {
    check_exactness::<Othello>(60, 60, |_, rng| 1 + rng.below(5) as u32);
}

#[test]
fn equals_minimax_in_chess() {
    check_exactness::<Chess>(60, 60, |game, rng| {
        let wide = game.position().count_moves() > 25;
        1 + rng.below(if wide { 3 } else { 4 }) as u32
    });
}

#[test]
fn equals_minimax_in_shobu() {
    check_exactness::<Shobu>(40, 60, |game, rng| {
        let wide = game.position().count_moves() > 60;
        1 + rng.below(if wide { 2 } else { 3 }) as u32
    });
}

/// The short cut that never misses anything: it may only see more than was asked for.
const DEEPER_RESULTS: Selectivity = Selectivity { deeper_results: true, ..Selectivity::NONE };

fn chess(fen: &str) -> Match<Bare<Chess>> {
    let position = Chess::parse_position(fen, Default::default()).expect("a position");
    Match::new(Bare(position))
}

#[test]
fn finds_mates() {
    let known = [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "Ra6", 2),
        ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", "Bc5+", 3),
    ];
    for (fen, best, moves) in known {
        let game = chess(fen);
        for selectivity in [Selectivity::NONE, DEEPER_RESULTS] {
            for quiescence in [false, true] {
                let options = AlphaBetaOptions {
                    selectivity,
                    quiescence,
                    hash_mb: 1,
                    ..exact_options(2 * moves - 1)
                };
                let found = search(&mut AlphaBeta::new(options, Box::new(Hashed(1))), &game);
                let text = game.position().0.move_text(found.best);
                let value = found.info.lines[0].value;
                assert_eq!((value.0, &*text), (Value::WinIn(moves), best), "{fen}");
                assert_eq!(found.info.lines[0].moves.len() as u32, 2 * moves - 1);
            }
        }
    }
}

#[test]
fn sees_that_it_is_lost() {
    let game = chess("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1");
    let found = search(&mut AlphaBeta::new(exact_options(6), Box::new(Hashed(1))), &game);
    assert_eq!(found.info.lines[0].value.0, Value::LossIn(1));
    assert_eq!(found.info.depth, 2, "no reason to look deeper");
}

#[test]
fn keeps_a_draw_by_repetition() {
    // White, far behind, checks for ever from e8 and h5.
    let game = chess("6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1");
    let found = search(&mut AlphaBeta::new(exact_options(7), Box::new(Behind)), &game);
    assert_eq!(found.info.lines[0].value.0, Value::Hundredths(0));
}

/// White, to whom everything else looks bad.
struct Behind;

impl<G: Game> Evaluation<G> for Behind {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        tablero_core::ForFirst(-500).for_mover(position.side())
    }
}

#[test]
fn solves_othello_endgames() {
    for number in 0..4 {
        let mut rng = Rng::for_part(11, number);
        let game = random_game::<Bare<Othello>>(52, &mut rng);
        assert!(game.plies() > 50, "eight or nine squares are empty");
        let expected = all_values(&game, 30, &Hashed(1))[0];
        for selectivity in [Selectivity::NONE, DEEPER_RESULTS] {
            let options = AlphaBetaOptions { hash_mb: 1, selectivity, ..exact_options(30) };
            let found = search(&mut AlphaBeta::new(options, Box::new(Hashed(1001))), &game);
            assert_eq!(found.exact[0].1, expected, "{:?}", game.position());
            assert!(found.info.depth < 20, "it notices that it has seen everything");
            let margin = expected - expected.signum() * score::WON;
            assert_eq!(found.info.lines[0].value.0, Value::Hundredths(100 * margin));
        }
    }
}

fn choose<G: Tactics>(player: &mut dyn Player<G>, game: &Match<G>, limits: &Limits) -> Choice<G> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    player
        .choose(game, limits, &mut Control::new(&stop, &mut ignore))
        .expect("the game is not over")
}

/// Plays `player` as `side` against every reply there is; false if it ever loses.
fn never_loses(player: &mut AlphaBeta<TicTacToe>, game: &mut Match<TicTacToe>, side: Side) -> bool {
    if let Some(end) = game.end() {
        return end.outcome.wdl(side) != Wdl::Loss;
    }
    let moves = if game.position().side() == side {
        vec![choose(player, game, &Limits::default()).m]
    } else {
        game.moves()
    };
    moves.into_iter().all(|m| {
        game.play(m).expect("legal");
        let fine = never_loses(player, game, side);
        game.undo();
        fine
    })
}

#[test]
fn plays_tictactoe_perfectly() {
    let options = AlphaBetaOptions { hash_mb: 0, ..AlphaBetaOptions::of::<TicTacToe>() };
    let mut player = AlphaBeta::new(options, TicTacToe::evaluations()[0].by_hand());
    let mut game = Match::new(TicTacToe::start(StandardRules));
    let start = search(&mut player, &game);
    assert_eq!(start.info.lines[0].value.0, Value::Hundredths(0));
    assert_eq!(start.info.lines[0].moves.len(), 9);
    for side in Side::BOTH {
        assert!(never_loses(&mut player, &mut game, side));
    }
}

#[test]
fn one_thread_always_finds_the_same() {
    let game = random_game::<Othello>(12, &mut Rng::seeded(5));
    let mut options = AlphaBetaOptions::of::<Othello>();
    options.limits.nodes = Some(30_000);
    options.hash_mb = 1;
    let mut player = AlphaBeta::new(options, Othello::evaluations()[0].by_hand());
    let run = |player: &mut AlphaBeta<Othello>| {
        player.new_game(1);
        let Info { depth, nodes, lines, .. } = choose(player, &game, &Limits::default()).info;
        (depth, nodes, lines)
    };
    let first = run(&mut player);
    assert_eq!(first.1, 30_000, "it looks at as many positions as it may");
    assert_eq!(first, run(&mut player));
    assert_eq!(signature::<Othello>(3), signature::<Othello>(3));
}

#[test]
fn stops_when_told() {
    let game = Match::new(Othello::start(StandardRules));
    for threads in [1, 3] {
        let options = AlphaBetaOptions { threads, hash_mb: 1, ..AlphaBetaOptions::of::<Othello>() };
        let mut player = AlphaBeta::new(options, Othello::evaluations()[0].by_hand());
        // At once, and after something was reported.
        for at_once in [true, false] {
            let stop = AtomicBool::new(at_once);
            let mut report = |info: &Info<Othello>| stop.store(info.depth >= 3, Ordering::Relaxed);
            let mut control = Control::new(&stop, &mut report);
            let choice = player.choose(&game, &Limits::default(), &mut control);
            assert!(game.position().is_legal(choice.expect("not over").m));
        }
    }
}

#[test]
fn reports_after_each_iteration() {
    let game = Match::new(Othello::start(StandardRules));
    let mut options = AlphaBetaOptions::of::<Othello>();
    options.limits.depth = Some(5);
    options.multi_pv = 2;
    let mut player = AlphaBeta::new(options, Othello::evaluations()[0].by_hand());
    let (stop, mut seen) = (AtomicBool::new(false), Vec::new());
    let mut report = |info: &Info<Othello>| seen.push(info.clone());
    let mut control = Control::new(&stop, &mut report);
    let choice = player.choose(&game, &Limits::default(), &mut control).expect("not over");
    let mut depths: Vec<u32> = seen.iter().map(|info| info.depth).collect();
    depths.dedup();
    assert_eq!(depths, [1, 2, 3, 4, 5]);
    assert!(seen.iter().all(|info| info.lines.len() == 2 && info.deepest >= info.depth));
    assert!(seen.iter().is_sorted_by_key(|info| info.nodes));
    assert_eq!(choice.info.lines[0].moves[0], choice.m);
}

#[test]
fn obeys_the_clock() {
    let game = Match::new(Othello::start(StandardRules));
    let mut player = AlphaBeta::new(
        AlphaBetaOptions { hash_mb: 1, ..AlphaBetaOptions::of::<Othello>() },
        Othello::evaluations()[0].by_hand(),
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
        let choice = choose(&mut player, &game, &limits);
        assert!(game.position().is_legal(choice.m));
        // Generous: the machine may be busy with something else.
        assert!(choice.info.time < Duration::from_secs(10), "{:?}", choice.info.time);
    }
}

#[test]
fn chooses_only_from_what_it_may() {
    let game = Match::new(Othello::start(StandardRules));
    let only = &game.moves()[1..3];
    let mut options = AlphaBetaOptions::of::<Othello>();
    options.limits.depth = Some(4);
    options.multi_pv = 4;
    let mut player = AlphaBeta::new(options, Othello::evaluations()[0].by_hand());
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore).with_only(only);
    let choice = player.choose(&game, &Limits::default(), &mut control).expect("not over");
    assert_eq!(choice.info.lines.len(), 2);
    assert!(choice.info.lines.iter().all(|line| only.contains(&line.moves[0])));
}

#[test]
fn a_temper_varies_but_does_not_blunder() {
    let game = Match::new(TicTacToe::start(StandardRules));
    let mut options = AlphaBetaOptions::of::<TicTacToe>();
    options.temper = Some(Temper { within: 0, temperature: 1.0 });
    let mut player = AlphaBeta::new(options, TicTacToe::evaluations()[0].by_hand());
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..40 {
        player.new_game(seed);
        let choice = choose(&mut player, &game, &Limits::default());
        assert_eq!(choice.info.lines.len(), 1, "one line was asked for");
        seen.insert(choice.m);
    }
    assert!(seen.len() > 6, "all first moves draw: {seen:?}");
    // A win at hand is taken, however hot the temper.
    let won = TicTacToe::parse_position("x xx. oo. ...", StandardRules).expect("a position");
    player.options.temper = Some(Temper { within: 1000, temperature: 1e9 });
    let wins = (0..20).filter(|&seed| {
        player.new_game(seed);
        choose(&mut player, &Match::new(won), &Limits::default()).m == 2
    });
    assert_eq!(wins.count(), 20);
}

#[test]
fn a_finished_game_has_no_move() {
    let over = TicTacToe::parse_position("o xxx oo. ...", StandardRules).expect("a position");
    let game = Match::new(over);
    let evaluation = || TicTacToe::evaluations()[0].by_hand();
    let players: [Box<dyn Player<TicTacToe>>; 4] = [
        Box::new(AlphaBeta::new(AlphaBetaOptions::of::<TicTacToe>(), evaluation())),
        Box::new(crate::plain::Minimax::new(3, evaluation())),
        Box::new(crate::simple::Greedy::new(evaluation(), 1)),
        Box::new(crate::simple::Random::new(1)),
    ];
    for mut player in players {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = Control::new(&stop, &mut ignore);
        let choice = player.choose(&game, &Limits::default(), &mut control);
        assert_eq!(choice, Err(PlayerError::GameOver));
    }
}
