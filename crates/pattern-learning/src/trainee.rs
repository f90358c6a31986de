//! The pattern tables as a [`Trainee`] of the generation loop: self-play, regression, ProbCut fit,
//! gating.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tablero_arena::stats::Pentanomial;
use tablero_champion::eval::{
    DISC, Features, GenerationStats, Header, PHASES, Parameters, PhaseError, ProbCutSample,
    Provenance, Weights,
};
use tablero_core::Rng;
use tablero_jobs::{CancellationToken, Executor, Job, Progress, atomic_write};
use tablero_learn::LearnError;
use tablero_learn::generations::{
    NewGeneration, ReplayBuffer, RunContext, Session, TaskStep, Trainee, WeightsFiles,
    open_or_create, run_generations,
};
use tablero_report::Report;

use crate::games::{SelfPlay, SelfPlayTask};
use crate::gate::{Gate, GateTask};
use crate::probcut::{ProbCutMeasurement, ProbCutTask};
use crate::regression::{PhaseRegression, by_phase, errors};
use crate::run::PatternRun;
use crate::samples::{GenerationGames, Sample};
use crate::weights_cache::read_weights;
use crate::{LearnConfig, Plan, report};

/// The job kind of a learning run.
pub const JOB_KIND: &str = "learn-othello-patterns";
/// File name of the best weights in a run's folder.
pub const BEST_WEIGHTS: &str = "best.weights";
const FILES: WeightsFiles = WeightsFiles("weights");
/// Games per task: some seconds of work.
const BATCH: u64 = 50;
/// Exact searches are compared up to this many empties more than the gating match solves.
const PROBCUT_EXTRA_EMPTIES: u32 = 6;
/// Minimum empties of positions for the ProbCut fit.
const MIN_PROBCUT_EMPTIES: u32 = 8;
/// Empties of the positions in a generation's mean error.
const MIDGAME_EMPTIES: std::ops::RangeInclusive<u32> = 12..=52;

/// The history of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LearningHistory {
    /// Generation of the best weights.
    pub best: Option<usize>,
    /// All generations.
    pub generations: Vec<GenerationStats>,
    /// Held-out errors of all generations, by phase.
    pub held_out: Vec<Vec<PhaseError>>,
    /// Seconds spent on the unfinished generation of a stopped run.
    #[serde(default)]
    pub unfinished: f64,
}

/// Opens the run in a folder, or creates it.
///
/// A resumed run keeps its configuration and seed: `seed`, if given, must be the same.
pub fn open_run(folder: &Path, config: &LearnConfig, seed: Option<u64>) -> Result<Job, LearnError> {
    config.check()?;
    Ok(open_or_create(folder, JOB_KIND, config, seed)?)
}

/// Runs or resumes a learning run until it is finished or stopped.
pub fn run_learning(
    job: Job,
    executor: &dyn Executor,
    stop: &CancellationToken,
    report: &mut dyn FnMut(&Progress),
) -> Result<LearningHistory, LearnError> {
    let config: LearnConfig = job.config()?;
    config.check()?;
    let run = PatternRun { config, folder: job.folder().to_owned() };
    let (history, window) = (LearningHistory::default(), ReplayBuffer::default());
    let mut trainee = PatternTrainee { run, history, window };
    // All work is in tasks, so no threads of its own.
    run_generations(
        job,
        &mut trainee,
        RunContext { executor, threads: 1, device: None, cancel: stop },
        report,
    )?;
    Ok(trainee.history)
}

/// The trainee.
struct PatternTrainee {
    run: PatternRun,
    history: LearningHistory,
    window: ReplayBuffer<Sample>,
}

/// The weights of a generation with their measurements.
struct Candidate {
    parameters: Parameters,
    /// Differences between shallow and deep searches with these weights.
    probcut_samples: Vec<ProbCutSample>,
    /// Results of the gating match.
    gate: Pentanomial,
    /// Held-out errors by phase.
    held_out: Vec<PhaseError>,
    /// Mean held-out error of the best weights so far.
    held_out_best: f64,
}

impl Trainee for PatternTrainee {
    fn files(&self) -> WeightsFiles {
        FILES
    }

    fn last_generation(&self) -> Option<usize> {
        self.run.config.generations
    }

    fn resume(&mut self, session: &Session<'_>) -> Result<(), LearnError> {
        self.history = session.history()?;
        Ok(())
    }

    fn finished(&self) -> usize {
        self.history.generations.len()
    }

    fn unfinished_seconds(&mut self) -> &mut f64 {
        &mut self.history.unfinished
    }

