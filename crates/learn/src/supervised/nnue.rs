//! Evaluations for alpha-beta.

use std::time::Instant;

use serde::Serialize;
use tablero_jobs::{Progress, atomic_write};
use tablero_nets::nnue::{NnueTrainer, NnueWeights};

use super::data::{file_name, game_logs, is_board_table, is_packed};
use super::{Run, TrainOptions};
use crate::nnue::{NnueData, NnueFit, NnueFitConfig};
use crate::{ConfigError, LearnError, SelfPlayTask};

/// The losses of an epoch: mean squared errors of the winning probability.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct NnueEpoch {
    /// Its number, from 1.
    pub epoch: u64,
    /// Of the positions trained on.
    pub training: f64,
    /// Of those held out.
    pub held_out: f64,
}

/// A trained NNUE with its losses.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TrainedNnue {
    /// The file of the network.
    pub file: String,
    /// Games.
    pub games: u32,
    /// Positions of all games.
    pub seen: u64,
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
    /// All epochs.
    pub epochs: Vec<NnueEpoch>,
}

impl Run<'_> {
    pub(super) fn train_nnue(&mut self, width: usize) -> Result<TrainedNnue, LearnError> {
        let (options, config) = (self.options, self.options.nnue_fit());
        let (data, provenance) = self.nnue_data(&config)?;
        let (trainer, mut past) = self.nnue_trainer(width)?;
        let mut fit = NnueFit::new(trainer, &data.training, config, options.seed, self.threads);
        let start = Instant::now();
        let epochs = self.nnue_epochs(&mut fit, &data);
        let seconds = start.elapsed().as_secs_f64();
        past.extend(provenance);
        past.push(description(options, &config, data.training.len(), epochs.len()));
        atomic_write(&options.out, &fit.trainer().quantize(past).to_bytes())?;
        let samples = (fit.steps() * config.batch_size as u64) as f64;
        Ok(TrainedNnue {
            file: options.out.display().to_string(),
            games: data.games(),
            seen: data.seen(),
            positions: data.training.len(),
            held_out_positions: data.held_out.len(),
            steps: fit.steps(),
            seconds,
            samples_per_second: samples / seconds.max(1e-9),
            epochs,
        })
    }

    /// The positions of all recorded games, and their provenance.
    fn nnue_data(&self, config: &NnueFitConfig) -> Result<(NnueData, Vec<String>), LearnError> {
        let (model, seed) = (self.game.game().wdl_model(), self.options.seed);
        let (q_ratio, holdout) = (config.q_ratio, config.holdout_every);
        let data = NnueData::new(self.game.nnue_spec(), model, q_ratio, holdout, seed);
        let mut data = data.ignoring_disturbed();
        let mut provenance = Vec::new();
        for path in &self.options.data {
            if is_packed(path) || is_board_table(path) {
                let file = path.display();
                let problem = format!("data {file}: an NNUE learns from games (.jsonl)");
                return Err(ConfigError::Invalid(problem).into());
            }
            let before = provenance.len();
            for log in game_logs(path)? {
                let tasks = data.add_log(self.game, &log)?;
                provenance.extend(tasks.iter().map(SelfPlayTask::provenance));
            }
            if provenance.len() == before {
                provenance.push(format!("games of {}", file_name(path)));
            }
        }
        if data.training.is_empty() {
            let path = self.options.data.first().cloned().unwrap_or_default();
            let problem = format!("no positions to learn from in {} games", data.games());
            return Err(LearnError::File { path, problem });
        }
        Ok((data, provenance))
    }

    /// The network to start from, with its provenance.
    fn nnue_trainer(&self, width: usize) -> Result<(NnueTrainer, Vec<String>), LearnError> {
        let (spec, seed) = (self.game.nnue_spec(), self.options.seed);
        let Some(file) = &self.options.init else {
            let trainer = NnueTrainer::new(spec, width, seed)?;
            return Ok((trainer, vec![format!("random nnue {width}, seed {seed}")]));
        };
        let weights = NnueWeights::read(file)?;
        Ok((NnueTrainer::from_weights(spec, &weights)?, weights.provenance))
    }

    /// Trains to the end, or until cancelled.
    fn nnue_epochs(&mut self, fit: &mut NnueFit<'_>, data: &NnueData) -> Vec<NnueEpoch> {
        let (mut epochs, mut message) = (Vec::new(), String::new());
        while !fit.is_finished() && !self.cancel.is_cancelled() {
            let (mut loss, mut steps) = (0.0, 0);
            while steps < fit.steps_per_epoch() && !self.cancel.is_cancelled() {
                loss += fit.step().mean();
                steps += 1;
                let progress = Progress::new(fit.steps(), Some(fit.total_steps()));
                (self.report)(&progress.with_message(message.clone()));
            }
            let epoch = NnueEpoch {
                epoch: epochs.len() as u64 + 1,
                training: loss / steps.max(1) as f64,
                held_out: fit.evaluate(&data.held_out).mean(),
            };
            let NnueEpoch { epoch: number, training, held_out } = epoch;
            message = format!("epoch {number}, MSE {training:.5} (held out {held_out:.5})");
            epochs.push(epoch);
        }
        epochs
    }
}

/// How it was trained, for the provenance.
fn description(
    options: &TrainOptions,
    config: &NnueFitConfig,
    positions: usize,
    epochs: usize,
) -> String {
    let NnueFitConfig { batch_size, lr, weight_decay, q_ratio, .. } = config;
    format!(
        "trained on {positions} positions: {epochs} epochs, batches of {batch_size}, learning rate {lr}, \
         weight decay {weight_decay}, q_ratio {q_ratio}, seed {}",
        options.seed
    )
}
