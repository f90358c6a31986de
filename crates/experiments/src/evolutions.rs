//! Evolutions, and a crosstable of their champions.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tablero_core::Rng;
use tablero_evolve::{
    Contestant, EvolutionConfig, FitnessTask, FitnessWork, GENERATIONS, Generation,
    run_evolution_job,
};
use tablero_genomes::Genomes;
use tablero_jobs::{Job, Progress, RunEnd, Status, read_log};

use crate::job::Harness;
use crate::{EvolutionPlan, EvolutionRun, ExperimentError};

/// Evolutions of an [`EvolutionPlan`], with their crosstable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EvolutionMetrics {
    /// Id of the plan.
    pub id: String,
    /// One entry per evolution.
    pub runs: Vec<RunMetrics>,
    /// Margins of one game per ordered pair from the start position, rows moving first; `None` on the
    /// diagonal.
    pub table: Vec<Vec<Option<i16>>>,
    /// Pieces of the row's and of the column's player at the end of these games.
    #[serde(default)]
    pub pieces: Vec<Vec<Option<[u16; 2]>>>,
}

/// One evolution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunMetrics {
    /// Name in the plan.
    pub name: String,
    /// Number of generations.
    pub generations: u64,
    /// Best fitness.
    pub fitness: f64,
    /// Best genome.
    pub genome: Vec<f64>,
    /// Names of the genes.
    pub genes: Vec<String>,
    /// Games played.
    pub games: u64,
    /// Run time.
    pub seconds: f64,
    /// Best fitness, mean fitness and best genome of each generation.
    pub curve: Vec<(f64, f64, Vec<f64>)>,
}

/// Runs or resumes the evolutions and the crosstable of a plan; `None` if cancelled.
pub(crate) fn run(
    plan: &EvolutionPlan,
    harness: &mut Harness<'_>,
) -> Result<Option<EvolutionMetrics>, ExperimentError> {
    let mut metrics = EvolutionMetrics {
        id: plan.id.clone(),
        runs: Vec::new(),
        table: Vec::new(),
        pieces: Vec::new(),
    };
    for (number, run) in plan.runs.iter().enumerate() {
        let Some(found) = evolve(plan, number, run, harness)? else { return Ok(None) };
        harness.finish_stage(run.generations.of(harness.config.quick));
        metrics.runs.push(found);
    }
    let Some(table) = crosstable(plan, &metrics.runs, harness)? else { return Ok(None) };
    (metrics.table, metrics.pieces) = table;
    Ok(Some(metrics))
}

fn evolve(
    plan: &EvolutionPlan,
    number: usize,
    run: &EvolutionRun,
    harness: &mut Harness<'_>,
) -> Result<Option<RunMetrics>, ExperimentError> {
    let job = find_job(plan, number, run, harness)?;
    let id = job.id().to_owned();
    if job.state()?.status != Status::Finished {
        let (executor, stop, name) = (harness.executor, harness.stop, &run.name);
        let game = harness.entry.evolution();
        let mut on_progress = |progress: &Progress| {
            if progress.message.is_empty() {
                harness.progress(progress.done as usize, name);
            }
        };
        if run_evolution_job(job, game, executor, stop, &mut on_progress)?.is_none() {
            return Ok(None);
        }
    }
    let job = harness.store().open(&id)?;
    let missing = || ExperimentError::Plan(format!("{id} has no result"));
    let genomes: Genomes = job.result()?.ok_or_else(missing)?;
    let log = job.folder().join(format!("{GENERATIONS}.jsonl"));
    let generations: Vec<Generation> = read_log(&log)?.collect::<Result<_, _>>()?;
    let point = |one: &Generation| {
        let best = one.population.first().map(|member| member.genome.clone());
        (one.best, one.mean, best.unwrap_or_default())
    };
    Ok(Some(RunMetrics {
        name: run.name.clone(),
        generations: genomes.provenance.generations,
        fitness: genomes.best.fitness,
        genome: genomes.best.genome,
        genes: genomes.genes,
        games: generations.iter().map(|one| one.games).sum(),
        seconds: generations.iter().map(|one| one.seconds).sum(),
        curve: generations.iter().map(point).collect(),
    }))
}

