//! Networks for PUCT and MCTS.

use std::time::Instant;

use serde::Serialize;
use tablero_jobs::{Progress, atomic_write};
use tablero_nets::train::Losses;
use tablero_nets::{NetKind, Weights};

use super::Run;
use super::options::SplitUnit;
use super::report::curves;
use crate::{AnyTrainingRun, AnyTrainingSet, ConfigError, LearnError, Loss};

/// The losses of an epoch.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Epoch {
    /// Its number, from 1.
    pub epoch: u64,
    /// Of the positions trained on.
    pub training: Loss,
    /// Of those held out; none if nothing was.
    pub held_out: Option<Loss>,
}

/// A trained network with its losses.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TrainedNetwork {
    /// The file of the network.
    pub file: String,
    /// Positions trained on.
    pub positions: usize,
    /// Positions held out.
    pub held_out_positions: usize,
    /// Steps.
    pub steps: u64,
    /// Seconds.
    pub seconds: f64,
    /// Speed.
    pub samples_per_second: f64,
    /// The epoch with the lowest validation loss; none if nothing was held out.
    pub best: Option<Epoch>,
    /// The last epoch.
    pub last: Epoch,
    /// All epochs.
    #[serde(skip)]
    pub epochs: Vec<Epoch>,
}

impl Epoch {
    /// The validation loss to compare by; infinite if nothing was held out.
    fn validation_loss(&self) -> f64 {
        self.held_out.map_or(f64::INFINITY, |loss| loss.value + loss.policy)
    }
}

impl Run<'_> {
    pub(super) fn train_network(&mut self) -> Result<TrainedNetwork, LearnError> {
        let (positions, provenance) = self.positions()?;
        let [training, held_out] = self.split(positions)?;
        let mut weights = self.initial_weights()?;
        let plan = self.options.plan(&weights.kind, training.len());
        let batch = plan.batch_size as u64;
        weights.provenance.extend(provenance);
        let (planned, q_ratio) = (plan.provenance(training.len()), self.options.q_ratio());
        weights.provenance.push(format!("{planned}, q_ratio {q_ratio}"));
        let steps = plan.steps;
        let mut fit = training.start_training(plan, weights, self.threads)?;
        let start = Instant::now();
        let validation = (!held_out.is_empty()).then_some(&*held_out);
        let (epochs, best) = self.epochs(&mut *fit, validation, steps);
        let seconds = start.elapsed().as_secs_f64();
        self.write(&if self.options.keeps_last() { fit.weights() } else { best })?;
        if let Some(folder) = &self.options.report {
            curves(self.game.game(), &epochs, self.options).write(folder)?;
        }
        let by_loss = |a: &&Epoch, b: &&Epoch| a.validation_loss().total_cmp(&b.validation_loss());
        let measured = epochs.iter().filter(|epoch| epoch.held_out.is_some());
        let last = epochs.last().copied();
        Ok(TrainedNetwork {
            file: self.options.out.display().to_string(),
            positions: training.len(),
            held_out_positions: held_out.len(),
            steps: fit.steps_done(),
            seconds,
            samples_per_second: (fit.steps_done() * batch) as f64 / seconds.max(1e-9),
            best: measured.min_by(by_loss).copied(),
            last: last
                .ok_or_else(|| ConfigError::Invalid("there is nothing to train on".into()))?,
            epochs,
        })
    }

    fn split(
        &self,
        positions: Box<dyn AnyTrainingSet>,
    ) -> Result<[Box<dyn AnyTrainingSet>; 2], ConfigError> {
        let (games, share, seed) = (positions.games(), self.options.held_out(), self.options.seed);
        let [training, held_out] = match self.options.split {
            SplitUnit::Game => positions.split_games(share, seed),
            SplitUnit::Position => positions.split_positions(share, seed),
        };
        if share > 0.0 && held_out.is_empty() {
            let positions = training.len();
            return Err(ConfigError::NothingHeldOut { share, games, positions });
        }
        Ok([training, held_out])
    }

    fn initial_weights(&self) -> Result<Weights, LearnError> {
        let spec = self.game.spec().encoding;
        if let Some(file) = &self.options.init {
            return Ok(Weights::read_any(file, &spec)?);
        }
        let kind: NetKind = self.options.net.parse().map_err(ConfigError::Net)?;
        kind.check(&spec).map_err(ConfigError::Net)?;
        Ok(Weights::random(kind, &spec, self.options.seed)?)
    }

    /// Trains epoch by epoch; returns the losses, and the weights with the lowest validation loss.
    fn epochs(
        &mut self,
        fit: &mut dyn AnyTrainingRun,
        validation: Option<&dyn AnyTrainingSet>,
        steps: u64,
    ) -> (Vec<Epoch>, Weights) {
        let (mut epochs, mut message) = (Vec::<Epoch>::new(), String::new());
        let mut best = (f64::INFINITY, 0, fit.weights());
        while !fit.is_finished() {
            let mut losses = Vec::new();
            for _ in 0..fit.steps_per_epoch() {
                losses.push(fit.step());
                let progress = Progress::new(fit.steps_done(), Some(steps));
                (self.report)(&progress.with_message(message.clone()));
                // An epoch may take minutes.
                if self.cancel.is_cancelled() {
                    break;
                }
            }
            let epoch = Epoch {
                epoch: epochs.len() as u64 + 1,
                training: Losses::mean(&losses).into(),
                held_out: validation.map(|validation| fit.evaluate(validation).into()),
            };
            epochs.push(epoch);
            message = text(&epoch);
            if epoch.validation_loss() < best.0 {
                best = (epoch.validation_loss(), epoch.epoch, fit.weights());
            }
            let waited = epoch.epoch - best.1;
            let is_patient = self.options.patience.is_none_or(|patience| waited < patience);
            if self.cancel.is_cancelled() || !is_patient {
                break;
            }
        }
        (epochs, best.2)
    }

    fn write(&self, weights: &Weights) -> Result<(), LearnError> {
        let bytes = weights.to_format(self.options.format()?, &self.game.spec().encoding)?;
        Ok(atomic_write(&self.options.out, &bytes)?)
    }
}

fn text(epoch: &Epoch) -> String {
    let held_out = |loss: Loss| format!(" (held out {:.4})", loss.value_error);
    let held_out = epoch.held_out.map_or_else(String::new, held_out);
    format!("epoch {}, MAE {:.4}{held_out}", epoch.epoch, epoch.training.value_error)
}
