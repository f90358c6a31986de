use tablero_core::checksum;

use super::{Losses, Sample};
use crate::{NetError, Weights};

/// Positions that are looked at together where nothing is learned from them.
pub const MEASURED_AT_ONCE: usize = 256;

/// A network that learns, whoever computes its gradients.
pub trait Learner {
    /// Learns from a batch with this learning rate; gives the losses before.
    fn step(&mut self, samples: &[Sample], rate: f32) -> Losses;

    /// The losses, without learning.
    fn measure(&mut self, samples: &[Sample]) -> Losses;

    /// What was learned so far.
    fn weights(&self) -> Weights;

    /// Everything that matters for going on, the optimiser's memory included: a [`State`].
    fn to_bytes(&mut self) -> Vec<u8>;
}

/// Everything that matters for going on with a training.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Steps done.
    pub steps: u64,
    /// What was learned so far.
    pub weights: Weights,
    /// The optimiser's memory, as who trains writes it.
    pub memory: Vec<u8>,
}

impl State {
    /// With a check sum at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = self.weights.to_bytes();
        let mut bytes = self.steps.to_le_bytes().to_vec();
        bytes.extend((weights.len() as u64).to_le_bytes());
        bytes.extend(weights);
        bytes.extend(&self.memory);
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        let (bytes, sum) = bytes.split_last_chunk::<8>().ok_or_else(Self::damaged)?;
        if u64::from_le_bytes(*sum) != checksum(bytes) {
            return Err(Self::damaged());
        }
        let (steps, rest) = bytes.split_first_chunk::<8>().ok_or_else(Self::damaged)?;
        let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(Self::damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Self::damaged())?;
        let (weights, memory) = rest.split_at_checked(length).ok_or_else(Self::damaged)?;
        Ok(Self {
            steps: u64::from_le_bytes(*steps),
            weights: Weights::from_bytes(weights)?,
            memory: memory.to_vec(),
        })
    }

    /// The error if it is not what was written.
    pub fn damaged() -> NetError {
        NetError::Content("the state of the training is damaged".into())
    }
}
