//! Searches.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tablero_catalog::players::PlayerLineError;
use tablero_core::{Control, ForFirst, Info, Limits, Match, PlayerError};

use super::facts::value;
use super::{Describe, Idle, Maker, replay};
use crate::api::{AnalysisLine, AnalysisReport, Worth};
use crate::error::ApiResult;
use crate::file::Line;

/// A search that is ready to run: bounds, a flag that stops it, a seed, and who is told what it finds.
pub(crate) type Thinking = Box<
    dyn FnOnce(
            &Limits,
            &AtomicBool,
            u64,
            &mut dyn FnMut(AnalysisReport),
        ) -> Result<Decision, ThinkError>
        + Send,
>;

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
    Failed(String),
}

/// Moves of a line that people want to see.
const LONGEST_LINE: usize = 24;

pub(super) fn think<G: Describe>(
    line: &Line,
    player: &str,
    maker: &Maker,
    idle: &Arc<Idle>,
) -> ApiResult<Thinking> {
    let (game, name, maker) = (replay::<G>(line)?, player.to_owned(), maker.clone());
    let idle = Arc::clone(idle);
    Ok(Box::new(move |limits, stop, seed, tell| {
        let failed = |error: PlayerLineError| ThinkError::Failed(error.to_string());
        let placed = maker.place::<G>(&name).map_err(failed)?;
        let mut player = idle.take::<G>(&placed).map_err(failed)?;
        player.new_game(seed);
        let mut report = |info: &Info<G>| tell(report_of(&game, info));
        let choice = player.choose(&game, limits, &mut Control::new(stop, &mut report));
        let choice = choice.map_err(|error| match error {
            PlayerError::Resigned => ThinkError::Resigned,
            other => ThinkError::Failed(other.to_string()),
        })?;
        idle.give_back(&placed, player);
        // The last word: a search may end between two reports.
        tell(report_of(&game, &choice.info));
        let position = game.position();
        let worth = choice.info.lines.first().map(|line| line.value.for_first(position.side()));
        Ok(Decision { name: position.move_name(choice.m), value: worth.map(value::<G>) })
    }))
}

fn report_of<G: Describe>(game: &Match<G>, info: &Info<G>) -> AnalysisReport {
    let line = |line: &tablero_core::Line<G>| {
        let worth: ForFirst<_> = line.value.for_first(game.position().side());
        let [moves, labels] = names(game.position(), &line.moves);
        let first = line.moves.first().map(|&m| game.position().shape(m));
        AnalysisLine { value: value::<G>(worth), moves, labels, first }
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
pub(super) fn names<G: Describe>(position: &G, moves: &[G::Move]) -> [Vec<String>; 2] {
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
