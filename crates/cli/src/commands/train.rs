use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_core::AnyGame;
use tablero_learn::{
    FitPlan, GamesTask, Loss, PACKED, Schedule, Targets, TrainerName, TrainingRun, TrainingSet,
    has_otelo_table,
};
use tablero_nets::train::Losses;
use tablero_nets::{NetKind, Weights};
use tablero_report::{LineChart, Report, Series, number};

use super::learn::{ScheduleName, TrainerArg};
use crate::args::{GameArg, ThreadsArg};
use crate::out::{self, usage};
use crate::series::stop_on_interrupt;

const EXAMPLES: &str = "Examples:
  tablero train othello --data otelo.csv --net \"mlp 65-128-64-32-1\" --out otelo.safetensors
  tablero train othello --data otelo.csv --net \"mlp 65-128-64-32-1\" --split row --out as-in-otelo.safetensors
  tablero train chess --data games.jsonl --net \"resnet 4x32\" --epochs 10 --out chess.safetensors
  tablero train shobu --data learn-shobu --net \"resnet 6x64\" --report report --out shobu.safetensors";

/// Trains a network on games that were played before.
///
/// Two recipes: Otelo's for fully connected networks (SGD 0.001, mean square error, batch 32, 2000 epochs, an 80/20
/// split) and Hatchet1's for residual ones (Adam 0.0001, mean square error and cross-entropy, batch 128). The
/// same seed gives the same weights, on any number of threads. The network of the epoch with the least loss in what
/// was held out is kept.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Train {
    #[command(flatten)]
    game: GameArg,
    /// A record of games (.jsonl), packed positions (.positions), a table of Otelo's layout (.csv), or the
    /// folder of a learning run; may be given several times.
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// The kind of network.
    #[arg(long, value_name = "NET", default_value = "resnet 4x32")]
    net: String,
    /// The file to write, .safetensors.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Begin with these weights.
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// How to train [default: otelo for mlp, hatchet1 for resnet].
    #[arg(long, value_name = "NAME")]
    recipe: Option<Recipe>,
    /// How often every position comes [default: 2000 by Otelo's recipe, 10 by Hatchet1's].
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// Positions a step [default: 32 or 128].
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// The learning rate [default: 0.001 or 0.0001].
    #[arg(long, value_name = "X")]
    rate: Option<f64>,
    /// How it changes [default: constant].
    #[arg(long, value_name = "HOW")]
    schedule: Option<ScheduleName>,
    /// By how much Adam pulls weights towards 0.
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    decay: f32,
    /// Turn and mirror positions [default: by Hatchet1's recipe, where the game allows it].
    #[arg(long, value_name = "YES", action = clap::ArgAction::Set)]
    symmetries: Option<bool>,
    /// Who computes what is learned.
    #[arg(long, value_name = "WHO", default_value = "own")]
    trainer: TrainerArg,
    /// What goes as a whole into learning or testing.
    #[arg(long, value_name = "WHAT", default_value = "game")]
    split: Split,
    /// Which share is held out to test with.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    held_out: f64,
    /// Stop when the loss in what is held out has not fallen for so many epochs.
    #[arg(long, value_name = "N")]
    patience: Option<u64>,
    /// Which share of a position's value is the player's word, not the game's result.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    trust: f64,
    /// Write a report with curves into this folder.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Names the first weights, the split and the order of positions.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Recipe {
    /// SGD 0.001, batch 32, 2000 epochs.
    Otelo,
    /// Adam 0.0001, batch 128, 10 epochs.
    Hatchet1,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Split {
    /// Whole games: what is tested was never seen.
    Game,
    /// Positions, as in Otelo: those of one game come to both sides.
    Row,
}

/// An epoch in numbers.
#[derive(Clone, Copy, Serialize)]
struct Epoch {
    epoch: u64,
    training: Loss,
    held_out: Loss,
}

#[derive(Serialize)]
struct Answer {
    file: String,
    positions: usize,
    held_out_positions: usize,
    steps: u64,
    seconds: f64,
    samples_per_second: f64,
    best: Epoch,
    last: Epoch,
}

