//! The player kinds, instantiated for a game.

pub(crate) mod champion;
pub(crate) mod evaluations;
mod external;
pub(crate) mod kinds;
mod nets;
pub(crate) mod outside;
pub(crate) mod perfect;
