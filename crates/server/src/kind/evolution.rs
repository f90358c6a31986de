//! Evolutions.

use tablero_evolve::{
    EvolutionConfig, EvolveError, GENERATIONS, Generation, run_evolution_job, schemes,
};
use tablero_genomes::{Gene, Genomes, Individual, Kind, Past, evl, find_kind, kinds};
use tablero_jobs::{Executor, Job, JobError, Progress, Stop, read_log};

use super::about::option_info;
use super::{Describe, Maker, rules_called};
use crate::api::{
    EvolutionOptions, EvolutionPoint, EvolutionView, GeneCurve, GenerationView, GenomeKind,
    MemberView, NewEvolutionJob, Scheme,
};
use crate::error::{ApiError, ApiResult};

/// Bounds that a page may ask for.
const MOST_GENERATIONS: u64 = 100_000;
const MOST_OPPONENTS: usize = 16;
/// What a page is shown.
const MOST_POINTS: usize = 300;
const MOST_CURVES: usize = 12;
const MOST_NUMBERS: usize = 32;

pub(super) fn options<G: Describe>() -> EvolutionOptions {
    let kind = |kind: Box<dyn Kind<G>>| GenomeKind {
        name: kind.name().into(),
        about: kind.about().into(),
        genes: kind.genes().map(<[Gene]>::len),
        scheme: usual_scheme::<G>(kind.name()).into(),
        is_othello7: is_othello7::<G>(kind.name()),
    };
    let scheme = |scheme: &tablero_evolve::SchemeInfo| Scheme {
        name: scheme.name.into(),
        about: scheme.about.into(),
        options: scheme.options.iter().map(option_info).collect(),
    };
    let usual = EvolutionConfig::usual::<G>("", "");
    EvolutionOptions {
        genomes: kinds::<G>().into_iter().map(kind).collect(),
        schemes: schemes().iter().map(scheme).collect(),
        player: usual.player,
        openings: usual.openings,
    }
}

/// Whether Othello7 knows that kind of genome.
fn is_othello7<G: Describe>(genome: &str) -> bool {
    G::NAME == "othello" && ["sci", "jma"].contains(&genome)
}

fn usual_scheme<G: Describe>(genome: &str) -> &'static str {
    if is_othello7::<G>(genome) { "othello7" } else { "modern" }
}

/// What is to be evolved, from a request; `start` is the population to go on from.
pub(super) fn config<G: Describe>(
    request: &NewEvolutionJob,
    start: Option<Genomes>,
    maker: &Maker,
) -> ApiResult<EvolutionConfig> {
    if !(1..=MOST_GENERATIONS).contains(&request.generations) {
        return Err(ApiError::bad(format!("generations is 1 to {MOST_GENERATIONS}")));
    }
    if request.against.len() > MOST_OPPONENTS {
        return Err(ApiError::bad(format!("there are {MOST_OPPONENTS} fixed opponents at most")));
    }
    rules_called::<G>(request.rules.as_deref())?;
    let scheme = request.scheme.as_deref().unwrap_or_else(|| usual_scheme::<G>(&request.genome));
    let mut config = EvolutionConfig::usual::<G>(&request.genome, scheme);
    config.generations = request.generations;
    config.rules.clone_from(&request.rules);
    config.player = request.player.clone().unwrap_or(config.player);
    config.openings = request.openings.clone().unwrap_or(config.openings);
    for line in &request.against {
        let placed = maker.place::<G>(line).map_err(ApiError::bad)?;
        config.against.push(placed.line);
    }
    if let Some(from) = &request.start {
        config.parents = vec![format!("{}, generation {}", from.job, from.generation)];
    }
    config.start = start;
    config.check::<G>().map_err(|error| match error {
        EvolveError::Job(error) => ApiError::internal(error),
        wrong => ApiError::bad(wrong),
    })?;
    Ok(config)
}

pub(super) fn run<G: Describe>(
    job: Job,
    executor: &dyn Executor,
    stop: &Stop,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), String> {
    let evolved = run_evolution_job::<G>(job, executor, stop, progress);
    evolved.map(drop).map_err(|error| error.to_string())
}

fn failed(error: JobError) -> ApiError {
    ApiError::internal(error)
}

fn generations(job: &Job) -> ApiResult<impl Iterator<Item = ApiResult<Generation>>> {
    let log = job.folder().join(format!("{GENERATIONS}.jsonl"));
    Ok(read_log(&log).map_err(failed)?.map(|line| line.map_err(failed)))
}

fn kind_of<G: Describe>(config: &EvolutionConfig) -> ApiResult<Box<dyn Kind<G>>> {
    find_kind::<G>(&config.genome).map_err(ApiError::internal)
}

