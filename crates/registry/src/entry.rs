//! A game as an object.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tablero_core::{
    AnyGame, AnyPosition, BuildResult, Localized, PlayerKinds, PlayerLineError, PlayerSetup,
};
use tablero_evolve::EvolutionGame;
use tablero_jobs::TaskKind;
use tablero_learn::LearningGame;
use tablero_nets::Weights;

use crate::{
    BatchEvaluation, CustomBenchmark, CustomLearner, CustomWeights, Explainable, Explainer,
    NetSource, PositionBatch, Solver,
};

/// A game with all features of the program.
pub trait GameEntry: Send + Sync {
    /// The game.
    fn game(&self) -> AnyGame;

    /// The player kinds.
    fn player_kinds(&self) -> PlayerKinds;

    /// The named evaluations.
    fn evaluations(&self) -> Vec<EvaluationInfo>;

    /// An empty batch of positions.
    fn batch(&self) -> Box<dyn PositionBatch>;

    /// Builds the player of a line of greedy, minimax or alphabeta without `eval`, with this evaluation.
    fn build_with_evaluation(
        &self,
        line: &str,
        setup: &PlayerSetup,
        evaluation: Arc<dyn BatchEvaluation>,
    ) -> BuildResult;

    /// Builds the player of a line of puct or mcts without `net`, with this network.
    fn build_with_net(&self, line: &str, setup: &PlayerSetup, net: NetSource<'_>) -> BuildResult;

    /// All shipped evaluations and networks, the default first.
    fn explainable(&self) -> Vec<Explainable> {
        Vec::new()
    }

    /// The evaluation or network of a player line, to be explained.
    fn explainer(
        &self,
        _line: &str,
        _setup: &PlayerSetup,
    ) -> Result<Box<dyn Explainer>, PlayerLineError> {
        Err(PlayerLineError::Other(format!("{} explains no evaluations", self.game().name())))
    }

    /// A network, to be explained.
    fn net_explainer(&self, _weights: &Weights) -> Result<Box<dyn Explainer>, PlayerLineError> {
        Err(PlayerLineError::Other(format!("{} explains no networks", self.game().name())))
    }

    /// The leaves at a depth ([`perft`](tablero_core::perft())).
    fn perft(&self, position: &AnyPosition, depth: u32, threads: usize) -> u64;

    /// The leaves at a depth, counting moves to the same position once.
    fn perft_distinct(&self, position: &AnyPosition, depth: u32) -> u64;

    /// The node count of fixed alpha-beta searches: a deterministic signature of the search.
    fn signature(&self) -> u64;

    /// Plays random games for about `time`.
    fn random_playouts(&self, seed: u64, time: Duration) -> PlayoutCount;

    /// The game as an evolution uses it.
    fn evolution(&self) -> &dyn EvolutionGame;

    /// The game as reinforcement learning uses it.
    fn learning(&self) -> &dyn LearningGame;

    /// The endgame solver, if any, with a transposition table of `hash_mb` megabytes.
    fn solver(&self, _hash_mb: usize, _threads: usize) -> Option<Box<dyn Solver>> {
        None
    }

    /// Learners besides networks.
    fn custom_learners(&self) -> Vec<&'static dyn CustomLearner> {
        Vec::new()
    }

    /// Shipped weights besides genomes and networks.
    fn custom_weights(&self) -> Vec<CustomWeights> {
        Vec::new()
    }

    /// Benchmarks of this game alone.
    fn custom_benchmarks(&self) -> Vec<CustomBenchmark> {
        Vec::new()
    }

    /// Kinds of cluster tasks of this game alone.
    fn custom_task_kinds(&self) -> Vec<Box<dyn TaskKind>> {
        Vec::new()
    }
}

impl dyn GameEntry + '_ {
    /// Builds the player of a line.
    pub fn build(&self, line: &str, setup: &PlayerSetup) -> BuildResult {
        self.player_kinds().build(line, setup)
    }
}

impl fmt::Debug for dyn GameEntry + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.game().name())
    }
}

/// A named evaluation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvaluationInfo {
    /// The name in player lines: `eval=jma`.
    pub name: String,
    /// A one-sentence description.
    pub about: Localized,
}

/// A number of random games.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PlayoutCount {
    /// Games.
    pub games: u64,
    /// Plies in all games.
    pub plies: u64,
    /// Elapsed time.
    pub time: Duration,
}
