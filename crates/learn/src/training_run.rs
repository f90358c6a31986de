//! Training on labeled positions.
//!
//! A run can be interrupted at any step and resumes to the same weights: batch, augmentation and learning rate
//! of a step depend only on the seed and the step's number, and the optimizer's state is saved with the
//! weights.

use serde::{Deserialize, Serialize};
use tablero_core::Rng;
use tablero_nets::train::{Device, Losses, Optimizer, Sample, Trainer};
use tablero_nets::{EncodingSpec, NetKind, Weights};

use crate::{LabeledPosition, LearnError, Learnable, TrainingBackend};

/// A learning-rate schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LrSchedule {
    /// Constant.
    Constant,
    /// Cosine annealing down to a twentieth.
    Cosine,
    /// A tenth after two thirds of the steps.
    Step,
}

/// The hyperparameters of a training run.
///
/// ```
/// use tablero_learn::{LrSchedule, TrainingBackend, TrainingPlan};
///
/// let plan = TrainingPlan {
///     lr: 0.001,
///     lr_schedule: LrSchedule::Step,
///     steps: 300,
///     batch_size: 32,
///     sgd: false,
///     weight_decay: 1e-4,
///     by_epoch: false,
///     symmetries: true,
///     seed: 1,
///     backend: TrainingBackend::Native,
///     device: None,
/// };
/// assert_eq!(plan.lr_at(0), 0.001);
/// assert!(plan.lr_at(250) < 0.00011);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingPlan {
    /// The initial learning rate.
    pub lr: f64,
    /// The learning-rate schedule.
    pub lr_schedule: LrSchedule,
    /// Total steps.
    pub steps: u64,
    /// Samples per step.
    pub batch_size: usize,
    /// SGD (Otelo) instead of AdamW (Hatchet1: Adam).
    pub sgd: bool,
    /// Decoupled weight decay, of AdamW only.
    pub weight_decay: f32,
    /// Whether training goes by epochs, shuffled passes over all positions. Otherwise batches are sampled with
    /// replacement, by weight.
    pub by_epoch: bool,
    /// Whether samples are augmented by random board symmetries.
    pub symmetries: bool,
    /// The seed of sampling order and augmentation.
    pub seed: u64,
    /// The training backend.
    #[serde(default)]
    pub backend: TrainingBackend,
    /// Its device; none for the backend's default.
    #[serde(default)]
    pub device: Option<Device>,
}

/// Up to this size, encoded samples are cached.
const MAX_ENCODED_FLOATS: usize = 1 << 26;

/// A training run in progress.
pub struct TrainingRun<'a, G> {
    positions: &'a [LabeledPosition<G>],
    /// Prefix sums of the sampling weights, unless training goes by epochs.
    cumulative_weights: Vec<f64>,
    plan: TrainingPlan,
    kind: NetKind,
    trainer: Box<dyn Trainer>,
    /// Steps done.
    steps_done: u64,
    /// Cached samples, if there is no augmentation and they fit.
    encoded: Vec<Sample>,
    /// The epoch of `order`.
    epoch: u64,
    order: Vec<u32>,
}

impl TrainingPlan {
    fn optimizer(&self) -> Optimizer {
        if self.sgd { Optimizer::Sgd } else { Optimizer::AdamW { weight_decay: self.weight_decay } }
    }

    /// The provenance entry of a network trained on this many positions.
    pub fn provenance(&self, positions: usize) -> String {
        let optimizer = match (self.sgd, self.weight_decay) {
            (true, _) => "SGD".into(),
            (false, 0.0) => "Adam".into(),
            (false, decay) => format!("AdamW, weight decay {decay}"),
        };
        let schedule = match self.lr_schedule {
            LrSchedule::Constant => "",
            LrSchedule::Cosine => " (cosine)",
            LrSchedule::Step => " (step)",
        };
        format!(
            "trained on {positions} positions: {optimizer}, {} steps of {}, lr {}{schedule}, seed {}{}",
            self.steps,
            self.batch_size,
            self.lr,
            self.seed,
            self.backend.provenance(self.device)
        )
    }

    /// The learning rate of a step.
    pub fn lr_at(&self, step: u64) -> f64 {
        const FLOOR: f64 = 0.05;
        let progress = step as f64 / self.steps.max(1) as f64;
        let factor = match self.lr_schedule {
            LrSchedule::Constant => 1.0,
            LrSchedule::Cosine => {
                FLOOR + (1.0 - FLOOR) * 0.5 * (1.0 + (std::f64::consts::PI * progress).cos())
            }
            LrSchedule::Step if progress < 2.0 / 3.0 => 1.0,
            LrSchedule::Step => 0.1,
        };
        self.lr * factor
    }
}

impl<'a, G: Learnable> TrainingRun<'a, G> {
    /// Starts from these weights.
    pub fn new(
        positions: &'a [LabeledPosition<G>],
        plan: TrainingPlan,
        weights: Weights,
        threads: usize,
    ) -> Result<Self, LearnError> {
        let kind = weights.kind.clone();
        let (spec, optimizer) = (EncodingSpec::of::<G>(), plan.optimizer());
        let trainer = plan.backend.start(weights, &spec, optimizer, plan.device, threads)?;
        Ok(Self::with(positions, plan, kind, trainer, 0))
    }

