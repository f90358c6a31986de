//! Games as the page sees them: presentation, rules text, players.

mod convert;
mod game;
mod rules;

pub(crate) use convert::cell;
pub(crate) use game::{describe_game, describe_option, describe_players};
pub(crate) use rules::describe_rules;
