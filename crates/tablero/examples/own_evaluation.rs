//! An evaluation of your own in a match: `cargo run --release --example own_evaluation`.

#![allow(clippy::print_stdout, reason = "an example program prints its results")]

use tablero_arena::{Factory, MatchConfig, MatchSettings, run_match};
use tablero_core::{
    AnyGame, BuildResult, ErasedPlayer, Evaluation, ForMover, PlayerLineError, Tactics,
};
use tablero_jobs::{CancellationToken, Runner, Threads};
use tablero_othello::Othello;
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};

// ANCHOR: evaluation
/// Frontier discs, those next to an empty square, give the opponent moves: the fewer the better. Corners count extra.
struct Frontier;

impl Evaluation<Othello> for Frontier {
    fn evaluate(&self, position: &Othello) -> ForMover<i32> {
        let near_empty = neighbours(position.empties());
        let score = |discs: u64| {
            500 * (discs & CORNERS).count_ones() as i32
                - 20 * (discs & near_empty).count_ones() as i32
        };
        ForMover(score(position.mover()) - score(position.other()))
    }
}
// ANCHOR_END: evaluation

const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The squares next to a set of squares; files are masked so that nothing wraps around the edge.
const fn neighbours(set: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let row = set | (set << 1) & NOT_A | (set >> 1) & NOT_H;
    row | row << 8 | row >> 8
}

// ANCHOR: match
fn player(name: &str) -> BuildResult {
    let evaluation: Box<dyn Evaluation<Othello>> = match name {
        "frontier" => Box::new(Frontier),
        "discs" => Othello::evaluations()
            .iter()
            .find(|kind| kind.name == "discs")
            .ok_or_else(|| PlayerLineError::Other("no evaluation `discs`".into()))?
            .hand_tuned(),
        _ => return Err(PlayerLineError::Other(format!("no player `{name}`"))),
    };
    let mut options = AlphaBetaOptions::for_game::<Othello>();
    options.limits.depth = Some(2);
    Ok(Box::new(ErasedPlayer::new(Box::new(AlphaBeta::new(options, evaluation)))))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let factory = Factory { game: AnyGame::of::<Othello>(), make: &player };
    let config = MatchConfig {
        players: ["frontier".into(), "discs".into()],
        settings: MatchSettings { games: 40, ..MatchSettings::default_for(factory.game, 1) },
        sprt: None,
    };
    let (threads, cancel) = (Threads::all_cores(), CancellationToken::default());
    let result = run_match(&config, factory, &mut Runner::new(&threads, &cancel), &mut ())?;
    println!("{:#?}", result.summary);
    Ok(())
}
// ANCHOR_END: match