    /// Starts a new plan from another run's [`state`](Self::state), including that of the optimizer.
    pub fn from_state(
        positions: &'a [LabeledPosition<G>],
        plan: TrainingPlan,
        state: &[u8],
        threads: usize,
    ) -> Result<Self, LearnError> {
        let (spec, optimizer) = (EncodingSpec::of::<G>(), plan.optimizer());
        let trainer = plan.backend.resume(state, &spec, optimizer, plan.device, threads)?;
        let kind = trainer.weights().kind;
        Ok(Self::with(positions, plan, kind, trainer, 0))
    }

    fn with(
        positions: &'a [LabeledPosition<G>],
        plan: TrainingPlan,
        kind: NetKind,
        trainer: Box<dyn Trainer>,
        steps_done: u64,
    ) -> Self {
        let inputs = kind.inputs(&EncodingSpec::of::<G>());
        let fits =
            plan.by_epoch && !plan.symmetries && positions.len() * inputs <= MAX_ENCODED_FLOATS;
        let encoded = match fits {
            true => positions.iter().map(|position| position.sample(&kind, 0)).collect(),
            false => Vec::new(),
        };
        let cumulative_weights =
            if plan.by_epoch { Vec::new() } else { cumulative_weights(positions) };
        let (epoch, order) = (u64::MAX, Vec::new());
        Self {
            positions,
            cumulative_weights,
            plan,
            kind,
            trainer,
            steps_done,
            encoded,
            epoch,
            order,
        }
    }

    /// Continues after this many steps of the plan.
    pub fn resume_at(&mut self, steps_done: u64) {
        self.steps_done = steps_done;
    }

    /// Steps done.
    pub const fn steps_done(&self) -> u64 {
        self.steps_done
    }

    /// Whether all steps are done.
    pub const fn is_finished(&self) -> bool {
        self.steps_done >= self.plan.steps
    }

    /// One optimizer step; returns the losses before it.
    pub fn step(&mut self) -> Losses {
        let samples = self.batch();
        let lr = self.plan.lr_at(self.steps_done);
        self.steps_done += 1;
        self.trainer.step(&samples, lr as f32)
    }

    fn batch(&mut self) -> Vec<Sample> {
        if self.positions.is_empty() {
            return Vec::new();
        }
        if !self.plan.by_epoch {
            return self.sample_by_weight(&mut Rng::for_stream(self.plan.seed, self.steps_done));
        }
        let (steps, size) = (self.steps_per_epoch(), self.plan.batch_size);
        let (epoch, start) = (self.steps_done / steps, (self.steps_done % steps) as usize * size);
        self.shuffle_for_epoch(epoch);
        let end = (start + size).min(self.order.len());
        let mut rng = Rng::for_stream(self.plan.seed, self.steps_done);
        let sample = |&index: &u32| match self.encoded.get(index as usize) {
            Some(sample) => sample.clone(),
            None => {
                let symmetry = rng.below(self.symmetries() as u64) as usize;
                self.positions[index as usize].sample(&self.kind, symmetry)
            }
        };
        self.order[start..end].iter().map(sample).collect()
    }

    /// Samples a batch with replacement, by weight.
    fn sample_by_weight(&self, rng: &mut Rng) -> Vec<Sample> {
        let Some(total) = self.cumulative_weights.last().copied() else { return Vec::new() };
        let draw = |_| {
            let at = rng.unit() * total;
            let index = self
                .cumulative_weights
                .partition_point(|sum| *sum <= at)
                .min(self.positions.len() - 1);
            let symmetry = rng.below(self.symmetries() as u64) as usize;
            self.positions[index].sample(&self.kind, symmetry)
        };
        (0..self.plan.batch_size).map(draw).collect()
    }

    const fn symmetries(&self) -> usize {
        if self.plan.symmetries { G::SYMMETRIES } else { 1 }
    }

    /// Steps per pass over all positions.
    pub fn steps_per_epoch(&self) -> u64 {
        (self.positions.len().div_ceil(self.plan.batch_size.max(1)) as u64).max(1)
    }

    fn shuffle_for_epoch(&mut self, epoch: u64) {
        if self.epoch != epoch {
            self.order = (0..self.positions.len() as u32).collect();
            Rng::for_stream(!self.plan.seed, epoch).shuffle(&mut self.order);
            self.epoch = epoch;
        }
    }

    /// The losses on other positions.
    pub fn evaluate<'p>(
        &mut self,
        positions: impl IntoIterator<Item = &'p LabeledPosition<G>>,
    ) -> Losses
    where
        G: 'p,
    {
        /// Positions encoded at a time.
        const CHUNK: usize = 4096;
        let (mut all, mut positions) = (Vec::new(), positions.into_iter().peekable());
        while positions.peek().is_some() {
            let part = positions.by_ref().take(CHUNK);
            let samples: Vec<_> = part.map(|position| position.sample(&self.kind, 0)).collect();
            all.push(self.trainer.evaluate(&samples));
        }
        Losses::mean(&all)
    }

    /// The current weights.
    pub fn weights(&self) -> Weights {
        self.trainer.weights()
    }

    /// The state to resume from.
    pub fn state(&mut self) -> Vec<u8> {
        self.trainer.to_bytes()
    }
}

/// Prefix sums of the sampling weights.
fn cumulative_weights<G>(positions: &[LabeledPosition<G>]) -> Vec<f64> {
    let add = |sum: &mut f64, position: &LabeledPosition<G>| {
        *sum += f64::from(position.weight.max(0.0));
        Some(*sum)
    };
    positions.iter().scan(0.0, add).collect()
}
