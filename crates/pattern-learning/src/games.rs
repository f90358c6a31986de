//! Games to learn from: some random moves, then the best that a search finds, with exact endgames.

use serde::{Deserialize, Serialize};
use tablero_core::{Game, Rng, StandardRules};
use tablero_jobs::Work;
use tablero_othello::{Othello, Square, bits};

use crate::searcher::Searcher;
use crate::weights_cache::{UsesWeights, WeightsCache};

/// How games are played.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    /// Random moves at the start: at least so many.
    pub random_from: u32,
    /// And at most so many.
    pub random_to: u32,
    /// Plies that the search looks ahead.
    pub depth: u32,
    /// Moves are exact from so many empty squares on.
    pub exact: u32,
}

/// A game in which positions have values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// All moves without passes, like `f5d6c3`.
    pub moves: String,
    /// How many of them are random.
    pub random: usize,
    /// What the search found, for the side to move and in discs, in every position in which a move was
    /// searched.
    pub values: Vec<i32>,
}

/// Plays games in which weights meet themselves.
#[derive(Default)]
pub struct SelfPlay {
    cache: WeightsCache,
}

/// Some games of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SelfPlayTask {
    /// The file of the weights that play; none for those that know nothing.
    pub weights: Option<String>,
    /// How they play.
    pub style: Style,
    /// The seed of the generation's games.
    pub seed: u64,
    /// The number of the first game.
    pub first: u64,
    /// How many games.
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
            // What the searcher remembers of other games must not matter.
            searcher.forget();
            task.style.play(&mut searcher, &mut Rng::for_part(task.seed, game))
        };
        Ok((task.first..task.first + task.count).map(&mut play).collect())
    }
}

impl Style {
    fn play(self, searcher: &mut Searcher<'_>, rng: &mut Rng) -> GameRecord {
        let Self { random_from, random_to, depth, exact } = self;
        let plies =
            random_from + rng.below(u64::from(random_to.saturating_sub(random_from)) + 1) as u32;
        let (mut position, mut moves) = random_opening(plies as usize, rng);
        let (random, mut values) = (moves.len(), Vec::new());
        while pass_if_needed(&mut position) {
            let found = searcher.best(&position, depth, exact);
            values.push(found.value);
            moves.push(found.best);
            position.play(found.best);
        }
        let moves = moves.iter().map(Square::to_string).collect();
        GameRecord { moves, random, values }
    }
}

/// A position after so many random moves in which the game goes on, and the moves without passes.
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

/// Passes if the side to move cannot move. Whether the game goes on.
pub(crate) fn pass_if_needed(position: &mut Othello) -> bool {
    if bits::moves(position.mover(), position.other()) != 0 {
        return true;
    }
    let goes_on = position.count_moves() > 0;
    if goes_on {
        position.play(Square::PASS);
    }
    goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_played_to_its_end() {
        let style = Style { random_from: 40, random_to: 50, depth: 1, exact: 8 };
        let work = SelfPlay::default();
        let task = |first, count| SelfPlayTask { weights: None, style, seed: 3, first, count };
        let games = work.run(&task(0, 10)).unwrap();
        for game in &games {
            let plies = game.moves.len() / 2;
            assert!((40..=50).contains(&game.random), "{game:?}");
            assert_eq!(plies, game.random + game.values.len());
        }
        // A game does not depend on those before it.
        assert_eq!(work.run(&task(7, 1)).unwrap()[0], games[7]);
    }
}
