//! What learning needs of a game, as an object: everything that depends on the type of its positions.

use std::any::Any;
use std::path::Path;

use tablero_arena::Factory;
use tablero_core::{AnyGame, AnyMove, AnyPosition, ForMover};
use tablero_jobs::{Job, Progress};
use tablero_nets::train::Losses;
use tablero_nets::{NetError, Weights};

use crate::generations::Place;
use crate::table::read_otelo_table;
use crate::{
    Fit, FitPlan, GameData, GameSpec, GamesTask, LearnError, Learnable, Learned, Lessons, SelfPlay,
    Targets,
};

/// How a game is learned.
pub trait LearningGame: Send + Sync {
    /// The game.
    fn game(&self) -> AnyGame;

    /// What configurations are checked against.
    fn spec(&self) -> GameSpec;

    /// Who plays games to learn from; teachers come from `factory`.
    fn self_play<'a>(&self, factory: Factory<'a>) -> Box<dyn SelfPlay + 'a>;

    /// Runs a learning run, or resumes it, until it is finished or stopped.
    fn run(
        &self,
        job: Job,
        factory: Factory<'_>,
        place: Place<'_>,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<Learned, LearnError>;

    /// No positions yet.
    fn training_set(&self) -> Box<dyn TrainingSet>;

    /// The positions of games in a file that is quick to read; `past` says how the games were played.
    fn pack(&self, games: &[GameData], past: Vec<String>) -> Result<Vec<u8>, String>;

    /// What the network in a file says about a position.
    fn evaluate(&self, net: &Path, position: &AnyPosition) -> Result<NetworkOutput, NetError>;
}

/// What a network says about a position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NetworkOutput {
    /// The expected result, from -1 to 1; none if the game is over.
    pub value: Option<ForMover<f32>>,
    /// The legal moves with their prior probabilities.
    pub priors: Vec<(AnyMove, f32)>,
}

/// Positions to train on.
pub trait TrainingSet {
    /// How many.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the positions of a game; how many.
    fn add(&mut self, game: &GameData, targets: &Targets) -> Result<usize, String>;

    /// Adds the games of a log; how they were played.
    fn add_log(&mut self, path: &Path, targets: &Targets) -> Result<Vec<GamesTask>, LearnError>;

    /// Adds a file of packed positions; how their games were played.
    fn add_packed(&mut self, path: &Path, targets: &Targets) -> Result<Vec<String>, LearnError>;

    /// Adds the rows of a table in Otelo's layout.
    fn add_otelo_table(&mut self, text: &str) -> Result<(), String>;

    /// The positions without a share of them, and that share: whole games, so that no position of one
    /// game is in both.
    fn split_games(self: Box<Self>, share: f64, seed: u64) -> [Box<dyn TrainingSet>; 2];

    /// The same, position by position, as earlier works did it.
    fn split_rows(self: Box<Self>, share: f64, seed: u64) -> [Box<dyn TrainingSet>; 2];

    /// Training on these positions that begins with these weights.
    fn fit(
        &self,
        plan: FitPlan,
        weights: Weights,
        threads: usize,
    ) -> Result<Box<dyn TrainingRun + '_>, NetError>;

    /// For whoever knows the game's type.
    fn as_any(&self) -> &dyn Any;
}

/// Training under way; see [`Fit`].
pub trait TrainingRun {
    /// One step; the losses before it.
    fn step(&mut self) -> Losses;

    /// How many steps are done.
    fn done(&self) -> u64;

    /// Whether all steps are done.
    fn is_over(&self) -> bool;

    /// Steps in which every position comes once.
    fn steps_of_round(&self) -> u64;

    /// The losses in other positions of the same game.
    fn measure(&mut self, positions: &dyn TrainingSet) -> Losses;

    /// What was learned so far.
    fn weights(&self) -> Weights;
}

impl<G: Learnable> TrainingSet for Lessons<G> {
    fn len(&self) -> usize {
        self.len()
    }

    fn add(&mut self, game: &GameData, targets: &Targets) -> Result<usize, String> {
        self.add(game, targets)
    }

    fn add_log(&mut self, path: &Path, targets: &Targets) -> Result<Vec<GamesTask>, LearnError> {
        self.add_log(path, targets)
    }

    fn add_packed(&mut self, path: &Path, targets: &Targets) -> Result<Vec<String>, LearnError> {
        self.add_packed(path, targets)
    }

    fn add_otelo_table(&mut self, text: &str) -> Result<(), String> {
        read_otelo_table(self, text)
    }

    fn split_games(self: Box<Self>, share: f64, seed: u64) -> [Box<dyn TrainingSet>; 2] {
        let (kept, held_out) = Self::split_games(*self, share, seed);
        [Box::new(kept), Box::new(held_out)]
    }

    fn split_rows(self: Box<Self>, share: f64, seed: u64) -> [Box<dyn TrainingSet>; 2] {
        let (kept, held_out) = Self::split_rows(*self, share, seed);
        [Box::new(kept), Box::new(held_out)]
    }

    fn fit(
        &self,
        plan: FitPlan,
        weights: Weights,
        threads: usize,
    ) -> Result<Box<dyn TrainingRun + '_>, NetError> {
        Ok(Box::new(Fit::new(self.all(), plan, weights, threads)?))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<G: Learnable> TrainingRun for Fit<'_, G> {
    fn step(&mut self) -> Losses {
        self.step()
    }

    fn done(&self) -> u64 {
        self.done()
    }

    fn is_over(&self) -> bool {
        self.is_over()
    }

    fn steps_of_round(&self) -> u64 {
        self.steps_of_round()
    }

    fn measure(&mut self, positions: &dyn TrainingSet) -> Losses {
        let positions = positions.as_any().downcast_ref::<Lessons<G>>();
        self.measure(positions.map_or(&[], Lessons::all))
    }

    fn weights(&self) -> Weights {
        self.weights()
    }
}
