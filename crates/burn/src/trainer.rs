use burn::module::{Module, ParamGroup};
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer, SgdConfig};
use burn::tensor::{Bytes, Device};
use rayon::ThreadPool;
use tablero_nets::train::{EVAL_BATCH_SIZE, Losses, Optimizer, Sample, Trainer, TrainerState};
use tablero_nets::{EncodingSpec, NetError, Weights};

use crate::BurnDevice;
use crate::device::pool;
use crate::loss::{inputs, losses};
use crate::net::Net;

/// Training by burn.
pub struct BurnTrainer {
    /// The metadata, without tensors.
    weights: Weights,
    spec: EncodingSpec,
    /// None only within a step.
    net: Option<Net>,
    optimizer: ModuleOptimizer,
    steps: u64,
    device: Device,
    pool: Option<ThreadPool>,
}

impl BurnTrainer {
    /// Starts from these weights; an error if they do not fit the game.
    pub fn new(
        weights: Weights,
        spec: &EncodingSpec,
        optimizer: Optimizer,
        device: &BurnDevice,
        threads: usize,
    ) -> Result<Self, NetError> {
        weights.check(spec)?;
        let device = device.inner.clone();
        let net = Net::read(&weights, &device.clone().autodiff());
        let weights = Weights { tensors: Default::default(), ..weights };
        let optimizer = burn_optimizer(optimizer);
        let pool = pool(threads);
        Ok(Self { weights, spec: *spec, net: Some(net), optimizer, steps: 0, device, pool })
    }

    /// Resumes from what [`to_bytes`](Trainer::to_bytes) wrote.
    pub fn from_bytes(
        bytes: &[u8],
        spec: &EncodingSpec,
        optimizer: Optimizer,
        device: &BurnDevice,
        threads: usize,
    ) -> Result<Self, NetError> {
        let TrainerState { steps, weights, optimizer: state } = TrainerState::from_bytes(bytes)?;
        let mut trainer = Self::new(weights, spec, optimizer, device, threads)?;
        trainer.steps = steps;
        let state = Bytes::from_bytes_vec(state);
        trainer.optimizer = trainer
            .optimizer
            .from_bytes(state)
            .map_err(|error| NetError::Content(format!("training state: {error}")))?;
        Ok(trainer)
    }

    /// Optimizer steps so far.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    fn on_pool<T: Send>(&mut self, work: impl FnOnce(&mut Self) -> T + Send) -> T {
        let pool = self.pool.take();
        let result = match &pool {
            Some(pool) => pool.install(|| work(self)),
            None => work(self),
        };
        self.pool = pool;
        result
    }

    fn net(&self) -> &Net {
        self.net.as_ref().expect("present outside of a step")
    }

    fn train_step(&mut self, samples: &[Sample], lr: f32) -> Losses {
        let net = self.net.take().expect("present outside of a step");
        let inputs = inputs(samples, &self.device.clone().autodiff());
        let losses = losses(net.forward(inputs, &self.spec), samples, &self.spec);
        net.sync_running_stats();
        let gradients = GradientsParams::from_grads(losses.total.backward(), &net);
        self.net = Some(self.optimizer.step(f64::from(lr), net, gradients));
        self.steps += 1;
        losses.read()
    }
}

impl Trainer for BurnTrainer {
    fn step(&mut self, samples: &[Sample], lr: f32) -> Losses {
        if samples.is_empty() {
            return Losses::default();
        }
        self.on_pool(|trainer| trainer.train_step(samples, lr))
    }

    fn evaluate(&mut self, samples: &[Sample]) -> Losses {
        self.on_pool(|trainer| {
            let net = trainer.net().valid();
            let of_batch = |samples: &[Sample]| {
                let inputs = inputs(samples, &trainer.device);
                losses(net.forward(inputs, &trainer.spec), samples, &trainer.spec).read()
            };
            let all: Vec<Losses> = samples.chunks(EVAL_BATCH_SIZE).map(of_batch).collect();
            Losses::mean(&all)
        })
    }

    fn weights(&self) -> Weights {
        Weights { tensors: self.net().write(), ..self.weights.clone() }
    }

    fn to_bytes(&mut self) -> Vec<u8> {
        let state = self.optimizer.into_bytes().expect("tensors in memory serialize");
        TrainerState { steps: self.steps, weights: self.weights(), optimizer: state.to_vec() }
            .to_bytes()
    }
}

/// Weight decay applies to weights only, neither to biases nor to normalizations.
fn burn_optimizer(optimizer: Optimizer) -> ModuleOptimizer {
    let Optimizer::AdamW { weight_decay } = optimizer else { return SgdConfig::new().init() };
    let adam_w = |weight_decay| {
        AdamWConfig::new()
            .with_beta_1(Optimizer::BETA1)
            .with_beta_2(Optimizer::BETA2)
            .with_epsilon(Optimizer::EPSILON)
            .with_weight_decay(weight_decay)
            .build()
    };
    ModuleOptimizer::from(adam_w(0.0)).with_group(
        ParamGroup::from_predicate("weight"),
        adam_w(weight_decay),
        None,
    )
}