    fn run_generation(
        &mut self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<NewGeneration>, LearnError> {
        let plan = self.run.plan(generation)?;
        let best = self.best()?;
        let Some(games) = self.self_play(generation, &plan, session)? else { return Ok(None) };
        let Some(candidate) = self.candidate(generation, &best, session)? else {
            return Ok(None);
        };
        let probcut = best.probcut().fitted(&candidate.probcut_samples);
        let parameters = candidate.parameters.clone();
        let stats = self.record_generation(generation, &plan, games, candidate, session.seconds());
        let promoted = stats.accepted || self.history.best.is_none();
        if promoted {
            self.history.best = Some(generation);
        }
        let header = Header { provenance: self.provenance(session.header()), ..Header::default() };
        Ok(Some(NewGeneration {
            weights: Weights::new(parameters, probcut, header).to_bytes(),
            promoted,
            progress: Progress::default()
                .with_metric("held-out error", stats.held_out)
                .with_metric("score", stats.score),
            temporary_files: vec![
                self.run.fit_file(generation),
                self.run.candidate_file(generation),
            ],
        }))
    }

    fn history(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(&self.history)
    }

    fn report(&self, header: &tablero_jobs::Header) -> Report {
        report::report(header, &self.history)
    }
}

impl PatternTrainee {
    /// Plays the games of a generation into the replay window; returns their number, or none if
    /// stopped.
    fn self_play(
        &mut self,
        generation: usize,
        plan: &Plan,
        session: &mut Session<'_>,
    ) -> Result<Option<u64>, LearnError> {
        let (weights, seed) = (self.best_file(), session.seed(generation, 0));
        let task = |first| SelfPlayTask {
            weights: weights.clone(),
            config: plan.self_play,
            seed,
            first,
            count: BATCH.min(plan.games - first),
        };
        let tasks: Vec<SelfPlayTask> = (0..plan.games).step_by(BATCH as usize).map(task).collect();
        let step = TaskStep::games(generation, BATCH, plan.games);
        let mut games = GenerationGames::new(&self.run, generation)?;
        let is_done = session.run_tasks(step, &SelfPlay::default(), &tasks, |played| {
            played.iter().try_for_each(|game| games.add(game))
        })?;
        if !is_done {
            return Ok(None);
        }
        let (count, newest) = (games.games, games.samples);
        let first = generation.saturating_sub(plan.replay_generations).max(1);
        let run = &self.run;
        self.window
            .slide(first..generation + 1, newest, |older| GenerationGames::read(run, older))?;
        Ok(Some(count))
    }

    /// Trains on the replay window and measures the result; none if stopped.
    fn candidate(
        &self,
        generation: usize,
        best: &Weights,
        session: &mut Session<'_>,
    ) -> Result<Option<Candidate>, LearnError> {
        let held_out = by_phase(self.window.newest_held_out());
        let Some(parameters) = self.fit(generation, session)? else { return Ok(None) };
        let plain = Weights::new(parameters.clone(), best.probcut().clone(), Header::default());
        atomic_write(&self.run.candidate_file(generation), &plain.to_bytes())?;
        let probcut_samples = self.measure_probcut(generation, &held_out, session)?;
        let Some(probcut_samples) = probcut_samples else { return Ok(None) };
        let Some(gate) = self.gate(generation, session)? else { return Ok(None) };
        let errors_of = |weights: &Weights| errors(&held_out, |sample| evaluate(weights, sample));
        let held_out_best = midgame_error(&errors_of(best));
        let held_out = errors_of(&plain);
        Ok(Some(Candidate { parameters, probcut_samples, gate, held_out, held_out_best }))
    }

