//! What the curves of a run say: whether it overfits, whether it still learns, and what to change.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{GenerationStats, LearningHistory};

/// Generations whose losses are compared with those of as many before them.
const WINDOW: usize = 5;
/// Evaluations whose ratings are compared with all before them.
const EVALUATIONS: usize = 3;
/// The largest error, in Elo, with which ratings show that nothing was gained.
const MAX_ERROR: f64 = 120.0;
/// The least relative rise of the held-out loss that is not noise.
const RISE: f64 = 0.02;

/// Something a run's curves show.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Finding {
    /// The value loss rises on held-out games while it falls on training games.
    Overfitting {
        /// Mean value loss on held-out games of the generations before the last ones.
        before: f64,
        /// That of the last ones.
        after: f64,
        /// How many generations are compared with as many before.
        generations: usize,
    },
    /// The last generations are not stronger than those before, within the error.
    Stalled {
        /// The generation with the highest rating before the last ones.
        since: usize,
        /// Its rating.
        elo: f64,
        /// The highest rating of the last ones.
        now: f64,
        /// The error of the difference.
        error: f64,
    },
}

impl LearningHistory {
    /// What the curves show. Generations by a teacher's games are left out: their losses are of other games.
    pub fn findings(&self) -> Vec<Finding> {
        let own = |stats: &&GenerationStats| stats.playing_generation().is_some();
        let own: Vec<_> = self.generations.iter().filter(own).collect();
        [overfitting(&own), stalled(&own)].into_iter().flatten().collect()
    }
}

fn overfitting(generations: &[&GenerationStats]) -> Option<Finding> {
    let at = generations.len().checked_sub(WINDOW).filter(|at| *at >= WINDOW)?;
    let mean = |part: &[&GenerationStats], of: fn(&GenerationStats) -> Option<f64>| {
        let values: Option<Vec<_>> = part.iter().map(|stats| of(stats)).collect();
        values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
    };
    let (last, earlier) = (&generations[at..], &generations[at - WINDOW..at]);
    let held_out = |stats: &GenerationStats| Some(stats.held_out.value);
    let training = |stats: &GenerationStats| stats.training.map(|loss| loss.value);
    let (before, after) = (mean(earlier, held_out)?, mean(last, held_out)?);
    let is_rising = after > before * (1.0 + RISE);
    let is_memorizing = mean(last, training)? < mean(earlier, training)?;
    let finding = Finding::Overfitting { before, after, generations: WINDOW };
    (is_rising && is_memorizing).then_some(finding)
}

fn stalled(generations: &[&GenerationStats]) -> Option<Finding> {
    let rated = |stats: &&GenerationStats| Some((stats.generation, stats.elo?, stats.elo_error?));
    let rated: Vec<_> = generations.iter().filter_map(rated).collect();
    let at = rated.len().checked_sub(EVALUATIONS).filter(|at| *at >= EVALUATIONS)?;
    let best = |part: &[(usize, f64, f64)]| {
        part.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).expect("not empty")
    };
    let ((since, elo, error), (_, now, error_now)) = (best(&rated[..at]), best(&rated[at..]));
    let error = error.hypot(error_now);
    let is_clear = error <= MAX_ERROR;
    (is_clear && now - elo < error / 2.0).then_some(Finding::Stalled { since, elo, now, error })
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overfitting { before, after, generations } => write!(
                f,
                "Overfitting: over the last {generations} generations the value loss rose from {before:.3} to \
                 {after:.3} on held-out games while it fell on training games. Play more games a generation \
                 (--games), train less on each (--replay-ratio) or keep more of them (--replay-generations)."
            ),
            Self::Stalled { since, elo, now, error } => write!(
                f,
                "No gain since generation {since} ({elo:+.0} Elo then, {now:+.0} now, ± {error:.0}). Search deeper \
                 (--sims), lower the learning rate (--lr), play more games (--games) or learn with a larger \
                 network."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loss;

    /// A history with these held-out and training value losses and ratings.
    fn history(curves: impl Iterator<Item = (f64, f64, f64)>) -> LearningHistory {
        let generations = curves.enumerate().map(|(index, (held_out, training, elo))| {
            let loss = |value| Loss { value, ..Loss::default() };
            GenerationStats {
                generation: index + 1,
                player: format!("generation {index}"),
                games: 100,
                mean_plies: 60.0,
                results: [0.5, 0.0, 0.5],
                new_positions: 1000,
                buffer_positions: 1000,
                steps: 10,
                held_out: loss(held_out),
                training: Some(loss(training)),
                resign_checks: [0, 0],
                score: Some(0.5),
                elo: Some(elo),
                elo_error: Some(30.0),
                promoted: true,
                seconds: 1.0,
            }
        });
        LearningHistory { generations: generations.collect(), ..LearningHistory::default() }
    }

    #[test]
    fn a_run_that_learns_has_no_findings() {
        let learns = (0..20).map(f64::from).map(|n| (0.4 - n / 100.0, 0.4 - n / 90.0, 50.0 * n));
        assert_eq!(history(learns).findings(), []);
        assert_eq!(history((0..5).map(|_| (0.3, 0.3, 0.0))).findings(), [], "too few to tell");
    }

    #[test]
    fn overfitting_and_stalling_are_told_apart() {
        let overfits = (0..20).map(f64::from).map(|n| (0.3 + n / 100.0, 0.3 - n / 90.0, 50.0 * n));
        let findings = history(overfits).findings();
        assert!(matches!(findings[..], [Finding::Overfitting { .. }]), "{findings:?}");
        assert!(findings[0].to_string().contains("--replay-ratio"));
        // Rising on both: the games became harder to predict.
        let harder = (0..20).map(f64::from).map(|n| (0.3 + n / 100.0, 0.2 + n / 90.0, 50.0 * n));
        assert_eq!(history(harder).findings(), []);
        let stalls = (0..20).map(f64::from).map(|n| (0.3, 0.3, (100.0 * n).min(900.0)));
        let findings = history(stalls).findings();
        assert!(matches!(findings[..], [Finding::Stalled { since: 17, .. }]), "{findings:?}");
        let mut noisy = history((0..20).map(|_| (0.3, 0.3, 900.0)));
        noisy.generations.iter_mut().for_each(|stats| stats.elo_error = Some(110.0));
        assert_eq!(noisy.findings(), [], "the errors would hide a gain");
    }
}
