//! A line of play as short text: `GAME~RULES~POSITION~MOVES`.

use crate::error::{ApiError, ApiResult};
use crate::file::GameFile;
use crate::kind::game_called;

/// Longer than any game that people share.
const LONGEST: usize = 20_000;

/// The line to the current node.
pub(super) fn write(file: &GameFile) -> String {
    let line = file.line_to(file.current);
    let moves = line.map(|line| line.moves.join(".")).unwrap_or_default();
    let is_usual =
        game_called(&file.game).is_ok_and(|game| game.is_usual_start(&file.rules, &file.start));
    let position = if is_usual { String::new() } else { file.start.replace(' ', "_") };
    format!("{}~{}~{position}~{moves}", file.game, file.rules)
}

/// The game that shared text tells.
pub(super) fn read(text: &str) -> ApiResult<GameFile> {
    let parts: Vec<&str> = text.split('~').collect();
    let [game, rules, position, moves] = parts[..] else {
        return Err(ApiError::bad(
            "shared text has four parts, GAME~RULES~POSITION~MOVES; a part of it is missing",
        ));
    };
    if text.len() > LONGEST {
        return Err(ApiError::bad(format!("shared text has at most {LONGEST} bytes")));
    }
    let position = if position.is_empty() { "start".into() } else { position.replace('_', " ") };
    let moves = moves.replace('.', " ");
    let whole = if moves.is_empty() { position } else { format!("{position} moves {moves}") };
    game_called(game)?.begin(Some(rules), Some(&whole), None)
}
