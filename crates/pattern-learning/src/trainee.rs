//! Pattern tables as what learns.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tablero_arena::stats::Pentanomial;
use tablero_champion::eval::{
    DISC, Features, GenerationPast, Header, Observation, PHASES, Parameters, Past, PhaseError,
    Weights,
};
use tablero_core::Rng;
use tablero_jobs::{Executor, Job, Progress, Stop, write_beside};
use tablero_learn::LearnError;
use tablero_learn::generations::{
    NewGeneration, Place, ReplayWindow, Session, TaskStep, Trainee, WeightsFiles, open_or_create,
    run_generations,
};
use tablero_report::Report;

use crate::games::{SelfPlay, SelfPlayTask};
use crate::gate::{Gate, GateTask};
use crate::measure::{Measure, MeasureTask};
use crate::regression::{Fit, by_phase, errors};
use crate::run::PatternRun;
use crate::samples::{GamesOf, Sample};
use crate::weights_cache::read_weights;
use crate::{LearnConfig, Plan, report};

/// The kind of job that a learning run is.
pub const LEARN: &str = "learn-othello-patterns";
/// The file of the best weights in a run's folder.
pub const BEST: &str = "best.weights";
const FILES: WeightsFiles = WeightsFiles("weights");
/// Games in a task: some seconds of work.
const BATCH: u64 = 50;
/// Shallow searches are compared with exact ones in positions with so many more empty squares than the
/// games of a match are exact in.
const EXACT_BEYOND: u32 = 6;
/// Shallow and deep searches are compared in positions with at least so many empty squares.
const LEAST_MEASURED: u32 = 8;
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
    config.check().map_err(LearnError::Config)?;
    Ok(open_or_create(folder, LEARN, config, seed)?)
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
    let run = PatternRun { config, folder: job.folder().to_owned() };
    let (learned, window) = (Learned::default(), ReplayWindow::default());
    let mut trainee = PatternTrainee { run, learned, window };
    // All work is tasks: threads of its own are not needed.
    run_generations(job, &mut trainee, Place { executor, threads: 1, stop }, tell)?;
    Ok(trainee.learned)
}

/// Pattern tables that learn.
struct PatternTrainee {
    run: PatternRun,
    learned: Learned,
    window: ReplayWindow<Sample>,
}

/// The weights of a generation, and how good they are.
struct Candidate {
    parameters: Parameters,
    /// What shallow searches say about deep ones with these weights.
    observations: Vec<Observation>,
    /// The match against the best before.
    gate: Pentanomial,
    /// Errors in games that were kept out of training.
    held_out: Vec<PhaseError>,
    /// The best before in the middle of these games.
    held_out_before: f64,
}

impl Trainee for PatternTrainee {
    fn files(&self) -> WeightsFiles {
        FILES
    }

    fn last_generation(&self) -> Option<usize> {
        self.run.config.generations
    }

    fn resume(&mut self, session: &Session<'_>) -> Result<(), LearnError> {
        self.learned = session.history()?;
        Ok(())
    }

    fn finished(&self) -> usize {
        self.learned.generations.len()
    }

    fn unfinished(&mut self) -> &mut f64 {
        &mut self.learned.unfinished
    }

    fn generation(
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
        let probcut = best.probcut().fitted(&candidate.observations);
        let parameters = candidate.parameters.clone();
        let past = self.conclude(generation, &plan, games, candidate, session.seconds());
        let promoted = past.accepted || self.learned.best.is_none();
        if promoted {
            self.learned.best = Some(generation);
        }
        let header = Header { past: self.provenance(session.header()), ..Header::default() };
        Ok(Some(NewGeneration {
            weights: Weights::new(parameters, probcut, header).to_bytes(),
            promoted,
            progress: Progress::default()
                .figure("held-out error", past.held_out)
                .figure("score", past.score),
            leftovers: vec![self.run.fit_file(generation), self.run.candidate_file(generation)],
        }))
    }

    fn history(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(&self.learned)
    }

    fn report(&self, header: &tablero_jobs::Header) -> Report {
        report::report(header, &self.learned)
    }
}

