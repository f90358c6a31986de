use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_core::{AnyGame, check_no_device, read_bounded, strip_bom};
use tablero_jobs::atomic_write;
use tablero_learn::nnue::parse_nnue;
use tablero_learn::{
    AnyTrainingRun, AnyTrainingSet, BoardTable, Loss, LrSchedule, POSITIONS_EXTENSION,
    SelfPlayTask, TargetConfig, TrainingBackend, TrainingPlan, supports_board_table,
};
use tablero_nets::train::Losses;
use tablero_nets::{NetFormat, NetKind, Weights};
use tablero_report::{LineChart, Report, Series, number};

use super::learn::{BackendArg, ScheduleName};
use crate::args::{GameArg, MAX_GAMES, ThreadsArg, fraction, integer};
use crate::job_args::cancel_on_interrupt;
use crate::out::{self, usage};
use crate::output_file::ForceArg;

/// The maximum size of a table of positions.
const MAX_TABLE_BYTES: u64 = 16 << 30;

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
    pub(super) game: GameArg,
    /// Training data: recorded games (.jsonl), packed positions (.positions), a table in the layout of
    /// Otelo (.csv) or the directory of a training run; may be repeated.
    #[arg(long, value_name = "FILE", required = true)]
    pub(super) data: Vec<PathBuf>,
    /// Network: `resnet BLOCKSxFILTERS`, `nnue WIDTH` or `mlp INPUTS-...-1`; with `absolute` after the latter, squares and value
    /// are by colour, as in Otelo.
    #[arg(long, value_name = "NET", default_value = "resnet 4x32")]
    net: String,
    /// Output file, .safetensors; .keras or .h5 for `mlp`; .onnx; .nnue for `nnue`.
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    #[command(flatten)]
    force: ForceArg,
    /// Initial weights [default: random].
    #[arg(long, value_name = "FILE")]
    pub(super) init: Option<PathBuf>,
    /// Write a report with learning curves to DIR.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Random seed of the initial weights, the split and the sample order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Training recipe [default: otelo for mlp, hatchet1 for resnet].
    #[arg(long, value_name = "RECIPE", help_heading = "Training")]
    recipe: Option<Recipe>,
    /// Number of epochs [default: 2000 for otelo, 10 for hatchet1].
    #[arg(long, value_name = "N", value_parser = integer::<u64>(1, MAX_GAMES), help_heading = "Training")]
    pub(super) epochs: Option<u64>,
    /// Positions per batch [default: 32 for otelo, 128 for hatchet1].
    #[arg(long, value_name = "N", value_parser = integer::<usize>(1, 1_000_000), help_heading = "Training")]
    pub(super) batch_size: Option<usize>,
    /// Learning rate [default: 0.001 for otelo, 0.0001 for hatchet1].
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Training")]
    pub(super) lr: Option<f64>,
    /// Learning rate schedule [default: constant].
    #[arg(long, value_name = "SCHEDULE", help_heading = "Training")]
    lr_schedule: Option<ScheduleName>,
    /// Weight decay of Adam [default: 0; 0.01 for nnue].
    #[arg(long, value_name = "X", help_heading = "Training")]
    pub(super) weight_decay: Option<f32>,
    /// Augment positions by board symmetries [default: true for hatchet1, where the game has any].
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set, help_heading = "Training")]
    symmetries: Option<bool>,
    /// Training backend.
    #[arg(long, value_name = "BACKEND", default_value = "native", help_heading = "Training")]
    backend: BackendArg,
    /// Share of the search value in the value target, the rest being the game result [default: 0; 0.75 for nnue].
    #[arg(long, value_name = "P", value_parser = fraction, help_heading = "Training")]
    pub(super) q_ratio: Option<f64>,
    /// Unit of the split into training and validation set.
    #[arg(long, value_name = "UNIT", default_value = "game", help_heading = "Validation")]
    split: Split,
    /// Fraction of the data held out for validation; 0 measures no validation loss [default: 0.2; 0.02 for nnue].
    #[arg(long, value_name = "P", help_heading = "Validation")]
    pub(super) held_out: Option<f64>,
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

/// The losses of an epoch.
#[derive(Clone, Copy, Serialize)]
struct Epoch {
    epoch: u64,
    training: Loss,
    /// None if nothing was held out.
    held_out: Option<Loss>,
}

