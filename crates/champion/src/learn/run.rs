//! A learning run, generation by generation, as a job.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tablero_arena::stats::Pentanomial;
use tablero_core::Rng;
use tablero_jobs::{
    Ended, Executor, Job, Progress, Runner, Running, Stop, Work, read_log, write_beside,
};

use super::games::{SelfPlay, SelfPlayTask};
use super::gate::{Gate, GateTask};
use super::measure::{Measure, MeasureTask};
use super::regression::{Fit, by_phase, errors};
use super::samples::{Labels, Sample, samples};
use super::shelf::read_weights;
use super::{GameRecord, LearnConfig, LearnError, Plan, report};
use crate::eval::{
    DISC, Features, GenerationPast, Header, Observation, PHASES, Parameters, Past, PhaseError,
    Weights,
};

/// The kind of job that a learning run is.
pub const LEARN: &str = "learn-othello-patterns";
/// The file of the best weights in a run's folder.
pub const BEST: &str = "best.weights";
const CHECKPOINT: &str = "learned";
/// Games in a task: some seconds of work.
const BATCH: u64 = 50;
/// Shallow searches are compared with exact ones in positions with so many more empty squares than the
/// games of a match are exact in.
const EXACT_BEYOND: u32 = 6;
/// The mean error of a generation is over positions with so many empty squares.
const MIDDLE_GAME: std::ops::RangeInclusive<u32> = 12..=52;

/// What a run has learned so far.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Learned {
    /// The generation whose weights are the best; none before the first.
    pub best: Option<usize>,
    /// All generations, the first one first.
    pub generations: Vec<GenerationPast>,
    /// Every generation's errors in games that it did not learn from.
    pub held_out: Vec<Vec<PhaseError>>,
    /// Seconds that went into the generation that was under way when the run was stopped.
    #[serde(default)]
    pub unfinished: f64,
}

/// The run in a folder, or a new one there.
///
/// A run goes on as it was made: `seed`, if given, must be the run's own.
pub fn open_run(folder: &Path, config: &LearnConfig, seed: Option<u64>) -> Result<Job, LearnError> {
    const FIRST_SEED: u64 = 1;
    config.check().map_err(LearnError::Config)?;
    match Job::run_in(folder, LEARN, seed)? {
        Some(job) => Ok(job),
        None => Ok(Job::create_in(folder, LEARN, config, seed.unwrap_or(FIRST_SEED))?),
    }
}

/// Runs a learning run, or goes on with it, until it is finished or stopped. What was learned so far
/// is in its folder and in the answer.
pub fn run_learning(
    job: Job,
    executor: &dyn Executor,
    stop: &Stop,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Learned, LearnError> {
    let config: LearnConfig = job.config()?;
    config.check().map_err(LearnError::Config)?;
    let job = job.run()?;
    let learned = job.job().checkpoint(CHECKPOINT)?.unwrap_or_default();
    let mut run = Run { config: &config, job: &job, executor, stop, tell, learned };
    let ended = run.go_on();
    let learned = run.learned;
    match ended {
        Ok(true) => job.finish(&learned)?,
        Ok(false) => job.stop("stopped on request")?,
        Err(error) => {
            job.fail(&error.to_string())?;
            return Err(error);
        }
    }
    Ok(learned)
}

/// Positions to learn from and others to judge by, by phase.
struct Samples {
    learning: Vec<Vec<Sample>>,
    held_out: Vec<Vec<Sample>>,
}

/// A run under way.
struct Run<'a> {
    config: &'a LearnConfig,
    job: &'a Running,
    executor: &'a dyn Executor,
    stop: &'a Stop,
    tell: &'a mut dyn FnMut(&Progress),
    learned: Learned,
}

