//! Evolutions as jobs: a checkpoint after each generation, so that a resumed evolution has the same result.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use tablero_genomes::{GenomeKind, Genomes, Provenance};
use tablero_jobs::{CancellationToken, Executor, Job, Log, Progress, RunningJob};

use crate::fitness::FitnessEvaluator;
use crate::schemes::{self, Scheme};
use crate::{
    EvolutionConfig, EvolutionGame, EvolveError, GamesFile, Generation, ResultPredictor,
    write_genomes,
};

/// The name of the log with one [`Generation`] per line.
pub const GENERATIONS: &str = "generations";

const CHECKPOINT: &str = "evolution";

/// The state of an evolution after a generation.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// Generations completed by this job.
    done: u64,
    games: u64,
    nodes: u64,
    seconds: f64,
    /// The state of the scheme.
    state: serde_json::Value,
}

/// Runs or resumes the evolution of a job; none if it was cancelled.
pub fn run_evolution_job(
    job: Job,
    game: &dyn EvolutionGame,
    executor: &dyn Executor,
    token: &CancellationToken,
    report: &mut dyn FnMut(&Progress),
) -> Result<Option<Genomes>, EvolveError> {
    let config: EvolutionConfig = job.config()?;
    let job = job.run()?;
    let evolved = Run::evolve(&job, &config, game, executor, token, report);
    match &evolved {
        Ok(genomes) => job.finish(genomes)?,
        Err(EvolveError::Cancelled) => job.stop("cancelled")?,
        Err(error) => job.fail(&error.to_string())?,
    }
    match evolved {
        Ok(genomes) => Ok(Some(genomes)),
        Err(EvolveError::Cancelled) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An evolution in progress.
struct Run<'a> {
    job: &'a RunningJob,
    config: &'a EvolutionConfig,
    scheme: Box<dyn Scheme>,
    log: Log,
    checkpoint: Checkpoint,
}

impl<'a> Run<'a> {
    fn evolve(
        job: &'a RunningJob,
        config: &'a EvolutionConfig,
        game: &dyn EvolutionGame,
        executor: &dyn Executor,
        token: &CancellationToken,
        report: &mut dyn FnMut(&Progress),
    ) -> Result<Genomes, EvolveError> {
        let kind = config.kind(game)?;
        let seed = job.job().header().seed;
        let saved: Option<Checkpoint> = job.job().checkpoint(CHECKPOINT)?;
        let state = saved.as_ref().map(|checkpoint| checkpoint.state.clone());
        let scheme = schemes::start(config, &*kind, seed, state)?;
        let null = serde_json::Value::Null;
        let new = Checkpoint { done: 0, games: 0, nodes: 0, seconds: 0.0, state: null };
        let log = job.log(GENERATIONS)?;
        let games = config.games.as_ref();
        let predictor = games.map(|games| predictor(games, game, config)).transpose()?;
        let predictor = predictor.as_deref();
        let mut run = Self { job, config, scheme, log, checkpoint: saved.unwrap_or(new) };
        let total = config.generations;
        while run.checkpoint.done < total {
            let (done, start) = (run.checkpoint.done, Instant::now());
            let mut on_progress = |finished: usize, count: usize| {
                if finished.is_multiple_of(16) {
                    let message = format!("generation {}: {finished} of {count}", done + 1);
                    report(&Progress::new(done, Some(total)).with_message(message));
                }
            };
            let mut evaluator = FitnessEvaluator::new(
                config,
                game,
                &*kind,
                executor,
                token,
                predictor,
                &mut on_progress,
            );
            let mut generation = run.scheme.step(&mut evaluator)?;
            (generation.games, generation.nodes) = (evaluator.games, evaluator.nodes);
            generation.seconds = start.elapsed().as_secs_f64();
            run.checkpoint(&*kind, &generation)?;
            let progress = run.progress(&generation);
            job.report(&progress)?;
            report(&progress);
        }
        let mut on_progress = |finished: usize, count: usize| {
            let message = format!("playoff: {finished} of {count}");
            report(&Progress::new(total, Some(total)).with_message(message));
        };
        let mut evaluator = FitnessEvaluator::new(
            config,
            game,
            &*kind,
            executor,
            token,
            predictor,
            &mut on_progress,
        );
        run.scheme.finish(&mut evaluator)?;
        let genomes = run.genomes(&*kind);
        run.write(&genomes)?;
        Ok(genomes)
    }

    /// Saves a generation: to the log, unless a process killed before its checkpoint already did; as a
    /// checkpoint; and to the genome file.
    fn checkpoint(
        &mut self,
        kind: &dyn GenomeKind,
        generation: &Generation,
    ) -> Result<(), EvolveError> {
        if self.log.len() as u64 <= self.checkpoint.done {
            self.log.append(generation)?;
        }
        self.checkpoint.done += 1;
        self.checkpoint.games += generation.games;
        self.checkpoint.nodes += generation.nodes;
        self.checkpoint.seconds += generation.seconds;
        self.checkpoint.state = self.scheme.state();
        self.job.save_checkpoint(CHECKPOINT, &self.checkpoint)?;
        self.write(&self.genomes(kind))
    }

    fn write(&self, genomes: &Genomes) -> Result<(), EvolveError> {
        self.config.out.as_ref().map_or(Ok(()), |path| write_genomes(path, genomes))
    }

    fn genomes(&self, kind: &dyn GenomeKind) -> Genomes {
        let before = self.config.initial.as_ref().map(|genomes| &genomes.provenance);
        let header = self.job.job().header();
        let provenance = Provenance {
            command: self.config.command.clone(),
            seed: Some(header.seed),
            version: header.version.clone(),
            generations: self.checkpoint.done + before.map_or(0, |before| before.generations),
            seconds: self.checkpoint.seconds + before.map_or(0.0, |before| before.seconds),
            parents: self.config.parents.clone(),
        };
        let (best, population) = self.scheme.population();
        Genomes::new(&self.config.game, kind, provenance, best, population)
    }

    fn progress(&self, generation: &Generation) -> Progress {
        let Checkpoint { done, games, nodes, seconds, .. } = self.checkpoint;
        let left = (self.config.generations - done) as f64 * seconds / done.max(1) as f64;
        Progress::new(done, Some(self.config.generations))
            .with_metric("best", generation.best)
            .with_metric("mean", generation.mean)
            .with_metric("diversity", generation.diversity)
            .with_metric("games/s", games as f64 / seconds.max(1e-9))
            .with_metric("nodes/s", nodes as f64 / seconds.max(1e-9))
            .with_metric("seconds left", left)
    }
}

/// The predictor for the games of a file.
fn predictor(
    games: &GamesFile,
    game: &dyn EvolutionGame,
    config: &EvolutionConfig,
) -> Result<Box<dyn ResultPredictor>, EvolveError> {
    let (records, _) = games.records(game.game())?;
    game.result_predictor(&config.genome, &records, config.target)
        .map_err(|error| EvolveError::Predictor { path: games.path.clone(), error })
}
