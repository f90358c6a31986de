//! Shared links: a line of play as short text, `GAME~RULES~POSITION~MOVES`.

use crate::api::Problem;
use crate::error::{ApiResult, find_game};
use crate::game_file::GameFile;
use crate::games::{file_from_history, is_default_start, new_history};

/// Limit against abuse.
const MAX_BYTES: usize = 20_000;

/// Encodes the line to the current node.
pub(super) fn write(file: &GameFile) -> String {
    let line = file.line_to(file.current);
    let moves = line.map(|line| line.moves.join(".")).unwrap_or_default();
    let is_default = find_game(&file.game)
        .is_ok_and(|entry| is_default_start(entry.game(), &file.rules, &file.start));
    let position = if is_default { String::new() } else { file.start.replace(' ', "_") };
    format!("{}~{}~{position}~{moves}", file.game, file.rules)
}

/// Decodes a shared link.
pub(super) fn read(text: &str) -> ApiResult<GameFile> {
    let parts: Vec<&str> = text.split('~').collect();
    let [game, rules, position, moves] = parts[..] else {
        return Err(Problem::SharePartsMissing.into());
    };
    if text.len() > MAX_BYTES {
        return Err(Problem::ShareTooLong { max: MAX_BYTES }.into());
    }
    let position = if position.is_empty() { "start".into() } else { position.replace('_', " ") };
    let moves = moves.replace('.', " ");
    let whole = if moves.is_empty() { position } else { format!("{position} moves {moves}") };
    let game = find_game(game)?.game();
    Ok(file_from_history(&new_history(game, Some(rules), Some(&whole), None)?))
}
