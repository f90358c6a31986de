//! Where genomes are measured: against each other, or by games that were played before.

use std::ops::ControlFlow;

use tablero_core::{Rng, pgn};
use tablero_genomes::GenomeKind;
use tablero_jobs::{Ended, Executor, Runner, Stop};

use crate::meeting::{Contestant, MeetingOutput, MeetingTask, MeetingWork};
use crate::{EvolutionConfig, EvolutionGame, EvolveError, ResultPredictor};

/// What a scheme has at hand.
pub(crate) struct Field<'a> {
    pub(crate) config: &'a EvolutionConfig,
    game: &'a dyn EvolutionGame,
    pub(crate) kind: &'a dyn GenomeKind,
    executor: &'a dyn Executor,
    stop: &'a Stop,
    /// Hears how many of how many meetings of the present batch are over.
    tell: &'a mut dyn FnMut(usize, usize),
    /// Measures without games, if that was asked for.
    predictor: Option<&'a dyn ResultPredictor>,
    /// Games played since the field was made.
    pub(crate) games: u64,
    /// Positions looked at in them.
    pub(crate) nodes: u64,
}

/// Two who are to meet.
pub(crate) struct Pairing {
    pub(crate) contestants: [Contestant; 2],
    /// A game as text; empty for the start.
    pub(crate) opening: String,
    pub(crate) both_colours: bool,
}

impl<'a> Field<'a> {
    pub(crate) fn new(
        config: &'a EvolutionConfig,
        game: &'a dyn EvolutionGame,
        kind: &'a dyn GenomeKind,
        executor: &'a dyn Executor,
        stop: &'a Stop,
        predictor: Option<&'a dyn ResultPredictor>,
        tell: &'a mut dyn FnMut(usize, usize),
    ) -> Self {
        Self { config, game, kind, executor, stop, tell, predictor, games: 0, nodes: 0 }
    }

    /// Whether genomes are measured without chance.
    pub(crate) const fn is_exact(&self) -> bool {
        self.predictor.is_some()
    }

    /// Plays all pairings; results in their order. `seed` names what is random in the games.
    pub(crate) fn play(
        &mut self,
        pairings: Vec<Pairing>,
        seed: u64,
    ) -> Result<Vec<MeetingOutput>, EvolveError> {
        let config = self.config;
        let task = |(pairing, index): (Pairing, u64)| MeetingTask {
            game: config.game.clone(),
            rules: config.rules.clone(),
            kind: config.genome.clone(),
            player: config.player.clone(),
            contestants: pairing.contestants,
            opening: pairing.opening,
            both_colours: pairing.both_colours,
            max_plies: config.max_plies,
            seed: Rng::for_part(seed, index).bits(),
        };
        let tasks: Vec<MeetingTask> = pairings.into_iter().zip(0..).map(task).collect();
        let mut outputs = Vec::with_capacity(tasks.len());
        let work = MeetingWork { game: self.game };
        let ended = Runner::new(self.executor, self.stop).run(&work, &tasks, |index, output| {
            outputs.push(output);
            (self.tell)(index + 1, tasks.len());
            ControlFlow::Continue(())
        })?;
        if ended != Ended::Done {
            return Err(EvolveError::Stopped);
        }
        self.games += outputs.iter().map(|output| output.margins.len() as u64).sum::<u64>();
        self.nodes += outputs.iter().map(|output| output.nodes).sum::<u64>();
        Ok(outputs)
    }

    /// Measures genomes alike: each plays every opponent from the same `pairs` openings with both
    /// colours; its share of the points. With games to predict the results of, how well it does that instead.
    pub(crate) fn scores(
        &mut self,
        genomes: &[Vec<f64>],
        opponents: &[Contestant],
        pairs: usize,
        rng: &mut Rng,
    ) -> Result<Vec<f64>, EvolveError> {
        if let Some(predictor) = self.predictor {
            let mut scores = Vec::new();
            for genome in genomes {
                if self.stop.is_requested() {
                    return Err(EvolveError::Stopped);
                }
                scores.push(predictor.score(genome));
                (self.tell)(scores.len(), genomes.len());
            }
            return Ok(scores);
        }
        let rules = self.config.game_rules(self.game.game())?;
        let openings = self.config.openings()?.make(rules, pairs, rng.bits(), None)?;
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
        let share = |meetings: &[MeetingOutput]| {
            meetings.iter().map(MeetingOutput::points).sum::<f64>() / (2 * each) as f64
        };
        Ok(outputs.chunks(each).map(share).collect())
    }

    /// Opponents that do not change: those asked for, or else the hand-set genome if there is one.
    pub(crate) fn fixed_opponents(&self) -> Vec<Contestant> {
        let asked = self.config.against.iter().cloned().map(Contestant::Line);
        let by_hand = || self.kind.by_hand().map(Contestant::Genome);
        if self.config.against.is_empty() {
            by_hand().into_iter().collect()
        } else {
            asked.collect()
        }
    }
}
