//! Who computes what a network learns.

use serde::{Deserialize, Serialize};
use tablero_nets::train::{Learner, Optimiser, Trainer};
use tablero_nets::{Dims, NetError, Weights};

/// Who computes what a network learns from a batch. All do the same; only speed, and the last digits,
/// differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainerName {
    /// `tablero_nets::train`: the processor, bit for bit the same on any number of threads.
    #[default]
    Own,
    /// `tablero-burn`: burn, on the processor or a graphics card; only if the program was built with it.
    Burn,
}

impl TrainerName {
    /// What is wrong with it, if anything: not every program has burn.
    pub fn check(self) -> Result<(), String> {
        match self {
            Self::Burn if !cfg!(feature = "burn") => Err(
                "this program was built without burn; `cargo build --release --features burn` makes \
                 one with it (`burn-wgpu` or `burn-cuda` for graphics cards), or train without it by \
                 `--trainer own`"
                    .into(),
            ),
            _ => Ok(()),
        }
    }

    /// For a network's past: nothing, or who trained it and on what.
    pub fn past(self) -> &'static str {
        match self {
            Self::Own => "",
            #[cfg(feature = "burn")]
            Self::Burn if tablero_burn::device_name() == "cuda" => ", by burn on cuda",
            #[cfg(feature = "burn")]
            Self::Burn if tablero_burn::device_name() == "wgpu" => ", by burn on wgpu",
            Self::Burn => ", by burn",
        }
    }

    /// A learner that begins with these weights.
    pub(crate) fn begin(
        self,
        weights: Weights,
        dims: &Dims,
        optimiser: Optimiser,
        threads: usize,
    ) -> Result<Box<dyn Learner>, NetError> {
        self.check().map_err(NetError::Content)?;
        Ok(match self {
            #[cfg(feature = "burn")]
            Self::Burn => {
                Box::new(tablero_burn::BurnTrainer::new(weights, dims, optimiser, threads)?)
            }
            _ => Box::new(Trainer::new(weights, dims, optimiser, threads)?),
        })
    }

    /// The learner that wrote this state.
    pub(crate) fn resume(
        self,
        state: &[u8],
        dims: &Dims,
        optimiser: Optimiser,
        threads: usize,
    ) -> Result<Box<dyn Learner>, NetError> {
        self.check().map_err(NetError::Content)?;
        Ok(match self {
            #[cfg(feature = "burn")]
            Self::Burn => {
                Box::new(tablero_burn::BurnTrainer::from_bytes(state, dims, optimiser, threads)?)
            }
            _ => Box::new(Trainer::from_bytes(state, dims, optimiser, threads)?),
        })
    }
}
