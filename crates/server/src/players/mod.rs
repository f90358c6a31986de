//! Machines: the factory that makes them of player lines, and their searches.

mod factory;
mod pool;
mod think;

pub(crate) use factory::{PlayerFactory, PlayerSpec};
pub(crate) use pool::{PlayerPool, Seat};
pub(crate) use think::{Decision, ThinkError, Thinking, line_names};
