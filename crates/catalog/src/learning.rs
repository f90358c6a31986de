//! Reinforcement learning of a game with networks.

use std::path::Path;
use std::time::Duration;

use tablero_arena::Factory;
use tablero_core::{AnyGame, AnyPosition, Playable, PolicyValue};
use tablero_jobs::{Job, Progress};
use tablero_learn::generations::RunContext;
use tablero_learn::nnue::{NnueData, add_positions};
use tablero_learn::{
    AnyTrainingSet, GameData, GameSpec, LearnError, LearningGame, LearningHistory, NetworkOutput,
    SelfPlay, SelfPlayWork, TrainingSet, pack_positions, run_learning,
};
use tablero_nets::nnue::{NnueSamples, NnueSpec, inference_speed, random_samples};
use tablero_nets::{GameNet, NetError};

use crate::self_play::TypedSelfPlay;
use crate::{Entry, Extras};

impl<G: Playable, E: Extras<G>> LearningGame for Entry<G, E> {
    fn game(&self) -> AnyGame {
        AnyGame::of::<G>()
    }

    fn spec(&self) -> GameSpec {
        GameSpec::of::<G>()
    }

    fn self_play<'a>(&self, factory: Factory<'a>) -> Box<dyn SelfPlay + 'a> {
        Box::new(TypedSelfPlay::<G, E>::new(factory))
    }

    fn run(
        &self,
        job: Job,
        factory: Factory<'_>,
        context: RunContext<'_>,
        report: &mut dyn FnMut(&Progress),
    ) -> Result<LearningHistory, LearnError> {
        let games = SelfPlayWork::new(self, factory);
        run_learning::<G>(job, factory, &games, context, report)
    }

    fn training_set(&self) -> Box<dyn AnyTrainingSet> {
        Box::new(TrainingSet::<G>::default())
    }

    fn pack(&self, games: &[GameData], provenance: Vec<String>) -> Result<Vec<u8>, String> {
        pack_positions::<G>(games, provenance)
    }

    fn nnue_spec(&self) -> NnueSpec {
        NnueSpec::of::<G>()
    }

    fn add_positions(&self, game: &GameData, to: &mut NnueData) -> Result<(), String> {
        add_positions::<G>(game, to)
    }

    fn nnue_speed(&self, hidden: usize, seed: u64, time: Duration) -> Result<[f64; 2], NetError> {
        inference_speed::<G>(hidden, seed, time)
    }

    fn random_nnue_samples(&self, count: usize, seed: u64) -> NnueSamples {
        random_samples::<G>(count, seed)
    }

    fn evaluate(&self, net: &Path, position: &AnyPosition) -> Result<NetworkOutput, NetError> {
        let mut net = GameNet::<G>::read(net)?;
        let typed = position.downcast_ref::<G>();
        let Some(typed) = typed.filter(|typed| typed.outcome().is_none()) else {
            return Ok(NetworkOutput::default());
        };
        let moves = typed.moves();
        let mut priors = vec![0.0; moves.len()];
        let value = PolicyValue::evaluate(&mut net, typed, 0, &moves, &mut priors);
        Ok(NetworkOutput {
            value: Some(value),
            priors: position.moves().into_iter().zip(priors).collect(),
            raw: net.inspect(typed),
        })
    }
}
