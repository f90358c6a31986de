//! All searches share one rule of repetition.

use std::sync::atomic::AtomicBool;

use tablero_chess::Chess;
use tablero_core::{
    Control, Evaluation, ForFirst, ForMover, GameHistory, GameType, Limits, Notation, Player,
    PolicyValue, SearchResult, Selectivity, Tactics, Value,
};
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
use tablero_search::mcts::{Mcts, MctsOptions};
use tablero_search::puct::{Puct, PuctOptions};
use tablero_shobu::Shobu;

/// The first player is always far behind.
#[derive(Clone)]
struct Behind;

impl<G: GameType> Evaluation<G> for Behind {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        ForFirst(-90).for_mover(position.side())
    }
}

impl<G: GameType> PolicyValue<G> for Behind {
    fn evaluate(
        &mut self,
        position: &G,
        _: u32,
        _: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32> {
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
    let usual = AlphaBetaOptions::for_game::<G>();
    let options = AlphaBetaOptions { limits, selectivity, quiescence: 0, hash_mb: 1, ..usual };
    let limits = Limits { nodes: Some(simulations), ..Limits::default() };
    [
        Box::new(AlphaBeta::new(options, Box::new(Behind))),
        Box::new(Mcts::new(MctsOptions { limits, cp: 0.3, ..Default::default() }, behind::<G>)),
        Box::new(Puct::new(PuctOptions { limits, ..Default::default() }, Behind)),
    ]
}

fn choose<G: GameType>(
    player: &mut dyn Player<G>,
    game: &GameHistory<G>,
    searchmoves: &[G::Move],
) -> SearchResult<G> {
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore).with_searchmoves(searchmoves);
    player.choose(game, &Limits::default(), &mut control).expect("the game is not over")
}

/// Each search's value of a move, in centi-units.
fn values<G: Tactics>(game: &GameHistory<G>, m: G::Move) -> [i32; 3] {
    searches::<G>(1, 30).map(|mut player| {
        match choose(&mut *player, game, &[m]).info.lines[0].value.0 {
            Value::Centi(value) => value,
            other => panic!("{other:?}"),
        }
    })
}

/// Four moves that restore the position.
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
    found.expect("a cycle of four plies")
}

fn check_repetitions_on_the_board<G: Tactics>() {
    let start = G::start(G::Rules::default());
    let moves = cycle(&start);
    let home = moves[3];
    let mut game = GameHistory::new(start);
    moves[..3].iter().for_each(|&m| game.play(m).expect("legal"));
    // The second occurrence is no draw.
    assert!(values(&game, home).iter().all(|&value| value > 50), "{:?}", values(&game, home));
    game.play(home).expect("legal");
    moves[..3].iter().for_each(|&m| game.play(m).expect("legal"));
    assert_eq!(values(&game, home), [0; 3], "the third occurrence is a draw");
}

#[test]
fn repetitions_on_the_board_count_as_the_rules_say() {
    check_repetitions_on_the_board::<Chess>();
    check_repetitions_on_the_board::<Shobu>();
}

/// Perpetual check from e8 and h5: the third check repeats a position of the search tree.
#[test]
fn the_first_repetition_within_the_tree_is_a_draw() {
    let text = "6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1";
    let game =
        GameHistory::new(Chess::parse_position(text, Default::default()).expect("a position"));
    for mut player in searches::<Chess>(5, 60_000) {
        let result = choose(&mut *player, &game, &game.moves());
        assert_eq!(result.m.to_string(), "h5e8");
        let Value::Centi(value) = result.info.lines[0].value.0 else { panic!("{result:?}") };
        assert!((-60..=0).contains(&value), "{value}: all other moves have -90");
    }
}
