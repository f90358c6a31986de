use burn::tensor::Device;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// What networks are computed on: `flex` is the processor.
pub const fn device_name() -> &'static str {
    if cfg!(feature = "cuda") {
        "cuda"
    } else if cfg!(feature = "wgpu") {
        "wgpu"
    } else {
        "flex"
    }
}

/// The device of [`device_name`].
#[cfg(feature = "cuda")]
pub(crate) fn device() -> Device {
    Device::cuda(burn::tensor::DeviceIndex::Default)
}

/// The device of [`device_name`].
#[cfg(all(feature = "wgpu", not(feature = "cuda")))]
pub(crate) fn device() -> Device {
    Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)
}

/// The device of [`device_name`].
#[cfg(not(any(feature = "wgpu", feature = "cuda")))]
pub(crate) fn device() -> Device {
    Device::flex()
}

/// Does some work in which burn uses at most so many of the processor's threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match pool(threads) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// None if no threads can be had; burn then uses those that are there for everybody.
pub(crate) fn pool(threads: usize) -> Option<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(threads.max(1)).build().ok()
}