impl Train {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (positions, past) = match self.data.iter().find(|path| is_table(path)) {
            Some(path) => self.table(path)?,
            None => self.records()?,
        };
        self.fit(positions, past)
    }

    /// The positions of a table, and where they come from.
    fn table(&self, path: &Path) -> anyhow::Result<(Box<dyn TrainingSet>, Vec<String>)> {
        let (place, game) = (path.display(), self.game.game.game());
        if self.data.len() > 1 {
            let problem = "several files must all be records of games (.jsonl, .positions)";
            return Err(usage(format!("--data {place}: {problem}")));
        }
        if !has_otelo_table(game) {
            let problem = "there are no tables for the pieces of";
            return Err(usage(format!("{problem} {game}; train on a record of games (.jsonl)")));
        }
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {place}"))?;
        let mut positions = self.game.game.learning().training_set();
        let added = positions.add_otelo_table(&text).map_err(anyhow::Error::msg);
        added.with_context(|| place.to_string())?;
        Ok((positions, vec![format!("a table of games, {}", name(path))]))
    }

    /// The positions of all records, and how their games were played.
    fn records(&self) -> anyhow::Result<(Box<dyn TrainingSet>, Vec<String>)> {
        let targets = Targets { trust: self.trust, surprise: 0.0 };
        let (mut positions, mut past) = (self.game.game.learning().training_set(), Vec::new());
        for data in &self.data {
            let before = past.len();
            if is_packed(data) {
                past.extend(positions.add_packed(data, &targets)?);
            } else {
                for path in logs(data)? {
                    let plans = positions.add_log(&path, &targets)?;
                    past.extend(plans.iter().map(GamesTask::past));
                }
            }
            if past.len() == before {
                past.push(format!("games of {}", name(data)));
            }
        }
        if positions.is_empty() {
            let files: Vec<_> = self.data.iter().map(|path| path.display().to_string()).collect();
            anyhow::bail!("there are no positions to learn from in {}", files.join(", "));
        }
        Ok((positions, past))
    }

    fn fit(&self, positions: Box<dyn TrainingSet>, past: Vec<String>) -> anyhow::Result<()> {
        self.check()?;
        let [learning, held_out] = match self.split {
            Split::Game => positions.split_games(self.held_out, self.seed),
            Split::Row => positions.split_rows(self.held_out, self.seed),
        };
        let mut weights = self.weights()?;
        let plan = self.plan(&weights.kind, learning.len())?;
        let (batch, in_all) = (plan.batch, plan.steps);
        weights.past.extend(past);
        weights.past.push(format!("{}, trust {}", plan.past(learning.len()), self.trust));
        let mut fit = learning.fit(plan, weights, self.threads.count())?;
        let tested = if held_out.is_empty() { &*learning } else { &*held_out };
        let (epochs, best) = self.epochs(&mut *fit, tested, in_all)?;
        let begun = epochs.seconds;
        best.write(&self.out)?;
        if let Some(folder) = &self.report {
            report(self.game.game.game(), &epochs.list, self).write(folder)?;
        }
        let least = |a: &&Epoch, b: &&Epoch| total(&a.held_out).total_cmp(&total(&b.held_out));
        let answer = Answer {
            file: self.out.display().to_string(),
            positions: learning.len(),
            held_out_positions: held_out.len(),
            steps: fit.done(),
            seconds: begun,
            samples_per_second: (fit.done() * batch as u64) as f64 / begun.max(1e-9),
            best: *epochs.list.iter().min_by(least).context("no epoch")?,
            last: *epochs.list.last().context("no epoch")?,
        };
        if self.json {
            out::json(&answer)
        } else {
            print(&answer)
        }
        Ok(())
    }

    fn check(&self) -> anyhow::Result<()> {
        let share = |name: &str, value: f64| match (0.0..=0.9).contains(&value) {
            true => Ok(()),
            false => Err(usage(format!("--{name} is from 0 to 0.9, not {value}"))),
        };
        share("held-out", self.held_out)?;
        if !(0.0..=1.0).contains(&self.trust) {
            return Err(usage(format!("--trust is from 0 to 1, not {}", self.trust)));
        }
        if self.rate.is_some_and(|rate| !(rate > 0.0 && rate <= 10.0)) {
            return Err(usage("--rate is above 0 and at most 10"));
        }
        TrainerName::from(self.trainer).check().map_err(usage)?;
        if self.batch == Some(0) || self.epochs == Some(0) {
            return Err(usage("--batch and --epochs are at least 1"));
        }
        Ok(())
    }

    fn weights(&self) -> anyhow::Result<Weights> {
        let dims = self.game.game.learning().spec().dims;
        let Some(start) = &self.start else {
            let kind: NetKind = self.net.parse().map_err(usage)?;
            return Weights::random(kind, &dims, self.seed).map_err(usage);
        };
        let weights = Weights::read(start)?;
        weights.check(&dims)?;
        Ok(weights)
    }

    fn plan(&self, kind: &NetKind, positions: usize) -> anyhow::Result<FitPlan> {
        let usual = if matches!(kind, NetKind::Mlp(_)) { Recipe::Otelo } else { Recipe::Hatchet1 };
        let is_otelo = self.recipe.unwrap_or(usual) == Recipe::Otelo;
        let (rate, batch, epochs) = if is_otelo { (0.001, 32, 2000) } else { (0.0001, 128, 10) };
        let batch = self.batch.unwrap_or(batch);
        let steps = positions.div_ceil(batch) as u64;
        Ok(FitPlan {
            rate: self.rate.unwrap_or(rate),
            schedule: self.schedule.map_or(Schedule::Constant, Schedule::from),
            steps: steps.saturating_mul(self.epochs.unwrap_or(epochs)),
            batch,
            sgd: is_otelo,
            decay: self.decay,
            in_turn: true,
            symmetries: self.symmetries.unwrap_or(!is_otelo),
            seed: self.seed,
            trainer: self.trainer.into(),
        })
    }

    /// Trains epoch by epoch; gives the curves and the weights of the epoch that is best in `tested`.
    fn epochs(
        &self,
        fit: &mut dyn TrainingRun,
        tested: &dyn TrainingSet,
        steps: u64,
    ) -> anyhow::Result<(Epochs, Weights)> {
        let stop = stop_on_interrupt()?;
        let bar = ProgressBar::new(steps);
        let style = "{bar:30} {pos}/{len} steps  {msg}  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let begun = Instant::now();
        let (mut list, mut best) = (Vec::<Epoch>::new(), (f64::INFINITY, 0, fit.weights()));
        while !fit.is_over() {
            let mut losses = Vec::new();
            for _ in 0..fit.steps_of_round() {
                losses.push(fit.step());
                bar.set_position(fit.done());
                // Epochs may take minutes.
                if stop.is_requested() {
                    break;
                }
            }
            let training = Losses::mean(&losses).into();
            let epoch = Epoch {
                epoch: list.len() as u64 + 1,
                training,
                held_out: fit.measure(tested).into(),
            };
            list.push(epoch);
            bar.set_message(format!(
                "epoch {}, MAE {:.4} (held out {:.4})",
                epoch.epoch, epoch.training.value_error, epoch.held_out.value_error
            ));
            if total(&epoch.held_out) < best.0 {
                best = (total(&epoch.held_out), epoch.epoch, fit.weights());
            }
            let waited = epoch.epoch - best.1;
            if stop.is_requested() || self.patience.is_some_and(|patience| waited >= patience) {
                break;
            }
        }
        bar.finish_and_clear();
        Ok((Epochs { list, seconds: begun.elapsed().as_secs_f64() }, best.2))
    }
}

