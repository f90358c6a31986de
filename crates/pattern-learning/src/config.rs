//! The configuration of a learning run.

use serde::{Deserialize, Serialize};
use tablero_learn::ConfigError;

use crate::games::SelfPlayConfig;

/// The configuration of a learning run, without its seed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnConfig {
    /// The command that started the run.
    pub command: String,
    /// One plan per generation; the last is repeated.
    pub plans: Vec<Plan>,
    /// Number of generations; unlimited if none.
    pub generations: Option<usize>,
    /// Every n-th game is held out for validation.
    pub holdout_every: u64,
    /// Game pairs of the gating match against the best weights so far.
    pub gate_pairs: u64,
    /// Search depth of the gating match.
    pub gate_depth: u32,
    /// Maximum empties for exact searches in the gating match.
    pub gate_exact_empties: u32,
    /// Positions in which shallow and deep searches are compared for Multi-ProbCut.
    pub probcut_positions: usize,
    /// Maximum depth of these searches.
    pub probcut_depth: u32,
    /// Conjugate gradient iterations of the regression.
    pub cg_iterations: u32,
}

/// The plan of a generation.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Self-play games.
    pub games: u64,
    /// How they are played.
    pub self_play: SelfPlayConfig,
    /// Fraction of the search value in a position's label; the rest is the label of the next
    /// position. This is the lambda-return of TD(lambda) with lambda = 1 - `q_ratio`.
    pub q_ratio: f32,
    /// Earlier generations in the training set.
    pub replay_generations: usize,
}

impl LearnConfig {
    /// A run of hours, from zero weights to games searched several plies deep.
    pub fn standard(command: &str) -> Self {
        let self_play = |depth, exact_empties| SelfPlayConfig {
            min_random_plies: 8,
            max_random_plies: 36,
            depth,
            exact_empties,
        };
        let plan = |games, depth, exact_empties, q_ratio, replay_generations| Plan {
            games,
            self_play: self_play(depth, exact_empties),
            q_ratio,
            replay_generations,
        };
        // Fewer random moves: positions of games between strong players.
        let final_config =
            SelfPlayConfig { min_random_plies: 6, max_random_plies: 18, ..self_play(6, 14) };
        Self {
            command: command.into(),
            plans: vec![
                plan(10_000, 1, 10, 0.0, 0),
                plan(15_000, 2, 10, 0.3, 0),
                plan(30_000, 3, 12, 0.4, 0),
                plan(50_000, 4, 12, 0.5, 1),
                plan(100_000, 4, 14, 0.5, 1),
                plan(100_000, 5, 14, 0.5, 4),
                Plan {
                    games: 50_000,
                    self_play: final_config,
                    q_ratio: 0.5,
                    replay_generations: 3,
                },
            ],
            generations: None,
            holdout_every: 32,
            gate_pairs: 200,
            gate_depth: 4,
            gate_exact_empties: 12,
            probcut_positions: 2_000,
            probcut_depth: 7,
            cg_iterations: 30,
        }
    }

    /// A run of a minute or two that shows the loop, but does not make a strong player.
    pub fn quick(command: &str) -> Self {
        let plan = |depth, q_ratio| {
            let self_play = SelfPlayConfig {
                min_random_plies: 10,
                max_random_plies: 40,
                depth,
                exact_empties: 8,
            };
            Plan { games: 2_000, self_play, q_ratio, replay_generations: 0 }
        };
        Self {
            plans: vec![plan(1, 0.0), plan(2, 0.3)],
            generations: Some(2),
            gate_pairs: 50,
            gate_depth: 2,
            gate_exact_empties: 8,
            probcut_positions: 60,
            probcut_depth: 4,
            cg_iterations: 15,
            ..Self::standard(command)
        }
    }

    /// The plan of a generation, counted from 1.
    pub(crate) fn plan(&self, generation: usize) -> Option<&Plan> {
        self.plans.get(generation.saturating_sub(1)).or(self.plans.last())
    }

    /// Checks the settings.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::check_min("plans", self.plans.len() as u64, 1)?;
        ConfigError::check_min("holdout_every", self.holdout_every, 2)?;
        for plan in &self.plans {
            let SelfPlayConfig { min_random_plies, max_random_plies, .. } = plan.self_play;
            ConfigError::check_range("max_random_plies", f64::from(max_random_plies), 0.0..=58.0)?;
            ConfigError::check_range(
                "min_random_plies",
                min_random_plies.into(),
                0.0..=f64::from(max_random_plies),
            )?;
            ConfigError::check_min("games", plan.games, self.holdout_every)?;
            ConfigError::check_range("q_ratio", plan.q_ratio.into(), 0.0..=1.0)?;
        }
        Ok(())
    }
}
