use std::path::PathBuf;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use tablero_jobs::Progress;
use tablero_learn::supervised::{
    self, Epoch, NnueEpoch, SplitUnit, TrainOptions, Trained, TrainedNetwork, TrainedNnue,
    train_on_games,
};
use tablero_learn::{ConfigError, LearnError};
use tablero_nets::train::Device;

use super::learn::{BackendArg, ScheduleName};
use crate::args::{GameArg, MAX_GAMES, ThreadsArg, fraction, integer};
use crate::job_args::cancel_on_interrupt;
use crate::out::{self, usage};
use crate::output_file::ForceArg;

const EXAMPLES: &str = "Examples:
  tablero train othello --data otelo.csv --net \"mlp 65-128-64-32-1\" --out otelo.safetensors
  tablero train othello --data otelo.csv --net \"mlp 65-128-64-32-1 absolute\" --split position --keep last --out as-in-otelo.h5
  tablero train chess --data games.jsonl --net \"resnet 4x32\" --epochs 10 --out chess.safetensors
  tablero train chess --data games.jsonl --net \"nnue 64\" --out chess.nnue
  tablero train shobu --data learn-shobu --net \"resnet 6x64\" --report report --out shobu.safetensors";

/// Train a network on recorded games (supervised).
///
/// Two recipes: `otelo` for fully connected networks (SGD with learning rate 0.001, mean squared error, batch
/// size 32, 2000 epochs, 80/20 split) and `hatchet1` for residual networks (Adam with learning rate 0.0001, mean
/// squared error and cross-entropy, batch size 128). Training is deterministic for a seed, on any number of
/// threads. The weights of the epoch with the lowest validation loss are written, or with --keep last those of the
/// last one.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Train {
    #[command(flatten)]
    game: GameArg,
    /// Training data: recorded games (.jsonl), packed positions (.positions), a table in the layout of
    /// Otelo (.csv) or the directory of a training run; may be repeated.
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// Network: `resnet BLOCKSxFILTERS`, `nnue WIDTH` or `mlp INPUTS-...-1`; with `absolute` after the latter, squares and value
    /// are by colour, as in Otelo.
    #[arg(long, value_name = "NET", default_value = "resnet 4x32")]
    net: String,
    /// Output file, .safetensors; .keras or .h5 for `mlp`; .onnx; .nnue for `nnue`.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArg,
    /// Initial weights [default: random].
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,
    /// Write a report with learning curves to DIR.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Random seed of the initial weights, the split and the sample order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Training recipe [default: otelo for mlp, hatchet1 for resnet].
    #[arg(long, value_name = "RECIPE", help_heading = "Training")]
    recipe: Option<Recipe>,
    /// Number of epochs [default: 2000 for otelo, 10 for hatchet1].
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_GAMES), help_heading = "Training")]
    epochs: Option<u64>,
    /// Positions per batch [default: 32 for otelo, 128 for hatchet1].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(1, 1_000_000), help_heading = "Training")]
    batch_size: Option<usize>,
    /// Learning rate [default: 0.001 for otelo, 0.0001 for hatchet1].
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Training")]
    lr: Option<f64>,
    /// Learning rate schedule [default: constant].
    #[arg(long, value_name = "SCHEDULE", help_heading = "Training")]
    lr_schedule: Option<ScheduleName>,
    /// Weight decay of Adam [default: 0; 0.01 for nnue].
    #[arg(long, value_name = "X", help_heading = "Training")]
    weight_decay: Option<f32>,
    /// Augment positions by board symmetries [default: true for hatchet1, where the game has any].
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set, help_heading = "Training")]
    symmetries: Option<bool>,
    /// Training backend.
    #[arg(long, value_name = "BACKEND", default_value = "native", help_heading = "Training")]
    backend: BackendArg,
    /// Device of --backend burn: `cpu`, `gpu` or `gpu:N` [default: gpu if the program was built for graphics cards].
    #[arg(long, value_name = "DEVICE", help_heading = "Training")]
    device: Option<Device>,
    /// Share of the search value in the value target, the rest being the game result [default: 0; 0.9 for nnue].
    #[arg(long, value_name = "P", value_parser = fraction, help_heading = "Training")]
    q_ratio: Option<f64>,
    /// Unit of the split into training and validation set.
    #[arg(long, value_name = "UNIT", default_value = "game", help_heading = "Validation")]
    split: Split,
    /// Fraction of the data held out for validation; 0 measures no validation loss [default: 0.2; 0.02 for nnue].
    #[arg(long, value_name = "P", help_heading = "Validation")]
    held_out: Option<f64>,
    /// Epoch whose weights are written [default: best; last with --held-out 0].
    #[arg(long, value_name = "EPOCH", help_heading = "Validation")]
    keep: Option<Keep>,
    /// Stop early when the validation loss has not improved for N epochs.
    #[arg(long, value_name = "N", help_heading = "Validation")]
    patience: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Recipe {
    /// SGD, learning rate 0.001, batch size 32, 2000 epochs.
    Otelo,
    /// Adam, learning rate 0.0001, batch size 128, 10 epochs.
    Hatchet1,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Split {
    /// Whole games, so that no position of a validation game is trained on.
    Game,
    /// Positions, as in Otelo: positions of one game end up in both sets.
    Position,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Keep {
    /// The epoch with the lowest validation loss.
    Best,
    /// The last epoch, as in Otelo.
    Last,
}

impl From<Recipe> for supervised::Recipe {
    fn from(recipe: Recipe) -> Self {
        match recipe {
            Recipe::Otelo => Self::Otelo,
            Recipe::Hatchet1 => Self::Hatchet1,
        }
    }
}

impl From<Split> for SplitUnit {
    fn from(split: Split) -> Self {
        match split {
            Split::Game => Self::Game,
            Split::Position => Self::Position,
        }
    }
}

impl From<Keep> for supervised::Keep {
    fn from(keep: Keep) -> Self {
        match keep {
            Keep::Best => Self::Best,
            Keep::Last => Self::Last,
        }
    }
}

impl Train {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let options = self.options();
        options.check().map_err(usage)?;
        self.force.check(&self.out)?;
        let cancel = cancel_on_interrupt()?;
        let bar = ProgressBar::new(1);
        let style = "{bar:30} {pos}/{len} steps  {msg}  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let mut report = |progress: &Progress| {
            bar.set_length(progress.total.unwrap_or(progress.done));
            bar.set_position(progress.done);
            bar.set_message(progress.message.clone());
        };
        let (learning, threads) = (self.game.game.learning(), self.threads.count());
        let trained = train_on_games(learning, &options, threads, &cancel, &mut report);
        bar.finish_and_clear();
        let trained = trained.map_err(|error| match error {
            LearnError::Config(ConfigError::NothingHeldOut { share, games, positions }) => {
                usage(format!(
                    "--held-out {share}: nothing can be held out of {games} game(s) and {positions} \
                     position(s); use --split position, or --held-out 0 to measure no validation loss"
                ))
            }
            LearnError::Config(error) => usage(error),
            error => error.into(),
        })?;
        match &trained {
            _ if self.json => out::json(&trained),
            Trained::Network(network) => print(network),
            Trained::Nnue(nnue) => print_nnue(nnue),
        }
        Ok(())
    }

    fn options(&self) -> TrainOptions {
        TrainOptions {
            data: self.data.clone(),
            net: self.net.clone(),
            out: self.out.clone(),
            init: self.init.clone(),
            report: self.report.clone(),
            seed: self.seed,
            recipe: self.recipe.map(Into::into),
            epochs: self.epochs,
            batch_size: self.batch_size,
            lr: self.lr,
            lr_schedule: self.lr_schedule.map(Into::into),
            weight_decay: self.weight_decay,
            symmetries: self.symmetries,
            backend: self.backend.into(),
            device: self.device,
            q_ratio: self.q_ratio,
            split: self.split.into(),
            held_out: self.held_out,
            keep: self.keep.map(Into::into),
            patience: self.patience,
        }
    }
}

