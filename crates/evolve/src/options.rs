//! Evolutions by their options, and their results.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablero_core::AnyGame;
use tablero_genomes::{Genomes, Individual, read_file};
use tablero_jobs::{Job, Status, Store, read_log};

use crate::{
    EVOLUTION, EvolutionConfig, EvolveError, GENERATIONS, GamesFile, Generation, PredictionTarget,
    default_scheme,
};

/// Options of an evolution; none stands for the game's default. Their names are those of `tablero evolve`, with
/// underscores.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvolveOptions {
    /// The genome kind.
    pub genome: String,
    /// Generations.
    pub generations: u64,
    /// The file of the result, written after every generation; .evl or .genes.
    pub out: Option<PathBuf>,
    /// A file with the initial population.
    pub resume: Option<PathBuf>,
    /// The scheme with its options.
    pub scheme: Option<String>,
    /// The player that uses the genomes.
    pub player: Option<String>,
    /// Opponents besides the hall of fame.
    pub against: Vec<String>,
    /// The openings of fitness games.
    pub openings: Option<String>,
    /// A game of this many plies is drawn.
    pub max_plies: Option<usize>,
    /// The rules.
    pub rules: Option<String>,
    /// A file of games whose results are predicted, instead of playing.
    pub games: Option<PathBuf>,
    /// Predict the search values of these games instead of their results.
    pub values: bool,
}

impl Default for EvolveOptions {
    fn default() -> Self {
        Self {
            genome: String::new(),
            generations: 100,
            out: None,
            resume: None,
            scheme: None,
            player: None,
            against: Vec::new(),
            openings: None,
            max_plies: None,
            rules: None,
            games: None,
            values: false,
        }
    }
}

impl EvolveOptions {
    /// The configuration; `command` is for its provenance.
    pub fn config(&self, game: AnyGame, command: &str) -> Result<EvolutionConfig, EvolveError> {
        let scheme = self.scheme.as_deref().unwrap_or_else(|| default_scheme(game, &self.genome));
        let mut config = EvolutionConfig::default_for(game, &self.genome, scheme);
        config.generations = self.generations;
        config.player = self.player.clone().unwrap_or(config.player);
        config.opponents.clone_from(&self.against);
        config.openings = self.openings.clone().unwrap_or(config.openings);
        config.max_plies = self.max_plies.or(config.max_plies);
        config.rules.clone_from(&self.rules);
        config.games = self.games.as_deref().map(GamesFile::open).transpose()?;
        if self.values {
            config.target = PredictionTarget::Values;
        }
        config.out = self.out.as_deref().map(absolute).transpose()?;
        config.command = command.into();
        if let Some(path) = &self.resume {
            let wrong = |error| EvolveError::Initial { path: path.clone(), error };
            config.initial = Some(read_file(path).map_err(wrong)?);
            config.parents = vec![path.display().to_string()];
        }
        Ok(config)
    }
}

fn absolute(path: &Path) -> Result<PathBuf, EvolveError> {
    let wrong = |error| EvolveError::GamesIo { path: path.to_owned(), error };
    std::path::absolute(path).map_err(wrong)
}

/// The newest evolution that writes `path`.
pub fn newest_writer(store: &Store, path: &Path) -> Result<Option<Job>, EvolveError> {
    let path = absolute(path)?;
    let writes_it = |job: &Job| {
        let config = || job.config::<EvolutionConfig>();
        job.header().kind == EVOLUTION && config().is_ok_and(|c| c.out.as_deref() == Some(&*path))
    };
    let (jobs, _) = store.list()?;
    Ok(jobs.into_iter().rev().find(writes_it))
}

/// The newest evolution that writes `path`, if it was interrupted.
pub fn interrupted_writer(store: &Store, path: &Path) -> Result<Option<Job>, EvolveError> {
    let Some(newest) = newest_writer(store, path)? else { return Ok(None) };
    let resumable = [Status::Interrupted, Status::Stopped, Status::Failed];
    Ok(resumable.contains(&newest.state()?.status).then_some(newest))
}

/// The result of an evolution; the names are those of `tablero evolve --json`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EvolutionSummary {
    /// The job.
    pub job: String,
    /// Generations, those of the initial population included.
    pub generations: u64,
    /// Fitness games.
    pub games: u64,
    /// Their nodes.
    pub nodes: u64,
    /// Seconds.
    pub seconds: f64,
    /// Speed.
    pub games_per_second: f64,
    /// Speed.
    pub nodes_per_second: f64,
    /// The names of the genes.
    pub genes: Vec<String>,
    /// The best genome.
    pub best: Individual,
    /// The file of the result.
    pub out: Option<PathBuf>,
}

/// The generations that a job has logged in its folder.
pub fn read_generations(folder: &Path) -> Result<Vec<Generation>, EvolveError> {
    let log = folder.join(format!("{GENERATIONS}.jsonl"));
    Ok(read_log(&log)?.collect::<Result<_, _>>()?)
}

impl EvolutionSummary {
    /// The result of the job `id`, whose generations were logged.
    pub fn new(
        id: &str,
        out: Option<&Path>,
        genomes: &Genomes,
        generations: &[Generation],
    ) -> Self {
        let (games, nodes) = generations
            .iter()
            .fold((0, 0), |(games, nodes), one| (games + one.games, nodes + one.nodes));
        let seconds: f64 = generations.iter().map(|one| one.seconds).sum();
        Self {
            job: id.into(),
            generations: genomes.provenance.generations,
            games,
            nodes,
            seconds,
            games_per_second: games as f64 / seconds.max(1e-9),
            nodes_per_second: nodes as f64 / seconds.max(1e-9),
            genes: genomes.genes.clone(),
            best: genomes.best.clone(),
            out: out.map(Path::to_owned),
        }
    }
}
