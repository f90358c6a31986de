//! Matches and tournaments.

use tablero_arena::{
    Conditions, MATCH, Openings, Series, Watcher, run_match_job, run_tournament_job,
};
use tablero_core::Player;
use tablero_jobs::{Executor, Job, Progress, Stop};

use super::{Describe, Maker, rules_called};
use crate::api::NewArenaJob;
use crate::error::{ApiError, ApiResult};

/// Bounds that a page may ask for.
const MOST_GAMES: usize = 100_000;
const MOST_PLAYERS: usize = 32;

pub(super) fn series<G: Describe>(request: &NewArenaJob, maker: &Maker) -> ApiResult<Series> {
    if !(2..=MOST_PLAYERS).contains(&request.players.len()) {
        return Err(ApiError::bad(format!(
            "a match needs two players, a tournament up to {MOST_PLAYERS}"
        )));
    }
    if !(1..=MOST_GAMES).contains(&request.games) {
        return Err(ApiError::bad(format!("games is 1 to {MOST_GAMES}")));
    }
    rules_called::<G>(request.rules.as_deref())?;
    let openings = match &request.openings {
        Some(text) => text.parse().map_err(ApiError::bad)?,
        None => Openings::usual::<G>(),
    };
    let clock = request.clock.as_deref().map(str::parse).transpose().map_err(ApiError::bad)?;
    let conditions = Conditions {
        depth: request.depth,
        nodes: request.nodes,
        move_time_ms: request.move_ms,
        clock,
        ..Conditions::default()
    };
    let factory = player_maker::<G>(&conditions, maker);
    for line in &request.players {
        factory(line).map_err(|error| ApiError::bad(format!("player `{line}`: {error}")))?;
    }
    Ok(Series {
        rules: request.rules.clone(),
        games: request.games,
        openings,
        conditions,
        ..Series::usual::<G>(request.seed.unwrap_or(1))
    })
}

/// Makes players for games under these conditions.
fn player_maker<G: Describe>(
    conditions: &Conditions,
    maker: &Maker,
) -> impl Fn(&str) -> Result<Box<dyn Player<G>>, String> + Sync + use<G> {
    let Conditions { depth, nodes, move_time_ms, clock, .. } = conditions;
    let bounded_by_caller =
        depth.is_some() || nodes.is_some() || move_time_ms.is_some() || clock.is_some();
    let maker = maker.with(|setup| setup.bounded_by_caller = bounded_by_caller);
    move |line| maker.build::<G>(line).map_err(|error| error.to_string())
}

pub(super) fn run<G: Describe>(
    job: Job,
    maker: &Maker,
    executor: &dyn Executor,
    stop: &Stop,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), String> {
    let series = series_of(&job)?;
    let factory = player_maker::<G>(&series.conditions, maker);
    let mut listener = Listener(progress);
    let ended = if job.header().kind == MATCH {
        run_match_job::<G>(job, &factory, executor, stop, &mut listener).map(drop)
    } else {
        run_tournament_job::<G>(job, &factory, executor, stop, &mut listener).map(drop)
    };
    ended.map_err(|error| error.to_string())
}

/// What a match or tournament plays.
pub(crate) fn series_of(job: &Job) -> Result<Series, String> {
    #[derive(serde::Deserialize)]
    struct Config {
        series: Series,
    }
    job.config::<Config>().map(|config| config.series).map_err(|error| error.to_string())
}

struct Listener<'a>(&'a mut dyn FnMut(&Progress));

impl<G: Describe> Watcher<G> for Listener<'_> {
    fn progress(&mut self, progress: &Progress) {
        (self.0)(progress);
    }
}
