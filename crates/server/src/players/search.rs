//! The searches of engines.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tablero_core::{
    AnyControl, AnyGameHistory, AnyInfo, AnyMove, AnyPosition, ForFirst, Limits, PlayerError,
};
use tablero_registry::GameEntry;

use super::{PlayerFactory, PlayerPool, Seat};
use crate::api::{AnalysisReport, Problem, Pv, Score};
use crate::games::score;

/// A search, ready to run.
pub(crate) struct Search {
    pub(crate) entry: &'static dyn GameEntry,
    pub(crate) game: AnyGameHistory,
    /// The player line of the engine.
    pub(crate) player: String,
    pub(crate) factory: PlayerFactory,
    pub(crate) pool: Arc<PlayerPool>,
    /// The seat it moves for, whose player keeps its hash table and tree for the next move.
    pub(crate) seat: Option<Seat>,
}

/// An engine's move.
pub(crate) struct EngineMove {
    /// The move, as in requests.
    pub(crate) name: String,
    pub(crate) score: Option<Score>,
}

/// Why an engine did not move.
#[derive(Debug)]
pub(crate) enum SearchError {
    Resigned,
    Failed(Problem),
}

impl SearchError {
    /// The search panicked.
    pub(crate) const fn panicked(reason: String) -> Self {
        Self::Failed(Problem::Internal { reason })
    }

    /// The problem to report.
    pub(crate) fn into_problem(self) -> Problem {
        match self {
            Self::Resigned => Problem::GameOver,
            Self::Failed(problem) => problem,
        }
    }

    pub(crate) fn failed(player: &str, error: &PlayerError) -> Self {
        match error {
            PlayerError::Resigned => Self::Resigned,
            PlayerError::GameOver => Self::Failed(Problem::GameOver),
            PlayerError::Failed { .. } | PlayerError::Timeout { .. } => {
                let (player, reason) = (player.into(), error.to_string());
                Self::Failed(Problem::PlayerFailed { player, reason })
            }
        }
    }
}

/// The longest line that is shown.
const MAX_PV: usize = 24;

impl Search {
    /// Searches within `limits` until `stop` is set, reporting progress.
    pub(crate) fn run(
        self,
        limits: &Limits,
        stop: &AtomicBool,
        seed: u64,
        report: &mut dyn FnMut(AnalysisReport),
    ) -> Result<EngineMove, SearchError> {
        let spec = self.factory.resolve(self.entry, &self.player);
        let acquired = spec.and_then(|spec| self.pool.acquire(self.seat, spec));
        let mut player = acquired.map_err(SearchError::Failed)?;
        let game = &self.game;
        let result = {
            let mut on_info = |info: &AnyInfo| report(report_of(game, info));
            let mut control = AnyControl::new(stop, &mut on_info);
            player.prepare(game, seed).choose(game, limits, &mut control)
        };
        let result = result.map_err(|error| SearchError::failed(&self.player, &error))?;
        player.release();
        // The final result: the search may have ended between two reports.
        report(report_of(game, &result.info));
        let position = game.position();
        let value = result.info.lines.first().map(|line| line.value.for_first(position.side()));
        Ok(EngineMove {
            name: position.move_name(result.m),
            score: value.map(|value| score(position.game(), value)),
        })
    }
}

fn report_of(game: &AnyGameHistory, info: &AnyInfo) -> AnalysisReport {
    let position = game.position();
    let pv = |pv: &tablero_core::Pv<AnyPosition>| {
        let value: ForFirst<_> = pv.value.for_first(position.side());
        let [moves, labels] = move_names(position, &pv.moves);
        let first = pv.moves.first().map(|&m| position.shape(m).into());
        Pv { score: score(position.game(), value), moves, labels, first }
    };
    AnalysisReport {
        depth: info.depth,
        seldepth: info.seldepth,
        nodes: info.nodes,
        nps: info.nodes_per_second() as u64,
        time_ms: info.time.as_millis() as u64,
        hashfull: info.hashfull,
        exact: info.exact,
        pvs: info.lines.iter().map(pv).collect(),
    }
}

/// The moves of a line, as in requests and in the game's notation.
pub(crate) fn move_names(position: &AnyPosition, moves: &[AnyMove]) -> [Vec<String>; 2] {
    let mut position = position.clone();
    let mut names = [Vec::new(), Vec::new()];
    for &m in moves.iter().take(MAX_PV) {
        // A hash collision may put an illegal move into a PV.
        if !position.is_legal(m) {
            break;
        }
        names[0].push(position.move_name(m));
        names[1].push(position.move_text(m));
        position.play(m);
    }
    names
}
