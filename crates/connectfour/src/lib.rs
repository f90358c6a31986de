//! Connect Four: seven columns, six rows, four in a line win.
//!
//! A game is one crate. `docs/add-a-game.md` walks through this one, file by file:
//! - `bits`: sets of cells as 64-bit words, lines of four by shifts.
//! - `position`: the rules ([`Game`](tablero_core::Game)).
//! - `notation`: text and picture ([`Notation`](tablero_core::Notation)).
//! - `evaluation` and `tactics`: what a search knows beyond the rules
//!   ([`Tactics`](tablero_core::Tactics)).
//! - `encoding` and `features`: what networks see ([`Encoding`](tablero_core::Encoding),
//!   [`Features`](tablero_core::Features)).
//! - `formats`, `settings` and `presentation`: files, levels and defaults, the page
//!   ([`Formats`](tablero_core::Formats), [`Levels`](tablero_core::Levels),
//!   [`Defaults`](tablero_core::Defaults), [`Presentable`](tablero_core::Presentable)).
//!
//! A move is its column, `1` to `7`, a game the digits of its moves: `44533`. A position is the side
//! to move, `x` (red) or `o` (yellow), and the rows from the top:
//! `x ......./......./......./...o.../...x.../..xo...`.

mod bits;
mod encoding;
mod evaluation;
mod features;
mod formats;
mod notation;
mod position;
mod presentation;
mod settings;
mod tactics;

pub use bits::{COLUMNS, Column, ROWS};
pub use position::ConnectFour;
