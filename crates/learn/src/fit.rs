//! Training that can be interrupted at any step and goes on to the same weights.

use serde::{Deserialize, Serialize};
use tablero_core::Rng;
use tablero_nets::train::{Learner, Losses, Optimiser, Sample};
use tablero_nets::{Dims, NetError, NetKind, Weights};

use crate::{Learnable, Lesson, TrainerName};

/// How the learning rate changes while training goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// Not at all.
    Constant,
    /// Along a cosine down to a twentieth.
    Cosine,
    /// A tenth after two thirds.
    Step,
}

/// How to train.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitPlan {
    /// The learning rate to begin with.
    pub rate: f64,
    /// How it changes.
    pub schedule: Schedule,
    /// Steps in all.
    pub steps: u64,
    /// Positions a step.
    pub batch: usize,
    /// Straight down (Otelo) instead of Adam (Hatchet1).
    pub sgd: bool,
    /// By how much weights are pulled towards 0; only by Adam.
    pub decay: f32,
    /// All positions in a random order, then all again, as earlier works did; otherwise positions are
    /// drawn by weight.
    pub in_turn: bool,
    /// Positions are seen through random symmetries.
    pub symmetries: bool,
    /// Where the order comes from.
    pub seed: u64,
    /// Who computes it.
    #[serde(default)]
    pub trainer: TrainerName,
}

/// Prepared positions may take so many numbers.
const PREPARED: usize = 1 << 26;

/// A training under way.
pub struct Fit<'a, G> {
    lessons: &'a [Lesson<G>],
    /// The sum of weights up to each position, if they are drawn by weight.
    sums: Vec<f64>,
    plan: FitPlan,
    kind: NetKind,
    trainer: Box<dyn Learner>,
    /// Steps done.
    done: u64,
    /// All positions as the network sees them, if that never changes and they fit.
    prepared: Vec<Sample>,
    /// The round that `order` is for.
    round: u64,
    order: Vec<u32>,
}

impl FitPlan {
    fn optimiser(&self) -> Optimiser {
        if self.sgd { Optimiser::Sgd } else { Optimiser::Adam { decay: self.decay } }
    }

    /// What a network went through that is trained so on so many positions.
    pub fn past(&self, positions: usize) -> String {
        let optimiser = match (self.sgd, self.decay) {
            (true, _) => "SGD".into(),
            (false, 0.0) => "Adam".into(),
            (false, decay) => format!("Adam, decay {decay}"),
        };
        let schedule = match self.schedule {
            Schedule::Constant => "",
            Schedule::Cosine => " (cosine)",
            Schedule::Step => " (step)",
        };
        format!(
            "trained on {positions} positions: {optimiser}, {} steps of {}, rate {}{schedule}, seed {}{}",
            self.steps,
            self.batch,
            self.rate,
            self.seed,
            self.trainer.past()
        )
    }

    /// The learning rate of a step.
    pub fn rate_at(&self, step: u64) -> f64 {
        const LEAST: f64 = 0.05;
        let progress = step as f64 / self.steps.max(1) as f64;
        let factor = match self.schedule {
            Schedule::Constant => 1.0,
            Schedule::Cosine => {
                LEAST + (1.0 - LEAST) * 0.5 * (1.0 + (std::f64::consts::PI * progress).cos())
            }
            Schedule::Step if progress < 2.0 / 3.0 => 1.0,
            Schedule::Step => 0.1,
        };
        self.rate * factor
    }
}

impl<'a, G: Learnable> Fit<'a, G> {
    /// A training that begins with these weights.
    pub fn new(
        lessons: &'a [Lesson<G>],
        plan: FitPlan,
        weights: Weights,
        threads: usize,
    ) -> Result<Self, NetError> {
        let kind = weights.kind.clone();
        let (dims, optimiser) = (Dims::of::<G>(), plan.optimiser());
        let trainer = plan.trainer.begin(weights, &dims, optimiser, threads)?;
        Ok(Self::with(lessons, plan, kind, trainer, 0))
    }

    /// A training that goes on with what another one has learned, from the beginning of a new plan: the
    /// optimiser remembers.
    pub fn after(
        lessons: &'a [Lesson<G>],
        plan: FitPlan,
        state: &[u8],
        threads: usize,
    ) -> Result<Self, NetError> {
        let (dims, optimiser) = (Dims::of::<G>(), plan.optimiser());
        let trainer = plan.trainer.resume(state, &dims, optimiser, threads)?;
        let kind = trainer.weights().kind;
        Ok(Self::with(lessons, plan, kind, trainer, 0))
    }

