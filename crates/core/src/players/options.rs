use std::fmt;
use std::time::Duration;

use crate::{Localized, machine_memory, max_threads};

/// An option of a player kind.
#[derive(Clone, PartialEq, Debug)]
pub struct OptionInfo {
    /// The name before the equals sign.
    pub name: &'static str,
    /// The values that it takes.
    pub values: OptionValues,
    /// The default; empty if there is none.
    pub default: String,
    /// Its help text.
    pub about: Localized,
}

/// The values that an option takes.
#[derive(Clone, PartialEq, Debug)]
pub enum OptionValues {
    /// An integer.
    Integer {
        /// Minimum.
        min: u64,
        /// Maximum.
        max: u64,
    },
    /// A number of threads, up to [`max_threads`] of the machine.
    Threads,
    /// A size in MB, within the memory of the machine.
    Megabytes {
        /// Minimum.
        min: u64,
        /// Maximum on any machine.
        max: u64,
    },
    /// A number.
    Number {
        /// Minimum.
        min: f64,
        /// Maximum.
        max: f64,
    },
    /// A time: `100ms`, `1.5s`, `2m`.
    Duration,
    /// One of these names.
    Choice(Vec<String>),
    /// One of these names, or the path of a file.
    NameOrFile(Vec<String>),
}

impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            &Self::Integer { min, max: u64::MAX } => write!(f, "a whole number from {min}"),
            Self::Integer { min, max } => write!(f, "a whole number {min} to {max}"),
            Self::Threads => f.write_str("a whole number 1 to 16, or to 4 per core"),
            Self::Megabytes { min, max } => {
                write!(f, "a whole number {min} to {max}, within the machine's memory")
            }
            Self::Number { min, max } => write!(f, "a number {min} to {max}"),
            Self::Duration => f.write_str("a time like 100ms, 1.5s or 2m"),
            Self::Choice(values) => f.write_str(&values.join(" or ")),
            Self::NameOrFile(names) if names.is_empty() => f.write_str("a file"),
            Self::NameOrFile(names) => write!(f, "{} or a file", names.join(" or ")),
        }
    }
}

impl OptionValues {
    /// The same values, with the limits of this machine as numbers.
    #[must_use]
    pub fn on_this_machine(&self) -> Self {
        match *self {
            Self::Threads => Self::Integer { min: 1, max: max_threads() as u64 },
            Self::Megabytes { min, max } => {
                let memory = machine_memory().map_or(max, |bytes| bytes >> 20);
                Self::Integer { min, max: max.min(memory) }
            }
            _ => self.clone(),
        }
    }
}

/// Parses `100ms`, `1.5s` or `2m`.
pub fn parse_duration(text: &str) -> Option<Duration> {
    const UNITS: [(&str, f64); 3] = [("ms", 0.001), ("s", 1.0), ("m", 60.0)];
    let (number, unit) =
        UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let seconds: f64 = number.parse::<f64>().ok()? * unit;
    // At most a day.
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
