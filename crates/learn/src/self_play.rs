//! Self-play as distributable work.

use tablero_arena::Factory;
use tablero_jobs::Work;
use tablero_nets::NetworkUse;

use crate::{GameBatch, LearningGame, SelfPlayTask};

/// A self-play worker. It caches networks from task to task.
pub trait SelfPlay: Send + Sync {
    /// Plays the games of a task; how much the network was used, if one plays.
    fn play(&self, task: &SelfPlayTask) -> Result<(GameBatch, NetworkUse), String>;
}

/// Self-play as [`Work`] for any executor: threads or a cluster.
pub struct SelfPlayWork<'a>(Box<dyn SelfPlay + 'a>);

impl<'a> SelfPlayWork<'a> {
    /// Self-play of a game; `factory` makes teachers.
    pub fn new(game: &dyn LearningGame, factory: Factory<'a>) -> Self {
        Self(game.self_play(factory))
    }
}

impl Work for SelfPlayWork<'_> {
    const KIND: &'static str = "self-play";
    type Task = SelfPlayTask;
    type Output = GameBatch;

    fn run(&self, task: &SelfPlayTask) -> Result<GameBatch, String> {
        Ok(self.0.play(task)?.0)
    }
}
