//! The choice of training backend.

use serde::{Deserialize, Serialize};
use tablero_nets::train::{NativeTrainer, Optimizer, Trainer};
use tablero_nets::{EncodingSpec, Weights};

use crate::{ConfigError, LearnError};

/// A training backend. All compute the same up to rounding, at different speeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainingBackend {
    /// `tablero_nets::train`: on the CPU, bit-for-bit reproducible for any number of threads.
    #[default]
    Native,
    /// `tablero-burn`: on the CPU or a GPU; needs the feature `burn`.
    Burn,
}

impl TrainingBackend {
    /// Whether this build has the backend.
    pub fn check(self) -> Result<(), ConfigError> {
        match self {
            Self::Burn if !cfg!(feature = "burn") => Err(ConfigError::BurnUnavailable),
            _ => Ok(()),
        }
    }

    /// A suffix for provenance entries: empty, or the backend and its device.
    pub fn provenance(self) -> &'static str {
        match self {
            Self::Native => "",
            #[cfg(feature = "burn")]
            Self::Burn if tablero_burn::device_name() == "cuda" => ", by burn on cuda",
            #[cfg(feature = "burn")]
            Self::Burn if tablero_burn::device_name() == "wgpu" => ", by burn on wgpu",
            Self::Burn => ", by burn",
        }
    }

    /// A trainer with these initial weights.
    pub(crate) fn start(
        self,
        weights: Weights,
        spec: &EncodingSpec,
        optimizer: Optimizer,
        threads: usize,
    ) -> Result<Box<dyn Trainer>, LearnError> {
        self.check()?;
        Ok(match self {
            #[cfg(feature = "burn")]
            Self::Burn => {
                Box::new(tablero_burn::BurnTrainer::new(weights, spec, optimizer, threads)?)
            }
            _ => Box::new(NativeTrainer::new(weights, spec, optimizer, threads)?),
        })
    }

    /// A trainer in this state.
    pub(crate) fn resume(
        self,
        state: &[u8],
        spec: &EncodingSpec,
        optimizer: Optimizer,
        threads: usize,
    ) -> Result<Box<dyn Trainer>, LearnError> {
        self.check()?;
        Ok(match self {
            #[cfg(feature = "burn")]
            Self::Burn => {
                Box::new(tablero_burn::BurnTrainer::from_bytes(state, spec, optimizer, threads)?)
            }
            _ => Box::new(NativeTrainer::from_bytes(state, spec, optimizer, threads)?),
        })
    }
}