#[derive(Serialize)]
struct Answer {
    file: String,
    positions: usize,
    held_out_positions: usize,
    steps: u64,
    seconds: f64,
    samples_per_second: f64,
    /// By validation loss; none if nothing was held out.
    best: Option<Epoch>,
    last: Epoch,
}

impl Train {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        self.check()?;
        self.force.check(&self.out)?;
        if let Some(width) = parse_nnue(&self.net) {
            return self.train_nnue(width);
        }
        let (positions, provenance) = match self.data.iter().find(|path| is_table(path)) {
            Some(path) => self.read_table(path)?,
            None => self.read_games()?,
        };
        self.train(positions, provenance)
    }

    /// The positions of a table, and its provenance.
    fn read_table(&self, path: &Path) -> anyhow::Result<(Box<dyn AnyTrainingSet>, Vec<String>)> {
        let (file, game) = (path.display(), self.game.game.game());
        if self.data.len() > 1 {
            let problem = "several files must all be recorded games (.jsonl, .positions)";
            return Err(usage(format!("--data {file}: {problem}")));
        }
        if !supports_board_table(game) {
            return Err(usage(format!(
                "a .csv table cannot represent the pieces of {game}; use recorded games (.jsonl)"
            )));
        }
        let bytes = read_bounded(path, MAX_TABLE_BYTES);
        let bytes = bytes.with_context(|| format!("cannot read {file}"))?;
        let text = String::from_utf8(bytes).with_context(|| file.to_string())?;
        let mut positions = self.game.game.learning().training_set();
        let added = positions.add_board_csv(strip_bom(&text)).map_err(anyhow::Error::msg);
        let boards = match added.with_context(|| file.to_string())? {
            BoardTable::AfterMove => "after",
            BoardTable::BeforeMove => "before",
        };
        let (games, name) = (positions.games(), file_name(path));
        let provenance = format!("a table of {games} games, {name}: boards {boards} the move");
        Ok((positions, vec![provenance]))
    }

    /// The positions of all recorded games, and their provenance.
    fn read_games(&self) -> anyhow::Result<(Box<dyn AnyTrainingSet>, Vec<String>)> {
        let targets = TargetConfig { q_ratio: self.q_ratio(), policy_surprise_weight: 0.0 };
        let (mut positions, mut provenance) =
            (self.game.game.learning().training_set(), Vec::new());
        for data in &self.data {
            let before = provenance.len();
            if is_packed(data) {
                provenance.extend(positions.add_packed(data, &targets)?);
            } else {
                for path in logs(data)? {
                    let plans = positions.add_log(&path, &targets)?;
                    provenance.extend(plans.iter().map(SelfPlayTask::provenance));
                }
            }
            if provenance.len() == before {
                provenance.push(format!("games of {}", file_name(data)));
            }
        }
        if positions.is_empty() {
            let files: Vec<_> = self.data.iter().map(|path| path.display().to_string()).collect();
            anyhow::bail!("no training positions in {}", files.join(", "));
        }
        Ok((positions, provenance))
    }

    fn train(
        &self,
        positions: Box<dyn AnyTrainingSet>,
        provenance: Vec<String>,
    ) -> anyhow::Result<()> {
        let games = positions.games();
        let [training, held_out] = match self.split {
            Split::Game => positions.split_games(self.held_out(), self.seed),
            Split::Position => positions.split_positions(self.held_out(), self.seed),
        };
        if self.held_out() > 0.0 && held_out.is_empty() {
            return Err(usage(format!(
                "--held-out {}: nothing can be held out of {games} game(s) and {} position(s); use \
                 --split position, or --held-out 0 to measure no validation loss",
                self.held_out(),
                training.len()
            )));
        }
        let mut weights = self.weights()?;
        let plan = self.plan(&weights.kind, training.len())?;
        let (batch, steps) = (plan.batch_size, plan.steps);
        weights.provenance.extend(provenance);
        weights.provenance.push(format!(
            "{}, q_ratio {}",
            plan.provenance(training.len()),
            self.q_ratio()
        ));
        let mut fit = training.start_training(plan, weights, self.threads.count())?;
        let validation = (!held_out.is_empty()).then_some(&*held_out);
        let (epochs, best) = self.epochs(&mut *fit, validation, steps)?;
        let seconds = epochs.seconds;
        let kept = if self.keeps_last() { fit.weights() } else { best };
        self.write(&kept)?;
        if let Some(dir) = &self.report {
            report(self.game.game.game(), &epochs.list, self).write(dir)?;
        }
        let measured = epochs.list.iter().filter(|epoch| epoch.held_out.is_some());
        let by_loss = |a: &&Epoch, b: &&Epoch| {
            total(a.held_out.as_ref()).total_cmp(&total(b.held_out.as_ref()))
        };
        let answer = Answer {
            file: self.out.display().to_string(),
            positions: training.len(),
            held_out_positions: held_out.len(),
            steps: fit.steps_done(),
            seconds,
            samples_per_second: (fit.steps_done() * batch as u64) as f64 / seconds.max(1e-9),
            best: measured.min_by(by_loss).copied(),
            last: *epochs.list.last().context("no epoch")?,
        };
        if self.json {
            out::json(&answer)
        } else {
            print(&answer)
        }
        Ok(())
    }

    fn held_out(&self) -> f64 {
        self.held_out.unwrap_or(0.2)
    }

    fn q_ratio(&self) -> f64 {
        self.q_ratio.unwrap_or(0.0)
    }

    fn check(&self) -> anyhow::Result<()> {
        if !(0.0..=0.9).contains(&self.held_out()) {
            return Err(usage(format!("--held-out must be 0 to 0.9, not {}", self.held_out())));
        }
        if self.held_out() == 0.0 && (self.keep == Some(Keep::Best) || self.patience.is_some()) {
            return Err(usage(
                "--keep best and --patience need a validation set: --held-out above 0",
            ));
        }
        if let Some(lr) = self.lr.filter(|lr| !(*lr > 0.0 && *lr <= 10.0)) {
            return Err(usage(format!("--lr must be above 0 and at most 10, not {lr}")));
        }
        TrainingBackend::from(self.backend).check().map_err(usage)?;
        match parse_nnue(&self.net) {
            Some(_) => Ok(()),
            None => self.format().map(drop),
        }
    }

    fn weights(&self) -> anyhow::Result<Weights> {
        let dims = self.game.game.learning().spec().encoding;
        let Some(file) = &self.init else {
            let kind: NetKind = self.net.parse().map_err(usage)?;
            return Weights::random(kind, &dims, self.seed).map_err(usage);
        };
        Ok(Weights::read_any(file, &dims)?)
    }

    /// Whether the weights of the last epoch are written.
    fn keeps_last(&self) -> bool {
        self.keep.map_or(self.held_out() == 0.0, |keep| keep == Keep::Last)
    }

    /// The format of the output file.
    fn format(&self) -> anyhow::Result<NetFormat> {
        let extension = self.out.extension().unwrap_or_default().to_string_lossy();
        let wrong = || {
            let (file, known) = (self.out.display(), NetFormat::ALL.map(NetFormat::extension));
            usage(format!("--out {file}: expected a .{} file", known.join(", .")))
        };
        NetFormat::of_extension(&extension).ok_or_else(wrong)
    }

    fn write(&self, weights: &Weights) -> anyhow::Result<()> {
        let spec = self.game.game.learning().spec().encoding;
        let bytes = weights.to_format(self.format()?, &spec)?;
        Ok(atomic_write(&self.out, &bytes)?)
    }

    fn plan(&self, kind: &NetKind, positions: usize) -> anyhow::Result<TrainingPlan> {
        let default =
            if matches!(kind, NetKind::Mlp(_)) { Recipe::Otelo } else { Recipe::Hatchet1 };
        let is_otelo = self.recipe.unwrap_or(default) == Recipe::Otelo;
        let (lr, batch, epochs) = if is_otelo { (0.001, 32, 2000) } else { (0.0001, 128, 10) };
        let batch = self.batch_size.unwrap_or(batch);
        let steps = positions.div_ceil(batch) as u64;
        Ok(TrainingPlan {
            lr: self.lr.unwrap_or(lr),
            lr_schedule: self.lr_schedule.map_or(LrSchedule::Constant, LrSchedule::from),
            steps: steps.saturating_mul(self.epochs.unwrap_or(epochs)),
            batch_size: batch,
            sgd: is_otelo,
            weight_decay: self.weight_decay.unwrap_or(0.0),
            by_epoch: true,
            symmetries: self.symmetries.unwrap_or(!is_otelo),
            seed: self.seed,
            backend: self.backend.into(),
        })
    }

    /// Trains epoch by epoch; returns the losses, and the weights with the lowest validation loss.
    fn epochs(
        &self,
        fit: &mut dyn AnyTrainingRun,
        validation: Option<&dyn AnyTrainingSet>,
        steps: u64,
    ) -> anyhow::Result<(Epochs, Weights)> {
        let cancel = cancel_on_interrupt()?;
        let bar = ProgressBar::new(steps);
        let style = "{bar:30} {pos}/{len} steps  {msg}  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let start = Instant::now();
        let (mut list, mut best) = (Vec::<Epoch>::new(), (f64::INFINITY, 0, fit.weights()));
        while !fit.is_finished() {
            let mut losses = Vec::new();
            for _ in 0..fit.steps_per_epoch() {
                losses.push(fit.step());
                bar.set_position(fit.steps_done());
                // An epoch may take minutes.
                if cancel.is_cancelled() {
                    break;
                }
            }
            let training = Losses::mean(&losses).into();
            let epoch = Epoch {
                epoch: list.len() as u64 + 1,
                training,
                held_out: validation.map(|validation| fit.evaluate(validation).into()),
            };
            list.push(epoch);
            let of_held_out = |loss: Loss| format!(" (held out {:.4})", loss.value_error);
            bar.set_message(format!(
                "epoch {}, MAE {:.4}{}",
                epoch.epoch,
                epoch.training.value_error,
                epoch.held_out.map_or_else(String::new, of_held_out)
            ));
            let loss = total(epoch.held_out.as_ref());
            if loss < best.0 {
                best = (loss, epoch.epoch, fit.weights());
            }
            let waited = epoch.epoch - best.1;
            if cancel.is_cancelled() || self.patience.is_some_and(|patience| waited >= patience) {
                break;
            }
        }
        bar.finish_and_clear();
        Ok((Epochs { list, seconds: start.elapsed().as_secs_f64() }, best.2))
    }
}

