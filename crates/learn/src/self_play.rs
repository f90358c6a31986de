//! Self-play as tasks for any executor.

use tablero_arena::Factory;
use tablero_jobs::Work;

use crate::{Block, GamesTask, LearningGame};

/// Plays games to learn from. It keeps networks from task to task.
pub trait SelfPlay: Send + Sync {
    /// Plays the games of a task.
    fn play(&self, task: &GamesTask) -> Result<Block, String>;
}

/// Self-play as [`Work`].
pub struct GamesWork<'a>(Box<dyn SelfPlay + 'a>);

impl<'a> GamesWork<'a> {
    /// Self-play of a game; teachers come from `factory`.
    pub fn new(game: &dyn LearningGame, factory: Factory<'a>) -> Self {
        Self(game.self_play(factory))
    }
}

impl Work for GamesWork<'_> {
    const KIND: &'static str = "learning-games";
    type Task = GamesTask;
    type Output = Block;

    fn run(&self, task: &GamesTask) -> Result<Block, String> {
        self.0.play(task)
    }
}
