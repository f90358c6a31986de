//! Evolutions, and games between what came out of them.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tablero_core::Rng;
use tablero_evolve::{
    Contestant, EvolutionConfig, GENERATIONS, Generation, MeetingTask, MeetingWork,
    run_evolution_job,
};
use tablero_genomes::Genomes;
use tablero_jobs::{Ended, Job, Progress, Status, read_log};

use crate::job::Lab;
use crate::{EvolutionPlan, EvolutionRun, ExperimentError};

/// Evolutions and a crosstable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EvolutionFigures {
    /// As the plan calls it.
    pub id: String,
    /// The evolutions.
    pub runs: Vec<RunFigures>,
    /// For each evolution's best on the first side, by how much it won against each other's on the
    /// second side, both from the start; none against itself.
    pub table: Vec<Vec<Option<i16>>>,
}

/// One evolution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunFigures {
    /// As the plan calls it.
    pub name: String,
    /// How many generations.
    pub generations: u64,
    /// The best's fitness.
    pub fitness: f64,
    /// The best.
    pub genome: Vec<f64>,
    /// What its numbers are called.
    pub genes: Vec<String>,
    /// Games played.
    pub games: u64,
    /// How long it took.
    pub seconds: f64,
    /// For each generation the best's fitness, the mean, and the best genome.
    pub curve: Vec<(f64, f64, Vec<f64>)>,
}

/// Runs the evolutions of a plan, or goes on with them, and lets those that came out play each other;
/// none if stopped.
pub(crate) fn run(
    plan: &EvolutionPlan,
    lab: &mut Lab<'_>,
) -> Result<Option<EvolutionFigures>, ExperimentError> {
    let mut figures = EvolutionFigures { id: plan.id.clone(), runs: Vec::new(), table: Vec::new() };
    for (number, run) in plan.runs.iter().enumerate() {
        let Some(found) = evolve(plan, number, run, lab)? else { return Ok(None) };
        lab.part_done(run.generations.of(lab.config.quick));
        figures.runs.push(found);
    }
    let Some(table) = crosstable(plan, &figures.runs, lab)? else { return Ok(None) };
    figures.table = table;
    Ok(Some(figures))
}

fn evolve(
    plan: &EvolutionPlan,
    number: usize,
    run: &EvolutionRun,
    lab: &mut Lab<'_>,
) -> Result<Option<RunFigures>, ExperimentError> {
    let job = find_job(plan, number, run, lab)?;
    let id = job.id().to_owned();
    if job.state()?.status != Status::Finished {
        let (executor, stop, name) = (lab.executor, lab.stop, &run.name);
        let game = lab.entry.evolution();
        let mut tell = |progress: &Progress| {
            if progress.message.is_empty() {
                lab.progress(progress.done as usize, name);
            }
        };
        if run_evolution_job(job, game, executor, stop, &mut tell)?.is_none() {
            return Ok(None);
        }
    }
    let job = lab.store().open(&id)?;
    let missing = || ExperimentError::Plan(format!("{id} has no result"));
    let genomes: Genomes = job.result()?.ok_or_else(missing)?;
    let log = job.folder().join(format!("{GENERATIONS}.jsonl"));
    let generations: Vec<Generation> = read_log(&log)?.collect::<Result<_, _>>()?;
    let point = |one: &Generation| {
        let best = one.population.first().map(|member| member.genome.clone());
        (one.best, one.mean, best.unwrap_or_default())
    };
    Ok(Some(RunFigures {
        name: run.name.clone(),
        generations: genomes.past.generations,
        fitness: genomes.best.fitness,
        genome: genomes.best.genome,
        genes: genomes.genes,
        games: generations.iter().map(|one| one.games).sum(),
        seconds: generations.iter().map(|one| one.seconds).sum(),
        curve: generations.iter().map(point).collect(),
    }))
}

/// The job of an evolution, inside the experiment's own.
fn find_job(
    plan: &EvolutionPlan,
    number: usize,
    run: &EvolutionRun,
    lab: &Lab<'_>,
) -> Result<Job, ExperimentError> {
    let store = lab.store();
    if let Ok(job) = store.open(&format!("{}-{}", tablero_evolve::EVOLUTION, number + 1)) {
        return Ok(job);
    }
    let mut config = EvolutionConfig::usual(lab.game(), &plan.genome, &plan.scheme);
    config.player.clone_from(&plan.player);
    config.generations = run.generations.of(lab.config.quick) as u64;
    // Each from another first population.
    let seed = Rng::for_part(lab.config.experiment.seed, number as u64).bits();
    Ok(config.create_job(lab.entry.evolution(), &store, seed)?)
}

type Margins = Vec<Vec<Option<i16>>>;

fn crosstable(
    plan: &EvolutionPlan,
    runs: &[RunFigures],
    lab: &mut Lab<'_>,
) -> Result<Option<Margins>, ExperimentError> {
    let seats: Vec<[usize; 2]> = (0..runs.len())
        .flat_map(|first| (0..runs.len()).map(move |second| [first, second]))
        .filter(|[first, second]| first != second)
        .collect();
    let task = |seats: &[usize; 2]| MeetingTask {
        game: lab.game().name().into(),
        rules: None,
        kind: plan.genome.clone(),
        player: plan.player.clone(),
        contestants: seats.map(|seat| Contestant::Genome(runs[seat].genome.clone())),
        opening: String::new(),
        both_colours: false,
        max_plies: None,
        seed: 0,
    };
    let tasks: Vec<MeetingTask> = seats.iter().map(task).collect();
    let work = MeetingWork { game: lab.entry.evolution() };
    let mut table = vec![vec![None; runs.len()]; runs.len()];
    let mut runner = lab.runner(&format!("{}-table", plan.id), lab.executor)?;
    let ended = runner.run(&work, &tasks, |index, output| {
        let [first, second] = seats[index];
        table[first][second] = output.margins.first().copied();
        lab.progress(index + 1, "crosstable");
        ControlFlow::Continue(())
    })?;
    lab.part_done(tasks.len());
    Ok((ended == Ended::Done).then_some(table))
}

impl EvolutionFigures {
    /// The share of the points that players with `later` generations got against those with fewer.
    pub(crate) fn later_against_earlier(&self, later: u64) -> f64 {
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

    /// The figures by the names that comparisons use.
    pub(crate) fn named(&self) -> Vec<(String, f64)> {
        let id = &self.id;
        let mut named = Vec::new();
        for run in &self.runs {
            named.push((format!("{id}.{}.fitness", run.name), run.fitness));
            named.push((format!("{id}.{}.seconds", run.name), run.seconds));
        }
        let (games, seconds) = self
            .runs
            .iter()
            .fold((0, 0.0), |(games, seconds), run| (games + run.games, seconds + run.seconds));
        named.push((format!("{id}.games-per-second"), games as f64 / f64::max(seconds, 1e-9)));
        let most = self.runs.iter().map(|run| run.generations).max().unwrap_or(0);
        named.push((format!("{id}.later-against-earlier"), self.later_against_earlier(most)));
        named
    }
}
