//! Matches and tournaments.

use std::time::Duration;

use tablero_arena::{
    ArenaError, Conditions, Factory, MATCH, Series, SeriesRequest, Watcher, run_match_job,
    run_tournament_job,
};
use tablero_core::AnyPlayer;
use tablero_jobs::{Executor, Job, Progress, Stop};
use tablero_registry::GameEntry;

use crate::api::{NewArenaJob, Problem};
use crate::error::ApiResult;
use crate::players::PlayerFactory;

/// Bounds that a page may ask for.
const MOST_GAMES: usize = 100_000;
const MOST_PLAYERS: usize = 32;

/// What is to be played, from a request whose players were checked. May take seconds: openings are
/// judged, as on the command line.
pub(super) fn series(
    entry: &'static dyn GameEntry,
    request: &NewArenaJob,
    players: &PlayerFactory,
) -> ApiResult<Series> {
    if !(2..=MOST_PLAYERS).contains(&request.players.len()) {
        return Err(Problem::PlayerCount { most: MOST_PLAYERS }.into());
    }
    Problem::check_range("games", request.games as u64, 1, MOST_GAMES as u64)?;
    entry.game().rules_or_default(request.rules.as_deref())?;
    let openings = request.openings.as_deref().map(str::parse).transpose();
    let clock = request.clock.as_deref().map(str::parse).transpose();
    let wanted = SeriesRequest {
        rules: request.rules.clone(),
        games: request.games,
        openings: openings.map_err(|reason| Problem::InvalidOpenings { reason })?,
        depth: request.depth,
        nodes: request.nodes,
        move_time: request.move_ms.map(Duration::from_millis),
        clock: clock.map_err(|reason| Problem::InvalidClock { reason })?,
        seed: request.seed.unwrap_or(1),
        ..SeriesRequest::default()
    };
    let make = player_maker(entry, &wanted.conditions(), players);
    let series = wanted.series(Factory { game: entry.game(), make: &make });
    series.map_err(|error| match error {
        ArenaError::Job(error) => error.into(),
        error => Problem::InvalidMatch { reason: error.to_string() }.into(),
    })
}

/// Makes players for games under these conditions.
fn player_maker(
    entry: &'static dyn GameEntry,
    conditions: &Conditions,
    players: &PlayerFactory,
) -> impl Fn(&str) -> Result<Box<AnyPlayer>, String> + Sync + use<> {
    let Conditions { depth, nodes, move_time_ms, clock, .. } = conditions;
    let bounded_by_caller =
        depth.is_some() || nodes.is_some() || move_time_ms.is_some() || clock.is_some();
    let players = players.with(|setup| setup.bounded_by_caller = bounded_by_caller);
    move |line| players.build(entry, line).map_err(|error| error.to_string())
}

pub(super) fn run(
    entry: &'static dyn GameEntry,
    job: Job,
    players: &PlayerFactory,
    executor: &dyn Executor,
    stop: &Stop,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), String> {
    let series = series_of(&job)?;
    let make = player_maker(entry, &series.conditions, players);
    let factory = Factory { game: entry.game(), make: &make };
    let mut listener = Listener(progress);
    let ended = if job.header().kind == MATCH {
        run_match_job(job, factory, executor, stop, &mut listener).map(drop)
    } else {
        run_tournament_job(job, factory, executor, stop, &mut listener).map(drop)
    };
    ended.map_err(|error| error.to_string())
}

/// What a match or tournament plays.
pub(super) fn series_of(job: &Job) -> Result<Series, String> {
    #[derive(serde::Deserialize)]
    struct Config {
        series: Series,
    }
    job.config::<Config>().map(|config| config.series).map_err(|error| error.to_string())
}

struct Listener<'a>(&'a mut dyn FnMut(&Progress));

impl Watcher for Listener<'_> {
    fn progress(&mut self, progress: &Progress) {
        (self.0)(progress);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tablero_core::PlayerSetup;
    use tablero_jobs::Store;

    use super::*;

    #[test]
    fn the_same_words_mean_the_same_match_as_on_the_command_line() {
        let games = tablero_catalog::games();
        let entry = *games.iter().find(|entry| entry.game().name() == "connectfour").expect("it");
        let request = json!({
            "game": "connectfour", "players": ["random", "greedy"], "games": 6, "seed": 3,
            "move_ms": 20, "clock": "1+0.01",
        });
        let request: NewArenaJob = serde_json::from_value(request).expect("a request");
        let jobs = Store::in_folder(&std::env::temp_dir());
        let players = PlayerFactory { setup: PlayerSetup::default(), jobs };
        let asked = series(entry, &request, &players).expect("a series");
        let make =
            |line: &str| entry.build(line, &PlayerSetup::LOCAL).map_err(|error| error.to_string());
        let local = SeriesRequest {
            games: 6,
            seed: 3,
            move_time: Some(Duration::from_millis(20)),
            clock: Some("1+0.01".parse().expect("a clock")),
            ..SeriesRequest::default()
        };
        let factory = Factory { game: entry.game(), make: &make };
        assert_eq!(asked, local.series(factory).expect("a series"));
    }
}
