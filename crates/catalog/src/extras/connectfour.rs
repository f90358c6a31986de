//! Extras of Connect Four: the exact solver, and the player that uses it.

use std::sync::atomic::AtomicBool;

use tablero_connectfour::{ConnectFour, Solver as ExactSolver};
use tablero_core::{AnyMove, AnyPosition, ForMover, PlayerKind};
use tablero_registry::{Solution, SolveLimits, Solver};

use super::Extras;
use crate::players::perfect;

/// Extras of Connect Four: the exact solver, and the player that uses it.
pub struct ConnectFourExtras;

impl Extras<ConnectFour> for ConnectFourExtras {
    fn player_kinds() -> Vec<PlayerKind> {
        vec![perfect::kind()]
    }

    fn solver(hash_mb: usize, _threads: usize) -> Option<Box<dyn Solver>> {
        Some(Box::new(ConnectFourSolver(ExactSolver::new(hash_mb << 20))))
    }

    const IS_ENDGAME: Option<fn(&ConnectFour) -> bool> =
        Some(|position| position.empty_cells() <= ENDGAME_CELLS);
}

/// Empty cells of endgames that the solver solves at once.
const ENDGAME_CELLS: u32 = 20;

struct ConnectFourSolver(ExactSolver);

impl Solver for ConnectFourSolver {
    fn solve(
        &mut self,
        position: &AnyPosition,
        limits: SolveLimits,
        stop: &AtomicBool,
    ) -> Option<Solution> {
        let position = position.downcast_ref::<ConnectFour>()?;
        self.0.clear();
        let found = self.0.solve(position, limits.wld, stop, None)?;
        Some(Solution {
            score: ForMover(if limits.wld { found.score.signum() } else { found.score }),
            best: found.best.map(|best| AnyMove::new(position, best)),
            nodes: found.nodes,
            empties: position.empty_cells(),
        })
    }
}
