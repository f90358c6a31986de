use tablero_core::{Limits, TimeManager, TimePolicy};

/// The bounds of one decision, as searches by iterative deepening keep them.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) time: TimeManager,
    pub(crate) nodes: u64,
    pub(crate) depth: u32,
}

impl Budget {
    /// What `limits` allow, from now on, to a search that cannot look deeper than `depth`.
    pub(crate) fn new(limits: &Limits, depth: u32) -> Self {
        Self {
            time: TimeManager::new(limits, &TimePolicy::default()),
            nodes: limits.nodes.unwrap_or(u64::MAX),
            depth: limits.depth.unwrap_or(depth).clamp(1, depth),
        }
    }
}
