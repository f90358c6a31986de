//! A game between two players: `cargo run --release --example play_game`.

#![allow(clippy::print_stdout, reason = "an example program prints its results")]

use std::error::Error;
use std::sync::atomic::AtomicBool;

use tablero_core::{AnyControl, AnyGameHistory, AnyInfo, AnyRecord, Limits, PlayerSetup, pgn};
/// Plays a game of Othello and returns its record.
fn play(first: &str, second: &str) -> Result<AnyRecord, Box<dyn Error>> {
    let games = tablero_catalog::games();
    let othello =
        games.iter().find(|entry| entry.game().name() == "othello").ok_or("no Othello")?;
    // A player is a line of text; `tablero players` lists what can be in it.
    let mut players =
        [othello.build(first, &PlayerSetup::LOCAL)?, othello.build(second, &PlayerSetup::LOCAL)?];
    players.iter_mut().for_each(|player| player.new_game(1));

    let mut game = AnyGameHistory::new(othello.game().start());
    while game.end().is_none() {
        let side = game.position().side().index();
        let (stop, mut report) = (AtomicBool::new(false), |_: &AnyInfo| {});
        let mut control = AnyControl::new(&stop, &mut report);
        let found = players[side].choose(&game, &Limits::default(), &mut control)?;
        game.play(found.m)?;
    }
    let mut record = AnyRecord::from_history(&game);
    record.set_tag("Black", first);
    record.set_tag("White", second);
    Ok(record)
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let record = play("alphabeta depth=2 eval=jma", "greedy eval=discs")?;
    println!("{}", pgn::write(&record));
    let end = record.end.ok_or("the game is not over")?;
    println!("{:+} discs for Black", end.outcome.margin().0);
    Ok(())
}
