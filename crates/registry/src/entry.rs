use std::fmt;
use std::time::Duration;

use tablero_core::{AnyGame, AnyPosition, Built, PlayerKinds, PlayerSetup};
use tablero_evolve::EvolutionGame;
use tablero_jobs::TaskKind;
use tablero_learn::LearningGame;

use crate::{OwnBenchmark, OwnLearner, OwnWeights, Solver};

/// A game with all that the program can do with it.
pub trait GameEntry: Send + Sync {
    /// The game itself.
    fn game(&self) -> AnyGame;

    /// The kinds of players.
    fn player_kinds(&self) -> PlayerKinds;

    /// The evaluations that players and evolution know by name.
    fn evaluations(&self) -> Vec<EvaluationInfo>;

    /// The leaves at a depth, counted on so many threads ([`perft`](tablero_core::perft())).
    fn perft(&self, position: &AnyPosition, depth: u32, threads: usize) -> u64;

    /// The leaves at a depth, moves that lead to the same position counted once.
    fn perft_distinct(&self, position: &AnyPosition, depth: u32) -> u64;

    /// Nodes that alpha-beta looks at in fixed searches: the same on every machine as long as the
    /// search is the same.
    fn signature(&self) -> u64;

    /// Plays random games for about that time.
    fn random_playouts(&self, seed: u64, time: Duration) -> PlayoutCount;

    /// How genomes of this game evolve.
    fn evolution(&self) -> &dyn EvolutionGame;

    /// How networks learn this game.
    fn learning(&self) -> &dyn LearningGame;

    /// What solves this game's endgames, if anything does: with so many megabytes and threads.
    fn solver(&self, _hash_mb: usize, _threads: usize) -> Option<Box<dyn Solver>> {
        None
    }

    /// Learners that only this game has.
    fn own_learners(&self) -> Vec<&'static dyn OwnLearner> {
        Vec::new()
    }

    /// Weights that only this game has.
    fn own_weights(&self) -> Vec<OwnWeights> {
        Vec::new()
    }

    /// Benchmarks that only this game has.
    fn own_benchmarks(&self) -> Vec<OwnBenchmark> {
        Vec::new()
    }

    /// Kinds of cluster tasks that only this game has.
    fn own_task_kinds(&self) -> Vec<Box<dyn TaskKind>> {
        Vec::new()
    }
}

impl dyn GameEntry + '_ {
    /// The player that `line` describes.
    pub fn build(&self, line: &str, setup: &PlayerSetup) -> Built {
        self.player_kinds().build(line, setup)
    }
}

impl fmt::Debug for dyn GameEntry + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.game().name())
    }
}

/// An evaluation that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvaluationInfo {
    /// The name in player lines: `eval=jma`.
    pub name: String,
    /// What it looks at, in a sentence.
    pub about: String,
}

/// Random games that were played.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PlayoutCount {
    /// Games.
    pub games: u64,
    /// Plies of all of them.
    pub plies: u64,
    /// How long it took.
    pub time: Duration,
}
