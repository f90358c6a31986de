//! A learning run, generation by generation, as a job.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tablero_arena::stats::Rating;
use tablero_arena::{Factory, FinishedGame, MatchConfig, Series, Watcher, run_match};
use tablero_core::Rng;
use tablero_jobs::{Ended, Executor, Job, JobError, Progress, Runner, Running, Stop, write_beside};
use tablero_nets::{Dims, Weights};
use tablero_train::Losses;

use crate::measure::{Met, name, rate};
use crate::{
    Fit, FitPlan, GamesTask, GamesWork, LearnConfig, LearnError, Learnable, Lessons, Source,
    Targets, report,
};

/// The kind of job that a learning run is.
pub const LEARN: &str = "learn";
/// The file of the network to use in a run's folder.
pub const BEST: &str = "best.safetensors";
const CHECKPOINT: &str = "learned";
/// Games in a task.
const BATCH: u64 = 4;
/// So often training is kept and told about.
const KEEP_EVERY: Duration = Duration::from_secs(30);
const TELL_EVERY: Duration = Duration::from_secs(1);
/// An anchor that was beaten so clearly tells nothing new.
const BEATEN: f64 = 0.97;
/// If more of the players without hope would have been wrong to resign, nobody resigns in the next
/// generation.
const MOST_WRONG: f64 = 0.05;

/// What a run has learned so far.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Learned {
    /// The generation to use; 0 is what the run began with.
    pub best: usize,
    /// All generations, the first one first.
    pub generations: Vec<GenerationPast>,
    /// Who met whom.
    pub meetings: Vec<Met>,
    /// Seconds that went into the generation that was under way when the run was stopped.
    #[serde(default)]
    pub unfinished: f64,
}

/// What became of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GenerationPast {
    /// Its number, from 1.
    pub generation: usize,
    /// Who played its games: `generation 3`, or the teacher's line.
    pub player: String,
    /// How many games.
    pub games: u64,
    /// Their mean length in plies.
    pub plies: f64,
    /// Which share of games the first side won, drew and lost.
    pub results: [f64; 3],
    /// Positions that came new.
    pub new_positions: u64,
    /// Positions that it could learn from.
    pub positions: u64,
    /// Steps of training.
    pub steps: u64,
    /// Losses in positions of games that were kept out.
    pub held_out: Loss,
    /// Games in which nobody could resign though one wanted, and how many of these were not lost.
    pub resign_checks: [u64; 2],
    /// The score against the best generation before; none if it was not measured.
    pub score: Option<f64>,
    /// The rating, the first anchor having 0; that of later generations may change it a little.
    pub elo: Option<f64>,
    /// The true rating is within so much in 95 of 100 cases.
    pub elo_error: Option<f64>,
    /// Whether it is used.
    pub accepted: bool,
    /// How long it took.
    pub seconds: f64,
}

/// Losses in numbers.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Loss {
    /// Mean square of the value's error.
    pub value: f64,
    /// Its mean size.
    pub value_error: f64,
    /// Cross-entropy of moves.
    pub moves: f64,
}

impl From<Losses> for Loss {
    fn from(losses: Losses) -> Self {
        Self { value: losses.value, value_error: losses.value_error, moves: losses.moves }
    }
}

/// The file of a generation's network in a run's folder.
pub fn generation_file(folder: &Path, generation: usize) -> PathBuf {
    folder.join(format!("generation-{generation}.safetensors"))
}

/// The run in a folder, or a new one there.
///
/// A run goes on as it was made: `seed`, if given, must be the run's own.
pub fn open_run<G: Learnable>(
    folder: &Path,
    config: &LearnConfig,
    seed: Option<u64>,
) -> Result<Job, LearnError> {
    const FIRST_SEED: u64 = 1;
    let Some(job) = Job::run_in(folder, LEARN, seed)? else {
        config.check::<G>().map_err(LearnError::Config)?;
        return Ok(Job::create_in(folder, LEARN, config, seed.unwrap_or(FIRST_SEED))?);
    };
    let found: LearnConfig = job.config()?;
    if found.game != G::NAME {
        return Err(JobError::other_run(folder, "game", found.game, G::NAME).into());
    }
    Ok(job)
}

