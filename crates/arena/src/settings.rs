//! The part that matches and tournaments share: settings, and the loop over pairs of games.

use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tablero_core::{AnyGame, Rng, pgn};
use tablero_jobs::{Progress, RunEnd, Runner};

use crate::balance::balanced_openings;
use crate::pair::{PairOutput, PairTask, PairWork};
use crate::{ArenaError, Conditions, Factory, FinishedGame, Openings, Watcher};

/// The settings of a match: game, number of games, openings, conditions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchSettings {
    /// The game.
    pub game: String,
    /// The rules; the game's default if none.
    #[serde(default)]
    pub rules: Option<String>,
    /// Games per pairing, rounded up to whole pairs.
    pub games: usize,
    /// Where games start from.
    pub openings: Openings,
    /// Limits, time control and adjudication.
    #[serde(default)]
    pub conditions: Conditions,
    /// The random seed.
    pub seed: u64,
}

impl MatchSettings {
    /// 100 games with the game's default openings and rules; the players limit themselves.
    pub fn default_for(game: AnyGame, seed: u64) -> Self {
        Self {
            game: game.name().into(),
            rules: None,
            games: 100,
            openings: Openings::default_for(game),
            conditions: Conditions::default(),
            seed,
        }
    }

    /// Pairs per pairing.
    pub(crate) const fn pairs(&self) -> usize {
        self.games.div_ceil(2)
    }

    /// The tasks, round by round; in a round all pairings (indices of players) start from the same
    /// opening.
    pub(crate) fn tasks(
        &self,
        factory: Factory<'_>,
        players: &[String],
        pairings: &[[usize; 2]],
    ) -> Result<Vec<PairTask>, ArenaError> {
        let game = factory.game;
        if self.game != game.name() {
            return Err(ArenaError::WrongGame { found: self.game.clone(), expected: game.name() });
        }
        let rules = game.rules_or_default(self.rules.as_deref())?;
        let openings = match &self.openings {
            Openings::Balanced => &balanced_openings(rules, self.pairs(), self.seed, factory)?,
            openings => openings,
        };
        let openings = openings.generate(rules, self.pairs(), self.seed, None)?;
        let mut tasks = Vec::with_capacity(openings.len() * pairings.len());
        for (round, opening) in openings.iter().enumerate() {
            let opening = pgn::write(opening);
            for &pairing in pairings {
                let number = 2 * tasks.len() as u64;
                tasks.push(PairTask {
                    game: self.game.clone(),
                    players: pairing.map(|index| players[index].clone()),
                    names: None,
                    indices: pairing,
                    round: round + 1,
                    opening: opening.clone(),
                    seeds: [number, number + 1].map(|game| Rng::for_stream(self.seed, game).bits()),
                    conditions: self.conditions.clone(),
                });
            }
        }
        Ok(tasks)
    }
}

/// Accumulates results.
pub(crate) trait Tally {
    /// Adds a pair of games; breaks to end the match.
    fn add(&mut self, pairing: [usize; 2], games: &PairOutput) -> ControlFlow<()>;

    /// Adds the metrics so far to a progress report.
    fn report(&self, progress: Progress) -> Progress;
}

/// Plays the pairs of games until all are done or `tally` breaks.
pub(crate) fn play_pairs(
    tasks: &[PairTask],
    players: &[String],
    factory: Factory<'_>,
    runner: &mut Runner<'_>,
    watcher: &mut dyn Watcher,
    tally: &mut dyn Tally,
) -> Result<RunEnd, ArenaError> {
    let work = PairWork::new(factory);
    for line in players {
        work.check(line)?;
    }
    let (start, done_before) = (Instant::now(), runner.logged());
    let total = Some(2 * tasks.len() as u64);
    watcher.progress(&Progress::new(2 * done_before as u64, total));
    let mut failure = Ok(());
    let ended = runner.run(&work, tasks, |index, games| {
        let pairing = tasks[index].indices;
        failure = report_games(factory.game, 2 * index, pairing, &games, watcher);
        if failure.is_err() {
            return ControlFlow::Break(());
        }
        let flow = tally.add(pairing, &games);
        if index >= done_before {
            let played = 2 * (index + 1 - done_before);
            let rate = played as f64 / start.elapsed().as_secs_f64().max(1e-9);
            let progress = Progress::new(2 * (index as u64 + 1), total);
            watcher.progress(&tally.report(progress).with_metric("games/s", rate));
        }
        flow
    })?;
    failure.map(|()| ended)
}

fn report_games(
    kind: AnyGame,
    index: usize,
    pairing: [usize; 2],
    games: &PairOutput,
    watcher: &mut dyn Watcher,
) -> Result<(), ArenaError> {
    for (swapped, game) in games.iter().enumerate() {
        let finished = FinishedGame {
            index: index + swapped,
            players: [pairing[swapped], pairing[1 - swapped]],
            record: game.record(kind)?,
            fault: game.fault.clone(),
        };
        watcher.game(&finished).map_err(ArenaError::Watcher)?;
    }
    Ok(())
}
