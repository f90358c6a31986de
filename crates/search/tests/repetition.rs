//! All searches count repetitions by the same rule.

use std::sync::atomic::AtomicBool;

use tablero_chess::Chess;
use tablero_core::{
    Choice, Control, Evaluation, ForFirst, ForMover, GameType, Limits, Match, Notation, Player,
    PolicyValue, Selectivity, Tactics, Value,
};
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
use tablero_search::mcts::{Mcts, MctsOptions};
use tablero_search::puct::{Puct, PuctOptions};
use tablero_shobu::Shobu;

/// To whom the first player is far behind, whatever happens.
#[derive(Clone)]
struct Behind;

impl<G: GameType> Evaluation<G> for Behind {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        ForFirst(-90).for_mover(position.side())
    }
}

impl<G: GameType> PolicyValue<G> for Behind {
    fn judge(&mut self, position: &G, _: u32, _: &[G::Move], priors: &mut [f32]) -> ForMover<f32> {
        priors.fill(1.0);
        behind(position)
    }
}

fn behind<G: GameType>(position: &G) -> ForMover<f32> {
    ForFirst(-0.9).for_mover(position.side())
}

/// Alpha-beta, MCTS and PUCT.
fn searches<G: Tactics>(depth: u32, simulations: u64) -> [Box<dyn Player<G>>; 3] {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let selectivity = Selectivity::NONE;
    let usual = AlphaBetaOptions::of::<G>();
    let options = AlphaBetaOptions { limits, selectivity, quiescence: 0, hash_mb: 1, ..usual };
    let limits = Limits { nodes: Some(simulations), ..Limits::default() };
    [
        Box::new(AlphaBeta::new(options, Box::new(Behind))),
        Box::new(Mcts::new(MctsOptions { limits, cp: 0.3, ..Default::default() }, behind::<G>)),
        Box::new(Puct::new(PuctOptions { limits, ..Default::default() }, Behind)),
    ]
}

fn choose<G: GameType>(player: &mut dyn Player<G>, game: &Match<G>, only: &[G::Move]) -> Choice<G> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore).with_only(only);
    player.choose(game, &Limits::default(), &mut control).expect("the game is not over")
}

/// What each search says a move is worth, in hundredths.
fn values<G: Tactics>(game: &Match<G>, m: G::Move) -> [i32; 3] {
    searches::<G>(1, 30).map(|mut player| {
        match choose(&mut *player, game, &[m]).info.lines[0].value.0 {
            Value::Hundredths(value) => value,
            other => panic!("{other:?}"),
        }
    })
}

/// Four moves after which the position is the same again.
fn cycle<G: GameType>(start: &G) -> [G::Move; 4] {
    let found = start.moves().into_iter().find_map(|out| {
        let after = start.after(out);
        let replies = after.moves().into_iter();
        replies.map(|reply| (reply, after.after(reply))).find_map(|(reply, third)| {
            third.moves().into_iter().find_map(|back| {
                let fourth = third.after(back);
                let home =
                    fourth.moves().into_iter().find(|&m| fourth.after(m).key() == start.key())?;
                Some([out, reply, back, home])
            })
        })
    });
    found.expect("a way to and fro")
}

fn counts_the_board_as_the_rules_say<G: Tactics>() {
    let start = G::start(G::Rules::default());
    let moves = cycle(&start);
    let home = moves[3];
    let mut game = Match::new(start);
    moves[..3].iter().for_each(|&m| game.play(m).expect("legal"));
    // The second player moves: a second time is not yet a draw.
    assert!(values(&game, home).iter().all(|&value| value > 50), "{:?}", values(&game, home));
    game.play(home).expect("legal");
    moves[..3].iter().for_each(|&m| game.play(m).expect("legal"));
    assert_eq!(values(&game, home), [0; 3], "the third time is one");
}

#[test]
fn positions_of_the_board_count_as_the_rules_say() {
    counts_the_board_as_the_rules_say::<Chess>();
    counts_the_board_as_the_rules_say::<Shobu>();
}

/// Check from e8, check from h5: the position after the third check came before, which is enough for all.
#[test]
fn a_second_time_below_the_root_is_a_draw() {
    let text = "6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1";
    let game = Match::new(Chess::parse_position(text, Default::default()).expect("a position"));
    for mut player in searches::<Chess>(5, 60_000) {
        let choice = choose(&mut *player, &game, &game.moves());
        assert_eq!(choice.m.to_string(), "h5e8");
        let Value::Hundredths(value) = choice.info.lines[0].value.0 else { panic!("{choice:?}") };
        assert!((-60..=0).contains(&value), "{value}: everything else is worth -90");
    }
}
