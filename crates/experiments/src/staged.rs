//! Evolutions in stages, against one opponent after another; their best genomes play in matches.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablero_evolve::{
    EVOLUTION, EvolutionConfig, GENERATIONS, Generation, run_evolution_job, write_genomes,
};
use tablero_genomes::Genomes;
use tablero_jobs::{Progress, Status, read_log};

use crate::job::Harness;
use crate::{ExperimentError, StagedEvolutionPlan};

/// The evolution of a [`StagedEvolutionPlan`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StagedEvolutionMetrics {
    /// Id of the plan.
    pub id: String,
    /// One entry per stage.
    pub stages: Vec<StageMetrics>,
}

/// A stage.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StageMetrics {
    /// The opponent's player line.
    pub against: String,
    /// Games played.
    pub games: u64,
    /// Run time.
    pub seconds: f64,
    /// Mean score of the population against the opponent in each generation, from 0 to 1.
    pub mean: Vec<f64>,
}

impl StageMetrics {
    /// The mean score over the last tenth of the generations.
    pub fn final_score(&self) -> f64 {
        let last = &self.mean[self.mean.len() - self.mean.len().div_ceil(10)..];
        last.iter().sum::<f64>() / last.len().max(1) as f64
    }
}

impl StagedEvolutionMetrics {
    /// Metrics by name.
    pub(crate) fn metrics(&self) -> Vec<(String, f64)> {
        let mut metrics = Vec::new();
        for (number, stage) in self.stages.iter().enumerate() {
            let name = format!("{}.stage-{}", self.id, number + 1);
            metrics.push((format!("{name}.score"), stage.final_score()));
            metrics.push((format!("{name}.games"), stage.games as f64));
            metrics.push((format!("{name}.seconds"), stage.seconds));
        }
        metrics
    }
}

/// The file of the best genome.
pub(crate) fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.genes"))
}

/// Runs or resumes the evolution of a plan; `None` if cancelled.
pub(crate) fn run(
    plan: &StagedEvolutionPlan,
    number: usize,
    harness: &mut Harness<'_>,
) -> Result<Option<StagedEvolutionMetrics>, ExperimentError> {
    let mut metrics = StagedEvolutionMetrics { id: plan.id.clone(), stages: Vec::new() };
    let mut population = None;
    for stage in 0..plan.stages.len() {
        let Some((found, genomes)) = run_stage(plan, number, stage, population, harness)? else {
            return Ok(None);
        };
        harness.finish_stage(plan.stages[stage].generations.of(harness.config.quick));
        metrics.stages.push(found);
        population = Some(genomes);
    }
    if let Some(genomes) = population {
        write_genomes(&file(harness.folder(), &plan.id), &genomes)?;
    }
    Ok(Some(metrics))
}

/// A stage, from the population of the one before.
fn run_stage(
    plan: &StagedEvolutionPlan,
    number: usize,
    stage: usize,
    initial: Option<Genomes>,
    harness: &mut Harness<'_>,
) -> Result<Option<(StageMetrics, Genomes)>, ExperimentError> {
    let store = harness.store();
    // Jobs are numbered in the order of their creation.
    let before: usize = harness.config.experiment.staged_evolutions[..number]
        .iter()
        .map(|plan| plan.stages.len())
        .sum();
    let id = format!("{EVOLUTION}-{}", before + stage + 1);
    let job = match store.open(&id) {
        Ok(job) => job,
        Err(_) => {
            let config = config(plan, stage, initial, harness);
            config.create_job(harness.entry.evolution(), &store, harness.config.experiment.seed)?
        }
    };
    if job.state()?.status != Status::Finished {
        let (executor, stop, game) = (harness.executor, harness.stop, harness.entry.evolution());
        let mut on_progress = |progress: &Progress| {
            if progress.message.is_empty() {
                harness.progress(progress.done as usize, &plan.title);
            }
        };
        if run_evolution_job(job, game, executor, stop, &mut on_progress)?.is_none() {
            return Ok(None);
        }
    }
    let job = store.open(&id)?;
    let missing = || ExperimentError::Plan(format!("{id} has no result"));
    let genomes: Genomes = job.result()?.ok_or_else(missing)?;
    let log = job.folder().join(format!("{GENERATIONS}.jsonl"));
    let generations: Vec<Generation> = read_log(&log)?.collect::<Result<_, _>>()?;
    let found = StageMetrics {
        against: plan.stages[stage].against.clone(),
        games: generations.iter().map(|one| one.games).sum(),
        seconds: generations.iter().map(|one| one.seconds).sum(),
        mean: generations.iter().map(|one| one.mean).collect(),
    };
    Ok(Some((found, genomes)))
}

fn config(
    plan: &StagedEvolutionPlan,
    stage: usize,
    initial: Option<Genomes>,
    harness: &Harness<'_>,
) -> EvolutionConfig {
    let stage = &plan.stages[stage];
    let mut config = EvolutionConfig::default_for(harness.game(), &plan.genome, &plan.scheme);
    config.player.clone_from(&plan.player);
    config.generations = stage.generations.of(harness.config.quick) as u64;
    config.opponents = vec![stage.against.clone()];
    config.openings.clone_from(&stage.openings);
    config.initial = initial;
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_final_score_is_that_of_the_last_tenth() {
        let stage = |mean: Vec<f64>| StageMetrics {
            against: "random".into(),
            games: 0,
            seconds: 0.0,
            mean,
        };
        let twenty = (0..20).map(f64::from).collect();
        assert_eq!(stage(twenty).final_score(), 18.5);
        assert_eq!(stage(vec![0.5]).final_score(), 0.5);
        assert_eq!(stage(Vec::new()).final_score(), 0.0);
    }
}
