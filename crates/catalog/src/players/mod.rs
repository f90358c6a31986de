//! The player kinds, instantiated for a game.

pub(crate) mod champion;
pub(crate) mod evaluations;
pub(crate) mod explain;
mod external;
pub(crate) mod kinds;
mod nets;
pub(crate) mod outside;
pub(crate) mod perfect;
