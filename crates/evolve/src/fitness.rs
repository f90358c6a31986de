//! Fitness evaluation: by games against opponents, or by predicting the results of recorded games.

use std::ops::ControlFlow;

use tablero_core::{Rng, pgn};
use tablero_genomes::GenomeKind;
use tablero_jobs::{CancellationToken, Executor, RunEnd, Runner};

use crate::games::{Contestant, FitnessOutput, FitnessTask, FitnessWork};
use crate::{EvolutionConfig, EvolutionGame, EvolveError, ResultPredictor};

/// Evaluates the genomes of a scheme.
pub(crate) struct FitnessEvaluator<'a> {
    pub(crate) config: &'a EvolutionConfig,
    game: &'a dyn EvolutionGame,
    pub(crate) kind: &'a dyn GenomeKind,
    executor: &'a dyn Executor,
    token: &'a CancellationToken,
    /// Called with the number of finished evaluations and their total.
    on_progress: &'a mut dyn FnMut(usize, usize),
    /// Evaluates without games, if configured.
    predictor: Option<&'a dyn ResultPredictor>,
    /// Games played so far.
    pub(crate) games: u64,
    /// Nodes searched in them.
    pub(crate) nodes: u64,
}

/// One or two games between two contestants.
pub(crate) struct Pairing {
    pub(crate) contestants: [Contestant; 2],
    /// PGN; empty for the start position.
    pub(crate) opening: String,
    pub(crate) both_colours: bool,
}

impl<'a> FitnessEvaluator<'a> {
    pub(crate) fn new(
        config: &'a EvolutionConfig,
        game: &'a dyn EvolutionGame,
        kind: &'a dyn GenomeKind,
        executor: &'a dyn Executor,
        token: &'a CancellationToken,
        predictor: Option<&'a dyn ResultPredictor>,
        on_progress: &'a mut dyn FnMut(usize, usize),
    ) -> Self {
        Self { config, game, kind, executor, token, on_progress, predictor, games: 0, nodes: 0 }
    }

    /// Whether the fitness of a genome is deterministic, so that it need not be evaluated twice.
    pub(crate) const fn is_deterministic(&self) -> bool {
        self.predictor.is_some()
    }

    /// Plays all pairings; results are in their order.
    pub(crate) fn play(
        &mut self,
        pairings: Vec<Pairing>,
        seed: u64,
    ) -> Result<Vec<FitnessOutput>, EvolveError> {
        let config = self.config;
        let task = |(pairing, index): (Pairing, u64)| FitnessTask {
            game: config.game.clone(),
            rules: config.rules.clone(),
            kind: config.genome.clone(),
            player: config.player.clone(),
            contestants: pairing.contestants,
            opening: pairing.opening,
            both_colours: pairing.both_colours,
            max_plies: config.max_plies,
            seed: Rng::for_stream(seed, index).bits(),
        };
        let tasks: Vec<FitnessTask> = pairings.into_iter().zip(0..).map(task).collect();
        let mut outputs = Vec::with_capacity(tasks.len());
        let work = FitnessWork { game: self.game };
        let ended =
            Runner::new(self.executor, self.token).run(&work, &tasks, |index, output| {
                outputs.push(output);
                (self.on_progress)(index + 1, tasks.len());
                ControlFlow::Continue(())
            })?;
        if ended != RunEnd::Completed {
            return Err(EvolveError::Cancelled);
        }
        self.games += outputs.iter().map(|output| output.margins.len() as u64).sum::<u64>();
        self.nodes += outputs.iter().map(|output| output.nodes).sum::<u64>();
        Ok(outputs)
    }

    /// The fitness of genomes. All play every opponent from the same `pairs` openings with both colours
    /// (common random numbers reduce the variance of differences); fitness is the score from 0 to 1. With a
    /// predictor it is minus the prediction error.
    pub(crate) fn evaluate(
        &mut self,
        genomes: &[Vec<f64>],
        opponents: &[Contestant],
        pairs: usize,
        rng: &mut Rng,
    ) -> Result<Vec<f64>, EvolveError> {
        if let Some(predictor) = self.predictor {
            let mut scores = Vec::new();
            for genome in genomes {
                if self.token.is_cancelled() {
                    return Err(EvolveError::Cancelled);
                }
                scores.push(predictor.score(genome));
                (self.on_progress)(scores.len(), genomes.len());
            }
            return Ok(scores);
        }
        let rules = self.config.game_rules(self.game.game())?;
        let openings = self.config.openings()?.generate(rules, pairs, rng.bits(), None)?;
        let openings: Vec<String> = openings.iter().map(pgn::write).collect();
        let mut pairings = Vec::new();
        for genome in genomes {
            for opponent in opponents {
                pairings.extend(openings.iter().map(|opening| Pairing {
                    contestants: [Contestant::Genome(genome.clone()), opponent.clone()],
                    opening: opening.clone(),
                    both_colours: true,
                }));
            }
        }
        let outputs = self.play(pairings, rng.bits())?;
        let each = opponents.len() * pairs;
        let score = |outputs: &[FitnessOutput]| {
            outputs.iter().map(FitnessOutput::points).sum::<f64>() / (2 * each) as f64
        };
        Ok(outputs.chunks(each).map(score).collect())
    }

    /// The configured opponents, or else the hand-tuned genome, if any.
    pub(crate) fn fixed_opponents(&self) -> Vec<Contestant> {
        let configured = self.config.opponents.iter().cloned().map(Contestant::Line);
        let hand_tuned = || self.kind.hand_tuned().map(Contestant::Genome);
        if self.config.opponents.is_empty() {
            hand_tuned().into_iter().collect()
        } else {
            configured.collect()
        }
    }
}