struct Epochs {
    list: Vec<Epoch>,
    seconds: f64,
}

fn total(loss: &Loss) -> f64 {
    loss.value + loss.moves
}

/// A file's name without its folder.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

pub(crate) fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "csv")
}

/// Whether it names a file of packed positions.
pub(crate) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == PACKED)
}

/// The logs that a file or the folder of a run holds.
pub(crate) fn logs(data: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !data.exists() {
        anyhow::bail!("there is no {}", data.display());
    }
    if !data.is_dir() {
        return Ok(vec![data.to_owned()]);
    }
    let log = |number: usize| data.join(format!("games-{number}.jsonl"));
    let logs: Vec<PathBuf> = (1..).map(log).take_while(|path| path.exists()).collect();
    if logs.is_empty() {
        anyhow::bail!("{} is no folder of a learning run: it has no games-1.jsonl", data.display());
    }
    Ok(logs)
}

fn report(game: AnyGame, epochs: &[Epoch], train: &Train) -> Report {
    let mut report = Report::new(&format!("Training of a network for {game}"));
    report.paragraph(&format!(
        "`{}` on {}, seed {}.",
        train.net,
        train.data.iter().map(|path| name(path)).collect::<Vec<_>>().join(", "),
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
            "Mean square error of the value",
            (|loss: &Loss| loss.value) as fn(&Loss) -> f64,
        ),
        ("mae.svg", "Mean absolute error of the value", |loss| loss.value_error),
        ("moves.svg", "Cross-entropy of moves", |loss| loss.moves),
    ] {
        if epochs.iter().all(|epoch| of(&epoch.training) == 0.0) {
            continue;
        }
        let chart = LineChart {
            title: title.into(),
            x_label: "epoch".into(),
            y_label: title.into(),
            log: false,
            y_name: number,
            series: vec![
                curve("learned from", &|epoch| of(&epoch.training)),
                curve("held out", &|epoch| of(&epoch.held_out)),
            ],
        };
        report.plot(file, title, chart.svg());
    }
    report
}

fn print(answer: &Answer) {
    out::line(format_args!(
        "{} positions to learn from, {} held out; {} steps in {:.1} s ({:.0} positions/s)",
        answer.positions,
        answer.held_out_positions,
        answer.steps,
        answer.seconds,
        answer.samples_per_second
    ));
    for (name, epoch) in [("best", &answer.best), ("last", &answer.last)] {
        let Epoch { epoch, training, held_out } = epoch;
        out::line(format_args!(
            "{name} epoch {epoch}: MSE {:.4} (held out {:.4}), MAE {:.4} ({:.4}), moves {:.4} ({:.4})",
            training.value,
            held_out.value,
            training.value_error,
            held_out.value_error,
            training.moves,
            held_out.moves
        ));
    }
    out::line(format_args!("{}", answer.file));
}
