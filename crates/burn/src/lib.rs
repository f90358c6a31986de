//! The [burn](https://burn.dev) training backend, for CPUs and GPUs.
//!
//! - [`BurnTrainer`]: the [`Trainer`](tablero_nets::train::Trainer) of this backend; losses, optimizers and
//!   weights are those of `tablero_nets::train`, up to rounding.
//! - [`BurnNetwork`]: inference, the reference for our own evaluator.
//! - [`BurnDevice`]: the processor or a graphics card, of the feature `cuda` or `wgpu`.
//! - [`compare`]: the speed of both evaluators.
//! - `net`: the architectures as burn modules, converted from and to our tensors.
//! - `loss`: samples as tensors, and the losses.
//!
//! Only this crate depends on burn, which takes minutes to build.
//!
//! # Example
//! A training step on the CPU:
//! ```
//! use tablero_burn::{BurnDevice, BurnTrainer};
//! use tablero_nets::train::{Device, Optimizer, Sample, Trainer};
//! use tablero_nets::{EncodingSpec, Weights};
//! use tablero_tictactoe::TicTacToe;
//!
//! let spec = EncodingSpec::of::<TicTacToe>();
//! let weights = Weights::random("resnet 1x4".parse()?, &spec, 1)?;
//! let device = BurnDevice::open(Some(Device::Cpu))?;
//! let mut trainer = BurnTrainer::new(weights, &spec, Optimizer::Sgd, &device, 1)?;
//! let sample = Sample { input: vec![0.5; spec.inputs()], value: 1.0, ..Sample::default() };
//! let before = trainer.step(&[sample.clone(), sample.clone()], 0.01);
//! let after = trainer.step(&[sample.clone(), sample], 0.01);
//! assert!(after.value < before.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod loss;
mod net;
mod network;
mod trainer;
#[cfg(all(feature = "wgpu", not(feature = "cuda")))]
mod wgpu;

pub use compare::compare;
pub use device::{BurnDevice, DeviceError, on_threads};
pub use network::{BatchOutputs, BurnNetwork};
pub use trainer::BurnTrainer;