fn print(answer: &TrainedNetwork) {
    out::line(format_args!(
        "{} training positions, {} held out; {} steps in {:.1} s ({:.0} positions/s)",
        answer.positions,
        answer.held_out_positions,
        answer.steps,
        answer.seconds,
        answer.samples_per_second
    ));
    for (name, epoch) in
        answer.best.iter().map(|best| ("best", best)).chain([("last", &answer.last)])
    {
        let Epoch { epoch, training, held_out } = epoch;
        let Some(held_out) = held_out else {
            out::line(format_args!(
                "{name} epoch {epoch}: MSE {:.4}, MAE {:.4}, policy {:.4} (training; nothing was held out)",
                training.value, training.value_error, training.policy
            ));
            continue;
        };
        out::line(format_args!(
            "{name} epoch {epoch}: MSE {:.4} (held out {:.4}), MAE {:.4} ({:.4}), policy {:.4} ({:.4})",
            training.value,
            held_out.value,
            training.value_error,
            held_out.value_error,
            training.policy,
            held_out.policy
        ));
    }
    out::line(format_args!("{}", answer.file));
}

fn print_nnue(answer: &TrainedNnue) {
    out::line(format_args!(
        "{} games with {} positions; {} trained on, {} held out; {} steps in {:.1} s ({:.0} \
         positions/s)",
        answer.games,
        answer.seen,
        answer.positions,
        answer.held_out_positions,
        answer.steps,
        answer.seconds,
        answer.samples_per_second
    ));
    for NnueEpoch { epoch, training, held_out } in &answer.epochs {
        out::line(format_args!("epoch {epoch}: MSE {training:.5} (held out {held_out:.5})"));
    }
    out::line(format_args!("{}", answer.file));
}
