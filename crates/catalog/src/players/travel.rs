//! Player lines that go to another machine, or come from one: what in them belongs to a machine.

use super::{PlayerLine, PlayerLineError, Values, check};
use crate::Catalogued;

/// `line` with every file that it names replaced by what `place` says about it.
///
/// ```
/// use tablero_catalog::players::replace_files;
/// use tablero_othello::Othello;
/// let line = "alphabeta depth=2 eval=mine.evl#3";
/// let mut place = |file: &str| Ok(file.replace("mine", "/tmp/yours"));
/// let there = replace_files::<Othello>(line, &mut place).unwrap();
/// assert_eq!(there.to_string(), "alphabeta depth=2 eval=/tmp/yours.evl#3");
/// let same = replace_files::<Othello>("alphabeta eval=jma", &mut place).unwrap();
/// assert_eq!(same.to_string(), "alphabeta eval=jma", "no file");
/// ```
pub fn replace_files<G: Catalogued>(
    line: &str,
    place: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<PlayerLine, PlayerLineError> {
    let mut line: PlayerLine = line.parse()?;
    let kind = check::<G>(&line)?;
    for (name, value) in &mut line.options {
        let option = kind.options.iter().find(|option| option.name == *name);
        if let Some(Values::NameOrFile(names)) = option.map(|option| &option.values)
            && !names.contains(value)
        {
            let problem = |problem: String| PlayerLineError(format!("`{name}={value}`: {problem}"));
            *value = place(value).map_err(problem)?;
        }
    }
    Ok(line)
}

/// Whether `line` starts another program.
///
/// ```
/// use tablero_catalog::players::starts_program;
/// use tablero_chess::Chess;
/// assert!(starts_program::<Chess>("uci /usr/games/stockfish").unwrap());
/// assert!(!starts_program::<Chess>("level 3").unwrap());
/// ```
pub fn starts_program<G: Catalogued>(line: &str) -> Result<bool, PlayerLineError> {
    let kind = check::<G>(&line.parse()?)?;
    Ok(kind.words.is_some_and(|words| words.starts_with("PROGRAM")))
}
