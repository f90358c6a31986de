//! An evolution as a job: a checkpoint after each generation, so that it goes on to the same result
//! whenever its process ends.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use tablero_genomes::{GenomeKind, Genomes, Past};
use tablero_jobs::{Executor, Job, Log, Progress, Running, Stop};

use crate::field::Field;
use crate::schemes::{self, Scheme};
use crate::{
    EvolutionConfig, EvolutionGame, EvolveError, Games, Generation, ResultPredictor, write_genomes,
};

/// The log with one [`Generation`] a line.
pub const GENERATIONS: &str = "generations";

const CHECKPOINT: &str = "evolution";

/// Where an evolution stands after a generation.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// How many are done in this job.
    done: u64,
    games: u64,
    nodes: u64,
    seconds: f64,
    /// What the scheme needs to go on.
    state: serde_json::Value,
}

/// Runs the evolution of a job, or goes on with it; none if it was stopped before its end.
pub fn run_evolution_job(
    job: Job,
    game: &dyn EvolutionGame,
    executor: &dyn Executor,
    stop: &Stop,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Option<Genomes>, EvolveError> {
    let config: EvolutionConfig = job.config()?;
    let job = job.run()?;
    let evolved = Run::evolve(&job, &config, game, executor, stop, tell);
    match &evolved {
        Ok(genomes) => job.finish(genomes)?,
        Err(EvolveError::Stopped) => job.stop("stopped on request")?,
        Err(error) => job.fail(&error.to_string())?,
    }
    match evolved {
        Ok(genomes) => Ok(Some(genomes)),
        Err(EvolveError::Stopped) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An evolution under way.
struct Run<'a> {
    job: &'a Running,
    config: &'a EvolutionConfig,
    scheme: Box<dyn Scheme>,
    log: Log,
    at: Checkpoint,
}

impl<'a> Run<'a> {
    fn evolve(
        job: &'a Running,
        config: &'a EvolutionConfig,
        game: &dyn EvolutionGame,
        executor: &dyn Executor,
        stop: &Stop,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<Genomes, EvolveError> {
        let kind = config.kind(game)?;
        let seed = job.job().header().seed;
        let at: Option<Checkpoint> = job.job().checkpoint(CHECKPOINT)?;
        let state = at.as_ref().map(|at| at.state.clone());
        let scheme = schemes::start(config, &*kind, seed, state)?;
        let null = serde_json::Value::Null;
        let new = Checkpoint { done: 0, games: 0, nodes: 0, seconds: 0.0, state: null };
        let log = job.log(GENERATIONS)?;
        let games = config.games.as_ref();
        let predictor = games.map(|games| predictor(games, game, kind.name())).transpose()?;
        let predictor = predictor.as_deref();
        let mut run = Self { job, config, scheme, log, at: at.unwrap_or(new) };
        let total = config.generations;
        while run.at.done < total {
            let (done, begin) = (run.at.done, Instant::now());
            let mut within = |over: usize, of: usize| {
                if over.is_multiple_of(16) {
                    let message = format!("generation {}: {over} of {of}", done + 1);
                    tell(&Progress::new(done, Some(total)).message(message));
                }
            };
            let mut field =
                Field::new(config, game, &*kind, executor, stop, predictor, &mut within);
            let mut generation = run.scheme.step(&mut field)?;
            (generation.games, generation.nodes) = (field.games, field.nodes);
            generation.seconds = begin.elapsed().as_secs_f64();
            run.keep(&*kind, &generation)?;
            let progress = run.progress(&generation);
            job.report(&progress)?;
            tell(&progress);
        }
        let mut within = |over: usize, of: usize| {
            let message = format!("the best play for the first place: {over} of {of}");
            tell(&Progress::new(total, Some(total)).message(message));
        };
        let mut field = Field::new(config, game, &*kind, executor, stop, predictor, &mut within);
        run.scheme.finish(&mut field)?;
        let genomes = run.genomes(&*kind);
        run.write(&genomes)?;
        Ok(genomes)
    }

    /// Keeps a generation: in the log, unless a process that was killed just then has already done so;
    /// as a checkpoint; and as a file, if one was asked for.
    fn keep(&mut self, kind: &dyn GenomeKind, generation: &Generation) -> Result<(), EvolveError> {
        if self.log.len() as u64 <= self.at.done {
            self.log.append(generation)?;
        }
        self.at.done += 1;
        self.at.games += generation.games;
        self.at.nodes += generation.nodes;
        self.at.seconds += generation.seconds;
        self.at.state = self.scheme.state();
        self.job.save_checkpoint(CHECKPOINT, &self.at)?;
        self.write(&self.genomes(kind))
    }

    fn write(&self, genomes: &Genomes) -> Result<(), EvolveError> {
        self.config.out.as_ref().map_or(Ok(()), |path| write_genomes(path, genomes))
    }

    fn genomes(&self, kind: &dyn GenomeKind) -> Genomes {
        let before = self.config.start.as_ref().map(|start| &start.past);
        let header = self.job.job().header();
        let past = Past {
            command: self.config.command.clone(),
            seed: Some(header.seed),
            version: header.version.clone(),
            generations: self.at.done + before.map_or(0, |past| past.generations),
            seconds: self.at.seconds + before.map_or(0.0, |past| past.seconds),
            parents: self.config.parents.clone(),
        };
        let (best, population) = self.scheme.population();
        Genomes::new(&self.config.game, kind, past, best, population)
    }

    fn progress(&self, generation: &Generation) -> Progress {
        let Checkpoint { done, games, nodes, seconds, .. } = self.at;
        let left = (self.config.generations - done) as f64 * seconds / done.max(1) as f64;
        Progress::new(done, Some(self.config.generations))
            .figure("best", generation.best)
            .figure("mean", generation.mean)
            .figure("diversity", generation.diversity)
            .figure("games/s", games as f64 / seconds.max(1e-9))
            .figure("nodes/s", nodes as f64 / seconds.max(1e-9))
            .figure("seconds left", left)
    }
}

/// Measures genomes by the games of a file.
fn predictor(
    games: &Games,
    game: &dyn EvolutionGame,
    kind: &str,
) -> Result<Box<dyn ResultPredictor>, EvolveError> {
    let records = games.records(game.game())?;
    game.result_predictor(kind, &records).map_err(|problem| games.wrong(&problem))
}
