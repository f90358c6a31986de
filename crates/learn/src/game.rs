//! Learning of a game as an object: everything that depends on the type of its positions.

use std::any::Any;
use std::path::Path;
use std::time::Duration;

use tablero_arena::Factory;
use tablero_core::{AnyGame, AnyMove, AnyPosition, ForMover};
use tablero_jobs::{Job, Progress};
use tablero_nets::nnue::{NnueSamples, NnueSpec};
use tablero_nets::train::Losses;
use tablero_nets::{NetError, RawEvaluation, Weights};

use crate::csv::read_board_csv;
use crate::generations::RunContext;
use crate::nnue::NnueData;
use crate::{
    BoardTable, GameData, GameSpec, LearnError, Learnable, LearningHistory, SelfPlay, SelfPlayTask,
    TargetConfig, TrainingPlan, TrainingRun, TrainingSet,
};

/// Learning of one game; implemented generically, for every game.
pub trait LearningGame: Send + Sync {
    /// The game.
    fn game(&self) -> AnyGame;

    /// The spec that configurations are checked against.
    fn spec(&self) -> GameSpec;

    /// The self-play worker; `factory` makes teachers.
    fn self_play<'a>(&self, factory: Factory<'a>) -> Box<dyn SelfPlay + 'a>;

    /// Runs or resumes a learning run until it is finished or cancelled.
    fn run(
        &self,
        job: Job,
        factory: Factory<'_>,
        place: RunContext<'_>,
        on_progress: &mut dyn FnMut(&Progress),
    ) -> Result<LearningHistory, LearnError>;

    /// An empty training set.
    fn training_set(&self) -> Box<dyn AnyTrainingSet>;

    /// Encodes the positions of games as a [position file](crate::pack_positions); `provenance` tells how they
    /// were played.
    fn pack(&self, games: &[GameData], provenance: Vec<String>) -> Result<Vec<u8>, String>;

    /// The spec of NNUE networks.
    fn nnue_spec(&self) -> NnueSpec;

    /// Adds the positions of a game to those that an NNUE learns from.
    fn add_positions(&self, game: &GameData, to: &mut NnueData) -> Result<(), String>;

    /// Evaluations per second of an NNUE of this width: along the lines of a search, and each position anew.
    fn nnue_speed(&self, hidden: usize, seed: u64, time: Duration) -> Result<[f64; 2], NetError>;

    /// Samples of random games, to measure the speed of training.
    fn random_nnue_samples(&self, count: usize, seed: u64) -> NnueSamples;

    /// Evaluates a position with the network in a file.
    fn evaluate(&self, net: &Path, position: &AnyPosition) -> Result<NetworkOutput, NetError>;
}

/// A network's evaluation of a position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NetworkOutput {
    /// The value, from -1 to 1; none if the game is over.
    pub value: Option<ForMover<f32>>,
    /// The legal moves with their priors.
    pub priors: Vec<(AnyMove, f32)>,
    /// Inputs and outputs as they are.
    pub raw: RawEvaluation,
}

/// A [`TrainingSet`] of any game.
pub trait AnyTrainingSet {
    /// The number of positions.
    fn len(&self) -> usize;

    /// Whether the set is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the positions of a game; returns their number.
    fn add(&mut self, game: &GameData, targets: &TargetConfig) -> Result<usize, String>;

    /// Adds the games of a log; returns their settings.
    fn add_log(
        &mut self,
        path: &Path,
        targets: &TargetConfig,
    ) -> Result<Vec<SelfPlayTask>, LearnError>;

    /// Adds a position file; returns its provenance.
    fn add_packed(
        &mut self,
        path: &Path,
        targets: &TargetConfig,
    ) -> Result<Vec<String>, LearnError>;

    /// The number of games.
    fn games(&self) -> u32;

    /// Adds the rows of a [`BoardTable`].
    fn add_board_csv(&mut self, text: &str) -> Result<BoardTable, String>;

    /// Splits into training and validation set by whole games, so that no game is in both.
    fn split_games(self: Box<Self>, share: f64, seed: u64) -> [Box<dyn AnyTrainingSet>; 2];

    /// Splits into training and validation set by positions, as Otelo does.
    fn split_positions(self: Box<Self>, share: f64, seed: u64) -> [Box<dyn AnyTrainingSet>; 2];

    /// Starts training from these weights.
    fn start_training(
        &self,
        plan: TrainingPlan,
        weights: Weights,
        threads: usize,
    ) -> Result<Box<dyn AnyTrainingRun + '_>, LearnError>;

    /// For downcasting to the typed set.
    fn as_any(&self) -> &dyn Any;
}

/// A [`TrainingRun`] of any game.
pub trait AnyTrainingRun {
    /// One optimizer step; returns the losses before it.
    fn step(&mut self) -> Losses;

    /// Steps done.
    fn steps_done(&self) -> u64;

    /// Whether all steps are done.
    fn is_finished(&self) -> bool;

    /// Steps per pass over all positions.
    fn steps_per_epoch(&self) -> u64;

    /// The losses on other positions of the same game.
    fn evaluate(&mut self, positions: &dyn AnyTrainingSet) -> Losses;

    /// The current weights.
    fn weights(&self) -> Weights;
}

impl<G: Learnable> AnyTrainingSet for TrainingSet<G> {
    fn len(&self) -> usize {
        self.len()
    }

    fn add(&mut self, game: &GameData, targets: &TargetConfig) -> Result<usize, String> {
        self.add(game, targets)
    }

    fn add_log(
        &mut self,
        path: &Path,
        targets: &TargetConfig,
    ) -> Result<Vec<SelfPlayTask>, LearnError> {
        self.add_log(path, targets)
    }

    fn add_packed(
        &mut self,
        path: &Path,
        targets: &TargetConfig,
    ) -> Result<Vec<String>, LearnError> {
        self.add_packed(path, targets)
    }

    fn games(&self) -> u32 {
        self.games()
    }

    fn add_board_csv(&mut self, text: &str) -> Result<BoardTable, String> {
        read_board_csv(self, text)
    }

    fn split_games(self: Box<Self>, share: f64, seed: u64) -> [Box<dyn AnyTrainingSet>; 2] {
        let (training, held_out) = Self::split_games(*self, share, seed);
        [Box::new(training), Box::new(held_out)]
    }

    fn split_positions(self: Box<Self>, share: f64, seed: u64) -> [Box<dyn AnyTrainingSet>; 2] {
        let (training, held_out) = Self::split_positions(*self, share, seed);
        [Box::new(training), Box::new(held_out)]
    }

    fn start_training(
        &self,
        plan: TrainingPlan,
        weights: Weights,
        threads: usize,
    ) -> Result<Box<dyn AnyTrainingRun + '_>, LearnError> {
        Ok(Box::new(TrainingRun::new(self.positions(), plan, weights, threads)?))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<G: Learnable> AnyTrainingRun for TrainingRun<'_, G> {
    fn step(&mut self) -> Losses {
        self.step()
    }

    fn steps_done(&self) -> u64 {
        self.steps_done()
    }

    fn is_finished(&self) -> bool {
        self.is_finished()
    }

    fn steps_per_epoch(&self) -> u64 {
        self.steps_per_epoch()
    }

    fn evaluate(&mut self, positions: &dyn AnyTrainingSet) -> Losses {
        let positions = positions.as_any().downcast_ref::<TrainingSet<G>>();
        self.evaluate(positions.map_or(&[][..], TrainingSet::positions))
    }

    fn weights(&self) -> Weights {
        self.weights()
    }
}
