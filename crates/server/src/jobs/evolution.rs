//! Evolutions.

use tablero_evolve::{
    EvolutionConfig, GENERATIONS, Generation, default_scheme, run_evolution_job, schemes,
};
use tablero_genomes::{Gene, GenomeKind as Kind, Genomes, Individual, Provenance, evl};
use tablero_jobs::{CancellationToken, Executor, Job, Progress, read_log};
use tablero_registry::GameEntry;

use crate::api::{
    EvolutionGeneration, EvolutionOptions, EvolutionView, GeneCurve, GenerationView, GenomeKind,
    IndividualView, NewEvolutionJob, Problem, Scheme,
};
use crate::describe::describe_option;
use crate::error::{ApiError, ApiResult};
use crate::players::PlayerFactory;

/// Limits of a request.
const MAX_GENERATIONS: u64 = 100_000;
const MAX_OPPONENTS: usize = 16;
/// Limits of a view.
const MAX_POINTS: usize = 300;
const MAX_CURVES: usize = 12;
const MAX_GENES: usize = 32;

pub(crate) fn options(entry: &dyn GameEntry) -> EvolutionOptions {
    let game = entry.game();
    let kind = |kind: Box<dyn Kind>| GenomeKind {
        name: kind.name().into(),
        about: kind.about().into(),
        genes: kind.genes().map(<[Gene]>::len),
        scheme: default_scheme(game, kind.name()).into(),
        is_othello7: evl::supports(game.name(), kind.name()),
    };
    let scheme = |scheme: &tablero_evolve::SchemeInfo| Scheme {
        name: scheme.name.into(),
        about: scheme.about.into(),
        options: scheme.options.iter().map(describe_option).collect(),
    };
    let defaults = EvolutionConfig::default_for(game, "", "");
    EvolutionOptions {
        genomes: entry.evolution().genome_kinds().into_iter().map(kind).collect(),
        schemes: schemes().iter().map(scheme).collect(),
        player: defaults.player,
        openings: defaults.openings,
    }
}

/// The configuration of a request, with its initial population.
pub(super) fn config(
    entry: &'static dyn GameEntry,
    request: &NewEvolutionJob,
    initial: Option<Genomes>,
    players: &PlayerFactory,
) -> ApiResult<EvolutionConfig> {
    Problem::check_range("generations", request.generations, 1, MAX_GENERATIONS)?;
    if request.opponents.len() > MAX_OPPONENTS {
        return Err(Problem::TooManyOpponents { max: MAX_OPPONENTS }.into());
    }
    let game = entry.game();
    game.rules_or_default(request.rules.as_deref())?;
    let default = || default_scheme(game, &request.genome);
    let scheme = request.scheme.as_deref().unwrap_or_else(default);
    let mut config = EvolutionConfig::default_for(game, &request.genome, scheme);
    config.generations = request.generations;
    config.rules.clone_from(&request.rules);
    config.player = request.player.clone().unwrap_or(config.player);
    config.openings = request.openings.clone().unwrap_or(config.openings);
    for line in &request.opponents {
        config.opponents.push(players.resolve(entry, line)?.line().into());
    }
    if let Some(from) = &request.initial {
        config.parents = vec![format!("{}, generation {}", from.job, from.generation)];
    }
    config.parents.extend(request.initial_file.clone());
    config.initial = initial;
    config.check(entry.evolution())?;
    Ok(config)
}

pub(super) fn run(
    entry: &dyn GameEntry,
    job: Job,
    executor: &dyn Executor,
    stop: &CancellationToken,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), String> {
    let evolved = run_evolution_job(job, entry.evolution(), executor, stop, progress);
    evolved.map(drop).map_err(|error| error.to_string())
}

fn generations(job: &Job) -> ApiResult<impl Iterator<Item = ApiResult<Generation>>> {
    let log = job.folder().join(format!("{GENERATIONS}.jsonl"));
    Ok(read_log(&log)?.map(|line| line.map_err(Into::into)))
}

fn kind_of(entry: &dyn GameEntry, config: &EvolutionConfig) -> ApiResult<Box<dyn Kind>> {
    Ok(entry.evolution().genome_kind(&config.genome)?)
}

