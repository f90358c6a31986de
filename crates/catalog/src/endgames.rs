//! Endgames that the game's solver solves at once, for players who know nothing but their network.

use std::sync::atomic::AtomicBool;

use tablero_core::{AnyPosition, ForMover, LeafRequest, Playable, PolicyValue};
use tablero_registry::{SolveLimits, Solver};

use crate::Extras;

/// The solver's transposition table, in MB.
const HASH_MB: usize = 1;

/// Solves small endgames.
pub(crate) struct Endgames<G> {
    /// Whether a position is solved at once.
    is_small: fn(&G) -> bool,
    new_solver: fn() -> Option<Box<dyn Solver>>,
    /// Made when it is needed.
    solver: Option<Box<dyn Solver>>,
}

impl<G> Clone for Endgames<G> {
    fn clone(&self) -> Self {
        Self { solver: None, ..*self }
    }
}

impl<G: Playable> Endgames<G> {
    /// None if the game has no solver.
    pub(crate) fn of<E: Extras<G>>() -> Option<Self> {
        let new_solver = || E::solver(HASH_MB, 1);
        Some(Self { is_small: E::IS_ENDGAME?, new_solver, solver: None })
    }

    /// The outcome of a position, 1, 0 or -1, and its best move, if it is small enough.
    ///
    /// `limits` say whether the move is the best by margin too.
    pub(crate) fn solve(
        &mut self,
        position: &G,
        limits: SolveLimits,
    ) -> Option<(ForMover<f32>, G::Move)> {
        if !(self.is_small)(position) {
            return None;
        }
        if self.solver.is_none() {
            self.solver = (self.new_solver)();
        }
        let any = AnyPosition::new(position.clone());
        let solution = self.solver.as_mut()?.solve(&any, limits, &AtomicBool::new(false))?;
        let outcome = solution.score.0.signum() as f32;
        Some((ForMover(outcome), solution.best?.resolve(position)?))
    }
}

/// A network whose values of small endgames are exact.
#[derive(Clone)]
pub(crate) struct ExactEndgames<G, N> {
    pub(crate) net: N,
    pub(crate) endgames: Endgames<G>,
}

impl<G: Playable, N: PolicyValue<G>> ExactEndgames<G, N> {
    fn value(&mut self, position: &G) -> Option<ForMover<f32>> {
        Some(self.endgames.solve(position, SolveLimits { wld: true })?.0)
    }
}

/// Exact values come with equal priors: the search sees the values of all moves anyway.
impl<G: Playable, N: PolicyValue<G>> PolicyValue<G> for ExactEndgames<G, N> {
    fn evaluate(
        &mut self,
        position: &G,
        seen: u32,
        moves: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32> {
        match self.value(position) {
            Some(value) => {
                priors.fill(1.0);
                value
            }
            None => self.net.evaluate(position, seen, moves, priors),
        }
    }

    fn evaluate_batch(&mut self, leaves: &mut [LeafRequest<'_, G>]) {
        let mut unsolved = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            match self.value(leaf.position) {
                Some(value) => {
                    leaf.priors.fill(1.0);
                    leaf.value = value;
                }
                None => unsolved.push(leaf),
            }
        }
        if unsolved.is_empty() {
            return;
        }
        let mut requests: Vec<_> = unsolved.iter_mut().map(|leaf| leaf.reborrow()).collect();
        self.net.evaluate_batch(&mut requests);
        let values: Vec<_> = requests.into_iter().map(|request| request.value).collect();
        for (leaf, value) in unsolved.into_iter().zip(values) {
            leaf.value = value;
        }
    }
}
