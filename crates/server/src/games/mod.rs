//! Games: a game's tree and rules of conduct, records and positions that make one, and the library that
//! keeps them on disk.

mod game;
mod library;
mod nodes;
mod positions;
mod records;
mod time;
mod tree;
mod view;

pub(crate) use game::{Change, Game, Made, Thinking};
pub(crate) use library::{GameEvent, Handle, Library};
pub(crate) use nodes::{legal_moves, score};
pub(crate) use positions::{check_position, is_usual_start, new_match, play_on};
pub(crate) use records::{Exported, Imported, export, file_of, file_of_match, import, record_of};
