//! Late move reductions (LMR): moves late in the order are searched less deep, and again to full depth if
//! they beat alpha.

use tablero_core::Tactics;

use super::moves::MoveToSearch;
use super::node::NodeContext;
use super::worker::Worker;

/// Reductions are computed in fractions of a ply.
const PLY: i32 = 1024;

/// Reductions logarithmic in depth and move number, in 1/1024 plies.
pub(super) struct LmrTable(Box<[[i32; Self::SIZE]; Self::SIZE]>);

impl LmrTable {
    const SIZE: usize = 64;

    pub(super) fn new() -> Self {
        let mut table = Box::new([[0; Self::SIZE]; Self::SIZE]);
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, reduction) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (number as f64).ln();
                *reduction = ((0.4 + product / 2.2) * f64::from(PLY)) as i32;
            }
        }
        Self(table)
    }

    /// Reduction of move `number` (from 0) at `depth`.
    #[inline]
    pub(super) fn get(&self, depth: i32, number: usize) -> i32 {
        let depth = (depth.max(0) as usize).min(Self::SIZE - 1);
        self.0[depth][number.min(Self::SIZE - 1)]
    }
}

impl<G: Tactics> Worker<'_, G> {
    /// Depth at which a move is likely to be searched, for the pruning of moves.
    #[inline]
    pub(super) fn reduced_depth(&self, node: &NodeContext<'_, G>, number: usize) -> i32 {
        let reduction = if self.shared.options.selectivity.late_move_reductions {
            self.thread.lmr_table.get(node.depth, number) / PLY
        } else {
            0
        };
        (node.depth - 1 - reduction).max(0)
    }

    /// Late move reduction of a move, in plies.
    pub(super) fn reduction(
        &self,
        node: &NodeContext<'_, G>,
        m: &MoveToSearch,
        check: bool,
    ) -> i32 {
        let enabled = self.shared.options.selectivity.late_move_reductions;
        // Noisy moves are reduced only if they look bad.
        if !enabled || node.depth < 3 || m.number < 2 || node.in_check || m.noisy && !m.looks_bad {
            return 0;
        }
        let mut reduction = self.thread.lmr_table.get(node.depth, m.number);
        reduction -= PLY * i32::from(node.is_pv);
        reduction += PLY * i32::from(node.cut_node);
        reduction += PLY / 2 * i32::from(!node.improving);
        reduction -= PLY * i32::from(check);
        reduction -= (m.history / 8).clamp(-2 * PLY, 2 * PLY);
        (reduction / PLY).clamp(0, node.depth - 2)
    }

    /// Late move reduction at the root: of quiet moves, after the first few.
    pub(super) fn root_reduction(
        &self,
        position: &G,
        m: G::Move,
        child: &G,
        depth: i32,
        number: usize,
    ) -> i32 {
        let enabled = self.shared.options.selectivity.late_move_reductions;
        if !enabled
            || depth < 3
            || number < 3
            || position.in_check()
            || position.is_noisy(m)
            || child.in_check()
        {
            return 0;
        }
        (self.thread.lmr_table.get(depth, number) / PLY - 1).clamp(0, depth - 2)
    }
}
