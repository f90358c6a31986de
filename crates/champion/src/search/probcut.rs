//! Multi-ProbCut (Buro 1995, 1999): forward pruning by shallow searches.
//!
//! The error between a shallow and a deep search is about normally distributed, with a standard
//! deviation fitted to many positions ([`ProbCut`](crate::eval::ProbCut)). If the shallow value
//! misses the window by enough standard deviations ([`Selectivity`](super::Selectivity)), the deep
//! search would most likely miss it too, and is skipped. The shallow searches are pruned in the
//! same way, without a limit of nesting.

use super::node::Node;
use super::shallow::to_discs;
use super::worker::Worker;

/// Minimum depth of the search to prune.
const MIN_DEPTH: u32 = 3;
/// Factor of the fitted sigma in the midgame, which is too wide beyond 18 empties: 56 ± 6 % against
/// 1.0 in 200 games with 40,000 nodes per move. Exact searches gain nothing from it.
const MIDGAME_SIGMA_SCALE: f32 = 0.7;

impl Worker<'_> {
    /// A bound of the null window `(alpha, alpha + 1)`, if a shallow search is confident of it.
    pub(super) fn probcut(&mut self, node: &Node, alpha: i32, depth: u32) -> Option<i32> {
        let std_devs = self.selectivity.std_devs()?;
        if depth < MIN_DEPTH {
            return None;
        }
        let shallow = match depth / 4 * 2 + depth % 2 {
            0 => depth - 2,
            shallow => shallow,
        };
        let weights = self.shared.weights;
        let margin = |shallow| std_devs * weights.sigma(node.empties, shallow, depth);
        let scale = if depth == node.empties { 1.0 } else { MIDGAME_SIGMA_SCALE };
        let error = scale * margin(shallow);
        // The shallow search is tried only where the static evaluation makes success plausible.
        let static_eval = to_discs(self.evaluate(node)) as f32;
        let static_error = margin(0);
        let beta = alpha + 1;

        let high = (beta as f32 + error).round() as i32;
        if high < 64 && static_eval >= beta as f32 - static_error {
            if self.null_window_search(node, high - 1, shallow) >= high {
                return Some(beta);
            }
            if self.is_aborted() {
                return Some(alpha);
            }
        }
        let low = (alpha as f32 - error).round() as i32;
        if low > -64 && static_eval < alpha as f32 + static_error {
            if self.null_window_search(node, low, shallow) <= low {
                return Some(alpha);
            }
            if self.is_aborted() {
                return Some(alpha);
            }
        }
        None
    }
}
