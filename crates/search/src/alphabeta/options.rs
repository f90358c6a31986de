use tablero_core::{Limits, Rng, Selectivity, Tactics};

/// Options of an [`AlphaBeta`](super::AlphaBeta) player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AlphaBetaOptions {
    /// Limits of every search. With none, here or in the call, a search runs until it is stopped or
    /// the game is solved.
    pub limits: Limits,
    /// Size of the transposition table in MiB, allocated by the first search that needs it; 0 is a
    /// handful of entries.
    pub hash_mb: usize,
    /// Search threads (Lazy SMP). With one, the result is deterministic unless time limits it.
    pub threads: usize,
    /// Number of principal variations to report.
    pub multi_pv: usize,
    /// Maximum depth of quiescence search, in plies.
    pub quiescence: u32,
    /// Pruning and reductions.
    pub selectivity: Selectivity,
    /// Samples among nearly equal moves instead of playing the best.
    pub move_sampling: Option<MoveSampling>,
}

/// Softmax sampling among the moves close to the best, for varied and weaker play.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MoveSampling {
    /// Margin below the best value, in centi-units.
    pub within: i32,
    /// Softmax temperature, in centi-units.
    pub temperature: f64,
}

impl AlphaBetaOptions {
    /// The defaults of a game.
    pub const fn for_game<G: Tactics>() -> Self {
        Self {
            limits: Limits { depth: None, nodes: None, time: None, clock: None },
            hash_mb: 16,
            threads: 1,
            multi_pv: 1,
            quiescence: G::QUIESCENCE,
            selectivity: G::SELECTIVITY,
            move_sampling: None,
        }
    }

    /// Whether a search to `depth` probes the table: a one-ply search does only if it can be
    /// extended.
    pub(super) const fn uses_tt(&self, depth: u32) -> bool {
        depth > 1 || self.selectivity.check_extension
    }
}

impl MoveSampling {
    /// Samples one of `moves`, given with their values, the best first.
    pub(super) fn sample<M: Copy>(self, moves: &[(M, i32)], rng: &mut Rng) -> Option<M> {
        let best = moves.first()?.1;
        let near = || moves.iter().filter(|&&(_, value)| best - value <= self.within);
        let weights: Vec<f64> = near().map(|&(_, value)| self.weight(best - value)).collect();
        near().nth(rng.weighted_index(&weights)?).map(|&(m, _)| m)
    }

    fn weight(self, loss: i32) -> f64 {
        if loss == 0 {
            return 1.0;
        }
        (-f64::from(loss) / self.temperature.max(1e-9)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_within_the_margin_are_sampled_by_weight() {
        let sampling = MoveSampling { within: 50, temperature: 50.0 / 2f64.ln() };
        let moves = [('a', 10), ('b', 10), ('c', -40), ('d', -41)];
        let mut rng = Rng::seeded(1);
        let mut seen = [0; 4];
        for _ in 0..10_000 {
            let m = sampling.sample(&moves, &mut rng).expect("there are moves");
            seen[m as usize - 'a' as usize] += 1;
        }
        assert!((3800..4200).contains(&seen[0]) && (3800..4200).contains(&seen[1]));
        assert!((1800..2200).contains(&seen[2]) && seen[3] == 0, "{seen:?}");
        assert_eq!(sampling.sample::<char>(&[], &mut rng), None);
    }

    #[test]
    fn zero_temperature_plays_the_best_move() {
        let sampling = MoveSampling { within: 1000, temperature: 0.0 };
        let moves = [('a', 10), ('b', 9)];
        let mut rng = Rng::seeded(1);
        assert!((0..100).all(|_| sampling.sample(&moves, &mut rng) == Some('a')));
    }
}
