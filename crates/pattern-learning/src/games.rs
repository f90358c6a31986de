//! Self-play: random opening moves, then searched moves, with exact endgames.

use serde::{Deserialize, Serialize};
use tablero_core::{Game, Rng, StandardRules};
use tablero_jobs::Work;
use tablero_othello::{Othello, Square, bitboard};

use crate::searcher::Searcher;
use crate::weights_cache::{UsesWeights, WeightsCache};

/// How self-play games are played.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// Minimum random plies at the start.
    pub min_random_plies: u32,
    /// Maximum random plies.
    pub max_random_plies: u32,
    /// Search depth.
    pub depth: u32,
    /// Maximum empties for exact searches.
    pub exact_empties: u32,
}

/// A self-play game with search values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// All moves without passes, like `f5d6c3`.
    pub moves: String,
    /// Number of random moves at the start.
    pub random_plies: usize,
    /// Search values after the random moves, in discs, for the side to move.
    pub values: Vec<i32>,
}

/// Plays self-play games.
#[derive(Default)]
pub struct SelfPlay {
    cache: WeightsCache,
}

/// A batch of games of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SelfPlayTask {
    /// Weights file; zero weights if none.
    pub weights: Option<String>,
    /// How the games are played.
    pub config: SelfPlayConfig,
    /// Seed of the generation's games.
    pub seed: u64,
    /// Number of the first game.
    pub first: u64,
    /// Number of games.
    pub count: u64,
}

impl UsesWeights for SelfPlayTask {
    fn files(&mut self) -> Vec<&mut String> {
        self.weights.iter_mut().collect()
    }

    fn games(&self) -> u64 {
        self.count
    }
}

impl Work for SelfPlay {
    const KIND: &'static str = "othello-patterns-games";
    type Task = SelfPlayTask;
    type Output = Vec<GameRecord>;

    fn run(&self, task: &SelfPlayTask) -> Result<Vec<GameRecord>, String> {
        let weights = self.cache.get(task.weights.as_deref())?;
        let mut searcher = Searcher::new(&weights);
        let mut play = |game| {
            // Games must not depend on the table contents of earlier ones.
            searcher.clear();
            task.config.play(&mut searcher, &mut Rng::for_stream(task.seed, game))
        };
        Ok((task.first..task.first + task.count).map(&mut play).collect())
    }
}

impl SelfPlayConfig {
    fn play(self, searcher: &mut Searcher<'_>, rng: &mut Rng) -> GameRecord {
        let Self { min_random_plies, max_random_plies, depth, exact_empties } = self;
        let plies = min_random_plies
            + rng.below(u64::from(max_random_plies.saturating_sub(min_random_plies)) + 1) as u32;
        let (mut position, mut moves) = random_opening(plies as usize, rng);
        let (random_plies, mut values) = (moves.len(), Vec::new());
        while pass_if_needed(&mut position) {
            let found = searcher.best_move(&position, depth, exact_empties);
            values.push(found.value);
            moves.push(found.best_move);
            position.play(found.best_move);
        }
        let moves = moves.iter().map(Square::to_string).collect();
        GameRecord { moves, random_plies, values }
    }
}

/// A position that is not over after `plies` random moves, and the moves without passes.
pub(crate) fn random_opening(plies: usize, rng: &mut Rng) -> (Othello, Vec<Square>) {
    loop {
        let (mut position, mut moves) = (Othello::start(StandardRules), Vec::new());
        while moves.len() < plies && pass_if_needed(&mut position) {
            let square = position.random_move(rng).expect("there is a move");
            moves.push(square);
            position.play(square);
        }
        if pass_if_needed(&mut position) {
            return (position, moves);
        }
    }
}

/// Passes if the side to move has no move; false if the game is over.
pub(crate) fn pass_if_needed(position: &mut Othello) -> bool {
    if bitboard::moves(position.mover(), position.other()) != 0 {
        return true;
    }
    let can_pass = position.count_moves() > 0;
    if can_pass {
        position.play(Square::PASS);
    }
    can_pass
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_played_to_the_end_and_independent() {
        let config = SelfPlayConfig {
            min_random_plies: 40,
            max_random_plies: 50,
            depth: 1,
            exact_empties: 8,
        };
        let work = SelfPlay::default();
        let task = |first, count| SelfPlayTask { weights: None, config, seed: 3, first, count };
        let games = work.run(&task(0, 10)).unwrap();
        for game in &games {
            let plies = game.moves.len() / 2;
            assert!((40..=50).contains(&game.random_plies), "{game:?}");
            assert_eq!(plies, game.random_plies + game.values.len());
        }
        // A game does not depend on earlier ones.
        assert_eq!(work.run(&task(7, 1)).unwrap()[0], games[7]);
    }
}
