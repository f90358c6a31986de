//! Searches.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tablero_core::{
    AnyControl, AnyInfo, AnyMatch, AnyMove, AnyPosition, ForFirst, Limits, PlayerError,
    PlayerLineError,
};
use tablero_registry::GameEntry;

use super::{PlayerFactory, PlayerPool, Seat};
use crate::api::{AnalysisLine, AnalysisReport, Problem, Worth};
use crate::games::score;

/// A search that is ready to run.
pub(crate) struct Thinking {
    pub(crate) entry: &'static dyn GameEntry,
    pub(crate) game: AnyMatch,
    /// The line of the player who searches.
    pub(crate) player: String,
    pub(crate) factory: PlayerFactory,
    pub(crate) pool: Arc<PlayerPool>,
    /// For whom it moves; the player of a seat keeps its memory for the next move.
    pub(crate) seat: Option<Seat>,
}

/// What a machine decided.
pub(crate) struct Decision {
    /// The move, as requests name it.
    pub(crate) name: String,
    /// What it thinks of the position.
    pub(crate) value: Option<Worth>,
}

/// Why a machine did not move.
#[derive(Debug)]
pub(crate) enum ThinkError {
    Resigned,
    Failed(Problem),
}

impl ThinkError {
    /// The search panicked.
    pub(crate) const fn panicked(reason: String) -> Self {
        Self::Failed(Problem::Internal { reason })
    }

    fn invalid(player: &str, error: &PlayerLineError) -> Self {
        Self::Failed(Problem::player(player, error))
    }

    fn failed(player: &str, error: &PlayerError) -> Self {
        match error {
            PlayerError::Resigned => Self::Resigned,
            PlayerError::GameOver => Self::Failed(Problem::GameOver),
            PlayerError::Failed { .. } => Self::Failed(Problem::PlayerFailed {
                player: player.into(),
                reason: error.to_string(),
            }),
        }
    }
}

/// Moves of a line that people want to see.
const LONGEST_LINE: usize = 24;

impl Thinking {
    /// Searches within bounds until `stop` is set, and tells what it finds.
    pub(crate) fn run(
        self,
        limits: &Limits,
        stop: &AtomicBool,
        seed: u64,
        tell: &mut dyn FnMut(AnalysisReport),
    ) -> Result<Decision, ThinkError> {
        let spec = self.factory.resolve(self.entry, &self.player);
        let taken = spec.and_then(|spec| self.pool.take(self.seat, spec));
        let mut player = taken.map_err(|error| ThinkError::invalid(&self.player, &error))?;
        let game = &self.game;
        let choice = {
            let mut report = |info: &AnyInfo| tell(report_of(game, info));
            let mut control = AnyControl::new(stop, &mut report);
            player.follow(game, seed).choose(game, limits, &mut control)
        };
        let choice = choice.map_err(|error| ThinkError::failed(&self.player, &error))?;
        player.give_back();
        // The last word: a search may end between two reports.
        tell(report_of(game, &choice.info));
        let position = game.position();
        let value = choice.info.lines.first().map(|line| line.value.for_first(position.side()));
        Ok(Decision {
            name: position.move_name(choice.m),
            value: value.map(|value| score(position.game(), value)),
        })
    }
}

fn report_of(game: &AnyMatch, info: &AnyInfo) -> AnalysisReport {
    let position = game.position();
    let line = |line: &tablero_core::Line<AnyPosition>| {
        let value: ForFirst<_> = line.value.for_first(position.side());
        let [moves, labels] = line_names(position, &line.moves);
        let first = line.moves.first().map(|&m| position.shape(m).into());
        AnalysisLine { value: score(position.game(), value), moves, labels, first }
    };
    AnalysisReport {
        depth: info.depth,
        deepest: info.deepest,
        nodes: info.nodes,
        nps: info.nodes_per_second() as u64,
        time_ms: info.time.as_millis() as u64,
        table_full: info.table_full.map(|thousandths| f64::from(thousandths) / 1000.0),
        exact: info.exact,
        lines: info.lines.iter().map(line).collect(),
    }
}

/// Moves that are played one after the other, as requests and as people name them.
pub(crate) fn line_names(position: &AnyPosition, moves: &[AnyMove]) -> [Vec<String>; 2] {
    let mut position = position.clone();
    let mut names = [Vec::new(), Vec::new()];
    for &m in moves.iter().take(LONGEST_LINE) {
        // A line out of a table may have been bent.
        if !position.is_legal(m) {
            break;
        }
        names[0].push(position.move_name(m));
        names[1].push(position.move_text(m));
        position.play(m);
    }
    names
}