struct Epochs {
    list: Vec<Epoch>,
    seconds: f64,
}

/// The validation loss to compare by; infinite if nothing was held out.
fn total(held_out: Option<&Loss>) -> f64 {
    held_out.map_or(f64::INFINITY, |loss| loss.value + loss.policy)
}

/// The name of a file without its directory.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

pub(crate) fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "csv")
}

/// Whether `path` is a file of packed positions.
pub(crate) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == POSITIONS_EXTENSION)
}

/// The game logs of a file or of the directory of a training run.
pub(crate) fn logs(data: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !data.exists() {
        anyhow::bail!("{} does not exist", data.display());
    }
    check_no_device(data).with_context(|| format!("cannot read {}", data.display()))?;
    if !data.is_dir() {
        return Ok(vec![data.to_owned()]);
    }
    let log = |number: usize| data.join(format!("games-{number}.jsonl"));
    let logs: Vec<PathBuf> = (1..).map(log).take_while(|path| path.exists()).collect();
    if logs.is_empty() {
        anyhow::bail!("{} is not a training run: it has no games-1.jsonl", data.display());
    }
    Ok(logs)
}

fn report(game: AnyGame, epochs: &[Epoch], train: &Train) -> Report {
    let mut report = Report::new(&format!("Training a network for {game}"));
    report.paragraph(&format!(
        "`{}` on {}, seed {}.",
        train.net,
        train.data.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(", "),
        train.seed
    ));
    let curve = |name: &str, of: &dyn Fn(&Epoch) -> f64| Series {
        name: name.into(),
        points: epochs.iter().map(|epoch| (epoch.epoch as f64, of(epoch))).collect(),
        dashed: false,
    };
    for (file, title, of) in [
        (
            "mse.svg",
            "Mean squared error of the value",
            (|loss: &Loss| loss.value) as fn(&Loss) -> f64,
        ),
        ("mae.svg", "Mean absolute error of the value", |loss| loss.value_error),
        ("policy.svg", "Cross-entropy of the policy", |loss| loss.policy),
    ] {
        if epochs.iter().all(|epoch| of(&epoch.training) == 0.0) {
            continue;
        }
        let chart = LineChart {
            title: title.into(),
            x_label: "epoch".into(),
            y_label: title.into(),
            log: false,
            format_y: number,
            series: match epochs.first().and_then(|epoch| epoch.held_out) {
                Some(_) => vec![
                    curve("training", &|epoch| of(&epoch.training)),
                    curve("held out", &|epoch| epoch.held_out.as_ref().map_or(0.0, of)),
                ],
                None => vec![curve("training", &|epoch| of(&epoch.training))],
            },
        };
        report.plot(file, title, chart.svg());
    }
    report
}

fn print(answer: &Answer) {
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
