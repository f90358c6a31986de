//! The catalog of games: the only crate that names games and instantiates generic code (searches, networks,
//! evolution, learning) for them. Each becomes a [`GameEntry`] object for the rest of the program.
//!
//! A game is added by one line in [`games`]; another program can add its own:
//!
//! ```
//! use tablero_catalog::{NoExtras, entry, games};
//! use tablero_tictactoe::TicTacToe;
//!
//! let mut all = games();
//! all.push(entry::<TicTacToe, NoExtras>());
//! tablero_registry::install(all);
//! ```

mod batch;
mod endgames;
mod entry;
mod evolution;
mod extras;
mod learning;
mod players;
mod self_play;

pub use entry::{Entry, entry};
pub use extras::{ChessExtras, ConnectFourExtras, Extras, NoExtras, OthelloExtras};

use tablero_chess::Chess;
use tablero_connectfour::ConnectFour;
use tablero_othello::Othello;
use tablero_registry::GameEntry;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

/// The built-in games, in display order.
pub fn games() -> Vec<&'static dyn GameEntry> {
    vec![
        entry::<Othello, OthelloExtras>(),
        entry::<Chess, ChessExtras>(),
        entry::<Shobu, NoExtras>(),
        entry::<ConnectFour, ConnectFourExtras>(),
        entry::<TicTacToe, NoExtras>(),
    ]
}