pub(super) fn view<G: Describe>(job: &Job) -> ApiResult<EvolutionView> {
    let config: EvolutionConfig = job.config().map_err(failed)?;
    let kind = kind_of::<G>(&config)?;
    let mut view = EvolutionView {
        is_othello7: is_othello7::<G>(&config.genome),
        genome: config.genome,
        scheme: config.scheme,
        player: config.player,
        rules: config.rules,
        genes: kind.genes().map(<[Gene]>::len),
        games: 0,
        nodes: 0,
        seconds: 0.0,
        points: Vec::new(),
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
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let is_chosen = |index: usize| (last - index).is_multiple_of(step);
    view.points = chosen(points, is_chosen);
    view.curves = curves(kind.genes().unwrap_or_default(), &chosen(bests, is_chosen));
    Ok(view)
}

fn chosen<T>(all: Vec<T>, is_chosen: impl Fn(usize) -> bool) -> Vec<T> {
    let chosen = all.into_iter().enumerate().filter(|(index, _)| is_chosen(*index));
    chosen.map(|(_, one)| one).collect()
}

fn point(generation: &Generation, length: usize) -> EvolutionPoint {
    EvolutionPoint {
        generation: generation.generation,
        best: generation.best,
        mean: generation.mean,
        worst: generation.worst,
        diversity: generation.diversity,
        step: generation.step,
        length,
    }
}

/// The genes that changed most, in their own order.
fn curves(genes: &[Gene], bests: &[Vec<f64>]) -> Vec<GeneCurve> {
    let values = |place: usize| bests.iter().map(move |genome| genome.get(place).copied());
    let moved = |place: usize| {
        let known = || values(place).flatten();
        let (least, most) = (known().fold(f64::MAX, f64::min), known().fold(f64::MIN, f64::max));
        (most - least) / genes[place].scale
    };
    let mut places: Vec<usize> = (0..genes.len()).collect();
    places.sort_by(|&a, &b| moved(b).total_cmp(&moved(a)));
    places.truncate(MOST_CURVES);
    places.sort_unstable();
    let curve = |place: usize| GeneCurve {
        name: genes[place].name.clone(),
        by_hand: genes[place].by_hand,
        values: values(place).map(Option::unwrap_or_default).collect(),
    };
    places.into_iter().map(curve).collect()
}

/// Generation `number`, and the seconds that it and those before it took.
fn find(job: &Job, number: u64) -> ApiResult<(Generation, f64)> {
    let mut seconds = 0.0;
    for generation in generations(job)? {
        let generation = generation?;
        seconds += generation.seconds;
        if generation.generation == number {
            return Ok((generation, seconds));
        }
    }
    Err(ApiError::not_found(format!("{} has no generation {number}", job.id())))
}

pub(super) fn generation<G: Describe>(job: &Job, number: u64) -> ApiResult<GenerationView> {
    let config: EvolutionConfig = job.config().map_err(failed)?;
    let genes = kind_of::<G>(&config)?;
    let genes = genes.genes().unwrap_or_default().iter().take(MOST_NUMBERS);
    let genes = genes.map(|gene| gene.name.clone()).collect();
    let (generation, _) = find(job, number)?;
    let member = |(number, member): (usize, tablero_evolve::Member)| MemberView {
        number,
        fitness: member.fitness,
        born: member.born,
        length: member.genome.len(),
        genome: member.genome.into_iter().take(MOST_NUMBERS).collect(),
    };
    let members = (1..).zip(generation.population).map(member).collect();
    Ok(GenerationView { generation: number, genes, members })
}

/// The population of a generation, as a file holds it.
pub(crate) fn genomes_of<G: Describe>(job: &Job, number: u64) -> ApiResult<Genomes> {
    let config: EvolutionConfig = job.config().map_err(failed)?;
    let kind = kind_of::<G>(&config)?;
    let (generation, seconds) = find(job, number)?;
    let before = config.start.as_ref().map_or(0.0, |start| start.past.seconds);
    let past = Past {
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
    let best = best.ok_or_else(|| ApiError::internal("a generation without anybody in it"))?;
    Ok(Genomes::new(&*kind, past, best, population))
}

/// A generation as a file.
pub(super) fn file<G: Describe>(job: &Job, number: u64, format: &str) -> ApiResult<String> {
    let genomes = genomes_of::<G>(job, number)?;
    match format {
        "genes" => Ok(genomes.text()),
        "evl" => evl::text(&genomes).map_err(ApiError::conflict),
        _ => Err(ApiError::bad(format!("`{format}` is not a format; there are genes and evl"))),
    }
}
