//! What a page has to know about a game: the game itself, its rules as text, who can play it.

mod convert;
mod game;
mod rules;

pub(crate) use convert::cell;
pub(crate) use game::{describe_game, describe_option, describe_players};
pub(crate) use rules::describe_rules;
