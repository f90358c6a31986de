//! Evaluations from outside of the program, such as Python functions.

use std::sync::Arc;

use tablero_nets::Weights;

use crate::PositionBatch;

/// A static evaluation of many positions at once.
pub trait BatchEvaluation: Send + Sync {
    /// The scores in centi-units for the sides to move of positions that are not over, one for each.
    fn evaluate(&self, positions: Box<dyn PositionBatch>) -> Vec<i32>;
}

/// A policy and value function of many positions at once.
pub trait BatchPolicyValue: Send + Sync {
    /// Evaluates positions that are not over.
    fn evaluate(&self, positions: Box<dyn PositionBatch>) -> PolicyValues;
}

/// The result of a [`BatchPolicyValue`].
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PolicyValues {
    /// A value from -1 to 1 for the side to move of every position.
    pub values: Vec<f32>,
    /// Priors of all actions, [`actions`](PositionBatch::actions) per position, those of illegal ones ignored; uniform if
    /// none.
    pub priors: Option<Vec<f32>>,
}

/// The network of a player that is not read from a file.
#[derive(Clone)]
pub enum NetSource<'a> {
    /// Weights in memory.
    Weights(&'a Weights),
    /// A function.
    Function(Arc<dyn BatchPolicyValue>),
}
