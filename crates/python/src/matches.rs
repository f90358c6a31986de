//! Matches and tournaments.

use std::num::NonZeroUsize;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::json;
use tablero_arena::stats::Sprt;
use tablero_arena::{
    ArenaError, Factory, FinishedGame, MatchConfig, MatchRequest, MatchSettings, Openings,
    TimeControl, TournamentConfig, Watcher, run_match, run_tournament,
};
use tablero_core::{AnyRecord, BuildResult};
use tablero_jobs::{CancellationToken, Progress, Runner, Threads};

use crate::arguments::{Entry, find, seconds, threads};
use crate::errors::{runtime_error, value_error};
use crate::player::{Player, Spec};
use crate::record::{Record, records};
use crate::session::{self, Session};

/// Plies of a game in `openings` that are played before the players take over.
const OPENING_PLIES: usize = 8;

/// Who plays: players by the names that they have in the arena.
struct Players {
    entry: Entry,
    specs: Vec<Spec>,
    names: Vec<String>,
}

impl Players {
    fn new(entry: Entry, players: &[Bound<'_, PyAny>]) -> PyResult<Self> {
        let specs =
            players.iter().map(|player| spec(entry, player)).collect::<PyResult<Vec<_>>>()?;
        let mut names: Vec<String> = Vec::new();
        for spec in &specs {
            // The same line twice is two players with the same name; functions need their own.
            let is_taken =
                spec.function().is_some() && names.iter().any(|name| name == spec.name());
            let number = names.len() + 1;
            names.push(if is_taken {
                format!("{} ({number})", spec.name())
            } else {
                spec.name().into()
            });
        }
        Ok(Self { entry, specs, names })
    }

    /// Builds the player of a name, or of a line of the arena's own.
    fn make(&self, name: &str, limited_by_caller: bool) -> BuildResult {
        match self.names.iter().position(|known| known == name) {
            Some(index) => self.specs[index].build(limited_by_caller),
            None => Spec::of_line(self.entry, name).build(limited_by_caller),
        }
    }

    fn begin(&self, cancel: &CancellationToken) {
        self.specs.iter().filter_map(Spec::function).for_each(|function| function.begin(cancel));
    }

    fn check(&self) -> PyResult<()> {
        self.specs.iter().filter_map(Spec::function).try_for_each(|function| function.check())
    }
}

fn spec(entry: Entry, player: &Bound<'_, PyAny>) -> PyResult<Spec> {
    if let Ok(line) = player.cast::<PyString>() {
        let spec = Spec::of_line(entry, line.to_str()?);
        spec.build(false).map_err(value_error)?;
        return Ok(spec);
    }
    let Ok(player) = player.cast::<Player>() else {
        let kind = player.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a player is a line (str) or a Player, not {kind}"
        )));
    };
    let spec = player.get().spec.clone();
    if spec.entry.game() != entry.game() {
        let (found, expected) = (spec.entry.game(), entry.game());
        return Err(value_error(format!("a player of {found} cannot play {expected}")));
    }
    Ok(spec)
}

/// The conditions of matches and tournaments, from keyword arguments.
struct Settings {
    settings: MatchSettings,
    threads: Threads,
    keeps_records: bool,
}

impl Settings {
    /// Takes the arguments that this knows; others are an error.
    fn new(entry: Entry, arguments: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut request = MatchRequest::default();
        let (mut count, mut keeps_records) = (None, true);
        for (name, value) in arguments.iter() {
            let name: String = name.extract()?;
            if value.is_none() {
                continue;
            }
            match name.as_str() {
                "games" => request.games = value.extract()?,
                "rules" => request.rules = Some(value.extract()?),
                "openings" => request.openings = Some(openings(entry, &value)?),
                "depth" => request.depth = Some(value.extract()?),
                "nodes" => request.nodes = Some(value.extract()?),
                "time" => request.move_time = seconds(Some(value.extract()?))?,
                "clock" => request.clock = Some(clock(&value)?),
                "max_plies" => request.max_plies = Some(value.extract()?),
                "adjudicate" => request.adjudicate = value.extract()?,
                "seed" => request.seed = value.extract()?,
                "threads" => count = Some(value.extract()?),
                "records" => keeps_records = value.extract()?,
                _ => return Err(PyTypeError::new_err(format!("unexpected argument `{name}`"))),
            }
        }
        if request.depth == Some(0) || request.nodes == Some(0) || request.max_plies == Some(0) {
            return Err(value_error("depth, nodes and max_plies must be at least 1"));
        }
        if request.games > 100_000_000 {
            return Err(value_error("games must be at most 100000000"));
        }
        let settings = request.settings(entry.game()).map_err(value_error)?;
        let threads = NonZeroUsize::new(threads(count)?).unwrap_or(NonZeroUsize::MIN);
        Ok(Self { settings, threads: Threads::new(threads), keeps_records })
    }
}

