//! Games: a game's tree and rules of conduct, and the library that keeps them on disk.

mod game;
mod library;
mod time;
mod tree;
mod view;

pub(crate) use game::{Change, Game, Made, Thinking};
pub(crate) use library::{GameEvent, Handle, Library};
