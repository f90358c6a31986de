//! What depends on the game's type: playing, encoding, training on batches, matches.

use std::fs;
use std::time::{Duration, Instant};
use tablero_core::AnyGame;

use serde_json::Value;
use tablero_arena::{Factory, FinishedGame, Series, Watcher, run_match};
use tablero_jobs::{Header, Progress, write_beside};
use tablero_nets::train::Losses;
use tablero_nets::{Dims, Weights};
use tablero_report::Report;

use super::FILES;
use super::run::{BATCH, NetworkRun, Played, Trained, figures};
use crate::generations::{
    GenerationSamples, NewGeneration, ReplayWindow, Session, TaskStep, Trainee, WeightsFiles,
};
use crate::measure::name;
use crate::{
    Fit, FitPlan, GameData, GamesWork, LearnError, Learnable, Learned, Lesson, Met, read_games,
    report,
};

/// So often training is kept and told about.
const KEEP_EVERY: Duration = Duration::from_secs(30);
const TELL_EVERY: Duration = Duration::from_secs(1);

/// A network of one game that learns.
pub(super) struct NetworkTrainee<'a, G: Learnable> {
    run: NetworkRun,
    factory: Factory<'a>,
    /// Plays the games to learn from.
    games: &'a GamesWork<'a>,
    window: ReplayWindow<Lesson<G>>,
}

impl<'a, G: Learnable> NetworkTrainee<'a, G> {
    pub(super) fn new(run: NetworkRun, factory: Factory<'a>, games: &'a GamesWork<'a>) -> Self {
        Self { run, factory, games, window: ReplayWindow::default() }
    }

    pub(super) fn into_learned(self) -> Learned {
        self.run.learned
    }

    /// Plays the games of a generation, which join the replay window; none if it was stopped.
    fn self_play(
        &mut self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<Played>, LearnError> {
        let (tasks, games) = self.run.self_play(generation, session.seed(generation, 0));
        let work = self.games;
        let (mut played, mut samples) = (Played::default(), Samples::new(&self.run, generation));
        let step = TaskStep::games(generation, BATCH, games);
        let is_done = session.run_tasks(step, work, &tasks, |block| {
            played.add(&block);
            block.games().iter().try_for_each(|game| samples.add(game))
        })?;
        if !is_done {
            return Ok(None);
        }
        let (run, newest) = (&self.run, samples.samples);
        let first = generation.saturating_sub(run.config.window).max(1);
        self.window.slide(first..generation + 1, newest, |older| Samples::read(run, older))?;
        Ok(Some(played))
    }

    /// Trains on the replay window; none if it was stopped.
    fn train(
        &self,
        generation: usize,
        played: &Played,
        session: &mut Session<'_>,
    ) -> Result<Option<Trained>, LearnError> {
        let plan = self.run.fit_plan(generation, played.positions, session.seed(generation, 1));
        let steps = plan.steps;
        let mut fit = self.resume_fit(generation, plan, session.threads())?;
        let (mut kept, mut told) = (Instant::now(), Instant::now());
        let mut recent = Vec::new();
        while !fit.is_over() {
            if session.is_stopped() {
                self.keep_training(generation, &mut fit)?;
                return Ok(None);
            }
            recent.push(fit.step());
            if told.elapsed() >= TELL_EVERY || fit.is_over() {
                told = Instant::now();
                session.report(&training(generation, fit.done(), steps, &Losses::mean(&recent)));
                recent.clear();
            }
            if kept.elapsed() >= KEEP_EVERY {
                kept = Instant::now();
                self.keep_training(generation, &mut fit)?;
            }
        }
        let (training, held_out) = (self.window.training(), self.window.held_out());
        let held_out = fit.measure(if held_out.is_empty() { training } else { held_out }).into();
        write_beside(&self.run.state_file(generation), &fit.state())?;
        let positions = training.len() as u64;
        Ok(Some(Trained { weights: fit.weights(), held_out, positions, steps }))
    }

    /// The training of a generation where it was interrupted, or from its beginning: what the generation
    /// before has learned, accepted or not.
    fn resume_fit(
        &self,
        generation: usize,
        plan: FitPlan,
        threads: usize,
    ) -> Result<Fit<'_, G>, LearnError> {
        let (run, lessons) = (&self.run, self.window.training());
        if let Ok(bytes) = fs::read(run.training_file(generation))
            && let Some((done, state)) = bytes.split_first_chunk::<8>()
            && let Ok(mut fit) = Fit::after(lessons, plan.clone(), state, threads)
        {
            fit.resume_at(u64::from_le_bytes(*done));
            return Ok(fit);
        }
        let before = generation - 1;
        if let Ok(state) = fs::read(run.state_file(before)) {
            return Ok(Fit::after(lessons, plan, &state, threads)?);
        }
        let weights = Weights::read(&run.net_file(before))?;
        Ok(Fit::new(lessons, plan, weights, threads)?)
    }

