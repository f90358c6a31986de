//! The one crate that names the games and instantiates what is generic over them: searches, networks,
//! evolution, learning. Each game becomes an object ([`GameEntry`]) that the rest of the program uses.
//!
//! A game joins by one line in [`games`]; a program of another repository lists its own beside them:
//!
//! ```
//! use tablero_catalog::{Plain, entry, games};
//! use tablero_tictactoe::TicTacToe;
//!
//! let mut all = games();
//! all.push(entry::<TicTacToe, Plain>());
//! tablero_registry::install(all);
//! ```

mod entry;
mod evolution;
mod extras;
mod learning;
mod players;
mod self_play;

pub use entry::{Entry, entry};
pub use extras::{ChessExtras, Extras, OthelloExtras, Plain};

use tablero_chess::Chess;
use tablero_connectfour::ConnectFour;
use tablero_othello::Othello;
use tablero_registry::GameEntry;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

/// The games that come with the program, in the order in which they are shown.
pub fn games() -> Vec<&'static dyn GameEntry> {
    vec![
        entry::<Othello, OthelloExtras>(),
        entry::<Chess, ChessExtras>(),
        entry::<Shobu, Plain>(),
        entry::<ConnectFour, Plain>(),
        entry::<TicTacToe, Plain>(),
    ]
}
