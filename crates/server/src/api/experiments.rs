use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

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
    /// Which experiment; the name of a plan of your own, if there is one.
    pub name: String,
    /// A plan of your own (TOML), instead of an experiment of an earlier work.
    #[serde(default)]
    pub plan: Option<String>,
    /// Few games and positions: a demonstration without statistical value.
    #[serde(default)]
    pub quick: bool,
    /// The random seed; the experiment's own if left out.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// A template of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct TemplateInfo {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: Localized,
}

/// The template and the game of a new plan.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TemplateQuery {
    /// The game.
    pub game: String,
}

/// A plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlanText {
    /// The plan as TOML.
    pub plan: String,
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
