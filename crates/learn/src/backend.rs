//! The choice of training backend.

use serde::{Deserialize, Serialize};
#[cfg(feature = "burn")]
use tablero_burn::{BurnDevice, BurnTrainer};
use tablero_nets::train::{Device, NativeTrainer, Optimizer, Trainer};
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

    /// Opens the device, none for the backend's default; returns the name of what trains, none for the native backend.
    pub fn open(self, device: Option<Device>) -> Result<Option<String>, ConfigError> {
        self.check()?;
        match (self, device) {
            (Self::Native, Some(device)) => Err(ConfigError::DeviceOfNative(device)),
            #[cfg(feature = "burn")]
            (Self::Burn, device) => Ok(Some(open_burn(device)?.name().into())),
            _ => Ok(None),
        }
    }

    /// A suffix for provenance entries: empty, or the backend and the device that it trains on.
    pub fn provenance(self, device: Option<Device>) -> String {
        match self.open(device) {
            Ok(Some(name)) => format!(", by burn on {name}"),
            // Without a device nothing was trained.
            Ok(None) | Err(_) => String::new(),
        }
    }

    /// A trainer with these initial weights.
    pub(crate) fn start(
        self,
        weights: Weights,
        spec: &EncodingSpec,
        optimizer: Optimizer,
        device: Option<Device>,
        threads: usize,
    ) -> Result<Box<dyn Trainer>, LearnError> {
        self.open(device)?;
        Ok(match self {
            #[cfg(feature = "burn")]
            Self::Burn => {
                let device = open_burn(device)?;
                Box::new(BurnTrainer::new(weights, spec, optimizer, &device, threads)?)
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
        device: Option<Device>,
        threads: usize,
    ) -> Result<Box<dyn Trainer>, LearnError> {
        self.open(device)?;
        Ok(match self {
            #[cfg(feature = "burn")]
            Self::Burn => {
                let device = open_burn(device)?;
                Box::new(BurnTrainer::from_bytes(state, spec, optimizer, &device, threads)?)
            }
            _ => Box::new(NativeTrainer::from_bytes(state, spec, optimizer, threads)?),
        })
    }
}

/// Refuses a device for what no backend trains: an NNUE, patterns.
pub fn check_trains_on_cpu(net: &str, device: Option<Device>) -> Result<(), ConfigError> {
    device.map_or(Ok(()), |device| {
        let problem =
            format!("device {device}: {net} is trained on the processor; leave the device out");
        Err(ConfigError::Device(problem))
    })
}

#[cfg(feature = "burn")]
fn open_burn(device: Option<Device>) -> Result<BurnDevice, ConfigError> {
    BurnDevice::open(device).map_err(|error| ConfigError::Device(error.to_string()))
}
