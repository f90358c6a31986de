//! The part of a network run that depends on the game's type: self-play, encoding, training, matches.

use std::fs;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};
use tablero_core::AnyGame;

use serde_json::Value;
use tablero_arena::{Factory, FinishedGame, MatchSettings, Watcher, run_match};
use tablero_jobs::{CancellationToken, Header, Progress, atomic_write};
use tablero_nets::train::Losses;
use tablero_nets::{EncodingSpec, Weights};
use tablero_report::Report;

use super::FILES;
use super::run::{GAMES_PER_TASK, NetworkRun, SelfPlayStats, TrainingResult, metrics};
use crate::generations::{
    GenerationSamples, NewGeneration, ReplayBuffer, Session, TaskStep, Trainee, WeightsFiles,
};
use crate::ratings::generation_name;
use crate::{
    GameData, LabeledPosition, LearnError, Learnable, LearningHistory, Loss, MatchScore,
    SelfPlayWork, TrainingPlan, TrainingRun, read_games, report,
};

/// Intervals at which training is saved and reported.
const SAVE_INTERVAL: Duration = Duration::from_secs(30);
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// The least number of training positions whose losses are compared with those of held-out ones.
const MIN_SAMPLE: usize = 512;

/// A network that learns a game.
pub(super) struct NetworkTrainee<'a, G: Learnable> {
    run: NetworkRun,
    factory: Factory<'a>,
    /// The self-play worker.
    games: &'a SelfPlayWork<'a>,
    replay_buffer: ReplayBuffer<LabeledPosition<G>>,
}

impl<'a, G: Learnable> NetworkTrainee<'a, G> {
    pub(super) fn new(run: NetworkRun, factory: Factory<'a>, games: &'a SelfPlayWork<'a>) -> Self {
        Self { run, factory, games, replay_buffer: ReplayBuffer::default() }
    }

    pub(super) fn into_history(self) -> LearningHistory {
        self.run.history
    }

