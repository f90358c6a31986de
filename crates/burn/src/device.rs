//! Devices: the processor, and the graphics cards of the features `cuda` and `wgpu`.

use burn::tensor::Device as Inner;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tablero_nets::train::Device;
use thiserror::Error;

#[cfg(feature = "cuda")]
use crate::cuda as cards;
#[cfg(all(feature = "wgpu", not(feature = "cuda")))]
use crate::wgpu as cards;

/// A device that is ready to compute.
#[derive(Clone, Debug)]
pub struct BurnDevice {
    pub(crate) inner: Inner,
    name: String,
}

/// Why there is no such device.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DeviceError {
    /// The program knows the processor only.
    #[error(
        "device {0}: this program was built without graphics cards; build it with \
         `cargo build --release --features burn-wgpu` (or `burn-cuda`), or use cpu"
    )]
    NotBuilt(Device),
    /// No graphics card with this number.
    #[error("device {device}: there is no such graphics card; available: {}", available.join("; "))]
    Missing {
        /// What was asked for.
        device: Device,
        /// What would have been right.
        available: Vec<String>,
    },
    /// The driver fails.
    #[error("device {device} ({name}) cannot be used: {problem}; cpu can")]
    Unusable {
        /// What was asked for.
        device: Device,
        /// Its name.
        name: String,
        /// What the driver says.
        problem: String,
    },
}

/// A graphics card that was found.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
#[derive(Clone, Debug)]
pub(crate) struct Card<T> {
    pub(crate) name: String,
    /// The interface to it: `vulkan`, `cuda`.
    pub(crate) api: &'static str,
    /// Software that stands in for a card: slower than [`Device::Cpu`], so never the default.
    pub(crate) is_software: bool,
    /// How to open it.
    pub(crate) key: T,
}

impl BurnDevice {
    /// Opens a device; none stands for a graphics card if this build knows any, else for the processor.
    pub fn open(device: Option<Device>) -> Result<Self, DeviceError> {
        let has_cards = cfg!(any(feature = "wgpu", feature = "cuda"));
        match device.unwrap_or(if has_cards { Device::Gpu(None) } else { Device::Cpu }) {
            Device::Cpu => Ok(Self { inner: Inner::flex(), name: Device::Cpu.to_string() }),
            device @ Device::Gpu(number) => Self::open_card(device, number),
        }
    }

    /// Its name: `cpu`, or that of the graphics card and the interface to it.
    pub fn name(&self) -> &str {
        &self.name
    }

    #[cfg(not(any(feature = "wgpu", feature = "cuda")))]
    fn open_card(device: Device, _: Option<usize>) -> Result<Self, DeviceError> {
        Err(DeviceError::NotBuilt(device))
    }

    #[cfg(any(feature = "wgpu", feature = "cuda"))]
    fn open_card(device: Device, number: Option<usize>) -> Result<Self, DeviceError> {
        let cards = cards::cards();
        let number = number.or_else(|| cards.iter().position(|card| !card.is_software));
        let Some(card) = number.and_then(|number| cards.get(number)) else {
            return Err(DeviceError::Missing { device, available: available(&cards) });
        };
        let name = card.name.clone();
        match cards::open(card) {
            Ok(inner) => {
                let name = inner.identity().map_or(name, |identity| identity.name);
                Ok(Self { inner, name: format!("{name}, {}", card.api) })
            }
            Err(problem) => Err(DeviceError::Unusable { device, name, problem }),
        }
    }
}

/// The devices of this machine, as they are chosen.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn available<T>(cards: &[Card<T>]) -> Vec<String> {
    let card = |(number, card): (usize, &Card<T>)| {
        let software = if card.is_software { ", software and slower than cpu" } else { "" };
        format!("gpu:{number} ({}, {}{software})", card.name, card.api)
    };
    let cards = cards.iter().enumerate().map(card);
    [Device::Cpu.to_string()].into_iter().chain(cards).collect()
}

/// Runs `work` with burn limited to this many CPU threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match pool(threads) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// None if no threads can be spawned; burn then uses the global pool.
pub(crate) fn pool(threads: usize) -> Option<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(threads.max(1)).build().ok()
}
