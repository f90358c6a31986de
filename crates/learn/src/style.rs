use serde::{Deserialize, Serialize};
use tablero_core::AnyGame;

/// How games to learn from are played.
///
/// What is not said to come from elsewhere is our own choice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    /// Simulations for a move that is learned from (Hatchet1 has 20 for every move).
    pub sims: u64,
    /// Simulations for the others (KataGo: playout-cap randomisation).
    pub fast_sims: u64,
    /// Which share of moves gets the full number and is learned from (KataGo: 0.25).
    pub full_share: f64,
    /// Moves that sequential halving begins with (Gumbel AlphaZero: 16); 0 for the formula and noise of
    /// Hatchet1.
    pub halved: usize,
    /// For so many plies moves are chosen with chance, then the best is played (Hatchet1: 80).
    pub chance_plies: usize,
    /// Up to so many random moves begin the game, each number as likely as the others.
    pub random_plies: usize,
    /// Later on, too, this share of moves is played at random, after the position was searched.
    pub random_share: f64,
    /// What a draw is worth to the one who brings it about (Hatchet1: -0.5).
    pub draw: f32,
    /// Moves whose visits are owed to noise alone are not learned (KataGo: policy-target pruning). Only
    /// where halving is off: with it targets come from values.
    pub prune: bool,
    /// A player resigns at a value below minus this, three times in a row; 1 for never.
    pub resign_at: f64,
    /// In this share of games nobody resigns, to see how often that would have been wrong.
    pub resign_check: f64,
    /// A longer game is drawn.
    pub longest: usize,
}

impl Style {
    /// How a game is usually played.
    pub fn usual(game: AnyGame) -> Self {
        let defaults = game.learning_defaults();
        Self {
            sims: 32,
            fast_sims: 8,
            full_share: defaults.full_search_prob,
            halved: 16,
            chance_plies: defaults.temperature_plies,
            random_plies: defaults.random_plies,
            random_share: defaults.random_share,
            draw: defaults.draw,
            prune: true,
            resign_at: 0.95,
            resign_check: 0.1,
            longest: 400,
        }
    }

    /// What is wrong with it, if anything.
    pub fn check(&self) -> Result<(), String> {
        let share = |name: &str, value: f64| {
            let is_share = (0.0..=1.0).contains(&value);
            if is_share { Ok(()) } else { Err(format!("{name} is {value}, not from 0 to 1")) }
        };
        share("the share of full searches", self.full_share)?;
        share("the share of random moves", self.random_share)?;
        share("the value to resign at", self.resign_at)?;
        share("the share of games without resigning", self.resign_check)?;
        if !(-1.0..=1.0).contains(&self.draw) {
            return Err(format!("a draw is worth {}, not from -1 to 1", self.draw));
        }
        if self.sims == 0 || self.fast_sims == 0 {
            return Err("at least 1 simulation for a move".into());
        }
        if self.sims > 1 << 20 {
            return Err(format!("{} simulations for a move; at most {}", self.sims, 1 << 20));
        }
        if self.full_share == 0.0 {
            return Err("no move would be learned from: full searches have the share 0".into());
        }
        if self.longest == 0 || self.longest > usize::from(u16::MAX) {
            return Err(format!("games of {} plies; from 1 to {}", self.longest, u16::MAX));
        }
        Ok(())
    }
}
