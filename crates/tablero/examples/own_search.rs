//! A search of your own, for every game: `cargo run --release --example own_search`.

#![allow(clippy::print_stdout, reason = "an example program prints its results")]

use std::sync::atomic::AtomicBool;

use tablero_core::{
    Control, Evaluation, ForMover, Game, GameHistory, GameType, Info, Limits, Outcome, Player,
    PlayerError, Pv, SearchResult, StandardRules, Tactics, Value,
};
use tablero_othello::Othello;
use tablero_search::minimax::Minimax;

/// Above every evaluation.
const WIN: i32 = 10_000_000;

// ANCHOR: search
/// Alpha-beta in its smallest form.
struct SmallAlphaBeta<G: GameType> {
    depth: u32,
    evaluation: Box<dyn Evaluation<G>>,
    nodes: u64,
}

impl<G: GameType> SmallAlphaBeta<G> {
    /// The value for the side to move: exact inside the window, otherwise a bound.
    fn search(&mut self, position: &G, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if let Some(outcome) = position.outcome() {
            return value_of(&outcome, position);
        }
        if depth == 0 {
            return self.evaluation.evaluate(position).0;
        }
        for m in position.moves() {
            let value = -self.search(&position.after(m), depth - 1, -beta, -alpha);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        alpha
    }
}

fn value_of<G: Game>(outcome: &Outcome, position: &G) -> i32 {
    match outcome.winner() {
        Some(winner) if winner == position.side() => WIN,
        Some(_) => -WIN,
        None => 0,
    }
}
// ANCHOR_END: search

// ANCHOR: player
impl<G: GameType> Player<G> for SmallAlphaBeta<G> {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        _limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        self.nodes = 0;
        let mut best = None;
        let mut alpha = -2 * WIN;
        for m in game.moves() {
            if best.is_some() && control.is_stopped() {
                break;
            }
            let value = -self.search(&game.position().after(m), self.depth - 1, -2 * WIN, -alpha);
            if value > alpha {
                (alpha, best) = (value, Some(m));
            }
        }
        let m = best.ok_or(PlayerError::GameOver)?;
        let pv = Pv { value: ForMover(Value::Centi(alpha)), moves: vec![m] };
        let info =
            Info { depth: self.depth, nodes: self.nodes, lines: vec![pv], ..Info::default() };
        Ok(SearchResult { m, info })
    }

    fn new_game(&mut self, _seed: u64) {}
}
// ANCHOR_END: player

// ANCHOR: check
/// Every search is held against plain minimax: same values, fewer nodes.
fn main() -> Result<(), PlayerError> {
    let evaluation = || Othello::evaluations()[0].hand_tuned();
    let mut small = SmallAlphaBeta { depth: 5, evaluation: evaluation(), nodes: 0 };
    let mut reference = Minimax::new(5, evaluation());
    let mut game = GameHistory::new(Othello::start(StandardRules));
    for ply in 1..=10 {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let control = &mut Control::new(&stop, &mut ignore);
        let ours = small.choose(&game, &Limits::default(), control)?;
        let theirs = reference.choose(&game, &Limits::default(), control)?;
        assert_eq!(ours.info.lines[0].value, theirs.info.lines[0].value);
        println!("ply {ply}: {} nodes instead of {}", ours.info.nodes, theirs.info.nodes);
        game.play(theirs.m).expect("a search plays legal moves");
    }
    Ok(())
}
// ANCHOR_END: check
