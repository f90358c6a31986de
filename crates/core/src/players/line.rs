use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::{OptionInfo, OptionValues, parse_duration};

/// A player line that cannot be understood; says what would be right.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct PlayerLineError(pub String);

/// A player line, split into its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerLine {
    /// The first word.
    pub kind: String,
    /// Words that are not options.
    pub words: Vec<String>,
    /// `name=value`, in order.
    pub options: Vec<(String, String)>,
}

impl FromStr for PlayerLine {
    type Err = PlayerLineError;

    fn from_str(text: &str) -> Result<Self, PlayerLineError> {
        let mut words = split_words(text)?.into_iter();
        let kind = words.next().ok_or_else(|| {
            PlayerLineError(
                "an empty player line; try `level intermediate` (see `tablero players`)".into(),
            )
        })?;
        let mut line = Self { kind, words: Vec::new(), options: Vec::new() };
        for word in words {
            match word.split_once('=') {
                Some((name, value)) if is_option_name(name) => {
                    line.options.push((name.into(), value.into()));
                }
                _ => line.words.push(word),
            }
        }
        Ok(line)
    }
}

/// Option names begin with a letter, so that a program's `--flag=value` stays a word.
fn is_option_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(['/', '\\'])
}

/// Words between blanks; double quotes keep blanks in a word.
fn split_words(text: &str) -> Result<Vec<String>, PlayerLineError> {
    let (mut words, mut word, mut quoted, mut begun) = (Vec::new(), String::new(), false, false);
    for c in text.chars() {
        match c {
            '"' => (quoted, begun) = (!quoted, true),
            c if c.is_whitespace() && !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                    begun = false;
                }
            }
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    if quoted {
        return Err(PlayerLineError(format!("a quote is not closed in `{text}`")));
    }
    if begun {
        words.push(word);
    }
    Ok(words)
}

impl PlayerLine {
    /// Fails if the line has an option or word that its kind does not know, or a value out of range.
    pub fn check(
        &self,
        kind: &str,
        options: &[OptionInfo],
        words: Option<&str>,
    ) -> Result<(), PlayerLineError> {
        if words.is_none()
            && let Some(word) = self.words.first()
        {
            let error = format!("`{kind}` takes only options like name=value, not `{word}`");
            return Err(PlayerLineError(error));
        }
        // Other programs have options of their own.
        if words.is_some() {
            return Ok(());
        }
        for (index, (name, value)) in self.options.iter().enumerate() {
            let Some(option) = options.iter().find(|option| option.name == name) else {
                let known: Vec<_> = options.iter().map(|option| option.name).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                return Err(PlayerLineError(format!(
                    "`{kind}` has no option `{name}`; it has {known}"
                )));
            };
            if self.options[..index].iter().any(|(earlier, _)| earlier == name) {
                return Err(PlayerLineError(format!("`{name}` is given twice")));
            }
            if !option.values.allow(value) {
                let error = format!("`{name}={value}`: {name} is {}", option.values);
                return Err(PlayerLineError(error));
            }
        }
        Ok(())
    }

    /// Whether the line itself says how long its player thinks: whoever asks it need not.
    pub fn has_bound(&self) -> bool {
        const BOUNDS: [&str; 6] = ["depth", "nodes", "time", "iterations", "sims", "level"];
        self.kind == "level" || BOUNDS.iter().any(|bound| self.option(bound).is_some())
    }

    /// Megabytes for the transposition table: what the line says, or the `usual` size, unless the line's
    /// depth cannot fill that. Hundreds of games on a server are played by shallow searches, and a table
    /// that stays empty still costs memory and time to clear.
    pub fn table_megabytes(&self, usual: usize) -> usize {
        let fillable = match self.value("depth") {
            Some(0..=3_u32) => 1,
            Some(4) => 4,
            _ => usize::MAX,
        };
        self.value("hash").unwrap_or(usual.min(fillable))
    }

    /// The value of an option, as text.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str())
    }

    /// The value of an option that [`check`](Self::check) has found right.
    pub fn value<T: FromStr>(&self, name: &str) -> Option<T> {
        self.option(name).and_then(|value| value.parse().ok())
    }

    /// The value of an option that is a time.
    pub fn duration(&self, name: &str) -> Option<Duration> {
        self.option(name).and_then(parse_duration)
    }

    /// Whether an option is `on`; none if it is left out.
    pub fn is_on(&self, name: &str) -> Option<bool> {
        self.option(name).map(|value| value == "on")
    }
}

impl fmt::Display for PlayerLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |word: &str| {
            if word.is_empty() || word.contains(char::is_whitespace) {
                format!("\"{word}\"")
            } else {
                word.into()
            }
        };
        f.write_str(&quoted(&self.kind))?;
        for word in &self.words {
            write!(f, " {}", quoted(word))?;
        }
        for (name, value) in &self.options {
            write!(f, " {}", quoted(&format!("{name}={value}")))?;
        }
        Ok(())
    }
}

impl OptionValues {
    /// Whether a value is one of these.
    pub fn allow(&self, value: &str) -> bool {
        match self {
            Self::Integer { min, max } => {
                value.parse().is_ok_and(|n: u64| (*min..=*max).contains(&n))
            }
            Self::Number { min, max } => {
                value.parse().is_ok_and(|n: f64| (*min..=*max).contains(&n))
            }
            Self::Duration => parse_duration(value).is_some_and(|time| !time.is_zero()),
            Self::Choice(values) => values.iter().any(|known| known == value),
            // Whoever reads the file says what is wrong with it.
            Self::NameOrFile(_) => !value.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_options_not_parts_of_words() {
        let bounded = |line: &str| line.parse::<PlayerLine>().expect("a line").has_bound();
        assert!(bounded("alphabeta depth=4"));
        assert!(bounded("champion level=10") && bounded("level 3"));
        assert!(!bounded("alphabeta eval=level-depth=4.genes"));
        assert!(!bounded("champion threads=2"));
    }

    #[test]
    fn lines_round_trip() {
        for text in [
            "random",
            "alphabeta depth=4 eval=jma",
            "uci /usr/games/stockfish elo=1350",
            "uci \"/opt/my engine/run\" --flag=1 Hash=16",
        ] {
            let line: PlayerLine = text.parse().expect("a line");
            assert_eq!(line.to_string().parse(), Ok(line), "{text}");
        }
        let line: PlayerLine =
            "uci \"/opt/my engine/run\" --flag=1 Hash=16".parse().expect("a line");
        assert_eq!(line.words, ["/opt/my engine/run", "--flag=1"]);
        assert_eq!(line.option("Hash"), Some("16"));
    }

    #[test]
    fn broken_lines_are_named() {
        assert!("".parse::<PlayerLine>().unwrap_err().to_string().contains("empty"));
        assert!("uci \"x".parse::<PlayerLine>().unwrap_err().to_string().contains("quote"));
    }
}
