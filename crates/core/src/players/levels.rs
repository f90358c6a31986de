use super::{PlayerLine, PlayerLineError};
use crate::AnyGame;

/// The player line that a `level` line stands for.
pub fn level_line(game: AnyGame, line: &PlayerLine) -> Result<&'static str, PlayerLineError> {
    let (ladder, names) = (game.ladder(), game.named_levels());
    let known = || {
        let names = names.map(|(name, _)| name);
        format!("1 to {}, {}", ladder.len(), names.join(", "))
    };
    let [word] = &line.words[..] else {
        return Err(PlayerLineError(format!("`level` needs one word: {}", known())));
    };
    if let Some((name, _)) = line.options.first() {
        return Err(PlayerLineError(format!("`level` has no option `{name}`")));
    }
    let named = || names.iter().find(|(name, _)| name == word).map(|(_, line)| *line);
    let numbered = || {
        let number: usize = word.parse().ok()?;
        ladder.get(number.checked_sub(1)?).map(|level| level.line)
    };
    named().or_else(numbered).ok_or_else(|| {
        PlayerLineError(format!("{game} has no level `{word}`; there are {}", known()))
    })
}
