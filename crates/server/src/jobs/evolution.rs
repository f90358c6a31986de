//! Evolutions.

use tablero_evolve::{
    EvolutionConfig, EvolveError, GENERATIONS, Generation, run_evolution_job, schemes, usual_scheme,
};
use tablero_genomes::{Gene, GenomeKind as Kind, Genomes, Individual, Past, evl};
use tablero_jobs::{Executor, Job, Progress, Stop, read_log};
use tablero_registry::GameEntry;

use crate::api::{
    EvolutionOptions, EvolutionPoint, EvolutionView, GeneCurve, GenerationView, GenomeKind,
    MemberView, NewEvolutionJob, Problem, Scheme,
};
use crate::describe::describe_option;
use crate::error::{ApiError, ApiResult};
use crate::players::PlayerFactory;

/// Bounds that a page may ask for.
const MOST_GENERATIONS: u64 = 100_000;
const MOST_OPPONENTS: usize = 16;
/// What a page is shown.
const MOST_POINTS: usize = 300;
const MOST_CURVES: usize = 12;
const MOST_NUMBERS: usize = 32;

pub(crate) fn options(entry: &dyn GameEntry) -> EvolutionOptions {
    let game = entry.game();
    let kind = |kind: Box<dyn Kind>| GenomeKind {
        name: kind.name().into(),
        about: kind.about().into(),
        genes: kind.genes().map(<[Gene]>::len),
        scheme: usual_scheme(game, kind.name()).into(),
        is_othello7: evl::holds(game.name(), kind.name()),
    };
    let scheme = |scheme: &tablero_evolve::SchemeInfo| Scheme {
        name: scheme.name.into(),
        about: scheme.about.into(),
        options: scheme.options.iter().map(describe_option).collect(),
    };
    let usual = EvolutionConfig::usual(game, "", "");
    EvolutionOptions {
        genomes: entry.evolution().genome_kinds().into_iter().map(kind).collect(),
        schemes: schemes().iter().map(scheme).collect(),
        player: usual.player,
        openings: usual.openings,
    }
}

/// What is to be evolved, from a request; `start` is the population to go on from.
pub(super) fn config(
    entry: &'static dyn GameEntry,
    request: &NewEvolutionJob,
    start: Option<Genomes>,
    players: &PlayerFactory,
) -> ApiResult<EvolutionConfig> {
    Problem::check_range("generations", request.generations, 1, MOST_GENERATIONS)?;
    if request.against.len() > MOST_OPPONENTS {
        return Err(Problem::TooManyOpponents { most: MOST_OPPONENTS }.into());
    }
    let game = entry.game();
    game.rules_or_default(request.rules.as_deref())?;
    let usual = || usual_scheme(game, &request.genome);
    let scheme = request.scheme.as_deref().unwrap_or_else(usual);
    let mut config = EvolutionConfig::usual(game, &request.genome, scheme);
    config.generations = request.generations;
    config.rules.clone_from(&request.rules);
    config.player = request.player.clone().unwrap_or(config.player);
    config.openings = request.openings.clone().unwrap_or(config.openings);
    for line in &request.against {
        let spec = players.resolve(entry, line);
        let spec = spec.map_err(|error| Problem::player(line, error))?;
        config.against.push(spec.line().into());
    }
    if let Some(from) = &request.start {
        config.parents = vec![format!("{}, generation {}", from.job, from.generation)];
    }
    config.start = start;
    config.check(entry.evolution()).map_err(|error| match error {
        EvolveError::Job(error) => ApiError::internal(error),
        wrong => Problem::InvalidEvolution { reason: wrong.to_string() }.into(),
    })?;
    Ok(config)
}

pub(super) fn run(
    entry: &dyn GameEntry,
    job: Job,
    executor: &dyn Executor,
    stop: &Stop,
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
    entry.evolution().genome_kind(&config.genome).map_err(ApiError::internal)
}

pub(super) fn view(entry: &dyn GameEntry, job: &Job) -> ApiResult<EvolutionView> {
    let config: EvolutionConfig = job.config()?;
    let kind = kind_of(entry, &config)?;
    let mut view = EvolutionView {
        is_othello7: evl::holds(entry.game().name(), &config.genome),
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
    Err(Problem::GenerationNotFound { job: job.id().into(), generation: number }.into())
}

pub(super) fn generation(
    entry: &dyn GameEntry,
    job: &Job,
    number: u64,
) -> ApiResult<GenerationView> {
    let config: EvolutionConfig = job.config()?;
    let genes = kind_of(entry, &config)?;
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
pub(super) fn genomes(entry: &dyn GameEntry, job: &Job, number: u64) -> ApiResult<Genomes> {
    let config: EvolutionConfig = job.config()?;
    let kind = kind_of(entry, &config)?;
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
    Ok(Genomes::new(entry.game().name(), &*kind, past, best, population))
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
        "evl" => evl::text(&genomes)
            .map_err(|error| Problem::NotExportable { reason: error.to_string() }.into()),
        _ => {
            let known = ["genes", "evl"].into_iter().collect();
            Err(Problem::NoSuchFormat { asked: format.into(), known }.into())
        }
    }
}