/// The nested job of an evolution.
fn find_job(
    plan: &EvolutionPlan,
    number: usize,
    run: &EvolutionRun,
    harness: &Harness<'_>,
) -> Result<Job, ExperimentError> {
    let store = harness.store();
    if let Ok(job) = store.open(&format!("{}-{}", tablero_evolve::EVOLUTION, number + 1)) {
        return Ok(job);
    }
    let mut config = EvolutionConfig::default_for(harness.game(), &plan.genome, &plan.scheme);
    config.player.clone_from(&plan.player);
    config.generations = run.generations.of(harness.config.quick) as u64;
    // A different initial population for each.
    let seed = Rng::for_stream(harness.config.experiment.seed, number as u64).bits();
    Ok(config.create_job(harness.entry.evolution(), &store, seed)?)
}

/// Margins, and pieces on the board.
type Crosstable = (Vec<Vec<Option<i16>>>, Vec<Vec<Option<[u16; 2]>>>);

fn crosstable(
    plan: &EvolutionPlan,
    runs: &[RunMetrics],
    harness: &mut Harness<'_>,
) -> Result<Option<Crosstable>, ExperimentError> {
    let pairs: Vec<[usize; 2]> = (0..runs.len())
        .flat_map(|first| (0..runs.len()).map(move |second| [first, second]))
        .filter(|[first, second]| first != second)
        .collect();
    let task = |pair: &[usize; 2]| FitnessTask {
        game: harness.game().name().into(),
        rules: None,
        kind: plan.genome.clone(),
        player: plan.player.clone(),
        contestants: pair.map(|player| Contestant::Genome(runs[player].genome.clone())),
        opening: String::new(),
        both_colours: false,
        max_plies: None,
        seed: 0,
    };
    let tasks: Vec<FitnessTask> = pairs.iter().map(task).collect();
    let work = FitnessWork { game: harness.entry.evolution() };
    let mut table = vec![vec![None; runs.len()]; runs.len()];
    let mut pieces = vec![vec![None; runs.len()]; runs.len()];
    let mut runner = harness.runner(&format!("{}-table", plan.id), harness.executor)?;
    let ended = runner.run(&work, &tasks, |index, output| {
        let [first, second] = pairs[index];
        table[first][second] = output.margins.first().copied();
        pieces[first][second] = output.pieces.first().copied();
        harness.progress(index + 1, "crosstable");
        ControlFlow::Continue(())
    })?;
    harness.finish_stage(tasks.len());
    Ok((ended == RunEnd::Completed).then_some((table, pieces)))
}

impl EvolutionMetrics {
    /// Score (0 to 1) of players with `later` generations against those with fewer.
    pub(crate) fn score_of_later(&self, later: u64) -> f64 {
        let (mut points, mut games) = (0.0, 0);
        for (first, row) in self.runs.iter().zip(&self.table) {
            for (second, margin) in self.runs.iter().zip(row) {
                let Some(margin) = margin else { continue };
                let sign = f64::from(margin.signum());
                let won = match (first.generations == later, second.generations == later) {
                    (true, false) => sign,
                    (false, true) => -sign,
                    _ => continue,
                };
                points += f64::midpoint(1.0, won);
                games += 1;
            }
        }
        if games == 0 { 0.5 } else { points / f64::from(games) }
    }

    /// Metrics by name.
    pub(crate) fn metrics(&self) -> Vec<(String, f64)> {
        let id = &self.id;
        let mut metrics = Vec::new();
        for run in &self.runs {
            metrics.push((format!("{id}.{}.fitness", run.name), run.fitness));
            metrics.push((format!("{id}.{}.seconds", run.name), run.seconds));
        }
        let (games, seconds) = self
            .runs
            .iter()
            .fold((0, 0.0), |(games, seconds), run| (games + run.games, seconds + run.seconds));
        metrics.push((format!("{id}.games-per-second"), games as f64 / f64::max(seconds, 1e-9)));
        let most = self.runs.iter().map(|run| run.generations).max().unwrap_or(0);
        metrics.push((format!("{id}.later-against-earlier"), self.score_of_later(most)));
        metrics
    }
}
