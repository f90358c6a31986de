//! `tablero train --net nnue`: an NNUE on recorded games.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_jobs::atomic_write;
use tablero_learn::SelfPlayTask;
use tablero_learn::nnue::{NnueData, NnueFit, NnueFitConfig};
use tablero_nets::nnue::{NNUE_EXTENSION, NnueTrainer, NnueWeights};

use super::train::{Train, file_name, is_packed, logs};
use crate::job_args::cancel_on_interrupt;
use crate::out::{self, usage};

/// The losses of an epoch: mean squared errors of the winning probability.
#[derive(Clone, Copy, Serialize)]
struct Epoch {
    epoch: u64,
    training: f64,
    held_out: f64,
}

#[derive(Serialize)]
struct Answer {
    file: String,
    games: u32,
    /// Positions of all games.
    seen: u64,
    /// Quiet positions without duplicates.
    positions: usize,
    held_out_positions: usize,
    steps: u64,
    seconds: f64,
    samples_per_second: f64,
    epochs: Vec<Epoch>,
}

impl Train {
    pub(super) fn train_nnue(&self, width: usize) -> anyhow::Result<()> {
        if self.out.extension().is_none_or(|extension| extension != NNUE_EXTENSION) {
            let file = self.out.display();
            return Err(usage(format!("--out {file}: expected a .{NNUE_EXTENSION} file")));
        }
        let config = self.nnue_config();
        config.check().map_err(usage)?;
        let (data, provenance) = self.nnue_data(&config)?;
        let (trainer, mut past) = self.nnue_trainer(width)?;
        let threads = self.threads.count();
        let mut fit = NnueFit::new(trainer, &data.training, config, self.seed, threads);
        let start = Instant::now();
        let epochs = train(&mut fit, &data)?;
        let seconds = start.elapsed().as_secs_f64();
        past.extend(provenance);
        past.push(format!(
            "trained on {} quiet positions: {} epochs, batches of {}, learning rate {}, weight decay {}, \
             q_ratio {}, seed {}",
            data.training.len(),
            epochs.len(),
            config.batch_size,
            config.lr,
            config.weight_decay,
            config.q_ratio,
            self.seed,
        ));
        atomic_write(&self.out, &fit.trainer().quantize(past).to_bytes())?;
        let samples = (fit.steps() * config.batch_size as u64) as f64;
        self.print_nnue(&Answer {
            file: self.out.display().to_string(),
            games: data.games(),
            seen: data.seen(),
            positions: data.training.len(),
            held_out_positions: data.held_out.len(),
            steps: fit.steps(),
            seconds,
            samples_per_second: samples / seconds.max(1e-9),
            epochs,
        });
        Ok(())
    }

    fn nnue_config(&self) -> NnueFitConfig {
        let defaults = NnueFitConfig::DEFAULT;
        NnueFitConfig {
            q_ratio: self.q_ratio.unwrap_or(defaults.q_ratio),
            epochs: self.epochs.unwrap_or(defaults.epochs),
            batch_size: self.batch_size.unwrap_or(defaults.batch_size),
            lr: self.lr.unwrap_or(defaults.lr),
            weight_decay: self.weight_decay.map_or(defaults.weight_decay, f64::from),
            holdout_every: match self.held_out {
                Some(share) if share > 0.0 => (1.0 / share).round().max(2.0) as u32,
                Some(_) => u32::MAX,
                None => defaults.holdout_every,
            },
        }
    }

    /// The quiet positions of all recorded games, and their provenance.
    fn nnue_data(&self, config: &NnueFitConfig) -> anyhow::Result<(NnueData, Vec<String>)> {
        let game = self.game.game.learning();
        let model = game.game().wdl_model();
        let (q_ratio, holdout) = (config.q_ratio, config.holdout_every);
        let mut data = NnueData::new(game.nnue_spec(), model, q_ratio, holdout, self.seed);
        let mut provenance = Vec::new();
        for path in &self.data {
            if is_packed(path) || super::train::is_table(path) {
                let file = path.display();
                return Err(usage(format!("--data {file}: an NNUE learns from games (.jsonl)")));
            }
            let before = provenance.len();
            for log in logs(path)? {
                let tasks = data.add_log(game, &log)?;
                provenance.extend(tasks.iter().map(SelfPlayTask::provenance));
            }
            if provenance.len() == before {
                provenance.push(format!("games of {}", file_name(path)));
            }
        }
        if data.training.is_empty() {
            anyhow::bail!("no quiet positions in {} games", data.games());
        }
        Ok((data, provenance))
    }

    /// The network to start from, with its provenance.
    fn nnue_trainer(&self, width: usize) -> anyhow::Result<(NnueTrainer, Vec<String>)> {
        let spec = self.game.game.learning().nnue_spec();
        let Some(file) = &self.init else {
            let trainer = NnueTrainer::new(spec, width, self.seed).map_err(usage)?;
            return Ok((trainer, vec![format!("random nnue {width}, seed {}", self.seed)]));
        };
        let weights = NnueWeights::read(file)?;
        Ok((NnueTrainer::from_weights(spec, &weights)?, weights.provenance))
    }

    fn print_nnue(&self, answer: &Answer) {
        if self.json {
            return out::json(answer);
        }
        out::line(format_args!(
            "{} games with {} positions; {} quiet ones trained on, {} held out; {} steps in {:.1} s ({:.0} \
             positions/s)",
            answer.games,
            answer.seen,
            answer.positions,
            answer.held_out_positions,
            answer.steps,
            answer.seconds,
            answer.samples_per_second
        ));
        for Epoch { epoch, training, held_out } in &answer.epochs {
            out::line(format_args!("epoch {epoch}: MSE {training:.5} (held out {held_out:.5})"));
        }
        out::line(format_args!("{}", answer.file));
    }
}

/// Trains to the end, or until interrupted.
fn train(fit: &mut NnueFit<'_>, data: &NnueData) -> anyhow::Result<Vec<Epoch>> {
    let cancel = cancel_on_interrupt()?;
    let bar = ProgressBar::new(fit.total_steps());
    let style = "{bar:30} {pos}/{len} steps  {msg}  {eta} left";
    bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
    let mut epochs = Vec::new();
    while !fit.is_finished() && !cancel.is_cancelled() {
        let (mut loss, mut steps) = (0.0, 0);
        while steps < fit.steps_per_epoch() && !cancel.is_cancelled() {
            loss += fit.step().mean();
            steps += 1;
            bar.set_position(fit.steps());
        }
        let epoch = Epoch {
            epoch: epochs.len() as u64 + 1,
            training: loss / steps.max(1) as f64,
            held_out: fit.evaluate(&data.held_out).mean(),
        };
        bar.set_message(format!(
            "epoch {}, MSE {:.5} (held out {:.5})",
            epoch.epoch, epoch.training, epoch.held_out
        ));
        epochs.push(epoch);
    }
    bar.finish_and_clear();
    Ok(epochs)
}
