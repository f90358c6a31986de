//! Multi-ProbCut: a shallow search that is far outside the window tells, with a chance that is known
//! from many positions, that a deep one would be outside it as well.

use super::node::Node;
use super::peek::to_discs;
use super::worker::Worker;

/// Shallower searches are not worth the trouble.
const LEAST_DEPTH: u32 = 3;
/// In the middle of the game a part of the fitted error is enough: 56 ± 6 % against the whole of it, in
/// 200 games with 40,000 nodes a move; solving endgames gains nothing from it.
const MIDGAME: f32 = 0.7;
/// Short cuts within short cuts, at most.
const MOST_NESTED: u32 = 2;

impl Worker<'_> {
    /// A value on one side of the window, if a shallow search is sure enough of the side.
    pub(super) fn probcut(&mut self, node: &Node, alpha: i32, depth: u32) -> Option<i32> {
        let deviations = self.selectivity.deviations()?;
        if depth < LEAST_DEPTH || self.probing >= MOST_NESTED {
            return None;
        }
        let shallow = match depth / 4 * 2 + depth % 2 {
            0 => depth - 2,
            shallow => shallow,
        };
        let weights = self.shared.weights;
        let spread = |shallow| deviations * weights.sigma(node.empties, shallow, depth);
        let boldness = if depth == node.empties { 1.0 } else { MIDGAME };
        let error = boldness * spread(shallow);
        let guess = to_discs(self.evaluate(node)) as f32;
        let guess_error = spread(0);
        let beta = alpha + 1;

        let high = (beta as f32 + error).round() as i32;
        if high < 64 && guess >= beta as f32 - guess_error {
            if self.probe(node, high - 1, shallow) >= high {
                return Some(beta);
            }
            if self.is_over() {
                return Some(alpha);
            }
        }
        let low = (alpha as f32 - error).round() as i32;
        if low > -64 && guess < alpha as f32 + guess_error {
            if self.probe(node, low, shallow) <= low {
                return Some(alpha);
            }
            if self.is_over() {
                return Some(alpha);
            }
        }
        None
    }

    fn probe(&mut self, node: &Node, alpha: i32, depth: u32) -> i32 {
        self.probing += 1;
        let value = self.null_window(node, alpha, depth);
        self.probing -= 1;
        value
    }
}
