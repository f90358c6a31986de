//! A line of play as short text: `GAME~RULES~POSITION~MOVES`.

use crate::api::Problem;
use crate::error::{ApiResult, find_game};
use crate::file::GameFile;
use crate::games::{file_of_match, is_usual_start, new_match};

/// Longer than any game that people share.
const LONGEST: usize = 20_000;

/// The line to the current node.
pub(super) fn write(file: &GameFile) -> String {
    let line = file.line_to(file.current);
    let moves = line.map(|line| line.moves.join(".")).unwrap_or_default();
    let is_usual = find_game(&file.game)
        .is_ok_and(|entry| is_usual_start(entry.game(), &file.rules, &file.start));
    let position = if is_usual { String::new() } else { file.start.replace(' ', "_") };
    format!("{}~{}~{position}~{moves}", file.game, file.rules)
}

/// The game that shared text tells.
pub(super) fn read(text: &str) -> ApiResult<GameFile> {
    let parts: Vec<&str> = text.split('~').collect();
    let [game, rules, position, moves] = parts[..] else {
        return Err(Problem::SharePartsMissing.into());
    };
    if text.len() > LONGEST {
        return Err(Problem::ShareTooLong { most: LONGEST }.into());
    }
    let position = if position.is_empty() { "start".into() } else { position.replace('_', " ") };
    let moves = moves.replace('.', " ");
    let whole = if moves.is_empty() { position } else { format!("{position} moves {moves}") };
    let game = find_game(game)?.game();
    Ok(file_of_match(&new_match(game, Some(rules), Some(&whole), None)?))
}
