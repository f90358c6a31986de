//! A game as an object.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tablero_core::{
    AnyGame, AnyPosition, BuildResult, Playable, PlayerKinds, PlayerLineError, PlayerSetup, Rng,
    perft_distinct, perft_parallel, random_playout,
};
use tablero_evolve::EvolutionGame;
use tablero_jobs::TaskKind;
use tablero_learn::LearningGame;
use tablero_nets::Weights;
use tablero_registry::{
    BatchEvaluation, CustomBenchmark, CustomLearner, CustomWeights, EvaluationInfo, Explainable,
    Explainer, GameEntry, NetSource, PlayoutCount, PositionBatch, Solver,
};
use tablero_search::alphabeta::signature;

use crate::Extras;
use crate::batch::Batch;
use crate::players::explain::{NNUE, explainable, explainer, net_explainer};
use crate::players::kinds::{build_with, kinds};
use crate::players::outside::{OutsideEvaluation, build_with_net};

/// Game `G` as an object; `E` has its extras.
pub struct Entry<G, E>(PhantomData<fn() -> (G, E)>);

/// Game `G` as an object.
pub const fn entry<G: Playable, E: Extras<G>>() -> &'static dyn GameEntry {
    &const { Entry::<G, E>(PhantomData) }
}

/// Length limit of random games without a length limit in the rules.
const MAX_PLAYOUT_PLIES: u32 = 10_000;

impl<G: Playable, E: Extras<G>> Entry<G, E> {
    /// Counts leaves below a position of this game; 0 for positions of another game.
    fn count(position: &AnyPosition, count: impl FnOnce(&G) -> u64) -> u64 {
        position.downcast_ref().map_or(0, count)
    }
}

impl<G: Playable, E: Extras<G>> GameEntry for Entry<G, E> {
    fn game(&self) -> AnyGame {
        AnyGame::of::<G>()
    }

    fn player_kinds(&self) -> PlayerKinds {
        kinds::<G, E>()
    }

    fn evaluations(&self) -> Vec<EvaluationInfo> {
        let nnue = G::SHIPPED_NNUE
            .iter()
            .map(|file| EvaluationInfo { name: file.name.into(), about: NNUE });
        let kinds = G::evaluations().iter();
        let kinds = kinds.map(|kind| EvaluationInfo { name: kind.name.into(), about: kind.about });
        nnue.chain(kinds).collect()
    }

    fn batch(&self) -> Box<dyn PositionBatch> {
        Box::new(Batch::<G>::new())
    }

    fn build_with_evaluation(
        &self,
        line: &str,
        setup: &PlayerSetup,
        evaluation: Arc<dyn BatchEvaluation>,
    ) -> BuildResult {
        build_with::<G>(line, setup, Box::new(OutsideEvaluation::new(evaluation)))
    }

    fn build_with_net(&self, line: &str, setup: &PlayerSetup, net: NetSource<'_>) -> BuildResult {
        build_with_net::<G, E>(line, setup, net)
    }

    fn explainable(&self) -> Vec<Explainable> {
        explainable::<G, E>()
    }

    fn explainer(
        &self,
        line: &str,
        setup: &PlayerSetup,
    ) -> Result<Box<dyn Explainer>, PlayerLineError> {
        explainer::<G, E>(line, setup)
    }

    fn net_explainer(&self, weights: &Weights) -> Result<Box<dyn Explainer>, PlayerLineError> {
        net_explainer::<G>(weights)
    }

    fn perft(&self, position: &AnyPosition, depth: u32, threads: usize) -> u64 {
        Self::count(position, |position: &G| perft_parallel(position, depth, threads))
    }

    fn perft_distinct(&self, position: &AnyPosition, depth: u32) -> u64 {
        Self::count(position, |position: &G| perft_distinct(position, depth))
    }

    fn signature(&self) -> u64 {
        signature::<G>(G::SIGNATURE_DEPTH).iter().sum()
    }

    fn random_playouts(&self, seed: u64, time: Duration) -> PlayoutCount {
        let start = G::start(G::Rules::default());
        let limit = G::HISTORY.draw_at_ply.map_or(MAX_PLAYOUT_PLIES, |plies| plies as u32);
        let (mut rng, start_time) = (Rng::seeded(seed), Instant::now());
        let mut count = PlayoutCount::default();
        while start_time.elapsed() < time {
            for _ in 0..100 {
                count.plies += u64::from(random_playout(start.clone(), limit, &mut rng).1);
            }
            count.games += 100;
        }
        PlayoutCount { time: start_time.elapsed(), ..count }
    }

    fn evolution(&self) -> &dyn EvolutionGame {
        self
    }

    fn learning(&self) -> &dyn LearningGame {
        self
    }

    fn solver(&self, hash_mb: usize, threads: usize) -> Option<Box<dyn Solver>> {
        E::solver(hash_mb, threads)
    }

    fn custom_learners(&self) -> Vec<&'static dyn CustomLearner> {
        E::learners()
    }

    fn custom_weights(&self) -> Vec<CustomWeights> {
        E::weights()
    }

    fn custom_benchmarks(&self) -> Vec<CustomBenchmark> {
        E::benchmarks()
    }

    fn custom_task_kinds(&self) -> Vec<Box<dyn TaskKind>> {
        E::task_kinds()
    }
}
