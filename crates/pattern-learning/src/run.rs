use std::path::PathBuf;

use tablero_learn::{ConfigError, LearnError};

use crate::{LearnConfig, Plan};

/// A run: its configuration and files.
pub(crate) struct PatternRun {
    pub(crate) config: LearnConfig,
    pub(crate) folder: PathBuf,
}

impl PatternRun {
    /// The plan of a generation.
    pub(crate) fn plan(&self, generation: usize) -> Result<Plan, LearnError> {
        let plan = self.config.plan(generation).copied();
        plan.ok_or_else(|| ConfigError::TooSmall { setting: "plans", value: 0, min: 1 }.into())
    }

    pub(crate) fn games_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("games-{generation}.jsonl"))
    }

    pub(crate) fn fit_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("fit-{generation}.jsonl"))
    }

    /// The weights of a generation before the gating match.
    pub(crate) fn candidate_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("candidate-{generation}.weights"))
    }
}