/// `start`, `random=6`, `book`, `balanced`, or records.
fn openings(entry: Entry, given: &Bound<'_, PyAny>) -> PyResult<Openings> {
    if let Ok(text) = given.cast::<PyString>() {
        return text.to_str()?.parse().map_err(value_error);
    }
    let records = records(given)?;
    if records.is_empty() || records.iter().any(|record| record.start.game() != entry.game()) {
        return Err(value_error(format!("openings must be records of {}", entry.game())));
    }
    Ok(Openings::from_records(&records, OPENING_PLIES))
}

/// Seconds, or `60+0.6`.
fn clock(given: &Bound<'_, PyAny>) -> PyResult<TimeControl> {
    given.str()?.to_str()?.parse().map_err(value_error)
}

/// Collects finished games and reports progress.
struct Collector<'a> {
    session: &'a Session,
    records: Option<Vec<AnyRecord>>,
}

impl Watcher for Collector<'_> {
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        if let Some(records) = &mut self.records {
            records.push(game.record.clone());
        }
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.session.report(progress);
    }
}

/// What was played: the result as JSON, and the games.
type Played = (String, Vec<Record>);

/// Plays with the players; `play` runs the match and returns its result.
fn play(
    py: Python<'_>,
    players: &Players,
    settings: &Settings,
    report: Option<&Bound<'_, PyAny>>,
    play: impl FnOnce(
        Factory<'_>,
        &mut Runner<'_>,
        &mut Collector<'_>,
    ) -> Result<serde_json::Value, ArenaError>
    + Send,
) -> PyResult<Played> {
    let cancel = CancellationToken::default();
    players.begin(&cancel);
    let is_limited = settings.settings.conditions.limit_every_move();
    let result = session::run(py, &cancel, report, |session| {
        let make = |name: &str| players.make(name, is_limited);
        let factory = Factory { game: players.entry.game(), make: &make };
        let records = settings.keeps_records.then(Vec::new);
        let mut collector = Collector { session, records };
        let mut runner = Runner::new(&settings.threads, &session.cancel);
        let result = play(factory, &mut runner, &mut collector)?;
        Ok::<_, ArenaError>((result, collector.records.unwrap_or_default()))
    })?;
    players.check()?;
    let (result, records) = result.map_err(|error| match error {
        ArenaError::Player { .. } => value_error(error),
        error => runtime_error(error),
    })?;
    Ok((result.to_string(), records.into_iter().map(Record).collect()))
}

/// Plays a match of two players. Returns the result as JSON and the records.
#[pyfunction]
#[pyo3(signature = (game, first, second, *, sprt=None, report=None, **settings))]
pub(crate) fn play_match(
    py: Python<'_>,
    game: &str,
    first: Bound<'_, PyAny>,
    second: Bound<'_, PyAny>,
    sprt: Option<(f64, f64)>,
    report: Option<&Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Played> {
    let entry = find(game)?;
    let players = Players::new(entry, &[first, second])?;
    let settings = Settings::new(entry, settings.unwrap_or(&PyDict::new(py)))?;
    let sprt = sprt.map(|(elo0, elo1)| format!("{elo0},{elo1}").parse::<Sprt>());
    let config = MatchConfig {
        players: [players.names[0].clone(), players.names[1].clone()],
        settings: settings.settings.clone(),
        sprt: sprt.transpose().map_err(value_error)?,
    };
    play(py, &players, &settings, report, |factory, runner, collector| {
        let result = run_match(&config, factory, runner, collector)?;
        let faults: Vec<_> = result.faults.iter().map(|fault| {
            json!({"player": config.players[fault.player], "reason": fault.reason, "games": fault.games})
        }).collect();
        Ok(json!({
            "players": config.players,
            "summary": result.summary,
            "end": result.end.to_string(),
            "faults": faults,
        }))
    })
}

/// Plays a round-robin tournament. Returns the result as JSON and the records.
#[pyfunction]
#[pyo3(signature = (game, players, *, report=None, **settings))]
pub(crate) fn play_tournament(
    py: Python<'_>,
    game: &str,
    players: Vec<Bound<'_, PyAny>>,
    report: Option<&Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Played> {
    let entry = find(game)?;
    if players.len() < 2 {
        let problem = format!("a tournament has at least 2 players, not {}", players.len());
        return Err(value_error(problem));
    }
    let players = Players::new(entry, &players)?;
    let settings = Settings::new(entry, settings.unwrap_or(&PyDict::new(py)))?;
    let config =
        TournamentConfig { players: players.names.clone(), settings: settings.settings.clone() };
    play(py, &players, &settings, report, |factory, runner, collector| {
        let result = run_tournament(&config, factory, runner, collector)?;
        Ok(json!({"summary": result.summary(), "text": result.crosstable().to_string()}))
    })
}
