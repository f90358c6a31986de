use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Localized;

/// An experiment of an earlier work that can be run again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExperimentInfo {
    /// Its name: `unicen`.
    pub name: String,
    /// The game.
    pub game: String,
    /// One-line title.
    pub title: Localized,
    /// Citation of the work.
    pub source: String,
    /// What the work did, and how the experiment reproduces it; paragraphs are separated by empty lines.
    pub description: Localized,
    /// The expected result.
    pub expected_result: Localized,
}

/// An experiment to run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewExperimentJob {
    /// Which experiment.
    pub name: String,
    /// Few games and positions: a demonstration without statistical value.
    #[serde(default)]
    pub quick: bool,
    /// The random seed; the experiment's own if left out.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// An experiment as a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExperimentView {
    /// The experiment.
    pub experiment: ExperimentInfo,
    /// Whether it is a quick run.
    pub quick: bool,
    /// The report, once it is finished.
    pub report: Option<ReportView>,
}

/// A report: a page with tables and plots.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReportView {
    /// The page in Markdown: headings, paragraphs, lists, tables, and images by the files of the plots.
    pub page: String,
    /// The plots.
    pub plots: Vec<PlotView>,
}

/// A plot of a report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlotView {
    /// Its file name on the page.
    pub file: String,
    /// Its title.
    pub title: String,
    /// Its content.
    pub svg: String,
}