impl PatternTrainee {
    /// Plays the games of a generation, which join the replay window; gives their number, none if it was
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
            style: plan.style,
            seed,
            first,
            count: BATCH.min(plan.games - first),
        };
        let tasks: Vec<SelfPlayTask> = (0..plan.games).step_by(BATCH as usize).map(task).collect();
        let step = TaskStep::games(generation, BATCH, plan.games);
        let mut games = GamesOf::new(&self.run, generation)?;
        let is_done = session.run_tasks(step, &SelfPlay::default(), &tasks, |played| {
            played.iter().try_for_each(|game| games.add(game))
        })?;
        if !is_done {
            return Ok(None);
        }
        let (count, newest) = (games.games, games.samples);
        let first = generation.saturating_sub(plan.memory).max(1);
        let run = &self.run;
        self.window.slide(first..generation + 1, newest, |older| GamesOf::read(run, older))?;
        Ok(Some(count))
    }

    /// Learns from the replay window and finds out how good that is; none if it was stopped.
    fn candidate(
        &self,
        generation: usize,
        best: &Weights,
        session: &mut Session<'_>,
    ) -> Result<Option<Candidate>, LearnError> {
        let held_out = by_phase(self.window.newest_held_out());
        let Some(parameters) = self.fit(generation, session)? else { return Ok(None) };
        let plain = Weights::new(parameters.clone(), best.probcut().clone(), Header::default());
        write_beside(&self.run.candidate_file(generation), &plain.to_bytes())?;
        let observations = self.measure(generation, &held_out, session)?;
        let Some(observations) = observations else { return Ok(None) };
        let Some(gate) = self.gate(generation, session)? else { return Ok(None) };
        let errors_of = |weights: &Weights| errors(&held_out, |sample| evaluate(weights, sample));
        let held_out_before = middle_game(&errors_of(best));
        let held_out = errors_of(&plain);
        Ok(Some(Candidate { parameters, observations, gate, held_out, held_out_before }))
    }

    fn fit(
        &self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<Parameters>, LearnError> {
        let work =
            Fit { samples: &by_phase(self.window.training()), rounds: self.run.config.rounds };
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
            problem: "it has too few or too many numbers".into(),
        })?))
    }

    fn measure(
        &self,
        generation: usize,
        held_out: &[Vec<Sample>],
        session: &mut Session<'_>,
    ) -> Result<Option<Vec<Observation>>, LearnError> {
        let weights = text(&self.run.candidate_file(generation));
        let task = |sample: &&Sample| MeasureTask {
            weights: weights.clone(),
            depth: self.run.config.measured_depth,
            exact: self.run.config.gate_exact + EXACT_BEYOND,
            player: sample.player,
            opponent: sample.opponent,
        };
        let mut rng = Rng::seeded(session.seed(generation, 1));
        let samples = held_out.iter().flatten();
        let positions: Vec<&Sample> =
            samples.filter(|sample| sample.empties() >= LEAST_MEASURED).collect();
        let tasks: Vec<MeasureTask> =
            (0..self.run.config.measured).filter_map(|_| rng.pick(&positions).map(task)).collect();
        let mut seen = Vec::new();
        let step = TaskStep::new(generation, "measure", tasks.len());
        let is_done = session.run_tasks(step, &Measure::default(), &tasks, |found| {
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
            exact: self.run.config.gate_exact,
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

    /// A generation joins the history.
    fn conclude(
        &mut self,
        generation: usize,
        plan: &Plan,
        games: u64,
        candidate: Candidate,
        seconds: f64,
    ) -> GenerationPast {
        let gate = &candidate.gate;
        let past = GenerationPast {
            generation,
            depth: plan.style.depth,
            exact: plan.style.exact,
            games,
            positions: self.window.training().len() as u64,
            held_out: middle_game(&candidate.held_out),
            held_out_before: candidate.held_out_before,
            elo: gate.elo(),
            elo_error: gate.elo_error(),
            score: gate.score().unwrap_or(0.5),
            gate_games: 2 * gate.pairs(),
            accepted: gate.score().is_some_and(|score| score > 0.5),
            seconds,
        };
        self.learned.generations.push(past.clone());
        self.learned.held_out.push(candidate.held_out);
        past
    }

    /// Where the newest generation comes from.
    fn provenance(&self, header: &tablero_jobs::Header) -> Past {
        let generations = &self.learned.generations;
        Past {
            command: self.run.config.command.clone(),
            seed: header.seed,
            version: header.version.clone(),
            generation: generations.len(),
            games: generations.iter().map(|past| past.games).sum(),
            positions: generations.last().map_or(0, |past| past.positions),
            seconds: generations.iter().map(|past| past.seconds).sum(),
            held_out: self.learned.held_out.last().cloned().unwrap_or_default(),
            generations: generations.clone(),
        }
    }

    /// The file of the best weights so far.
    fn best_file(&self) -> Option<String> {
        self.learned.best.map(|best| text(&FILES.generation(&self.run.folder, best)))
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

/// The mean error over the positions of the middle game.
fn middle_game(errors: &[PhaseError]) -> f64 {
    let phases = || errors.iter().filter(|phase| MIDDLE_GAME.contains(&phase.empties));
    let positions: u64 = phases().map(|phase| phase.positions).sum();
    let sum: f64 = phases().map(|phase| phase.mean * phase.positions as f64).sum();
    sum / (positions as f64).max(1.0)
}