    /// Plays the games of a generation and adds them to the replay buffer; none if cancelled.
    fn self_play(
        &mut self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<SelfPlayStats>, LearnError> {
        let (tasks, games) = self.run.self_play_tasks(generation, session.seed(generation, 0));
        let work = self.games;
        let (mut played, mut samples) =
            (SelfPlayStats::default(), Samples::new(&self.run, generation));
        let step = TaskStep::games(generation, GAMES_PER_TASK, games);
        let is_done = session.run_tasks(step, work, &tasks, |block| {
            played.add(&block);
            block.games().iter().try_for_each(|game| samples.add(game))
        })?;
        if !is_done {
            return Ok(None);
        }
        let (run, newest) = (&self.run, samples.samples);
        let first = generation.saturating_sub(run.config.replay_generations).max(1);
        self.replay_buffer
            .slide(first..generation + 1, newest, |older| Samples::read(run, older))?;
        Ok(Some(played))
    }

    /// Trains while the best network so far plays games of the next generation, which are logged: whatever is
    /// missing when training is done, the new network plays.
    fn train_while_playing(
        &self,
        generation: usize,
        played: &SelfPlayStats,
        session: &mut Session<'_>,
    ) -> Result<Option<TrainingResult>, LearnError> {
        let (work, next) = (self.games, generation + 1);
        let (tasks, games) = self.run.self_play_tasks(next, session.seed(next, 0));
        let log = session.log(TaskStep::games(next, GAMES_PER_TASK, games))?;
        let trained = CancellationToken::default();
        let mut runner = session.runner_until(log, &trained);
        thread::scope(|scope| {
            let games = scope.spawn(|| runner.run(work, &tasks, |_, _| ControlFlow::Continue(())));
            let result = self.train(generation, played, session);
            trained.cancel();
            games.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            result
        })
    }

    /// Trains on the replay buffer; none if cancelled.
    fn train(
        &self,
        generation: usize,
        played: &SelfPlayStats,
        session: &mut Session<'_>,
    ) -> Result<Option<TrainingResult>, LearnError> {
        let plan = self.run.training_plan(generation, played.positions, session);
        let steps = plan.steps;
        let mut run = self.resume_training(generation, plan, session.threads())?;
        let (mut saved, mut reported) = (Instant::now(), Instant::now());
        let mut recent = Vec::new();
        while !run.is_finished() {
            if session.is_cancelled() {
                self.save_training(generation, &mut run)?;
                return Ok(None);
            }
            recent.push(run.step());
            if reported.elapsed() >= REPORT_INTERVAL || run.is_finished() {
                reported = Instant::now();
                session.report(&training(
                    generation,
                    run.steps_done(),
                    steps,
                    &Losses::mean(&recent),
                ));
                recent.clear();
            }
            if saved.elapsed() >= SAVE_INTERVAL {
                saved = Instant::now();
                self.save_training(generation, &mut run)?;
            }
        }
        let (positions, held_out) = (self.replay_buffer.training(), self.replay_buffer.held_out());
        // As many as are held out, of all generations alike.
        let stride = positions.len() / held_out.len().max(MIN_SAMPLE).min(positions.len().max(1));
        let training: Loss = run.evaluate(positions.iter().step_by(stride.max(1))).into();
        let held_out = match held_out.is_empty() {
            true => training,
            false => run.evaluate(held_out).into(),
        };
        atomic_write(&self.run.state_file(generation), &run.state())?;
        let (weights, positions) = (run.weights(), positions.len() as u64);
        Ok(Some(TrainingResult { weights, held_out, training, positions, steps }))
    }

    /// Resumes the interrupted training of a generation, or starts it from the previous generation, promoted or
    /// not.
    fn resume_training(
        &self,
        generation: usize,
        plan: TrainingPlan,
        threads: usize,
    ) -> Result<TrainingRun<'_, G>, LearnError> {
        let (run, positions) = (&self.run, self.replay_buffer.training());
        if let Ok(bytes) = fs::read(run.training_file(generation))
            && let Some((done, state)) = bytes.split_first_chunk::<8>()
            && let Ok(mut training) =
                TrainingRun::from_state(positions, plan.clone(), state, threads)
        {
            training.resume_at(u64::from_le_bytes(*done));
            return Ok(training);
        }
        let before = generation - 1;
        if let Ok(state) = fs::read(run.state_file(before)) {
            return TrainingRun::from_state(positions, plan, &state, threads);
        }
        let weights = Weights::read(&run.net_file(before))?;
        TrainingRun::new(positions, plan, weights, threads)
    }

    fn save_training(
        &self,
        generation: usize,
        run: &mut TrainingRun<'_, G>,
    ) -> Result<(), LearnError> {
        let mut bytes = run.steps_done().to_le_bytes().to_vec();
        bytes.extend(run.state());
        Ok(atomic_write(&self.run.training_file(generation), &bytes)?)
    }

    /// Plays the evaluation matches; none if cancelled.
    fn evaluate(
        &self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<Vec<MatchScore>>, LearnError> {
        let mut all = Vec::new();
        for evaluation in self.run.evaluation_matches(generation, session, |seed| {
            MatchSettings::default_for(AnyGame::of::<G>(), seed)
        }) {
            let games = evaluation.config.settings.games as u64;
            let mut runner = session.runner(session.job().log(&evaluation.log)?);
            let what = format!("generation {generation}: against {}", evaluation.opponent);
            let mut watcher = Reporter { session, generation, what };
            let result = run_match(&evaluation.config, self.factory, &mut runner, &mut watcher)?;
            let summary = result.summary;
            if session.is_cancelled() && summary.games < games {
                return Ok(None);
            }
            all.push(MatchScore {
                players: [generation_name(generation), evaluation.opponent],
                points: summary.wins as f64 + summary.draws as f64 / 2.0,
                games: summary.games as f64,
            });
        }
        Ok(Some(all))
    }
}

impl<G: Learnable> Trainee for NetworkTrainee<'_, G> {
    fn files(&self) -> WeightsFiles {
        FILES
    }