    fn keep_training(&self, generation: usize, fit: &mut Fit<'_, G>) -> Result<(), LearnError> {
        let mut bytes = fit.done().to_le_bytes().to_vec();
        bytes.extend(fit.state());
        Ok(write_beside(&self.run.training_file(generation), &bytes)?)
    }

    /// Games against the best before and the anchors; none if it was stopped.
    fn evaluate(
        &self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<Vec<Met>>, LearnError> {
        let mut all = Vec::new();
        for evaluation in self
            .run
            .evaluations(generation, session, |seed| Series::usual(AnyGame::of::<G>(), seed))
        {
            let games = evaluation.config.series.games as u64;
            let mut runner = session.runner(session.job().log(&evaluation.log)?);
            let what = format!("generation {generation}: against {}", evaluation.opponent);
            let mut watcher = Reporter { session, what };
            let result = run_match(&evaluation.config, self.factory, &mut runner, &mut watcher)?;
            let summary = result.summary;
            if session.is_stopped() && summary.games < games {
                return Ok(None);
            }
            all.push(Met {
                players: [name(generation), evaluation.opponent],
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
        self.run.learned = session.history()?;
        self.run.begin(&Dims::of::<G>(), session)
    }

    fn finished(&self) -> usize {
        self.run.learned.generations.len()
    }

    fn unfinished(&mut self) -> &mut f64 {
        &mut self.run.learned.unfinished
    }

    fn generation(
        &mut self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<NewGeneration>, LearnError> {
        let Some(played) = self.self_play(generation, session)? else { return Ok(None) };
        let trained = self.train(generation, &played, session)?;
        let Some(mut trained) = trained else { return Ok(None) };
        trained.weights.past = Weights::read(&self.run.net_file(generation - 1))?.past;
        // Players of the arena read it.
        trained.weights.write(&self.run.net_file(generation))?;
        let Some(met) = self.evaluate(generation, session)? else { return Ok(None) };

        let past = self.run.conclude(generation, &played, &trained, met, session.seconds());
        let mut weights = trained.weights;
        weights.past.push(self.run.provenance(&past, session.header()));
        Ok(Some(NewGeneration {
            weights: weights.to_bytes(),
            promoted: past.accepted,
            progress: figures(&past),
            leftovers: vec![
                self.run.training_file(generation),
                self.run.state_file(generation - 1),
            ],
        }))
    }

    fn history(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(&self.run.learned)
    }

    fn report(&self, header: &Header) -> Report {
        report::report(header, &self.run.config, &self.run.learned)
    }
}

/// The samples of a generation, as its games come.
struct Samples<'a, G> {
    run: &'a NetworkRun,
    generation: usize,
    games: u32,
    samples: GenerationSamples<Lesson<G>>,
}

impl<'a, G: Learnable> Samples<'a, G> {
    fn new(run: &'a NetworkRun, generation: usize) -> Self {
        Self { run, generation, games: 0, samples: GenerationSamples::default() }
    }

    /// Those of a generation whose games are in a file.
    fn read(
        run: &'a NetworkRun,
        generation: usize,
    ) -> Result<GenerationSamples<Lesson<G>>, LearnError> {
        let mut samples = Self::new(run, generation);
        read_games(&run.games_file(generation), |game| samples.add(&game))?;
        Ok(samples.samples)
    }

    fn add(&mut self, game: &GameData) -> Result<(), LearnError> {
        let lessons = Lesson::of_game(game, &self.run.targets(self.generation), self.games);
        self.games += 1;
        let lessons = lessons.map_err(|problem| LearnError::File {
            path: self.run.games_file(self.generation),
            problem: format!("game {}: {problem}", self.games),
        })?;
        self.samples.add(lessons, self.games.is_multiple_of(self.run.config.held_out));
        Ok(())
    }
}

fn training(generation: usize, done: u64, steps: u64, losses: &Losses) -> Progress {
    Progress::new(done, Some(steps))
        .message(format!("generation {generation}: training"))
        .figure("loss", losses.total())
        .figure("value loss", losses.value)
        .figure("value error", losses.value_error)
        .figure("policy loss", losses.moves)
}

/// Tells progress of a match.
struct Reporter<'a, 'b> {
    session: &'a mut Session<'b>,
    what: String,
}

impl Watcher for Reporter<'_, '_> {
    fn game(&mut self, _: &FinishedGame) -> Result<(), String> {
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.session.report(&Progress { message: self.what.clone(), ..progress.clone() });
    }
}
