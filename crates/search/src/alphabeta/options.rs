use tablero_core::{Limits, Rng, Selectivity, Tactics};

/// What an [`AlphaBeta`](super::AlphaBeta) is made with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AlphaBetaOptions {
    /// Bounds of every decision. With none, here or in the request, a search ends when it is told
    /// to stop or has seen the end of the game.
    pub limits: Limits,
    /// Megabytes for the transposition table, taken by the first search that asks it; with 0 it has a
    /// handful of entries.
    pub hash_mb: usize,
    /// Threads; with one, the same request always gets the same answer (unless time bounds it).
    pub threads: usize,
    /// Best lines to report.
    pub multi_pv: usize,
    /// For how many plies to play noisy moves out before a position is evaluated.
    pub quiescence: u32,
    /// The short cuts to take.
    pub selectivity: Selectivity,
    /// Do not always play the best move.
    pub temper: Option<Temper>,
}

/// Chance among moves that are nearly as good as the best, for play that varies and is weaker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Temper {
    /// Moves that are worse by up to so many hundredths may be played.
    pub within: i32,
    /// How much worse, in hundredths, a move must be to be played e times less often.
    pub temperature: f64,
}

impl AlphaBetaOptions {
    /// What is usual for a game.
    pub const fn of<G: Tactics>() -> Self {
        Self {
            limits: Limits { depth: None, nodes: None, time: None, clock: None },
            hash_mb: 16,
            threads: 1,
            multi_pv: 1,
            quiescence: G::QUIESCENCE,
            selectivity: G::SELECTIVITY,
            temper: None,
        }
    }

    /// Whether a search to `depth` plies asks the table: at the horizon nobody does, so a search of one ply
    /// only if it may be extended.
    pub(super) const fn asks_table(&self, depth: u32) -> bool {
        depth > 1 || self.selectivity.danger_extension
    }
}

impl Temper {
    /// One of `moves`, which come with their values, the best first; none of none.
    pub(super) fn pick<M: Copy>(self, moves: &[(M, i32)], rng: &mut Rng) -> Option<M> {
        let best = moves.first()?.1;
        let near = || moves.iter().filter(|&&(_, value)| best - value <= self.within);
        let weights: Vec<f64> = near().map(|&(_, value)| self.weight(best - value)).collect();
        near().nth(rng.weighted_index(&weights)?).map(|&(m, _)| m)
    }

    fn weight(self, worse: i32) -> f64 {
        if worse == 0 {
            return 1.0;
        }
        (-f64::from(worse) / self.temperature.max(1e-9)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_moves_are_chosen_as_often_as_they_weigh() {
        let temper = Temper { within: 50, temperature: 50.0 / 2f64.ln() };
        let moves = [('a', 10), ('b', 10), ('c', -40), ('d', -41)];
        let mut rng = Rng::seeded(1);
        let mut seen = [0; 4];
        for _ in 0..10_000 {
            let m = temper.pick(&moves, &mut rng).expect("there are moves");
            seen[m as usize - 'a' as usize] += 1;
        }
        assert!((3800..4200).contains(&seen[0]) && (3800..4200).contains(&seen[1]));
        assert!((1800..2200).contains(&seen[2]) && seen[3] == 0, "{seen:?}");
        assert_eq!(temper.pick::<char>(&[], &mut rng), None);
    }

    #[test]
    fn a_cold_temper_plays_the_best() {
        let temper = Temper { within: 1000, temperature: 0.0 };
        let moves = [('a', 10), ('b', 9)];
        let mut rng = Rng::seeded(1);
        assert!((0..100).all(|_| temper.pick(&moves, &mut rng) == Some('a')));
    }
}