    fn fit(
        &self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<Parameters>, LearnError> {
        let work = PhaseRegression {
            samples: &by_phase(self.window.training()),
            cg_iterations: self.run.config.cg_iterations,
        };
        let tasks: Vec<usize> = (0..PHASES).collect();
        let mut phases = Vec::new();
        let step = TaskStep::new(generation, "fit", tasks.len());
        let is_done = session.run_tasks(step, &work, &tasks, |numbers| {
            phases.push(numbers);
            Ok(())
        })?;
        if !is_done {
            return Ok(None);
        }
        let parameters = Parameters::new(phases);
        Ok(Some(parameters.ok_or_else(|| LearnError::File {
            path: self.run.fit_file(generation),
            problem: "wrong number of weights".into(),
        })?))
    }

    fn measure_probcut(
        &self,
        generation: usize,
        held_out: &[Vec<Sample>],
        session: &mut Session<'_>,
    ) -> Result<Option<Vec<ProbCutSample>>, LearnError> {
        let weights = text(&self.run.candidate_file(generation));
        let task = |sample: &&Sample| ProbCutTask {
            weights: weights.clone(),
            depth: self.run.config.probcut_depth,
            exact_empties: self.run.config.gate_exact_empties + PROBCUT_EXTRA_EMPTIES,
            player: sample.player,
            opponent: sample.opponent,
        };
        let mut rng = Rng::seeded(session.seed(generation, 1));
        let samples = held_out.iter().flatten();
        let positions: Vec<&Sample> =
            samples.filter(|sample| sample.empties() >= MIN_PROBCUT_EMPTIES).collect();
        let tasks: Vec<ProbCutTask> = (0..self.run.config.probcut_positions)
            .filter_map(|_| rng.pick(&positions).map(task))
            .collect();
        let mut seen = Vec::new();
        let step = TaskStep::new(generation, "probcut", tasks.len());
        let is_done = session.run_tasks(step, &ProbCutMeasurement::default(), &tasks, |found| {
            seen.extend(found);
            Ok(())
        })?;
        Ok(is_done.then_some(seen))
    }

    fn gate(
        &self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<Pentanomial>, LearnError> {
        let (new, best) = (text(&self.run.candidate_file(generation)), self.best_file());
        let seed = session.seed(generation, 2);
        let task = |pair| GateTask {
            new: new.clone(),
            best: best.clone(),
            depth: self.run.config.gate_depth,
            exact_empties: self.run.config.gate_exact_empties,
            seed,
            pair,
        };
        let tasks: Vec<GateTask> = (0..self.run.config.gate_pairs).map(task).collect();
        let mut results = Pentanomial::default();
        let step = TaskStep::new(generation, "gate", tasks.len());
        let is_done = session.run_tasks(step, &Gate::default(), &tasks, |pair| {
            results.add(pair.half_points.min(4));
            Ok(())
        })?;
        Ok(is_done.then_some(results))
    }

    /// Adds a generation to the history.
    fn record_generation(
        &mut self,
        generation: usize,
        plan: &Plan,
        games: u64,
        candidate: Candidate,
        seconds: f64,
    ) -> GenerationStats {
        let gate = &candidate.gate;
        let stats = GenerationStats {
            generation,
            depth: plan.self_play.depth,
            exact_empties: plan.self_play.exact_empties,
            games,
            positions: self.window.training().len() as u64,
            held_out: midgame_error(&candidate.held_out),
            held_out_best: candidate.held_out_best,
            elo: gate.elo(),
            elo_error: gate.elo_error(),
            score: gate.score().unwrap_or(0.5),
            gate_games: 2 * gate.pairs(),
            accepted: gate.score().is_some_and(|score| score > 0.5),
            seconds,
        };
        self.history.generations.push(stats.clone());
        self.history.held_out.push(candidate.held_out);
        stats
    }

    /// The provenance of the newest generation.
    fn provenance(&self, header: &tablero_jobs::Header) -> Provenance {
        let generations = &self.history.generations;
        Provenance {
            command: self.run.config.command.clone(),
            seed: header.seed,
            version: header.version.clone(),
            generation: generations.len(),
            games: generations.iter().map(|stats| stats.games).sum(),
            positions: generations.last().map_or(0, |stats| stats.positions),
            seconds: generations.iter().map(|stats| stats.seconds).sum(),
            held_out: self.history.held_out.last().cloned().unwrap_or_default(),
            generations: generations.clone(),
        }
    }

    /// The path of the best weights so far.
    fn best_file(&self) -> Option<String> {
        self.history.best.map(|best| text(&FILES.generation(&self.run.folder, best)))
    }

    /// The best weights so far.
    fn best(&self) -> Result<Weights, LearnError> {
        let file = self.best_file();
        file.map_or_else(|| Ok(Weights::zero()), |file| read_weights(Path::new(&file)))
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn evaluate(weights: &Weights, sample: &Sample) -> f32 {
    let Sample { player, opponent, .. } = *sample;
    weights.evaluate(&Features::of(player, opponent), player, opponent) as f32 / DISC as f32
}

/// Mean error over [`MIDGAME_EMPTIES`].
fn midgame_error(errors: &[PhaseError]) -> f64 {
    let phases = || errors.iter().filter(|phase| MIDGAME_EMPTIES.contains(&phase.empties));
    let positions: u64 = phases().map(|phase| phase.positions).sum();
    let sum: f64 = phases().map(|phase| phase.mean * phase.positions as f64).sum();
    sum / (positions as f64).max(1.0)
}
