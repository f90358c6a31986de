use std::fmt;
use std::time::Duration;

/// An option of a player kind.
#[derive(Clone, PartialEq, Debug)]
pub struct OptionInfo {
    /// The name before the equals sign.
    pub name: &'static str,
    /// What may stand after it.
    pub values: OptionValues,
    /// What holds if it is left out; empty if nothing does.
    pub default: String,
    /// What it means.
    pub about: &'static str,
}

/// The values that an option takes.
#[derive(Clone, PartialEq, Debug)]
pub enum OptionValues {
    /// A whole number.
    Integer {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// Any number.
    Number {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
    },
    /// A time: `100ms`, `1.5s`, `2m`.
    Duration,
    /// One of these words.
    Choice(Vec<String>),
    /// One of these words, or the path of a file.
    NameOrFile(Vec<String>),
}

impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { min, max } => write!(f, "a whole number {min} to {max}"),
            Self::Number { min, max } => write!(f, "a number {min} to {max}"),
            Self::Duration => f.write_str("a time like 100ms, 1.5s or 2m"),
            Self::Choice(values) => f.write_str(&values.join(" or ")),
            Self::NameOrFile(names) if names.is_empty() => f.write_str("a file"),
            Self::NameOrFile(names) => write!(f, "{} or a file", names.join(" or ")),
        }
    }
}

/// `100ms`, `1.5s`, `2m`.
pub fn parse_duration(text: &str) -> Option<Duration> {
    const UNITS: [(&str, f64); 3] = [("ms", 0.001), ("s", 1.0), ("m", 60.0)];
    let (number, unit) =
        UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let seconds: f64 = number.parse::<f64>().ok()? * unit;
    // A day is more than any move needs.
    (0.0..=86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(parse_duration("100ms"), Some(Duration::from_millis(100)));
        assert_eq!(parse_duration("1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(parse_duration("2m"), Some(Duration::from_secs(120)));
        for wrong in ["", "5", "s", "-1s", "1h", "1e9s", "NaNs"] {
            assert_eq!(parse_duration(wrong), None, "{wrong}");
        }
    }
}
