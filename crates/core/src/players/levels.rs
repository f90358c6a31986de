use super::{PlayerLine, PlayerLineError};
use crate::AnyGame;

/// Resolves a `level` line to the player line of that level.
pub fn level_line(game: AnyGame, line: &PlayerLine) -> Result<&'static str, PlayerLineError> {
    let [word] = &line.words[..] else { return Err(PlayerLineError::MissingLevel { game }) };
    if let Some((option, _)) = line.options.first() {
        return Err(PlayerLineError::UnknownOption {
            kind: line.kind.clone(),
            option: option.clone(),
            known: Vec::new(),
        });
    }
    let names = game.named_levels();
    let named = || names.iter().find(|(name, _)| name == word).map(|(_, line)| *line);
    let numbered = || {
        let number: usize = word.parse().ok()?;
        game.ladder().get(number.checked_sub(1)?).map(|level| level.line)
    };
    let unknown = || PlayerLineError::UnknownLevel { game, level: word.clone() };
    named().or_else(numbered).ok_or_else(unknown)
}
