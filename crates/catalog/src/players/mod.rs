//! The player kinds, instantiated for a game.

pub(crate) mod champion;
mod external;
pub(crate) mod kinds;
mod nets;
