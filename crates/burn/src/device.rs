use burn::tensor::Device;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The device of this build: `cuda`, `wgpu`, or `flex`, burn's CPU backend.
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
