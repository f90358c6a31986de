//! Connect Four: seven columns, six rows, four in a line win.
//!
//! A game is one crate. `docs/tutorials/06-add-a-game.md` walks through this one, file by file:
//! - `bitboard`: sets of cells as 64-bit words with a sentinel row; lines of four by shifts.
//! - `position`: the rules ([`Game`](tablero_core::Game)).
//! - `notation`: text and diagram ([`Notation`](tablero_core::Notation)).
//! - `evaluation` and `tactics`: static evaluation, move ordering, forcing moves
//!   ([`Tactics`](tablero_core::Tactics)).
//! - `encoding`, `features` and `inputs`: network inputs ([`Encoding`](tablero_core::Encoding),
//!   [`Features`](tablero_core::Features), [`SparseInputs`](tablero_core::SparseInputs)).
//! - `formats`, `settings` and `presentation`: files, levels and defaults, the web page
//!   ([`Formats`](tablero_core::Formats), [`Levels`](tablero_core::Levels),
//!   [`Defaults`](tablero_core::Defaults), [`Presentable`](tablero_core::Presentable)).
//!
//! A move is its column, `1` to `7`; a game is the digits of its moves: `44533`. A position is the
//! side to move, `x` (red) or `o` (yellow), and the rows from the top:
//!
//! ```
//! use tablero_connectfour::ConnectFour;
//! use tablero_core::{Game, Notation, Outcome, Side, StandardRules};
//!
//! let position = ConnectFour::parse_position("44533", StandardRules)?;
//! assert_eq!(position.position_text(), "o ......./......./......./......./..xo.../..oxx..");
//! let won = ConnectFour::parse_position("1212121", StandardRules)?;
//! assert_eq!(won.outcome(), Some(Outcome::win(Side::First)));
//! # Ok::<(), tablero_core::ReadError>(())
//! ```

mod bitboard;
mod encoding;
mod evaluation;
mod features;
mod formats;
mod inputs;
mod notation;
mod position;
mod presentation;
mod settings;
mod tactics;

pub use bitboard::{COLUMNS, Column, ROWS};
pub use position::ConnectFour;