    fn with(
        lessons: &'a [Lesson<G>],
        plan: FitPlan,
        kind: NetKind,
        trainer: Box<dyn Learner>,
        done: u64,
    ) -> Self {
        let numbers = kind.inputs(&Dims::of::<G>());
        let fits = plan.in_turn && !plan.symmetries && lessons.len() * numbers <= PREPARED;
        let prepared = match fits {
            true => lessons.iter().map(|lesson| lesson.sample(&kind, 0)).collect(),
            false => Vec::new(),
        };
        let sums = if plan.in_turn { Vec::new() } else { sums(lessons) };
        let (round, order) = (u64::MAX, Vec::new());
        Self { lessons, sums, plan, kind, trainer, done, prepared, round, order }
    }

    /// Skips the steps that were done before an interruption.
    pub fn resume_at(&mut self, done: u64) {
        self.done = done;
    }

    /// How many steps are done.
    pub const fn done(&self) -> u64 {
        self.done
    }

    /// Whether all steps are done.
    pub const fn is_over(&self) -> bool {
        self.done >= self.plan.steps
    }

    /// One step; gives the losses before it.
    pub fn step(&mut self) -> Losses {
        let samples = self.batch();
        let rate = self.plan.rate_at(self.done);
        self.done += 1;
        self.trainer.step(&samples, rate as f32)
    }

    fn batch(&mut self) -> Vec<Sample> {
        if self.lessons.is_empty() {
            return Vec::new();
        }
        if !self.plan.in_turn {
            return self.draw(&mut Rng::for_part(self.plan.seed, self.done));
        }
        let (steps, size) = (self.steps_of_round(), self.plan.batch);
        let (round, place) = (self.done / steps, (self.done % steps) as usize * size);
        self.arrange(round);
        let end = (place + size).min(self.order.len());
        let mut rng = Rng::for_part(self.plan.seed, self.done);
        let sample = |&index: &u32| match self.prepared.get(index as usize) {
            Some(sample) => sample.clone(),
            None => {
                let symmetry = rng.below(self.symmetries() as u64) as usize;
                self.lessons[index as usize].sample(&self.kind, symmetry)
            }
        };
        self.order[place..end].iter().map(sample).collect()
    }

    /// Draws a batch by weight, each position seen through a random symmetry.
    fn draw(&self, rng: &mut Rng) -> Vec<Sample> {
        let Some(total) = self.sums.last().copied() else { return Vec::new() };
        let draw = |_| {
            let at = rng.unit() * total;
            let index = self.sums.partition_point(|sum| *sum <= at).min(self.lessons.len() - 1);
            let symmetry = rng.below(self.symmetries() as u64) as usize;
            self.lessons[index].sample(&self.kind, symmetry)
        };
        (0..self.plan.batch).map(draw).collect()
    }

    const fn symmetries(&self) -> usize {
        if self.plan.symmetries { G::SYMMETRIES } else { 1 }
    }

    /// Steps in which every position comes once.
    pub fn steps_of_round(&self) -> u64 {
        (self.lessons.len().div_ceil(self.plan.batch.max(1)) as u64).max(1)
    }

    fn arrange(&mut self, round: u64) {
        if self.round != round {
            self.order = (0..self.lessons.len() as u32).collect();
            Rng::for_part(!self.plan.seed, round).shuffle(&mut self.order);
            self.round = round;
        }
    }

    /// The losses in other positions.
    pub fn measure(&mut self, lessons: &[Lesson<G>]) -> Losses {
        /// Positions that are turned into numbers at a time.
        const AT_ONCE: usize = 4096;
        let mut all = Vec::new();
        for part in lessons.chunks(AT_ONCE) {
            let samples: Vec<_> = part.iter().map(|lesson| lesson.sample(&self.kind, 0)).collect();
            all.push(self.trainer.measure(&samples));
        }
        Losses::mean(&all)
    }

    /// What was learned so far.
    pub fn weights(&self) -> Weights {
        self.trainer.weights()
    }

    /// All that matters for going on.
    pub fn state(&mut self) -> Vec<u8> {
        self.trainer.to_bytes()
    }
}

/// The sum of weights up to each position.
fn sums<G>(lessons: &[Lesson<G>]) -> Vec<f64> {
    let add = |sum: &mut f64, lesson: &Lesson<G>| {
        *sum += f64::from(lesson.weight.max(0.0));
        Some(*sum)
    };
    lessons.iter().scan(0.0, add).collect()
}