pub(super) fn view(entry: &dyn GameEntry, job: &Job) -> ApiResult<EvolutionView> {
    let config: EvolutionConfig = job.config()?;
    let kind = kind_of(entry, &config)?;
    let mut view = EvolutionView {
        is_othello7: evl::supports(entry.game().name(), &config.genome),
        genome: config.genome,
        scheme: config.scheme,
        player: config.player,
        rules: config.rules,
        genes: kind.genes().map(<[Gene]>::len),
        games: 0,
        nodes: 0,
        seconds: 0.0,
        generations: Vec::new(),
        curves: Vec::new(),
    };
    let (mut points, mut bests) = (Vec::new(), Vec::new());
    for generation in generations(job)? {
        let mut generation = generation?;
        view.games += generation.games;
        view.nodes += generation.nodes;
        view.seconds += generation.seconds;
        let best = match generation.population.is_empty() {
            true => Vec::new(),
            false => generation.population.swap_remove(0).genome,
        };
        points.push(point(&generation, best.len()));
        bests.push(best);
    }
    let step = points.len().div_ceil(MAX_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let is_sampled = |index: usize| (last - index).is_multiple_of(step);
    view.generations = sample(points, is_sampled);
    view.curves = curves(kind.genes().unwrap_or_default(), &sample(bests, is_sampled));
    Ok(view)
}

fn sample<T>(all: Vec<T>, is_sampled: impl Fn(usize) -> bool) -> Vec<T> {
    let sampled = all.into_iter().enumerate().filter(|(index, _)| is_sampled(*index));
    sampled.map(|(_, item)| item).collect()
}

fn point(generation: &Generation, length: usize) -> EvolutionGeneration {
    EvolutionGeneration {
        generation: generation.generation,
        best: generation.best,
        mean: generation.mean,
        worst: generation.worst,
        diversity: generation.diversity,
        sigma: generation.sigma,
        length,
    }
}

/// The genes whose best values varied most, in genome order.
fn curves(genes: &[Gene], bests: &[Vec<f64>]) -> Vec<GeneCurve> {
    let values = |index: usize| bests.iter().map(move |genome| genome.get(index).copied());
    let range = |index: usize| {
        let known = || values(index).flatten();
        let (min, max) = (known().fold(f64::MAX, f64::min), known().fold(f64::MIN, f64::max));
        (max - min) / genes[index].scale
    };
    let mut indices: Vec<usize> = (0..genes.len()).collect();
    indices.sort_by(|&a, &b| range(b).total_cmp(&range(a)));
    indices.truncate(MAX_CURVES);
    indices.sort_unstable();
    let curve = |index: usize| GeneCurve {
        name: genes[index].name.clone(),
        by_hand: genes[index].hand_tuned,
        values: values(index).map(Option::unwrap_or_default).collect(),
    };
    indices.into_iter().map(curve).collect()
}

/// A generation, and the seconds up to its end.
fn find(job: &Job, number: u64) -> ApiResult<(Generation, f64)> {
    let mut seconds = 0.0;
    for generation in generations(job)? {
        let generation = generation?;
        seconds += generation.seconds;
        if generation.generation == number {
            return Ok((generation, seconds));
        }
    }
    Err(Problem::GenerationNotFound { job: job.id().into(), generation: number }.into())
}

pub(super) fn generation(
    entry: &dyn GameEntry,
    job: &Job,
    number: u64,
) -> ApiResult<GenerationView> {
    let config: EvolutionConfig = job.config()?;
    let genes = kind_of(entry, &config)?;
    let genes = genes.genes().unwrap_or_default().iter().take(MAX_GENES);
    let genes = genes.map(|gene| gene.name.clone()).collect();
    let (generation, _) = find(job, number)?;
    let individual = |(number, member): (usize, tablero_evolve::Member)| IndividualView {
        number,
        fitness: member.fitness,
        born: member.born,
        length: member.genome.len(),
        genome: member.genome.into_iter().take(MAX_GENES).collect(),
    };
    let individuals = (1..).zip(generation.population).map(individual).collect();
    Ok(GenerationView { generation: number, genes, individuals })
}

/// The population of a generation, for a file.
pub(super) fn genomes(entry: &dyn GameEntry, job: &Job, number: u64) -> ApiResult<Genomes> {
    let config: EvolutionConfig = job.config()?;
    let kind = kind_of(entry, &config)?;
    let (generation, seconds) = find(job, number)?;
    let before = config.initial.as_ref().map_or(0.0, |initial| initial.provenance.seconds);
    let provenance = Provenance {
        command: config.command,
        seed: Some(job.header().seed),
        version: job.header().version.clone(),
        generations: number,
        seconds: before + seconds,
        parents: config.parents,
    };
    let individual = |member: tablero_evolve::Member| Individual {
        fitness: member.fitness,
        genome: member.genome,
    };
    let population: Vec<_> = generation.population.into_iter().map(individual).collect();
    let best = population.first().cloned();
    let best = best.ok_or_else(|| ApiError::internal("an empty generation"))?;
    Ok(Genomes::new(entry.game().name(), &*kind, provenance, best, population))
}

/// A generation as a file.
pub(super) fn file(
    entry: &dyn GameEntry,
    job: &Job,
    number: u64,
    format: &str,
) -> ApiResult<String> {
    let genomes = genomes(entry, job, number)?;
    match format {
        "genes" => Ok(genomes.text()),
        "evl" => Ok(evl::text(&genomes)?),
        _ => {
            let available = ["genes", "evl"].into_iter().collect();
            Err(Problem::UnknownFormat { name: format.into(), available }.into())
        }
    }
}
