//! The table of all works: every claim, the command that reproduces it, what it gave, our better variant.

use tablero_jobs::{Job, JobError, Store};
use tablero_report::{Table, number, seconds};

use crate::{EXPERIMENT, Experiment, ExperimentConfig, Results};

/// An experiment for the table, with its results if it ran.
pub struct Work<'a> {
    /// Name of the experiment.
    pub name: &'a str,
    /// The plan.
    pub experiment: &'a Experiment,
    /// The results.
    pub results: Option<&'a Results>,
}

const INTRO: &str = "# The works, claim by claim

Tablero grew out of five works. Each table lists what a work says, the command that reproduces it as the work did it, what that
gave here, and our better variant. `tablero experiment run all` runs every experiment and writes this page
([tutorial](tutorials/05-reproduce-a-work.md)); with the same seed all figures but times are the same on any machine. Times are of 2
cores shared with other work.

Scores count a draw as half a win; Elo has 95 % errors. \"–\" means that the work gives no figure.
";

const HEAD: [&str; 5] = ["claim", "the work", "command", "measured", "our better variant"];

/// In place of a figure that was not measured.
const NOT_MEASURED: &str = "not measured";

/// The page with one table per work; without results, the figures are those that the plans record.
pub fn works_page(works: &[Work<'_>]) -> String {
    let mut page = INTRO.to_owned();
    for work in works {
        let Work { name, experiment, results } = work;
        page += &format!("\n## {}: {}\n{}.\n", name, experiment.title, experiment.source);
        if results.is_some_and(|results| results.quick) {
            page += "This was a quick run: too few games and positions for conclusions.\n";
        }
        page += &format!("\n{}", left_aligned(&table(work).markdown()));
        if !experiment.notes.is_empty() {
            page += &format!("\n{}\n", experiment.notes.trim());
        }
    }
    page
}

/// The claims of one work.
fn table(work: &Work<'_>) -> Table {
    let mut table = Table::new(&work.experiment.title, &HEAD);
    let results = work.results.map(|results| {
        let mut results = results.clone();
        // The plan may have got more comparisons since the run.
        results.compare(&work.experiment.comparisons);
        results
    });
    let better = |better: &Option<String>| better.clone().unwrap_or_default();
    for (index, comparison) in work.experiment.comparisons.iter().enumerate() {
        let measured = results.as_ref().and_then(|results| results.comparisons[index].measured);
        table.rows.push(vec![
            comparison.description.clone(),
            comparison.reference.clone(),
            format!("`tablero experiment run {}`", work.name),
            measured.map_or_else(
                || comparison.recorded.clone().unwrap_or_else(|| NOT_MEASURED.into()),
                |value| format_metric(&comparison.metric, value),
            ),
            better(&comparison.better),
        ]);
    }
    for claim in &work.experiment.claims {
        table.rows.push(vec![
            claim.description.clone(),
            claim.reference.clone(),
            format!("`{}`", claim.command),
            claim.measured.clone(),
            better(&claim.better),
        ]);
    }
    table
}

/// Text columns read better from the left.
fn left_aligned(markdown: &str) -> String {
    markdown.replace("--:|", "---|")
}

fn format_metric(metric: &str, value: f64) -> String {
    if metric.ends_with("seconds") {
        seconds(value)
    } else if metric.ends_with(".score") {
        format!("{:.1} %", 100.0 * value)
    } else {
        number(value)
    }
}

impl ExperimentConfig {
    /// The newest job that measures the same; texts and comparisons of its plan may differ.
    pub fn find_job(&self, store: &Store) -> Result<Option<Job>, JobError> {
        let (jobs, _broken) = store.list()?;
        let measures_same = |job: &Job| {
            job.header().kind == EXPERIMENT
                && job.config::<Self>().is_ok_and(|other| self.measures_same(other))
        };
        Ok(jobs.into_iter().rev().find(measures_same))
    }

    fn measures_same(&self, other: Self) -> bool {
        let Experiment {
            title,
            source,
            description,
            expected_result,
            comparisons,
            claims,
            notes,
            es,
            ..
        } = self.experiment.clone();
        let experiment = Experiment {
            title,
            source,
            description,
            expected_result,
            comparisons,
            claims,
            notes,
            es,
            ..other.experiment
        };
        (&self.name, self.quick, &self.experiment) == (&other.name, other.quick, &experiment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, names};

    /// Rewrite it with `UPDATE=1 cargo test -p tablero-experiments works`.
    #[test]
    fn the_documented_table_is_up_to_date() {
        let plans: Vec<(&str, Experiment)> =
            names().map(|name| (name, find(name).expect("a valid plan"))).collect();
        let works: Vec<Work<'_>> = plans
            .iter()
            .map(|(name, experiment)| Work { name, experiment, results: None })
            .collect();
        let page = works_page(&works);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/works.md");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(path, &page).expect("docs/works.md can be written");
        }
        let written = std::fs::read_to_string(path).expect("docs/works.md");
        assert!(written == page, "docs/works.md is outdated: UPDATE=1 cargo test works");
    }

    #[test]
    fn metrics_have_units() {
        assert_eq!(format_metric("search.minimax.6.seconds", 0.157), "157 ms");
        assert_eq!(format_metric("match.a.b.score", 0.87), "87.0 %");
        assert_eq!(format_metric("search.minimax.6.nodes", 902_009.0), "902,009");
    }

    #[test]
    fn jobs_of_the_same_plan_are_found() {
        let folder = std::env::temp_dir().join(format!("tablero-works-{}", std::process::id()));
        let store = Store::in_folder(&folder);
        let experiment = find("unicen").expect("a plan");
        let config = ExperimentConfig { name: "unicen".into(), quick: true, out: None, experiment };
        assert!(config.find_job(&store).expect("no jobs").is_none());
        let first = config.create_job(&store).expect("a job");
        let mut other = config.clone();
        other.experiment.seed += 1;
        other.create_job(&store).expect("another seed");
        let mut full = config.clone();
        full.quick = false;
        assert!(full.find_job(&store).expect("the jobs").is_none());
        let mut reworded = config;
        reworded.experiment.title = "Levels".into();
        let found = reworded.find_job(&store).expect("the jobs").expect("the first");
        assert_eq!(found.id(), first.id());
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
