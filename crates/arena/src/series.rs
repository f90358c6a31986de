//! What matches and tournaments have in common: pairs of games, watched and counted.

use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tablero_core::{AnyGame, Rng, pgn};
use tablero_jobs::{Ended, Progress, Runner};

use crate::pair::{PairOutput, PairTask, PairWork};
use crate::{ArenaError, Conditions, Factory, FinishedGame, Openings, Watcher};

/// What is to be played, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Which game.
    pub game: String,
    /// By which rules; the usual ones if not said.
    #[serde(default)]
    pub rules: Option<String>,
    /// How many games two players play against each other; an odd number is rounded up.
    pub games: usize,
    /// Where they start from.
    pub openings: Openings,
    /// How they are played.
    #[serde(default)]
    pub conditions: Conditions,
    /// Where all randomness comes from.
    pub seed: u64,
}

impl Series {
    /// A hundred games with the game's usual openings and rules, without limits but the players' own.
    pub fn usual(game: AnyGame, seed: u64) -> Self {
        Self {
            game: game.name().into(),
            rules: None,
            games: 100,
            openings: Openings::usual(game),
            conditions: Conditions::default(),
            seed,
        }
    }

    /// How many pairs of games two players play.
    pub(crate) const fn pairs(&self) -> usize {
        self.games.div_ceil(2)
    }

    /// The tasks: round after round, in each round every one of `meetings` from the same opening.
    pub(crate) fn tasks(
        &self,
        game: AnyGame,
        players: &[String],
        meetings: &[[usize; 2]],
    ) -> Result<Vec<PairTask>, ArenaError> {
        if self.game != game.name() {
            let problem = format!("{} was asked for, not {game}", self.game);
            return Err(ArenaError::Config(problem));
        }
        let rules = game.rules_or_default(self.rules.as_deref());
        let rules = rules.map_err(|error| ArenaError::Config(error.to_string()))?;
        let openings = self.openings.make(rules, self.pairs(), self.seed, None)?;
        let mut tasks = Vec::with_capacity(openings.len() * meetings.len());
        for (round, opening) in openings.iter().enumerate() {
            let opening = pgn::write(opening);
            for &seats in meetings {
                let number = 2 * tasks.len() as u64;
                tasks.push(PairTask {
                    game: self.game.clone(),
                    players: seats.map(|seat| players[seat].clone()),
                    names: None,
                    seats,
                    round: round + 1,
                    opening: opening.clone(),
                    seeds: [number, number + 1].map(|game| Rng::for_part(self.seed, game).bits()),
                    conditions: self.conditions.clone(),
                });
            }
        }
        Ok(tasks)
    }
}

/// Counts what comes out.
pub(crate) trait Tally {
    /// Adds a pair of games; breaks if that is enough.
    fn add(&mut self, seats: [usize; 2], games: &PairOutput) -> ControlFlow<()>;

    /// Adds to a report what is known so far.
    fn report(&self, progress: Progress) -> Progress;
}

/// Plays all pairs of games, or as many as it takes.
pub(crate) fn play(
    tasks: &[PairTask],
    players: &[String],
    factory: Factory<'_>,
    runner: &mut Runner<'_>,
    watcher: &mut dyn Watcher,
    tally: &mut dyn Tally,
) -> Result<Ended, ArenaError> {
    let work = PairWork::new(factory);
    for line in players {
        work.check(line)?;
    }
    let (start, done_before) = (Instant::now(), runner.done_before());
    let total = Some(2 * tasks.len() as u64);
    watcher.progress(&Progress::new(2 * done_before as u64, total));
    let mut failure = Ok(());
    let ended = runner.run(&work, tasks, |index, games| {
        let seats = tasks[index].seats;
        failure = show(factory.game, 2 * index, seats, &games, watcher);
        if failure.is_err() {
            return ControlFlow::Break(());
        }
        let flow = tally.add(seats, &games);
        if index >= done_before {
            let played = 2 * (index + 1 - done_before);
            let rate = played as f64 / start.elapsed().as_secs_f64().max(1e-9);
            let progress = Progress::new(2 * (index as u64 + 1), total);
            watcher.progress(&tally.report(progress).figure("games/s", rate));
        }
        flow
    })?;
    failure.map(|()| ended)
}

fn show(
    played: AnyGame,
    index: usize,
    seats: [usize; 2],
    games: &PairOutput,
    watcher: &mut dyn Watcher,
) -> Result<(), ArenaError> {
    for (swapped, game) in games.iter().enumerate() {
        let finished = FinishedGame {
            index: index + swapped,
            players: [seats[swapped], seats[1 - swapped]],
            record: game.record(played)?,
            fault: game.fault.clone(),
        };
        watcher.game(&finished).map_err(ArenaError::Watcher)?;
    }
    Ok(())
}
