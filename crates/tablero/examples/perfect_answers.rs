//! How often a player answers solved positions of Connect Four perfectly: with a move that keeps the outcome.
//! `cargo run --release --example perfect_answers -- "puct net=RUN/best.safetensors sims=400" 500`

#![allow(clippy::print_stdout, reason = "an example program prints its results")]

use std::error::Error;
use std::sync::atomic::AtomicBool;

use tablero_core::{AnyControl, AnyGameHistory, AnyPosition, Limits, PlayerSetup, Rng, Side};
use tablero_registry::{GameEntry, SolveLimits, Solver};

/// Random plies of the positions: with fewer the solver takes minutes.
const PLIES: std::ops::Range<u64> = 10..30;

/// A position after random moves, if the game is not over.
fn random_position(entry: &dyn GameEntry, rng: &mut Rng) -> Option<AnyPosition> {
    let mut position = entry.game().start();
    for _ in 0..PLIES.start + rng.below(PLIES.end - PLIES.start) {
        position.play(*rng.pick(&position.moves())?);
    }
    position.outcome().is_none().then_some(position)
}

/// The outcome of a position for `side`: 1, 0 or -1.
fn outcome(solver: &mut dyn Solver, position: &AnyPosition, side: Side) -> Option<i32> {
    if let Some(over) = position.outcome() {
        return Some(over.winner().map_or(0, |winner| if winner == side { 1 } else { -1 }));
    }
    let stop = AtomicBool::new(false);
    let score = solver.solve(position, SolveLimits { wld: true }, &stop)?.score.0;
    Some(if position.side() == side { score } else { -score })
}

/// The perfect answers of a player to `count` positions in which some move is a mistake.
pub(crate) fn perfect_answers(
    line: &str,
    count: usize,
    seed: u64,
) -> Result<usize, Box<dyn Error>> {
    let all = tablero_catalog::games();
    let entry = all.iter().find(|entry| entry.game().name() == "connectfour").ok_or("no game")?;
    let mut player = entry.build(line, &PlayerSetup::LOCAL)?;
    let mut solver = entry.solver(64, 1).ok_or("no solver")?;
    let (mut rng, mut perfect, mut asked) = (Rng::seeded(seed), 0, 0);
    while asked < count {
        let Some(position) = random_position(*entry, &mut rng) else { continue };
        let side = position.side();
        let moves = position.moves().into_iter();
        let outcomes: Option<Vec<i32>> =
            moves.map(|m| outcome(&mut *solver, &position.after(m), side)).collect();
        let outcomes = outcomes.ok_or("not solved")?;
        let best = outcomes.iter().copied().max().unwrap_or(0);
        if outcomes.iter().all(|&outcome| outcome == best) {
            continue;
        }
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = AnyControl::new(&stop, &mut ignore);
        let game = AnyGameHistory::new(position.clone());
        player.new_game(seed);
        let m = player.choose(&game, &Limits::default(), &mut control)?.m;
        perfect += usize::from(outcome(&mut *solver, &position.after(m), side) == Some(best));
        asked += 1;
    }
    Ok(perfect)
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let line = arguments.next().unwrap_or_else(|| "alphabeta depth=4 hash=1".into());
    let count = arguments.next().map_or(Ok(100), |count| count.parse())?;
    let perfect = perfect_answers(&line, count, 1)?;
    println!("{line}: {perfect} of {count} perfect answers");
    Ok(())
}