    fn last_generation(&self) -> Option<usize> {
        self.run.config.generations
    }

    fn resume(&mut self, session: &Session<'_>) -> Result<(), LearnError> {
        self.run.history = session.history()?;
        self.run.write_initial_weights(&EncodingSpec::of::<G>(), session)
    }

    fn finished(&self) -> usize {
        self.run.history.generations.len()
    }

    fn unfinished_seconds(&mut self) -> &mut f64 {
        &mut self.run.history.unfinished_seconds
    }

    fn run_generation(
        &mut self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<NewGeneration>, LearnError> {
        let Some(played) = self.self_play(generation, session)? else { return Ok(None) };
        let is_last = self.last_generation() == Some(generation);
        let trained = match self.run.config.asynchronous && !is_last {
            true => self.train_while_playing(generation, &played, session)?,
            false => self.train(generation, &played, session)?,
        };
        let Some(mut trained) = trained else { return Ok(None) };
        trained.weights.provenance = Weights::read(&self.run.net_file(generation - 1))?.provenance;
        // The players of evaluation matches read it.
        trained.weights.write(&self.run.net_file(generation))?;
        let Some(scores) = self.evaluate(generation, session)? else { return Ok(None) };

        let stats =
            self.run.record_generation(generation, &played, &trained, scores, session.seconds());
        let mut weights = trained.weights;
        let (header, device) = (session.header(), session.device());
        weights.provenance.push(self.run.provenance(&stats, header, device));
        Ok(Some(NewGeneration {
            weights: weights.to_bytes(),
            promoted: stats.promoted,
            progress: metrics(&stats),
            temporary_files: vec![
                self.run.training_file(generation),
                self.run.state_file(generation - 1),
            ],
        }))
    }

    fn history(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(&self.run.history)
    }

    fn report(&self, header: &Header) -> Report {
        report::report(header, &self.run.config, &self.run.history)
    }
}

/// Collects the samples of a generation.
struct Samples<'a, G> {
    run: &'a NetworkRun,
    generation: usize,
    games: u32,
    samples: GenerationSamples<LabeledPosition<G>>,
}

impl<'a, G: Learnable> Samples<'a, G> {
    fn new(run: &'a NetworkRun, generation: usize) -> Self {
        Self { run, generation, games: 0, samples: GenerationSamples::default() }
    }

    /// Reads the games of an earlier generation.
    fn read(
        run: &'a NetworkRun,
        generation: usize,
    ) -> Result<GenerationSamples<LabeledPosition<G>>, LearnError> {
        let mut samples = Self::new(run, generation);
        read_games(&run.games_file(generation), |game| samples.add(&game))?;
        Ok(samples.samples)
    }

    fn add(&mut self, game: &GameData) -> Result<(), LearnError> {
        let positions =
            LabeledPosition::of_game(game, &self.run.targets(self.generation), self.games);
        self.games += 1;
        let positions = positions.map_err(|problem| LearnError::File {
            path: self.run.games_file(self.generation),
            problem: format!("game {}: {problem}", self.games),
        })?;
        self.samples.add(positions, self.games.is_multiple_of(self.run.config.holdout_every));
        Ok(())
    }
}

fn training(generation: usize, done: u64, steps: u64, losses: &Losses) -> Progress {
    Progress::new(done, Some(steps))
        .with_message(format!("generation {generation}: training"))
        .with_stage("training", generation as u64)
        .with_metric("loss", losses.total())
        .with_metric("value loss", losses.value)
        .with_metric("value error", losses.value_error)
        .with_metric("policy loss", losses.policy)
}

/// Reports the progress of a match.
struct Reporter<'a, 'b> {
    session: &'a mut Session<'b>,
    generation: usize,
    what: String,
}

impl Watcher for Reporter<'_, '_> {
    fn game(&mut self, _: &FinishedGame) -> Result<(), String> {
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        let progress = progress.clone().with_message(self.what.clone());
        self.session.report(&progress.with_stage("evaluation", self.generation as u64));
    }
}