/// Runs a learning run, or goes on with it, until it is finished or stopped. Players of the arena and
/// teachers come from `factory`, which must know `puct net=FILE`. What was learned so far is in the
/// run's folder and in the answer.
pub fn run_learning<G: Learnable>(
    job: Job,
    factory: &Factory<'_, G>,
    executor: &dyn Executor,
    threads: usize,
    stop: &Stop,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Learned, LearnError> {
    let config: LearnConfig = job.config()?;
    config.check::<G>().map_err(LearnError::Config)?;
    let job = job.run()?;
    let learned = job.job().checkpoint(CHECKPOINT)?.unwrap_or_default();
    let mut run =
        Run::<G> { config: &config, job: &job, factory, executor, threads, stop, tell, learned };
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

/// A run under way.
struct Run<'a, G: Learnable> {
    config: &'a LearnConfig,
    job: &'a Running,
    factory: &'a Factory<'a, G>,
    executor: &'a dyn Executor,
    threads: usize,
    stop: &'a Stop,
    tell: &'a mut dyn FnMut(&Progress),
    learned: Learned,
}

/// What is known about a generation's games.
#[derive(Default)]
struct Played {
    games: u64,
    plies: u64,
    results: [u64; 3],
    positions: u64,
    resign_checks: [u64; 2],
}

impl<G: Learnable> Run<'_, G> {
    /// Learns generation by generation. Whether it came to its end; it may also have been stopped.
    fn go_on(&mut self) -> Result<bool, LearnError> {
        self.begin()?;
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

    /// Writes the network to begin with.
    fn begin(&self) -> Result<(), LearnError> {
        let path = self.net_file(0);
        if path.exists() {
            return Ok(());
        }
        let dims = Dims::of::<G>();
        let weights = match &self.config.start {
            Some(file) => Weights::read(Path::new(file))?,
            None => Weights::random(self.config.net.parse()?, &dims, self.seed(0, 0))?,
        };
        weights.check(&dims)?;
        Ok(weights.write(&path)?)
    }

    /// One generation; none if it was stopped.
    fn generation(&mut self, generation: usize, begun: Instant) -> Result<Option<()>, LearnError> {
        let Some(played) = self.play(generation)? else { return Ok(None) };
        let (learning, held_out) = self.lessons(generation)?;
        let trained = self.train(generation, &played, &learning, &held_out)?;
        let Some((mut weights, losses, steps)) = trained else { return Ok(None) };
        weights.past = Weights::read(&self.net_file(generation - 1))?.past;
        weights.write(&self.net_file(generation))?;
        let Some(met) = self.measure(generation)? else { return Ok(None) };

        let score = met.iter().find(|met| met.players[1].starts_with("generation")).map(Met::score);
        self.learned.meetings.extend(met);
        let rating = self.rating(generation);
        let gate = self.config.measure.gate;
        let share = |count: u64| count as f64 / played.games.max(1) as f64;
        self.learned.generations.push(GenerationPast {
            generation,
            player: match self.config.teacher_of(generation) {
                Some(teacher) => teacher.line.clone(),
                None => name(self.learned.best),
            },
            games: played.games,
            plies: share(played.plies),
            results: played.results.map(share),
            new_positions: played.positions,
            positions: learning.len() as u64,
            steps,
            held_out: losses.into(),
            resign_checks: played.resign_checks,
            score,
            elo: rating.map(|rating| rating.elo),
            elo_error: rating.map(|rating| rating.error),
            accepted: gate.is_none_or(|gate| score.is_some_and(|score| score >= gate)),
            seconds: self.learned.unfinished + begun.elapsed().as_secs_f64(),
        });
        self.learned.unfinished = 0.0;
        self.keep(generation, weights)?;
        Ok(Some(()))
    }

    /// Keeps a generation's network with its past and tells about it. The checkpoint comes last: whatever
    /// happens before is done again.
    fn keep(&mut self, generation: usize, mut weights: Weights) -> Result<(), LearnError> {
        let past = self.learned.generations.last().expect("it was just added").clone();
        weights.past.push(self.past(&past));
        weights.write(&self.net_file(generation))?;
        if past.accepted {
            self.learned.best = generation;
            weights.write(&self.folder().join(BEST))?;
        }
        report::write(self.folder(), self.job.job().header(), self.config, &self.learned)?;
        self.job.save_checkpoint(CHECKPOINT, &self.learned)?;
        for old in [self.training_file(generation), self.state_file(generation.wrapping_sub(1))] {
            // They only save time after an interruption; if one stays, it is in nobody's way.
            let _ = fs::remove_file(old);
        }
        let total = self.config.generations.map(|n| n as u64);
        let mut progress = Progress::new(generation as u64, total)
            .message(format!("generation {generation} done"))
            .figure("generation", generation as f64)
            .figure("value loss", past.held_out.value)
            .figure("value error", past.held_out.value_error)
            .figure("policy loss", past.held_out.moves)
            .figure("games/h", 3600.0 * past.games as f64 / past.seconds.max(1e-9));
        for (what, value) in
            [("elo", past.elo), ("elo_error", past.elo_error), ("score", past.score)]
        {
            progress =
                value.into_iter().fold(progress, |progress, value| progress.figure(what, value));
        }
        self.report(&progress);
        Ok(())
    }

    /// A line for the network's past.
    fn past(&self, past: &GenerationPast) -> String {
        let header = self.job.job().header();
        let elo = past.elo.map_or_else(String::new, |elo| {
            let base =
                self.config.measure.anchors.first().map_or("the start", |line| line.as_str());
            format!(", {elo:+.0} Elo against {base} at {} simulations", self.config.measure.sims)
        });
        format!(
            "generation {} of `{}`, seed {}, version {}: {} games by {}, {} steps of {} positions{}{elo}",
            past.generation,
            self.config.command,
            header.seed,
            header.version,
            past.games,
            past.player,
            past.steps,
            self.config.pace.batch,
            self.config.pace.trainer.past(),
        )
    }

    fn play(&mut self, generation: usize) -> Result<Option<Played>, LearnError> {
        let (source, mut style, games, rating) = match self.config.teacher_of(generation) {
            Some(teacher) => {
                (Source::Teacher(teacher.line.clone()), teacher.style.clone(), teacher.games, None)
            }
            None => {
                let file = self.net_file(self.learned.best);
                let source = Source::Net(file.to_string_lossy().into_owned());
                let rating = self.rating(self.learned.best).map(|known| known.elo.round() as i32);
                (source, self.config.style.clone(), self.config.games, rating)
            }
        };
        if self.resigns_wrongly() {
            style.resign_at = 1.0;
        }
        let seed = self.seed(generation, 0);
        let task = |first: u64| GamesTask {
            game: G::NAME.into(),
            rules: self.config.rules.clone(),
            source: source.clone(),
            style: style.clone(),
            seed,
            first,
            count: BATCH.min(games - first),
            keep_times: false,
            rating,
        };
        let tasks: Vec<GamesTask> = (0..games).step_by(BATCH as usize).map(task).collect();
        let log = self.job.log(&format!("games-{generation}"))?;
        let before = log.len();
        let mut runner = Runner::new(self.executor, self.stop).with_log(log);
        let work = GamesWork::<G>::new(self.factory);
        let (mut played, begun) = (Played::default(), Instant::now());
        let (job, tell) = (self.job, &mut *self.tell);
        let ended = runner.run(&work, &tasks, |index, block| {
            played.add(&block);
            // What was done in an earlier run was told then.
            if index >= before {
                let new = (index + 1 - before) as f64 * BATCH as f64;
                let rate = 3600.0 * new / begun.elapsed().as_secs_f64().max(1e-9);
                let progress = Progress::new(played.games, Some(games))
                    .message(format!("generation {generation}: games"))
                    .figure("games/h", rate);
                // A lost report is no reason to lose the run.
                let _ = job.report(&progress);
                tell(&progress);
            }
            ControlFlow::Continue(())
        })?;
        Ok((ended == Ended::Done).then_some(played))
    }

    /// Whether too many of those who saw no hope in the last generation that was checked were wrong.
    fn resigns_wrongly(&self) -> bool {
        let checked = self.learned.generations.iter().rev().find(|past| past.resign_checks[0] > 0);
        checked.is_some_and(|past| {
            let [checks, wrong] = past.resign_checks.map(|count| count as f64);
            wrong / checks > MOST_WRONG
        })
    }

    /// Positions to learn from, and others to measure with.
    fn lessons(&self, generation: usize) -> Result<(Lessons<G>, Lessons<G>), LearnError> {
        let (mut learning, mut held_out) = (Lessons::default(), Lessons::default());
        for source in generation.saturating_sub(self.config.window).max(1)..=generation {
            let trust =
                self.config.teacher_of(source).map_or(self.config.trust, |teacher| teacher.trust);
            let targets = Targets { trust, surprise: self.config.surprise };
            let path = self.folder().join(format!("games-{source}.jsonl"));
            let mut number = 0u32;
            crate::read_games(&path, |game| {
                number += 1;
                let is_held_out = number.is_multiple_of(self.config.held_out);
                let side = if is_held_out { &mut held_out } else { &mut learning };
                let added = side.add(&game, &targets);
                added.map(drop).map_err(|problem| LearnError::File {
                    path: path.clone(),
                    problem: format!("game {number}: {problem}"),
                })
            })?;
        }
        Ok((learning, held_out))
    }

    /// Trains; gives the weights, the losses in what was held out, and the steps. None if it was stopped.
    fn train(
        &mut self,
        generation: usize,
        played: &Played,
        learning: &Lessons<G>,
        held_out: &Lessons<G>,
    ) -> Result<Option<(Weights, Losses, u64)>, LearnError> {
        let plan = self.fit_plan(generation, played);
        let steps = plan.steps;
        let mut fit = self.resume_fit(generation, plan, learning)?;
        let (mut kept, mut told) = (Instant::now(), Instant::now());
        let mut recent = Vec::new();
        while !fit.is_over() {
            if self.stop.is_requested() {
                self.keep_training(generation, &mut fit)?;
                return Ok(None);
            }
            recent.push(fit.step());
            if told.elapsed() >= TELL_EVERY || fit.is_over() {
                told = Instant::now();
                self.tell_training(generation, fit.done(), steps, &Losses::mean(&recent));
                recent.clear();
            }
            if kept.elapsed() >= KEEP_EVERY {
                kept = Instant::now();
                self.keep_training(generation, &mut fit)?;
            }
        }
        let losses = fit.measure(if held_out.is_empty() { learning } else { held_out });
        write_beside(&self.state_file(generation), &fit.state())?;
        Ok(Some((fit.weights(), losses, steps)))
    }

    fn fit_plan(&self, generation: usize, played: &Played) -> FitPlan {
        let pace = &self.config.pace;
        let ratio = self.config.teacher_of(generation).map_or(pace.ratio, |teacher| teacher.ratio);
        let steps = (ratio * played.positions as f64 / pace.batch as f64).ceil() as u64;
        FitPlan {
            rate: pace.rate,
            schedule: pace.schedule,
            steps: steps.max(1),
            batch: pace.batch,
            sgd: false,
            decay: pace.decay,
            in_turn: false,
            symmetries: pace.symmetries,
            seed: self.seed(generation, 1),
            trainer: pace.trainer,
        }
    }

    /// The training of a generation where it was interrupted, or from its beginning: what the generation
    /// before has learned, accepted or not.
    fn resume_fit<'l>(
        &self,
        generation: usize,
        plan: FitPlan,
        learning: &'l Lessons<G>,
    ) -> Result<Fit<'l, G>, LearnError> {
        if let Ok(bytes) = fs::read(self.training_file(generation))
            && let Some((done, state)) = bytes.split_first_chunk::<8>()
            && let Ok(mut fit) = Fit::after(learning, plan.clone(), state, self.threads)
        {
            fit.resume_at(u64::from_le_bytes(*done));
            return Ok(fit);
        }
        let before = generation - 1;
        if let Ok(state) = fs::read(self.state_file(before)) {
            return Ok(Fit::after(learning, plan, &state, self.threads)?);
        }
        let weights = Weights::read(&self.net_file(before))?;
        Ok(Fit::new(learning, plan, weights, self.threads)?)
    }

    fn keep_training(&self, generation: usize, fit: &mut Fit<'_, G>) -> Result<(), LearnError> {
        let mut bytes = fit.done().to_le_bytes().to_vec();
        bytes.extend(fit.state());
        Ok(write_beside(&self.training_file(generation), &bytes)?)
    }

    fn tell_training(&mut self, generation: usize, done: u64, steps: u64, losses: &Losses) {
        let progress = Progress::new(done, Some(steps))
            .message(format!("generation {generation}: training"))
            .figure("loss", losses.total())
            .figure("value loss", losses.value)
            .figure("value error", losses.value_error)
            .figure("policy loss", losses.moves);
        self.report(&progress);
    }

    /// Games against the best before and the anchors; none if it was stopped.
    fn measure(&mut self, generation: usize) -> Result<Option<Vec<Met>>, LearnError> {
        let measure = &self.config.measure;
        if measure.every == 0 || !generation.is_multiple_of(measure.every) {
            return Ok(Some(Vec::new()));
        }
        let own = self.player(generation);
        let best = self.learned.best;
        let mut meetings = vec![(name(best), self.player(best), measure.games)];
        for anchor in &measure.anchors {
            if !self.is_beaten(anchor) {
                meetings.push((anchor.clone(), anchor.clone(), measure.anchor_games));
            }
        }
        let mut all = Vec::new();
        for (number, (opponent, line, games)) in meetings.into_iter().enumerate() {
            if games == 0 {
                continue;
            }
            let config = MatchConfig {
                players: [own.clone(), line],
                series: Series {
                    games,
                    rules: Some(self.config.rules.clone()).filter(|rules| !rules.is_empty()),
                    ..Series::usual::<G>(self.seed(generation, 2 + number as u64))
                },
                sprt: None,
            };
            let log = self.job.log(&format!("match-{generation}-{number}"))?;
            let mut runner = Runner::new(self.executor, self.stop).with_log(log);
            let what = format!("generation {generation}: against {opponent}");
            let mut watcher = Reporter { job: self.job, tell: &mut *self.tell, what };
            let result = run_match::<G>(&config, self.factory, &mut runner, &mut watcher)?;
            if self.stop.is_requested() && result.summary.games < games as u64 {
                return Ok(None);
            }
            let summary = result.summary;
            all.push(Met {
                players: [name(generation), opponent],
                points: summary.wins as f64 + summary.draws as f64 / 2.0,
                games: summary.games as f64,
            });
        }
        Ok(Some(all))
    }

    /// Whether the generation before beat it so clearly that there is nothing to find out.
    fn is_beaten(&self, anchor: &str) -> bool {
        let last = self.learned.meetings.iter().rev().find(|met| met.players[1] == anchor);
        last.is_some_and(|met| met.score() >= BEATEN)
    }

    fn rating(&self, generation: usize) -> Option<Rating> {
        let zero = self.config.measure.anchors.first().cloned().unwrap_or_else(|| name(0));
        let rated = rate(&self.learned.meetings, &zero);
        rated.into_iter().find(|(known, _)| *known == name(generation)).map(|(_, rating)| rating)
    }

    /// The line of a generation in the arena.
    fn player(&self, generation: usize) -> String {
        let file = self.net_file(generation);
        let sims = self.config.measure.sims;
        format!("puct \"net={}\" sims={sims} root=gumbel", file.display())
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

    fn net_file(&self, generation: usize) -> PathBuf {
        generation_file(self.folder(), generation)
    }

    /// Where the optimiser's memory after a generation is kept for the next one.
    fn state_file(&self, generation: usize) -> PathBuf {
        self.folder().join(format!("state-{generation}.bin"))
    }

    /// Where a training under way is kept.
    fn training_file(&self, generation: usize) -> PathBuf {
        self.folder().join(format!("training-{generation}.bin"))
    }
}

impl Played {
    fn add(&mut self, block: &crate::Block) {
        for game in block.games() {
            self.games += 1;
            self.plies += game.moves.len() as u64;
            self.positions += game.notes.len() as u64;
            self.results[usize::from(game.margin <= 0) + usize::from(game.margin < 0)] += 1;
            if let Some(was_lost) = game.hopeless_was_lost {
                self.resign_checks[0] += 1;
                self.resign_checks[1] += u64::from(!was_lost);
            }
        }
    }
}

/// Tells progress of a match.
struct Reporter<'a> {
    job: &'a Running,
    tell: &'a mut dyn FnMut(&Progress),
    what: String,
}

impl<G: Learnable> Watcher<G> for Reporter<'_> {
    fn game(&mut self, _: &FinishedGame<G>) -> Result<(), String> {
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        let progress = Progress { message: self.what.clone(), ..progress.clone() };
        let _ = self.job.report(&progress);
        (self.tell)(&progress);
    }
}
