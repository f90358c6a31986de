//! Engine protocols: UCI, NBoard and GTP, as an engine and as a client of other engines.
//!
//! ```text
//!  GUI, arena  ── position, go, stop ──>  serve(engine)   Tablero's players as an engine
//!              <── info, bestmove ─────
//!
//!  Tablero     ── position, go, stop ──>  ExternalPlayer ──> process (Stockfish, NTest, ...)
//!              <── info, bestmove ─────
//! ```
//!
//! [`serve`] runs an [`Engine`] over a protocol until the input ends. The engine builds its players itself, so
//! this crate depends on no search; the example `sample-engine` is a complete engine.
//! [`ExternalPlayer`] is a player in another process. Which protocols a game supports is up to the game
//! ([`AnyGame::protocols`](tablero_core::AnyGame::protocols)).
//!
//! ```
//! use tablero_chess::Chess;
//! use tablero_core::{AnyGame, Limits, Protocol};
//! use tablero_protocol::{Engine, EngineSettings, serve};
//!
//! let engine = Engine {
//!     game: AnyGame::of::<Chess>(),
//!     name: "Example 1".into(),
//!     make_player: Box::new(|_| Err("no search here".into())),
//!     settings: EngineSettings::default(),
//!     elo: None,
//!     default_limits: Limits::default(),
//!     seed: 1,
//! };
//! let mut output = Vec::new();
//! // Usually `BufReader::new(std::io::stdin())` and `std::io::stdout()`.
//! serve(Protocol::Uci, &b"uci\nquit\n"[..], &mut output, &engine)?;
//! let text = String::from_utf8(output).expect("UTF-8");
//! assert!(text.starts_with("id name Example 1\n") && text.ends_with("uciok\n"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod client;
mod engine;
mod engine_loop;
mod ggf;
mod gtp;
mod lines;
mod nboard;
mod queue;
mod squares;
mod uci;

use std::io::{self, BufRead, Write};

use tablero_core::{AnyGame, Protocol};

pub use client::{EngineCommand, ExternalPlayer};
pub use engine::{Engine, EngineSettings, PlayerFactory};

/// Runs `engine` over `protocol` until `quit` or the end of `input`; fails if `output` fails, no player can
/// be built, the game does not support the protocol, or a line of input exceeds 64 KiB.
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

/// Fails unless `game` supports `protocol`.
fn check_protocol(game: AnyGame, protocol: Protocol) -> Result<(), String> {
    let supported = game.protocols();
    if supported.contains(&protocol) {
        return Ok(());
    }
    let names: Vec<&str> = supported.iter().map(|protocol| protocol.name()).collect();
    Err(format!("{game} does not support {protocol}; it supports {}", names.join(", ")))
}
