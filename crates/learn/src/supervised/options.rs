//! What is trained on what.

use std::path::PathBuf;

use serde::Deserialize;
use tablero_nets::nnue::NNUE_EXTENSION;
use tablero_nets::train::Device;
use tablero_nets::{NetFormat, NetKind};

use crate::backend::check_trains_on_cpu;
use crate::nnue::{NnueFitConfig, parse_nnue};
use crate::{ConfigError, LrSchedule, TrainingBackend, TrainingPlan};

/// Options of a supervised training; none stands for a default that may depend on the network. Their names are those
/// of `tablero train`, with underscores.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainOptions {
    /// Recorded games (.jsonl), packed positions (.positions), one table in the layout of Otelo (.csv), or folders of
    /// learning runs.
    pub data: Vec<PathBuf>,
    /// The network: `resnet 4x32`, `mlp 65-128-64-32-1`, `nnue 64`.
    pub net: String,
    /// The file of the result.
    pub out: PathBuf,
    /// A file with initial weights; none for random ones.
    pub init: Option<PathBuf>,
    /// A folder for a report with learning curves.
    pub report: Option<PathBuf>,
    /// Of the initial weights, the split and the order of samples.
    pub seed: u64,
    /// The recipe; otelo for `mlp`, hatchet1 for `resnet`.
    pub recipe: Option<Recipe>,
    /// Passes over the data.
    pub epochs: Option<u64>,
    /// Positions per step.
    pub batch_size: Option<usize>,
    /// Learning rate.
    pub lr: Option<f64>,
    /// Learning-rate schedule.
    pub lr_schedule: Option<LrSchedule>,
    /// Weight decay of Adam.
    pub weight_decay: Option<f32>,
    /// Augmentation by board symmetries.
    pub symmetries: Option<bool>,
    /// The training backend.
    pub backend: TrainingBackend,
    /// Its device.
    pub device: Option<Device>,
    /// The share of the search's value in the value target, the rest being the result.
    pub q_ratio: Option<f64>,
    /// The unit of the split into training and validation set.
    pub split: SplitUnit,
    /// The share held out for validation.
    pub held_out: Option<f64>,
    /// The epoch whose weights are written.
    pub keep: Option<Keep>,
    /// End when the validation loss has not improved for this many epochs.
    pub patience: Option<u64>,
}

/// A training recipe of an earlier work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recipe {
    /// SGD, learning rate 0.001, batch size 32, 2000 epochs.
    Otelo,
    /// Adam, learning rate 0.0001, batch size 128, 10 epochs.
    Hatchet1,
}

/// The unit of a split into training and validation set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitUnit {
    /// Whole games, so that no position of a validation game is trained on.
    #[default]
    Game,
    /// Positions, as in Otelo: positions of one game end up in both sets.
    Position,
}

/// The epoch whose weights are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// That with the lowest validation loss.
    Best,
    /// The last one, as in Otelo.
    Last,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            data: Vec::new(),
            net: "resnet 4x32".into(),
            out: PathBuf::new(),
            init: None,
            report: None,
            seed: 1,
            recipe: None,
            epochs: None,
            batch_size: None,
            lr: None,
            lr_schedule: None,
            weight_decay: None,
            symmetries: None,
            backend: TrainingBackend::Native,
            device: None,
            q_ratio: None,
            split: SplitUnit::Game,
            held_out: None,
            keep: None,
            patience: None,
        }
    }
}

impl TrainOptions {
    /// Checks what needs no file.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.data.is_empty() {
            return Err(ConfigError::Invalid("data: expected at least one file".into()));
        }
        ConfigError::check_range("held_out", self.held_out(), 0.0..=0.9)?;
        if self.held_out() == 0.0 && (self.keep == Some(Keep::Best) || self.patience.is_some()) {
            let problem = "keep best and patience need a validation set: held_out above 0";
            return Err(ConfigError::Invalid(problem.into()));
        }
        ConfigError::check_range("q_ratio", self.q_ratio(), 0.0..=1.0)?;
        if let Some(lr) = self.lr {
            ConfigError::check_positive("lr", lr, 10.0)?;
        }
        if let Some(decay) = self.weight_decay {
            ConfigError::check_range("weight_decay", decay.into(), 0.0..=1.0)?;
        }
        if let Some(epochs) = self.epochs {
            ConfigError::check_range("epochs", epochs as f64, 1.0..=1e9)?;
        }
        if let Some(batch) = self.batch_size {
            ConfigError::check_range("batch_size", batch as f64, 1.0..=1e6)?;
        }
        self.backend.open(self.device)?;
        match parse_nnue(&self.net) {
            Some(_) => self.check_nnue(),
            None => self.format().map(drop),
        }
    }

    fn check_nnue(&self) -> Result<(), ConfigError> {
        if self.out.extension().is_none_or(|extension| extension != NNUE_EXTENSION) {
            return Err(self.wrong_out(NNUE_EXTENSION));
        }
        check_trains_on_cpu(&self.net, self.device)?;
        self.nnue_fit().check()
    }

    /// The format of the output file.
    pub(super) fn format(&self) -> Result<NetFormat, ConfigError> {
        let extension = self.out.extension().unwrap_or_default().to_string_lossy();
        let known = || NetFormat::ALL.map(NetFormat::extension).join(", .");
        NetFormat::of_extension(&extension).ok_or_else(|| self.wrong_out(&known()))
    }

    fn wrong_out(&self, known: &str) -> ConfigError {
        ConfigError::Invalid(format!("out: expected a .{known} file, not `{}`", self.out.display()))
    }

    pub(super) fn held_out(&self) -> f64 {
        self.held_out.unwrap_or(0.2)
    }

    pub(super) fn q_ratio(&self) -> f64 {
        self.q_ratio.unwrap_or(0.0)
    }

    /// Whether the weights of the last epoch are written.
    pub(super) fn keeps_last(&self) -> bool {
        self.keep.map_or(self.held_out() == 0.0, |keep| keep == Keep::Last)
    }

    /// The plan of a network that is trained on this many positions.
    pub(super) fn plan(&self, kind: &NetKind, positions: usize) -> TrainingPlan {
        let default =
            if matches!(kind, NetKind::Mlp(_)) { Recipe::Otelo } else { Recipe::Hatchet1 };
        let is_otelo = self.recipe.unwrap_or(default) == Recipe::Otelo;
        let (lr, batch, epochs) = if is_otelo { (0.001, 32, 2000) } else { (0.0001, 128, 10) };
        let batch = self.batch_size.unwrap_or(batch);
        let steps = positions.div_ceil(batch) as u64;
        TrainingPlan {
            lr: self.lr.unwrap_or(lr),
            lr_schedule: self.lr_schedule.unwrap_or(LrSchedule::Constant),
            steps: steps.saturating_mul(self.epochs.unwrap_or(epochs)),
            batch_size: batch,
            sgd: is_otelo,
            weight_decay: self.weight_decay.unwrap_or(0.0),
            by_epoch: true,
            symmetries: self.symmetries.unwrap_or(!is_otelo),
            seed: self.seed,
            backend: self.backend,
            device: self.device,
        }
    }

    /// The plan of an NNUE.
    pub(super) fn nnue_fit(&self) -> NnueFitConfig {
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
}
