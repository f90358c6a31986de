use tablero_core::checksum;

use super::{Losses, Sample};
use crate::{NetError, Weights};

/// The batch size of [`Trainer::evaluate`].
pub const EVAL_BATCH_SIZE: usize = 256;

/// Trains a network on batches; the backend is up to the implementation.
pub trait Trainer {
    /// One optimizer step on a batch, with learning rate `lr`; returns the losses before it.
    fn step(&mut self, samples: &[Sample], lr: f32) -> Losses;

    /// The losses in inference mode, without training.
    fn evaluate(&mut self, samples: &[Sample]) -> Losses;

    /// The current weights.
    fn weights(&self) -> Weights;

    /// A serialized [`TrainerState`], to resume from.
    fn to_bytes(&mut self) -> Vec<u8>;
}

/// The state to resume training from.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainerState {
    /// Optimizer steps so far.
    pub steps: u64,
    /// The current weights.
    pub weights: Weights,
    /// The optimizer state, in the backend's format.
    pub optimizer: Vec<u8>,
}

impl TrainerState {
    /// Serializes, with a checksum at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = self.weights.to_bytes();
        let mut bytes = self.steps.to_le_bytes().to_vec();
        bytes.extend((weights.len() as u64).to_le_bytes());
        bytes.extend(weights);
        bytes.extend(&self.optimizer);
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        let (bytes, sum) = bytes.split_last_chunk::<8>().ok_or_else(Self::corrupt)?;
        if u64::from_le_bytes(*sum) != checksum(bytes) {
            return Err(Self::corrupt());
        }
        let (steps, rest) = bytes.split_first_chunk::<8>().ok_or_else(Self::corrupt)?;
        let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(Self::corrupt)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Self::corrupt())?;
        let (weights, optimizer) = rest.split_at_checked(length).ok_or_else(Self::corrupt)?;
        Ok(Self {
            steps: u64::from_le_bytes(*steps),
            weights: Weights::from_bytes(weights)?,
            optimizer: optimizer.to_vec(),
        })
    }

    /// The error for bytes that [`to_bytes`](Self::to_bytes) did not write.
    pub fn corrupt() -> NetError {
        NetError::Content("the training state is corrupt".into())
    }
}
