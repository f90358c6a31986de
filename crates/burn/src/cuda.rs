//! Graphics cards by CUDA.

use burn::tensor::{Device, DeviceType};

/// A card: its number.
pub(crate) type Card = crate::device::Card<usize>;

/// The graphics cards of this machine.
pub(crate) fn cards() -> Vec<Card> {
    let count = Device::enumerate(DeviceType::Cuda).into_vec().len();
    let card = |key| Card { name: format!("card {key}"), api: "cuda", is_software: false, key };
    (0..count).map(card).collect()
}

/// Opens a card.
pub(crate) fn open(card: &Card) -> Result<Device, String> {
    Ok(Device::cuda(card.key))
}
