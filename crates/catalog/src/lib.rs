//! The one place that lists what there is: games, file formats, kinds of players, levels.
//!
//! Code that works for every game is generic over [`Catalogued`]; code that is told at run time which
//! game it is (command line, page, tasks) gets there by [`for_game!`].

#[macro_use]
mod games;
pub mod formats;
mod open;
pub mod players;
mod position;
mod rules;

pub use formats::{FileFormat, Input, Output, WriteError};
pub use games::{Catalogued, Document, GameName, types};
pub use open::{OpenError, Opened, companion, open, open_as};
pub use position::{PositionError, parse_match};
pub use rules::{rules_text, rules_text_es};
