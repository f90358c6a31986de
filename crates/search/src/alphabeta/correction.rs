//! Correction history: the static evaluation errs alike in positions that share a pawn structure or the
//! placement of one side's pieces, so the search's verdicts there correct it.

use tablero_core::{CORRECTION_KEYS, Side, Tactics};

use crate::score;

/// Entries per side and key.
const ENTRIES: usize = 1 << 14;
/// Corrections stay within plus and minus this, in units of `1 / GRAIN` centi-units.
const LIMIT: i32 = 1 << 14;
const GRAIN: i32 = 128;

/// The corrections of a thread.
pub(super) struct CorrectionHistory {
    /// By side, key and hash.
    table: Box<[i16]>,
    /// Nothing was stored since the last [`clear`](Self::clear).
    is_clear: bool,
}

/// The entries of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct CorrectionEntries([u32; CORRECTION_KEYS]);

impl CorrectionHistory {
    /// Without entries if the search does not use them.
    pub(super) fn new(is_used: bool) -> Self {
        let len = if is_used { Side::BOTH.len() * CORRECTION_KEYS * ENTRIES } else { 0 };
        Self { table: vec![0; len].into_boxed_slice(), is_clear: true }
    }

    pub(super) fn clear(&mut self) {
        if !self.is_clear {
            *self = Self::new(true);
        }
    }

    /// The entries of a position; none if corrections are not used.
    #[inline]
    pub(super) fn entries<G: Tactics>(&self, position: &G) -> Option<CorrectionEntries> {
        if self.table.is_empty() {
            return None;
        }
        let keys = position.correction_keys();
        let side = position.side().index();
        Some(CorrectionEntries(std::array::from_fn(|kind| {
            let row = side * CORRECTION_KEYS + kind;
            (row * ENTRIES + keys[kind] as usize % ENTRIES) as u32
        })))
    }

    /// The corrected static evaluation.
    #[inline]
    pub(super) fn corrected(&self, entries: CorrectionEntries, static_eval: i32) -> i32 {
        let sum: i32 = entries.0.iter().map(|&at| i32::from(self.table[at as usize])).sum();
        (static_eval + sum / GRAIN).clamp(-score::MAX_EVAL, score::MAX_EVAL)
    }

    /// Learns that a search to `depth` found `error` more than the corrected static evaluation.
    pub(super) fn update(&mut self, entries: CorrectionEntries, error: i32, depth: i32) {
        self.is_clear = false;
        let step = (error.clamp(-1000, 1000) * depth).clamp(-LIMIT / 4, LIMIT / 4);
        for at in entries.0 {
            let value = &mut self.table[at as usize];
            let old = i32::from(*value);
            *value = (old + step - old * step.abs() / LIMIT) as i16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_follow_the_error_within_bounds() {
        let mut history = CorrectionHistory::new(true);
        let entries = CorrectionEntries([5, 70, 900]);
        for _ in 0..1000 {
            let error = 60 - history.corrected(entries, 0);
            history.update(entries, error, 6);
        }
        assert!((55..=65).contains(&history.corrected(entries, 0)));
        for _ in 0..1000 {
            history.update(entries, 100_000, 100);
        }
        let most = CORRECTION_KEYS as i32 * LIMIT / GRAIN;
        assert!((most / 2..=most).contains(&history.corrected(entries, 0)));
        assert_eq!(history.corrected(entries, score::MAX_EVAL), score::MAX_EVAL);
        history.clear();
        assert_eq!(history.corrected(entries, 7), 7);
    }
}
