//! Engine protocols: how Tablero's players talk to other programs, and other programs' players to
//! Tablero.
//!
//! As an engine, each of these speaks its protocol until the input ends:
//! - [`serve_uci`]: the Universal Chess Interface, for chess and in the same style for every game
//!   that has a [`UciDialect`];
//! - [`serve_nboard`] and [`serve_gtp`]: what Othello programs speak.
//!
//! They get their players from an [`Engine`], so that they need not know any search; the example
//! `sample-engine` is a whole one. Standard input is read through
//! `BufReader::new(std::io::stdin())`.
//!
//! As a client, [`ExternalPlayer`] is a player that runs in another program.

mod client;
mod desk;
mod dialect;
mod engine;
mod gtp;
mod nboard;
pub mod uci;

pub use client::{EngineCommand, ExternalPlayer};
pub use dialect::UciDialect;
pub use engine::{Engine, MakePlayer, Setup};
pub use gtp::serve_gtp;
pub use nboard::serve_nboard;
pub use uci::serve_uci;
