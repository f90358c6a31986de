//! Graphics cards by wgpu: Vulkan, Metal, DirectX 12.

use std::pin::pin;
use std::sync::{LazyLock, Mutex};
use std::task::{Context, Poll, Waker};

use burn::tensor::wgpu::WgpuBackend;
use burn::tensor::wgpu::wgpu::{
    AdapterInfo, Backend, Backends, DeviceType, Instance, InstanceDescriptor,
};
use burn::tensor::{Device, DeviceKind};

/// A card: burn's selector, and the interface on which it was found.
pub(crate) type Card = crate::device::Card<(DeviceKind, WgpuBackend)>;

/// Interfaces, best first. The first that finds anything is used: another would find the same cards again.
const BACKENDS: [(Backend, WgpuBackend); 3] = [
    (Backend::Vulkan, WgpuBackend::Vulkan),
    (Backend::Metal, WgpuBackend::Metal),
    (Backend::Dx12, WgpuBackend::Dx12),
];

/// Searched once, before burn opens any of them: Vulkan's loader does not bear instances that come and go on several
/// threads.
static CARDS: LazyLock<Vec<Card>> = LazyLock::new(|| {
    BACKENDS.into_iter().map(find).find(|found| !found.is_empty()).unwrap_or_default()
});

/// Devices in use; burn opens each only once.
static OPENED: Mutex<Vec<((DeviceKind, WgpuBackend), Device)>> = Mutex::new(Vec::new());

/// The graphics cards of this machine, the fastest kind first; those in software last.
pub(crate) fn cards() -> Vec<Card> {
    CARDS.clone()
}

/// Opens a card.
pub(crate) fn open(card: &Card) -> Result<Device, String> {
    let mut opened = OPENED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((_, device)) = opened.iter().find(|(key, _)| *key == card.key) {
        return Ok(device.clone());
    }
    let (kind, backend) = card.key.clone();
    let options = Device::wgpu_options().device_kind(kind).graphics_api(backend);
    let device = options.init().map_err(|error| error.to_string())?;
    opened.push((card.key.clone(), device.clone()));
    Ok(device)
}

fn find((backend, pinned): (Backend, WgpuBackend)) -> Vec<Card> {
    let backends = Backends::from(backend);
    if !Instance::enabled_backend_features().contains(backends) {
        return Vec::new();
    }
    let descriptor = InstanceDescriptor::new_without_display_handle();
    let instance = Instance::new(InstanceDescriptor { backends, ..descriptor });
    // Outside of browsers this waits for nothing.
    let search = pin!(instance.enumerate_adapters(backends));
    let Poll::Ready(adapters) = search.poll(&mut Context::from_waker(Waker::noop())) else {
        return Vec::new();
    };
    let infos: Vec<AdapterInfo> = adapters.iter().map(|adapter| adapter.get_info()).collect();
    let of_kind = |device_type| infos.iter().filter(move |info| info.device_type == device_type);
    let card = |info: &AdapterInfo, kind| Card {
        name: info.name.clone(),
        api: backend.to_str(),
        is_software: info.device_type == DeviceType::Cpu,
        key: (kind, pinned),
    };
    let numbered = |device_type, kind: fn(usize) -> DeviceKind| {
        let cards = of_kind(device_type).enumerate();
        cards.map(|(index, info)| card(info, kind(index))).collect::<Vec<_>>()
    };
    [
        numbered(DeviceType::DiscreteGpu, DeviceKind::DiscreteGpu),
        numbered(DeviceType::IntegratedGpu, DeviceKind::IntegratedGpu),
        numbered(DeviceType::VirtualGpu, DeviceKind::VirtualGpu),
        of_kind(DeviceType::Cpu).take(1).map(|info| card(info, DeviceKind::Cpu)).collect(),
    ]
    .concat()
}
