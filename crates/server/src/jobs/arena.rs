//! Matches and tournaments.

use std::time::Duration;

use tablero_arena::{
    Conditions, Factory, MATCH, MatchRequest, MatchSettings, Watcher, run_match_job,
    run_tournament_job,
};
use tablero_core::BuildResult;
use tablero_jobs::{CancellationToken, Executor, Job, Progress};
use tablero_registry::GameEntry;

use crate::api::{NewArenaJob, Problem};
use crate::error::ApiResult;
use crate::players::PlayerFactory;

/// Limits of a request.
const MAX_GAMES: usize = 100_000;
const MAX_PLAYERS: usize = 32;

/// The settings of a request whose players were checked.
pub(super) fn settings(entry: &dyn GameEntry, request: &NewArenaJob) -> ApiResult<MatchSettings> {
    if !(2..=MAX_PLAYERS).contains(&request.players.len()) {
        return Err(Problem::PlayerCount { max: MAX_PLAYERS }.into());
    }
    Problem::check_range("games", request.games as u64, 1, MAX_GAMES as u64)?;
    entry.game().rules_or_default(request.rules.as_deref())?;
    let request = MatchRequest {
        rules: request.rules.clone(),
        games: request.games,
        openings: request.openings.as_deref().map(str::parse).transpose()?,
        depth: request.depth,
        nodes: request.nodes,
        move_time: request.move_ms.map(Duration::from_millis),
        clock: request.clock.as_deref().map(str::parse).transpose()?,
        seed: request.seed.unwrap_or(1),
        ..MatchRequest::default()
    };
    Ok(request.settings(entry.game())?)
}

/// Builds players for games under `conditions`.
fn player_builder(
    entry: &'static dyn GameEntry,
    conditions: &Conditions,
    players: &PlayerFactory,
) -> impl Fn(&str) -> BuildResult + Sync + use<> {
    let Conditions { depth, nodes, move_time_ms, clock, .. } = conditions;
    let limited_by_caller =
        depth.is_some() || nodes.is_some() || move_time_ms.is_some() || clock.is_some();
    let players = players.with(|setup| setup.limited_by_caller = limited_by_caller);
    move |line| players.build(entry, line)
}

pub(super) fn run(
    entry: &'static dyn GameEntry,
    job: Job,
    players: &PlayerFactory,
    executor: &dyn Executor,
    stop: &CancellationToken,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), String> {
    let settings = settings_of(&job)?;
    let make = player_builder(entry, &settings.conditions, players);
    let factory = Factory { game: entry.game(), make: &make };
    let mut listener = Listener(progress);
    let ended = if job.header().kind == MATCH {
        run_match_job(job, factory, executor, stop, &mut listener).map(drop)
    } else {
        run_tournament_job(job, factory, executor, stop, &mut listener).map(drop)
    };
    ended.map_err(|error| error.to_string())
}

/// The settings of a match or tournament.
pub(super) fn settings_of(job: &Job) -> Result<MatchSettings, String> {
    #[derive(serde::Deserialize)]
    struct Config {
        settings: MatchSettings,
    }
    job.config::<Config>().map(|config| config.settings).map_err(|error| error.to_string())
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

    use super::*;

    #[test]
    fn a_request_is_the_same_match_as_on_the_command_line() {
        let games = tablero_catalog::games();
        let entry = *games.iter().find(|entry| entry.game().name() == "connectfour").expect("it");
        let request = json!({
            "game": "connectfour", "players": ["random", "greedy"], "games": 6, "seed": 3,
            "move_ms": 20, "clock": "1+0.01",
        });
        let request: NewArenaJob = serde_json::from_value(request).expect("a request");
        let requested = settings(entry, &request).expect("settings");
        let local = MatchRequest {
            games: 6,
            seed: 3,
            move_time: Some(Duration::from_millis(20)),
            clock: Some("1+0.01".parse().expect("a clock")),
            ..MatchRequest::default()
        };
        assert_eq!(requested, local.settings(entry.game()).expect("settings"));
    }
}
