use std::f64::consts::PI;

use rayon::{ThreadPool, ThreadPoolBuilder};
use tablero_core::Rng;
use tablero_nets::nnue::{NnueLoss, NnueSamples, NnueTrainer, NnueTraining};

use super::NnueFitConfig;

/// The learning rate at the end, as a share of that at the start.
const FINAL_LR: f64 = 0.01;

/// A training in progress.
pub struct NnueFit<'a> {
    trainer: NnueTrainer,
    samples: &'a NnueSamples,
    config: NnueFitConfig,
    seed: u64,
    /// The order of the samples in the current epoch.
    order: Vec<u32>,
    ordered_epoch: Option<u64>,
    pool: Option<ThreadPool>,
}

impl<'a> NnueFit<'a> {
    /// Trains on these samples, from where the trainer stands. The seed shuffles them, anew in every epoch.
    pub fn new(
        trainer: NnueTrainer,
        samples: &'a NnueSamples,
        config: NnueFitConfig,
        seed: u64,
        threads: usize,
    ) -> Self {
        Self {
            trainer,
            samples,
            config,
            seed,
            order: (0..samples.len() as u32).collect(),
            ordered_epoch: None,
            // Without a pool of its own it runs on the global one, with the same result.
            pool: ThreadPoolBuilder::new().num_threads(threads).build().ok(),
        }
    }

    /// Steps per epoch.
    pub fn steps_per_epoch(&self) -> u64 {
        self.samples.len().div_ceil(self.config.batch_size).max(1) as u64
    }

    /// Steps in all.
    pub fn total_steps(&self) -> u64 {
        self.config.epochs * self.steps_per_epoch()
    }

    /// Steps done.
    pub const fn steps(&self) -> u64 {
        self.trainer.steps()
    }

    /// Whether all steps are done.
    pub fn is_finished(&self) -> bool {
        self.samples.is_empty() || self.steps() >= self.total_steps()
    }

    /// One step; returns the loss before it.
    pub fn step(&mut self) -> NnueLoss {
        let (epoch, step) =
            (self.steps() / self.steps_per_epoch(), self.steps() % self.steps_per_epoch());
        self.shuffle(epoch);
        let settings =
            NnueTraining { lr: self.lr(), weight_decay: self.config.weight_decay as f32 };
        let start = step as usize * self.config.batch_size;
        let end = (start + self.config.batch_size).min(self.order.len());
        let (trainer, samples, batch) = (&mut self.trainer, self.samples, &self.order[start..end]);
        let mut step = || trainer.step(samples, batch, &settings);
        match &self.pool {
            Some(pool) => pool.install(step),
            None => step(),
        }
    }

    /// The order of an epoch depends only on its number.
    fn shuffle(&mut self, epoch: u64) {
        if self.ordered_epoch != Some(epoch) {
            self.order.sort_unstable();
            Rng::for_stream(self.seed, epoch).shuffle(&mut self.order);
            self.ordered_epoch = Some(epoch);
        }
    }

    fn lr(&self) -> f32 {
        let done = self.steps() as f64 / self.total_steps() as f64;
        let share = FINAL_LR + (1.0 - FINAL_LR) * (1.0 + (PI * done).cos()) / 2.0;
        (self.config.lr * share) as f32
    }

    /// The loss on other samples.
    pub fn evaluate(&self, samples: &NnueSamples) -> NnueLoss {
        match &self.pool {
            Some(pool) => pool.install(|| self.trainer.evaluate(samples)),
            None => self.trainer.evaluate(samples),
        }
    }

    /// The network.
    pub const fn trainer(&self) -> &NnueTrainer {
        &self.trainer
    }
}
