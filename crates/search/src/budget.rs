use tablero_core::{Limits, TimeManager, TimePolicy};

/// The limits of one search with a fixed maximum depth.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) time: TimeManager,
    pub(crate) nodes: u64,
    pub(crate) depth: u32,
}

impl Budget {
    /// Starts the clock; the depth is clamped to `max_depth`.
    pub(crate) fn new(limits: &Limits, max_depth: u32) -> Self {
        Self {
            time: TimeManager::new(limits, &TimePolicy::default()),
            nodes: limits.nodes.unwrap_or(u64::MAX),
            depth: limits.depth.unwrap_or(max_depth).clamp(1, max_depth),
        }
    }
}
