use std::path::PathBuf;

use tablero_learn::LearnError;

use crate::{LearnConfig, Plan};

/// A run of patterns: what it is to do, and its files.
pub(crate) struct PatternRun {
    pub(crate) config: LearnConfig,
    pub(crate) folder: PathBuf,
}

impl PatternRun {
    /// What a generation is to do.
    pub(crate) fn plan(&self, generation: usize) -> Result<Plan, LearnError> {
        let plan = self.config.plan(generation).copied();
        plan.ok_or_else(|| LearnError::Config("it has no plan".into()))
    }

    pub(crate) fn games_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("games-{generation}.jsonl"))
    }

    pub(crate) fn fit_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("fit-{generation}.jsonl"))
    }

    /// The weights of a generation while they are measured.
    pub(crate) fn candidate_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("candidate-{generation}.weights"))
    }
}
