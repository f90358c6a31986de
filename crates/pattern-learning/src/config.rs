//! What a learning run is to do.

use serde::{Deserialize, Serialize};

use crate::games::Style;

/// All that a run depends on, apart from its seed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnConfig {
    /// The command that the run was made with.
    pub command: String,
    /// The generations; the last plan is repeated for all after it.
    pub plans: Vec<Plan>,
    /// The run is finished after so many generations; none goes on until it is stopped.
    pub generations: Option<usize>,
    /// One of so many games is kept out of learning.
    pub held_out: u64,
    /// Pairs of games against the best weights before.
    pub gate_pairs: u64,
    /// Plies that these games are searched.
    pub gate_depth: u32,
    /// These games are exact from so many empty squares on.
    pub gate_exact: u32,
    /// Positions that shallow and deep searches are compared in.
    pub measured: usize,
    /// The deepest of these searches.
    pub measured_depth: u32,
    /// Steps of the regression.
    pub rounds: u32,
}

/// What one generation is to do.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Games to play.
    pub games: u64,
    /// How to play them.
    pub style: Style,
    /// How much of a label is the search's own value, rather than what came after the move.
    pub trust: f32,
    /// How many generations before this one are learned from, too.
    pub memory: usize,
}

impl LearnConfig {
    /// A run of hours: from games that know nothing to games that are searched some plies deep.
    pub fn usual(command: &str) -> Self {
        let style = |depth, exact| Style { random_from: 8, random_to: 36, depth, exact };
        let plan = |games, depth, exact, trust, memory| Plan {
            games,
            style: style(depth, exact),
            trust,
            memory,
        };
        // Fewer random moves: positions as they come up between good players.
        let sound = Style { random_from: 6, random_to: 18, ..style(6, 14) };
        Self {
            command: command.into(),
            plans: vec![
                plan(10_000, 1, 10, 0.0, 0),
                plan(15_000, 2, 10, 0.3, 0),
                plan(30_000, 3, 12, 0.4, 0),
                plan(50_000, 4, 12, 0.5, 1),
                plan(100_000, 4, 14, 0.5, 1),
                plan(100_000, 5, 14, 0.5, 4),
                Plan { games: 50_000, style: sound, trust: 0.5, memory: 3 },
            ],
            generations: None,
            held_out: 32,
            gate_pairs: 200,
            gate_depth: 4,
            gate_exact: 12,
            measured: 2_000,
            measured_depth: 7,
            rounds: 30,
        }
    }

    /// A run of a minute or two, which shows how learning goes on but makes no strong player.
    pub fn quick(command: &str) -> Self {
        let plan = |depth, trust| {
            let style = Style { random_from: 10, random_to: 40, depth, exact: 8 };
            Plan { games: 2_000, style, trust, memory: 0 }
        };
        Self {
            plans: vec![plan(1, 0.0), plan(2, 0.3)],
            generations: Some(2),
            gate_pairs: 50,
            gate_depth: 2,
            gate_exact: 8,
            measured: 60,
            measured_depth: 4,
            rounds: 15,
            ..Self::usual(command)
        }
    }

    /// The plan of a generation, the first being 1.
    pub(crate) fn plan(&self, generation: usize) -> Option<&Plan> {
        self.plans.get(generation.saturating_sub(1)).or(self.plans.last())
    }

    /// What is wrong with it, if anything.
    pub fn check(&self) -> Result<(), String> {
        let wrong = |condition: bool, problem: &str| {
            if condition { Err(problem.to_owned()) } else { Ok(()) }
        };
        wrong(self.plans.is_empty(), "a learning run needs at least one plan")?;
        wrong(self.held_out < 2, "at least every second game must be learned from")?;
        for plan in &self.plans {
            let Style { random_from, random_to, .. } = plan.style;
            wrong(random_from > random_to, "random moves: at least is more than at most")?;
            wrong(random_to > 58, "random moves: at most 58")?;
            wrong(plan.games < self.held_out, "no game would be kept out of learning")?;
            wrong(!(0.0..=1.0).contains(&plan.trust), "trust is from 0 to 1")?;
        }
        Ok(())
    }
}
