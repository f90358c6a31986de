use burn::module::{Module, ParamGroup};
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer, SgdConfig};
use burn::tensor::{Bytes, Device};
use rayon::ThreadPool;
use tablero_nets::train::{EVAL_BATCH_SIZE, Losses, Optimizer, Sample, Trainer, TrainerState};
use tablero_nets::{EncodingSpec, NetError, Weights};

use crate::device::{device, pool};
use crate::loss::{inputs, losses};
use crate::net::Net;

/// A network that learns by burn.
pub struct BurnTrainer {
    /// All that is known about the network besides its numbers.
    weights: Weights,
    spec: EncodingSpec,
    /// None only while it is being changed.
    net: Option<Net>,
    optimizer: ModuleOptimizer,
    steps: u64,
    device: Device,
    pool: Option<ThreadPool>,
}

impl BurnTrainer {
    /// Goes on from these weights on so many threads; an error if they are not those of a network for
    /// such a game.
    pub fn new(
        weights: Weights,
        spec: &EncodingSpec,
        optimizer: Optimizer,
        threads: usize,
    ) -> Result<Self, NetError> {
        weights.check(spec)?;
        let device = device();
        let net = Net::read(&weights, &device.clone().autodiff());
        let weights = Weights { tensors: Default::default(), ..weights };
        let optimizer = burn_optimiser(optimizer);
        let pool = pool(threads);
        Ok(Self { weights, spec: *spec, net: Some(net), optimizer, steps: 0, device, pool })
    }

    /// Goes on from what [`to_bytes`](Trainer::to_bytes) wrote.
    pub fn from_bytes(
        bytes: &[u8],
        spec: &EncodingSpec,
        optimizer: Optimizer,
        threads: usize,
    ) -> Result<Self, NetError> {
        let TrainerState { steps, weights, memory } = TrainerState::from_bytes(bytes)?;
        let mut trainer = Self::new(weights, spec, optimizer, threads)?;
        trainer.steps = steps;
        let memory = Bytes::from_bytes_vec(memory);
        trainer.optimizer = trainer
            .optimizer
            .from_bytes(memory)
            .map_err(|error| NetError::Content(format!("the state of the training: {error}")))?;
        Ok(trainer)
    }

    /// Steps done.
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
        self.net.as_ref().expect("it is only gone within a step")
    }

    fn learn(&mut self, samples: &[Sample], rate: f32) -> Losses {
        let net = self.net.take().expect("it is only gone within a step");
        let inputs = inputs(samples, &self.device.clone().autodiff());
        let losses = losses(net.forward(inputs, &self.spec), samples, &self.spec);
        net.settle();
        let gradients = GradientsParams::from_grads(losses.total.backward(), &net);
        self.net = Some(self.optimizer.step(f64::from(rate), net, gradients));
        self.steps += 1;
        losses.read()
    }
}

impl Trainer for BurnTrainer {
    fn step(&mut self, samples: &[Sample], rate: f32) -> Losses {
        if samples.is_empty() {
            return Losses::default();
        }
        self.on_pool(|trainer| trainer.learn(samples, rate))
    }

    fn measure(&mut self, samples: &[Sample]) -> Losses {
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
        let memory = self.optimizer.into_bytes().expect("tensors in memory can be written");
        TrainerState { steps: self.steps, weights: self.weights(), memory: memory.to_vec() }
            .to_bytes()
    }
}

/// Adam pulls only weights towards 0, neither biases nor normalisations.
fn burn_optimiser(optimizer: Optimizer) -> ModuleOptimizer {
    let Optimizer::Adam { decay } = optimizer else { return SgdConfig::new().init() };
    let adam = |decay| {
        AdamWConfig::new()
            .with_beta_1(Optimizer::MEAN_KEEPS)
            .with_beta_2(Optimizer::SQUARE_KEEPS)
            .with_epsilon(Optimizer::EPSILON)
            .with_weight_decay(decay)
            .build()
    };
    ModuleOptimizer::from(adam(0.0)).with_group(
        ParamGroup::from_predicate("weight"),
        adam(decay),
        None,
    )
}