impl Run<'_> {
    /// Learns generation by generation. Whether it came to its end; it may also have been stopped.
    fn go_on(&mut self) -> Result<bool, LearnError> {
        loop {
            let generation = self.learned.generations.len() + 1;
            if self.config.generations.is_some_and(|last| generation > last) {
                return Ok(true);
            }
            let begun = Instant::now();
            if self.generation(generation, begun)?.is_none() {
                self.learned.unfinished += begun.elapsed().as_secs_f64();
                self.job.save_checkpoint(CHECKPOINT, &self.learned)?;
                return Ok(false);
            }
        }
    }

    /// One generation; none if it was stopped.
    fn generation(&mut self, generation: usize, begun: Instant) -> Result<Option<()>, LearnError> {
        let plan = *self.config.plan(generation).expect("the configuration was checked");
        let best = self.best()?;
        let Some(games) = self.play(generation, &plan)? else { return Ok(None) };
        let Samples { learning, held_out } = self.samples(generation, &plan)?;
        let Some(parameters) = self.fit(generation, &learning)? else { return Ok(None) };
        let plain = Weights::new(parameters.clone(), best.probcut().clone(), Header::default());
        write_beside(&self.candidate_file(generation), &plain.to_bytes())?;
        let Some(seen) = self.measure(generation, &held_out)? else { return Ok(None) };
        let probcut = best.probcut().fitted(&seen);
        let Some(gate) = self.gate(generation)? else { return Ok(None) };

        let errors_of = |weights: &Weights| errors(&held_out, |sample| evaluate(weights, sample));
        let held_out_errors = errors_of(&plain);
        let past = GenerationPast {
            generation,
            depth: plan.style.depth,
            exact: plan.style.exact,
            games,
            positions: learning.iter().map(|phase| phase.len() as u64).sum(),
            held_out: middle_game(&held_out_errors),
            held_out_before: middle_game(&errors_of(&best)),
            elo: gate.elo(),
            elo_error: gate.elo_error(),
            score: gate.score().unwrap_or(0.5),
            gate_games: 2 * gate.pairs(),
            accepted: gate.score().is_some_and(|score| score > 0.5),
            seconds: self.learned.unfinished + begun.elapsed().as_secs_f64(),
        };
        self.learned.unfinished = 0.0;
        self.learned.generations.push(past);
        self.learned.held_out.push(held_out_errors);
        let header = Header { past: self.past(generation), ..Header::default() };
        self.keep(generation, &Weights::new(parameters, probcut, header))?;
        Ok(Some(()))
    }

    /// Keeps a generation's weights and tells about it. The checkpoint comes last: whatever happens
    /// before is done again.
    fn keep(&mut self, generation: usize, weights: &Weights) -> Result<(), LearnError> {
        let bytes = weights.to_bytes();
        write_beside(&self.weights_file(generation), &bytes)?;
        let past = self.learned.generations.last().expect("it was just added");
        if past.accepted || self.learned.best.is_none() {
            self.learned.best = Some(generation);
            write_beside(&self.folder().join(BEST), &bytes)?;
        }
        report::write(self.folder(), self.job.job().header(), &self.learned)?;
        self.job.save_checkpoint(CHECKPOINT, &self.learned)?;
        let fitted = self.folder().join(format!("fit-{generation}.jsonl"));
        for file in [fitted, self.candidate_file(generation)] {
            // Nobody needs it any more; if it stays, it is in nobody's way.
            let _ = fs::remove_file(file);
        }
        let message = format!("generation {generation} done");
        let progress = Progress::new(generation as u64, self.config.generations.map(|n| n as u64));
        let past = self.learned.generations.last().expect("it was just added");
        let progress = progress.message(message).figure("held-out error", past.held_out);
        self.report(&progress.figure("score", past.score));
        Ok(())
    }

    fn play(&mut self, generation: usize, plan: &Plan) -> Result<Option<u64>, LearnError> {
        let (weights, seed) = (self.best_file(), self.seed(generation, 0));
        let starts = (0..plan.games).step_by(BATCH as usize);
        let task = |first| SelfPlayTask {
            weights: weights.clone(),
            style: plan.style,
            seed,
            first,
            count: BATCH.min(plan.games - first),
        };
        let tasks: Vec<SelfPlayTask> = starts.map(task).collect();
        let (work, mut games) = (SelfPlay::default(), 0);
        let done =
            self.tasks(generation, "games", &work, &tasks, |output| games += output.len())?;
        Ok(done.then_some(games as u64))
    }

    /// The samples to learn from and those held out, by phase.
    fn samples(&self, generation: usize, plan: &Plan) -> Result<Samples, LearnError> {
        let (mut learning, mut held_out) = (Vec::new(), Vec::new());
        for source in generation.saturating_sub(plan.memory).max(1)..=generation {
            let made = self.config.plan(source).expect("the configuration was checked");
            let labels = Labels { exact: made.style.exact, trust: made.trust };
            let path = self.folder().join(format!("games-{source}.jsonl"));
            let mut number = 0u64;
            for entry in read_log::<LoggedGames>(&path)? {
                for game in entry?.output {
                    let found = samples(&game, &labels)
                        .map_err(|problem| LearnError::File { path: path.clone(), problem })?;
                    let is_held_out = number.is_multiple_of(self.config.held_out);
                    number += 1;
                    match is_held_out {
                        // Only of the newest games, whose labels are the best.
                        true if source == generation => held_out.extend(found),
                        true => {}
                        false => learning.extend(found),
                    }
                }
            }
        }
        Ok(Samples { learning: by_phase(learning), held_out: by_phase(held_out) })
    }

    fn fit(
        &mut self,
        generation: usize,
        samples: &[Vec<Sample>],
    ) -> Result<Option<Parameters>, LearnError> {
        let work = Fit { samples, rounds: self.config.rounds };
        let tasks: Vec<usize> = (0..PHASES).collect();
        let mut phases = Vec::new();
        let done = self.tasks(generation, "fit", &work, &tasks, |numbers| phases.push(numbers))?;
        if !done {
            return Ok(None);
        }
        let parameters = Parameters::new(phases);
        Ok(Some(parameters.ok_or_else(|| LearnError::File {
            path: self.folder().join(format!("fit-{generation}.jsonl")),
            problem: "it has too few or too many numbers".into(),
        })?))
    }

    fn measure(
        &mut self,
        generation: usize,
        held_out: &[Vec<Sample>],
    ) -> Result<Option<Vec<Observation>>, LearnError> {
        let config = self.config;
        let weights = text(&self.candidate_file(generation));
        let task = |sample: &&Sample| MeasureTask {
            weights: weights.clone(),
            depth: config.measured_depth,
            exact: config.gate_exact + EXACT_BEYOND,
            player: sample.player,
            opponent: sample.opponent,
        };
        let mut rng = Rng::seeded(self.seed(generation, 1));
        let positions: Vec<&Sample> =
            held_out.iter().flatten().filter(|sample| sample.empties() >= 8).collect();
        let tasks: Vec<MeasureTask> =
            (0..config.measured).filter_map(|_| rng.pick(&positions).map(task)).collect();
        let (work, mut seen) = (Measure::default(), Vec::new());
        let done = self.tasks(generation, "measure", &work, &tasks, |found| seen.extend(found))?;
        Ok(done.then_some(seen))
    }

    fn gate(&mut self, generation: usize) -> Result<Option<Pentanomial>, LearnError> {
        let (new, best) = (text(&self.candidate_file(generation)), self.best_file());
        let seed = self.seed(generation, 2);
        let task = |pair| GateTask {
            new: new.clone(),
            best: best.clone(),
            depth: self.config.gate_depth,
            exact: self.config.gate_exact,
            seed,
            pair,
        };
        let tasks: Vec<GateTask> = (0..self.config.gate_pairs).map(task).collect();
        let (work, mut results) = (Gate::default(), Pentanomial::default());
        let done = self.tasks(generation, "gate", &work, &tasks, |pair| {
            results.add(pair.half_points.min(4))
        })?;
        Ok(done.then_some(results))
    }

    /// Runs the tasks of a step, with a log of its own. Whether they are all done.
    fn tasks<W: Work>(
        &mut self,
        generation: usize,
        step: &str,
        work: &W,
        tasks: &[W::Task],
        mut each: impl FnMut(W::Output),
    ) -> Result<bool, LearnError> {
        let log = self.job.log(&format!("{step}-{generation}"))?;
        let before = log.len();
        let mut runner = Runner::new(self.executor, self.stop).with_log(log);
        let (job, tell) = (self.job, &mut *self.tell);
        let ended = runner.run(work, tasks, |index, output| {
            each(output);
            // What was done in an earlier run was told then.
            if index >= before {
                let progress = Progress::new(index as u64 + 1, Some(tasks.len() as u64));
                let progress = progress.message(format!("generation {generation}: {step}"));
                // A lost report is no reason to lose the run.
                let _ = job.report(&progress);
                tell(&progress);
            }
            ControlFlow::Continue(())
        })?;
        Ok(ended == Ended::Done)
    }

    fn report(&mut self, progress: &Progress) {
        let _ = self.job.report(progress);
        (self.tell)(progress);
    }

    /// The seed of one of a generation's steps.
    fn seed(&self, generation: usize, step: u64) -> u64 {
        let seed = self.job.job().header().seed;
        Rng::for_part(Rng::for_part(seed, generation as u64).bits(), step).bits()
    }

    fn folder(&self) -> &Path {
        self.job.job().folder()
    }

    fn weights_file(&self, generation: usize) -> PathBuf {
        self.folder().join(format!("generation-{generation}.weights"))
    }

    fn candidate_file(&self, generation: usize) -> PathBuf {
        self.folder().join(format!("candidate-{generation}.weights"))
    }

    /// The file of the best weights so far.
    fn best_file(&self) -> Option<String> {
        self.learned.best.map(|best| text(&self.weights_file(best)))
    }

    /// The best weights so far.
    fn best(&self) -> Result<Weights, LearnError> {
        let file = self.learned.best.map(|best| self.weights_file(best));
        file.map_or_else(|| Ok(Weights::zero()), |file| read_weights(&file))
    }

    fn past(&self, generation: usize) -> Past {
        let generations = &self.learned.generations;
        let header = self.job.job().header();
        Past {
            command: self.config.command.clone(),
            seed: header.seed,
            version: header.version.clone(),
            generation,
            games: generations.iter().map(|past| past.games).sum(),
            positions: generations.last().map_or(0, |past| past.positions),
            seconds: generations.iter().map(|past| past.seconds).sum(),
            held_out: self.learned.held_out.last().cloned().unwrap_or_default(),
            generations: generations.clone(),
        }
    }
}

/// A line of the log of games.
#[derive(Deserialize)]
struct LoggedGames {
    output: Vec<GameRecord>,
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn evaluate(weights: &Weights, sample: &Sample) -> f32 {
    let Sample { player, opponent, .. } = *sample;
    weights.evaluate(&Features::of(player, opponent), player, opponent) as f32 / DISC as f32
}

/// The mean error over the positions of the middle game.
fn middle_game(errors: &[PhaseError]) -> f64 {
    let phases = || errors.iter().filter(|phase| MIDDLE_GAME.contains(&phase.empties));
    let positions: u64 = phases().map(|phase| phase.positions).sum();
    let sum: f64 = phases().map(|phase| phase.mean * phase.positions as f64).sum();
    sum / (positions as f64).max(1.0)
}
