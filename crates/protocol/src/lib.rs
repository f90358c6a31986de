//! Engine protocols: how Tablero's players talk to other programs, and other programs' players to
//! Tablero. Which ones a game is played over it says itself
//! ([`AnyGame::protocols`](tablero_core::AnyGame::protocols)).
//!
//! As an engine, [`serve`] speaks a protocol until the input ends. It gets its players from an
//! [`Engine`], so that it need not know any search; the example `sample-engine` is a whole one.
//! Standard input is read through `BufReader::new(std::io::stdin())`.
//!
//! As a client, [`ExternalPlayer`] is a player that runs in another program.

mod client;
mod desk;
mod engine;
mod ggf;
mod gtp;
mod nboard;
mod squares;
mod uci;

use std::io::{self, BufRead, Write};

use tablero_core::{AnyGame, Protocol};

pub use client::{EngineCommand, ExternalPlayer};
pub use engine::{Engine, MakePlayer, Setup};

/// Speaks `protocol` for `engine` until the peer quits or `input` ends; fails if `output` does, if the
/// engine's player cannot be made, or if the engine's game is not played over that protocol.
pub fn serve(
    protocol: Protocol,
    input: impl BufRead + Send,
    output: impl Write,
    engine: &Engine<'_>,
) -> io::Result<()> {
    check_protocol(engine.game, protocol)
        .map_err(|error| io::Error::new(io::ErrorKind::Unsupported, error))?;
    match protocol {
        Protocol::Uci => uci::serve_uci(input, output, engine),
        Protocol::NBoard => nboard::serve_nboard(input, output, engine),
        Protocol::Gtp => gtp::serve_gtp(input, output, engine),
    }
}

/// Fails unless `game` is played over `protocol`.
fn check_protocol(game: AnyGame, protocol: Protocol) -> Result<(), String> {
    let known = game.protocols();
    if known.contains(&protocol) {
        return Ok(());
    }
    let known: Vec<&str> = known.iter().map(|known| known.name()).collect();
    Err(format!("{game} is not played over {protocol}, but over {}", known.join(", ")))
}
