//! A match with Elo and error bars: `cargo run --release --example run_match`.

#![allow(clippy::print_stdout, reason = "an example program prints its results")]

use std::error::Error;

use tablero_arena::{Factory, MatchConfig, MatchSettings, MatchSummary, run_match};
use tablero_core::PlayerSetup;
use tablero_jobs::{CancellationToken, Runner, Threads};
/// Plays pairs of games from balanced openings, each with both colours, on all cores.
fn measure(players: [&str; 2], games: usize) -> Result<MatchSummary, Box<dyn Error>> {
    let all = tablero_catalog::games();
    let entry = all.iter().find(|entry| entry.game().name() == "connectfour").ok_or("no game")?;
    let make = |line: &str| entry.build(line, &PlayerSetup::LOCAL);
    let factory = Factory { game: entry.game(), make: &make };
    let config = MatchConfig {
        players: players.map(String::from),
        settings: MatchSettings { games, ..MatchSettings::default_for(factory.game, 1) },
        sprt: None,
    };
    let (threads, cancel) = (Threads::all_cores(), CancellationToken::default());
    let mut runner = Runner::new(&threads, &cancel);
    Ok(run_match(&config, factory, &mut runner, &mut ())?.summary)
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let summary = measure(["alphabeta depth=4 hash=1", "alphabeta depth=2 hash=1"], 40)?;
    let MatchSummary { wins, draws, losses, elo, elo_error, los, .. } = summary;
    println!("{wins} wins, {draws} draws, {losses} losses");
    if let (Some(elo), Some(error)) = (elo, elo_error) {
        println!("{elo:+.0} ± {error:.0} Elo, likelihood of superiority {:.1} %", 100.0 * los);
    }
    Ok(())
}
