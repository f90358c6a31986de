//! Singular extensions (Anantharaman, Campbell and Hsu 1988): a table move that is better than all others by a
//! margin is searched deeper.

use tablero_core::{Purpose, Tactics};

use super::node::NodeContext;
use super::tt::{Bound, TtEntry};
use super::window::Window;
use super::worker::{Visit, Worker};
use crate::score;

/// The least depth at which a move is tested.
const MIN_DEPTH: i32 = 6;
/// How much shallower than the node the table's value may be.
const MAX_TT_DEPTH_LOSS: i32 = 3;

/// A move better than the others by this much more is extended twice.
const DOUBLE_MARGIN: i32 = 20;

/// What the test of the table move found.
pub(super) enum Singularity {
    /// Search the table move by this much deeper.
    Extension(i32),
    /// Multi-cut: without the table move there is still a move above beta.
    Cutoff(i32),
}

impl<G: Tactics> Worker<'_, G> {
    /// Searches all moves but the table's with a window below its value.
    pub(super) fn singularity(
        &mut self,
        node: &NodeContext<'_, G>,
        entry: &TtEntry,
        window: Window,
    ) -> Singularity {
        let Some(tt_value) = self.singular_candidate(node, entry) else {
            return Singularity::Extension(0);
        };
        let bound = tt_value - 2 * node.depth;
        let others = NodeContext {
            depth: (node.depth - 1) / 2,
            excluded: entry.main_move(),
            is_pv: false,
            ..*node
        };
        let below = Window::null_below(bound);
        let value = self.recorded(
            || Visit::stay(Purpose::SingularTest, others.depth, below),
            |worker| worker.search_moves(&others, below, None),
        );
        if self.stopped {
            return Singularity::Extension(0);
        }
        if value < bound {
            let clearly = !node.is_pv && value < bound - DOUBLE_MARGIN;
            return Singularity::Extension(1 + i32::from(clearly));
        }
        if bound >= window.beta && !score::is_decisive(value) {
            self.heuristic_values += 1;
            return Singularity::Cutoff(bound);
        }
        let expected_cut = tt_value >= window.beta || node.cut_node;
        Singularity::Extension(-i32::from(expected_cut))
    }

    /// The value of the table move, if it is worth a test.
    fn singular_candidate(&self, node: &NodeContext<'_, G>, entry: &TtEntry) -> Option<i32> {
        let value = score::from_tt::<G>(entry.value, node.ply);
        let worth_it = self.shared.options.selectivity.singular_extension
            && node.depth >= MIN_DEPTH
            && node.ply < 2 * self.root.root_depth as usize
            && entry.main_move().is_some()
            && i32::from(entry.depth) >= node.depth - MAX_TT_DEPTH_LOSS
            && entry.bound != Bound::Upper
            && !score::is_decisive(value);
        worth_it.then_some(value)
    }
}
