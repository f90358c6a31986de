use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{OptionInfo, OptionValues, PlayerLineError, parse_duration};

/// A parsed player line.
///
/// ```
/// use tablero_core::{PlayerLine, PlayerLineError};
///
/// let line: PlayerLine = "alphabeta depth=4 eval=jma".parse()?;
/// assert_eq!((line.kind.as_str(), line.value("depth")), ("alphabeta", Some(4)));
/// assert_eq!(line.to_string(), "alphabeta depth=4 eval=jma");
/// assert_eq!("".parse::<PlayerLine>(), Err(PlayerLineError::Empty));
/// # Ok::<(), PlayerLineError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerLine {
    /// The first word.
    pub kind: String,
    /// The words that are not options.
    pub words: Vec<String>,
    /// The options `name=value`, in order.
    pub options: Vec<(String, String)>,
}

impl FromStr for PlayerLine {
    type Err = PlayerLineError;

    fn from_str(text: &str) -> Result<Self, PlayerLineError> {
        let mut words = split_words(text)?.into_iter();
        let kind = words.next().ok_or(PlayerLineError::Empty)?;
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

/// Option names begin with a letter, so that an engine's `--flag=value` is a word.
fn is_option_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(['/', '\\'])
}

/// Splits at whitespace, except inside double quotes.
fn split_words(text: &str) -> Result<Vec<String>, PlayerLineError> {
    let (mut words, mut word, mut quoted, mut started) = (Vec::new(), String::new(), false, false);
    for c in text.chars() {
        match c {
            '"' => (quoted, started) = (!quoted, true),
            c if c.is_whitespace() && !quoted => {
                if started {
                    words.push(std::mem::take(&mut word));
                    started = false;
                }
            }
            c => {
                word.push(c);
                started = true;
            }
        }
    }
    if quoted {
        return Err(PlayerLineError::UnclosedQuote { line: text.into() });
    }
    if started {
        words.push(word);
    }
    Ok(words)
}

impl PlayerLine {
    /// Fails on an unknown option or word, or an invalid value.
    pub fn check(
        &self,
        kind: &str,
        options: &[OptionInfo],
        takes_words: bool,
    ) -> Result<(), PlayerLineError> {
        if !takes_words && let Some(word) = self.words.first() {
            return Err(PlayerLineError::UnexpectedWord { kind: kind.into(), word: word.clone() });
        }
        // External engines have their own options.
        if takes_words {
            return Ok(());
        }
        for (index, (name, value)) in self.options.iter().enumerate() {
            let Some(option) = options.iter().find(|option| option.name == name) else {
                return Err(PlayerLineError::UnknownOption {
                    kind: kind.into(),
                    option: name.clone(),
                    known: options.iter().map(|option| option.name).collect(),
                });
            };
            if self.options[..index].iter().any(|(earlier, _)| earlier == name) {
                return Err(PlayerLineError::DuplicateOption { option: name.clone() });
            }
            if !option.values.allows(value) {
                return Err(PlayerLineError::InvalidValue {
                    option: name.clone(),
                    value: value.clone(),
                    allowed: option.values.on_this_machine(),
                });
            }
        }
        Ok(())
    }

    /// Whether the line limits its searches itself, so that the caller need not.
    pub fn has_limit(&self) -> bool {
        const LIMITS: [&str; 6] = ["depth", "nodes", "time", "iterations", "sims", "level"];
        self.kind == "level" || LIMITS.iter().any(|limit| self.option(limit).is_some())
    }

    /// The size of the transposition table in MB: `hash=`, or `default`, but no more than a search of the
    /// line's depth can fill. Servers run hundreds of shallow searches, and even an empty table costs
    /// memory and time to clear.
    pub fn hash_mb(&self, default: usize) -> usize {
        let fillable = match self.value("depth") {
            Some(0..=3_u32) => 1,
            Some(4) => 4,
            _ => usize::MAX,
        };
        self.value("hash").unwrap_or(default.min(fillable))
    }

    /// The value of an option, as text.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str())
    }

    /// The parsed value of an option that has passed [`check`](Self::check).
    pub fn value<T: FromStr>(&self, name: &str) -> Option<T> {
        self.option(name).and_then(|value| value.parse().ok())
    }

    /// The value of a duration option.
    pub fn duration(&self, name: &str) -> Option<Duration> {
        self.option(name).and_then(parse_duration)
    }

    /// Whether an option is `on`; `None` if it is omitted.
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
    /// Whether `value` is allowed.
    pub fn allows(&self, value: &str) -> bool {
        match self {
            Self::Integer { min, max } => {
                value.parse().is_ok_and(|n: u64| (*min..=*max).contains(&n))
            }
            Self::Threads | Self::Megabytes { .. } => self.on_this_machine().allows(value),
            Self::Number { min, max } => {
                value.parse().is_ok_and(|n: f64| (*min..=*max).contains(&n))
            }
            Self::Duration => parse_duration(value).is_some_and(|time| !time.is_zero()),
            Self::Choice(values) => values.iter().any(|known| known == value),
            // The reader of the file checks the rest.
            Self::NameOrFile(_) => !value.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_options_not_parts_of_values() {
        let limited = |line: &str| line.parse::<PlayerLine>().expect("a line").has_limit();
        assert!(limited("alphabeta depth=4"));
        assert!(limited("champion level=10") && limited("level 3"));
        assert!(!limited("alphabeta eval=level-depth=4.genes"));
        assert!(!limited("champion threads=2"));
    }

    #[test]
    fn threads_and_memory_are_bounded_by_the_machine() {
        let option = |name, values| OptionInfo {
            name,
            values,
            default: String::new(),
            about: crate::Localized::new("", ""),
        };
        let options = [
            option("threads", OptionValues::Threads),
            option("hash", OptionValues::Megabytes { min: 0, max: 1 << 40 }),
            option("memory", OptionValues::Megabytes { min: 1, max: 64 }),
        ];
        let check = |line: &str| {
            let checked = line.parse::<PlayerLine>().and_then(|l| l.check("x", &options, false));
            checked.map_err(|error| error.to_string())
        };
        let threads = crate::max_threads();
        let hash = crate::machine_memory().map_or(1 << 40, |bytes| bytes >> 20);
        assert_eq!(check(&format!("x threads={threads} hash={hash} memory=64")), Ok(()));
        for (option, bounds) in [
            (format!("threads={}", threads + 1), format!("1 to {threads}")),
            ("threads=0".into(), format!("1 to {threads}")),
            (format!("hash={}", hash + 1), format!("0 to {hash}")),
            ("memory=65".into(), "1 to 64".into()),
        ] {
            let error = check(&format!("x {option}")).expect_err("out of range");
            assert!(error.ends_with(&format!("a whole number {bounds}")), "{error}");
        }
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
    fn malformed_lines_are_reported() {
        assert_eq!("".parse::<PlayerLine>(), Err(PlayerLineError::Empty));
        let unclosed = PlayerLineError::UnclosedQuote { line: "uci \"x".into() };
        assert_eq!("uci \"x".parse::<PlayerLine>(), Err(unclosed));
    }
}
