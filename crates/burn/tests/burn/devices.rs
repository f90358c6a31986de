//! The choice of a device.

use tablero_burn::BurnDevice;
use tablero_nets::train::Device;

#[test]
fn the_processor_is_always_there() {
    assert_eq!(BurnDevice::open(Some(Device::Cpu)).expect("a device").name(), "cpu");
}

/// The error lists what can be chosen instead.
#[test]
fn a_missing_card_is_reported() {
    let error = BurnDevice::open(Some(Device::Gpu(Some(99)))).expect_err("no card").to_string();
    assert!(error.starts_with("device gpu:99"), "{error}");
    match cfg!(any(feature = "wgpu", feature = "cuda")) {
        true => assert!(error.contains("cpu; gpu:0 ("), "{error}"),
        false => assert!(error.contains("--features burn-wgpu"), "{error}"),
    }
}

/// A card is opened once, however often it is asked for, and by its name.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
#[test]
fn cards_have_names() {
    let open = || BurnDevice::open(Some(Device::Gpu(Some(0)))).expect("a card");
    let names = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(|| open().name().to_owned()));
        threads.map(|thread| thread.join().expect("a name"))
    });
    assert!(names.iter().all(|name| *name == names[0] && name.len() > "vulkan".len()), "{names:?}");
}

/// Software that stands in for a card is chosen by its number only: it is slower than the processor.
#[cfg(all(feature = "wgpu", not(feature = "cuda")))]
#[test]
fn software_is_no_graphics_card() {
    let first = BurnDevice::open(Some(Device::Gpu(Some(0)))).expect("a card");
    for device in [None, Some(Device::Gpu(None))] {
        match BurnDevice::open(device) {
            Ok(card) => assert!(!card.name().starts_with("llvmpipe"), "{card:?}"),
            Err(error) => {
                let error = error.to_string();
                assert!(error.starts_with("device gpu: there is no such graphics card"), "{error}");
                assert!(error.contains("software and slower than cpu"), "{error}");
                assert!(first.name().starts_with("llvmpipe"), "{first:?}");
            }
        }
    }
}
