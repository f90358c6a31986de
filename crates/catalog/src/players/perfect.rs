//! The player kind `perfect`: plays Connect Four by its exact solver.

use std::time::{Duration, Instant};

use tablero_connectfour::{ConnectFour, Solved, Solver};
use tablero_core::{
    Control, ForMover, GameHistory, Info, Limits, Localized, OptionValues, Player, PlayerError,
    PlayerKind, Pv, SearchResult, Tactics, TimeManager, TimePolicy, Value,
};
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};

use super::kinds::{check_memory, erased, limits, option};

const DEFAULT_TIME: Duration = Duration::from_secs(1);
const DEFAULT_HASH_MB: usize = 64;

/// The player kind `perfect`.
pub(crate) fn kind() -> PlayerKind {
    PlayerKind {
        name: "perfect",
        about: Localized::new(
            "plays perfectly what it can solve in time, else by alpha-beta; one second if \
             nothing else bounds it",
            "juega a la perfección lo que logra resolver a tiempo y, si no, por alfa-beta; un \
             segundo si no hay otro límite",
        ),
        words: None,
        options: vec![
            option(
                "time",
                OptionValues::Duration,
                "",
                Localized::new("time per move", "tiempo por jugada"),
            ),
            option(
                "hash",
                OptionValues::Megabytes { min: 1, max: 65_536 },
                &DEFAULT_HASH_MB.to_string(),
                Localized::new("table of the solver in MB", "tabla del resolutor, en MB"),
            ),
        ],
        starts_program: false,
        build: |line, setup| {
            let hash_mb = line.value("hash").or(setup.hash_mb).unwrap_or(DEFAULT_HASH_MB);
            check_memory(hash_mb)?;
            let mut limits = limits(line, "nodes");
            if limits.is_unlimited() && !setup.limited_by_caller {
                limits.time = Some(DEFAULT_TIME);
            }
            erased::<ConnectFour>(Perfect::new(limits, hash_mb))
        },
    }
}

/// Solves the position if time allows, else searches it by alpha-beta.
struct Perfect {
    limits: Limits,
    hash_mb: usize,
    /// Allocated by the first search.
    solver: Option<Solver>,
    search: AlphaBeta<ConnectFour>,
}

impl Perfect {
    fn new(limits: Limits, hash_mb: usize) -> Self {
        let options = AlphaBetaOptions::for_game::<ConnectFour>();
        let evaluation = ConnectFour::evaluations()[0].hand_tuned();
        Self { limits, hash_mb, solver: None, search: AlphaBeta::new(options, evaluation) }
    }

    /// The outcome with the better part of the time, then the distance with the rest.
    fn solve(
        &mut self,
        position: &ConnectFour,
        time: &TimeManager,
        control: &Control<'_, ConnectFour>,
    ) -> Option<(Solved, bool)> {
        let start = Instant::now();
        let end = time.deadline();
        let most = end.map(|end| start + end.saturating_duration_since(start) * 7 / 10);
        let stop = control.stop_flag();
        let solver = self.solver.get_or_insert_with(|| Solver::new(self.hash_mb << 20));
        let outcome = solver.solve(position, true, stop, most)?;
        // A distance is worth half a second at most.
        let soon = Instant::now() + Duration::from_millis(500);
        let end = end.map_or(soon, |end| end.min(soon));
        Some(match solver.solve(position, false, stop, Some(end)) {
            Some(solved) => (Solved { nodes: outcome.nodes + solved.nodes, ..solved }, true),
            None => (outcome, false),
        })
    }
}

impl Player<ConnectFour> for Perfect {
    fn choose(
        &mut self,
        game: &GameHistory<ConnectFour>,
        limits: &Limits,
        control: &mut Control<'_, ConnectFour>,
    ) -> Result<SearchResult<ConnectFour>, PlayerError> {
        let limits = self.limits.and(*limits);
        let time = TimeManager::new(&limits, &TimePolicy::default());
        let position = game.position();
        let is_restricted = control.searchmoves().is_some();
        if !is_restricted
            && let Some((solved, is_exact)) = self.solve(position, &time, control)
            && let Some(m) = solved.best
        {
            let value = ForMover(value(position, &solved, is_exact));
            let lines = vec![Pv { value, moves: vec![m] }];
            let nodes = solved.nodes;
            let info = Info { nodes, time: time.elapsed(), exact: true, lines, ..Info::default() };
            control.report(&info);
            return Ok(SearchResult { m, info });
        }
        let left = |all: Duration| all.saturating_sub(time.elapsed()).max(Duration::from_millis(1));
        let rest = time.deadline().map(|end| end.saturating_duration_since(Instant::now()));
        let rest = rest.or(limits.time.map(left)).unwrap_or(DEFAULT_TIME);
        self.search.choose(game, &Limits { time: Some(rest), ..Limits::default() }, control)
    }

    fn memory(&self) -> usize {
        self.solver.as_ref().map_or(0, Solver::memory) + self.search.memory()
    }

    fn release_memory(&mut self) {
        self.solver = None;
        self.search.release_memory();
    }

    fn new_game(&mut self, seed: u64) {
        self.search.new_game(seed);
    }
}

/// The value of a solved position; without the exact distance, the longest one.
fn value(position: &ConnectFour, solved: &Solved, is_exact: bool) -> Value {
    let empties = position.empty_cells();
    let moves = if is_exact { solved.moves_to_end(position) } else { empties.div_ceil(2) };
    match solved.score.signum() {
        1 => Value::WinIn(moves),
        0 => Value::Centi(0),
        _ => Value::LossIn(moves),
    }
}
