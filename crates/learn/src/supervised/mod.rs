//! Supervised training on recorded games.
//!
//! - `options`: what is trained on what, checked; `data`: the files of games and positions.
//! - `network`: networks for PUCT and MCTS; `nnue`: evaluations for alpha-beta; `report`: learning curves.

mod data;
mod network;
mod nnue;
mod options;
mod report;

use serde::Serialize;
use tablero_jobs::{CancellationToken, Progress};

use crate::nnue::parse_nnue;
use crate::{LearnError, LearningGame};
pub use data::{file_name, game_logs, is_board_table, is_packed};
pub use network::{Epoch, TrainedNetwork};
pub use nnue::{NnueEpoch, TrainedNnue};
pub use options::{Keep, Recipe, SplitUnit, TrainOptions};

/// A trained and written network with its losses.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Trained {
    /// For PUCT and MCTS.
    Network(TrainedNetwork),
    /// For alpha-beta.
    Nnue(TrainedNnue),
}

/// Trains a network on recorded games and writes it. Deterministic for a seed, on any number of threads. Once
/// `cancel` is set, training ends after the current step, and what was learned so far is written.
pub fn train_on_games(
    game: &dyn LearningGame,
    options: &TrainOptions,
    threads: usize,
    cancel: &CancellationToken,
    report: &mut dyn FnMut(&Progress),
) -> Result<Trained, LearnError> {
    options.check()?;
    let mut run = Run { game, options, threads, cancel, report };
    match parse_nnue(&options.net) {
        Some(width) => run.train_nnue(width).map(Trained::Nnue),
        None => run.train_network().map(Trained::Network),
    }
}

/// A training in progress.
struct Run<'a> {
    game: &'a dyn LearningGame,
    options: &'a TrainOptions,
    threads: usize,
    cancel: &'a CancellationToken,
    report: &'a mut dyn FnMut(&Progress),
}
