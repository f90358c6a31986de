//! The options of our engine.

use std::ops::RangeInclusive;
use std::time::Duration;

use tablero_core::{AnyGame, AnyRules};

use crate::engine::{Engine, Setup};

const HASH_MB: RangeInclusive<usize> = 1..=65_536;
const THREADS: RangeInclusive<usize> = 1..=256;
const LINES: RangeInclusive<usize> = 1..=256;
const OVERHEAD_MS: RangeInclusive<u64> = 0..=5_000;

/// What the GUI has set.
pub(crate) struct Options {
    pub(crate) rules: AnyRules,
    pub(crate) show_wdl: bool,
    /// Time lost between our clock and the GUI's.
    pub(crate) overhead: Duration,
    hash_mb: usize,
    threads: usize,
    lines: usize,
    elo_range: Option<RangeInclusive<u32>>,
    elo: u32,
    limit_strength: bool,
}

/// What setting an option asks for beyond remembering it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// Nothing.
    Remembered,
    /// Positions are to be forgotten.
    ClearHash,
    /// The game starts anew, by other rules.
    Rules,
}

impl Options {
    pub(crate) fn new(engine: &Engine<'_>) -> Self {
        let setup = &engine.setup;
        let elo_range = engine.elo.clone();
        Self {
            rules: engine.game.default_rules(),
            show_wdl: false,
            overhead: Duration::from_millis(10),
            hash_mb: setup.hash_mb,
            threads: setup.threads,
            lines: setup.lines,
            elo: setup.elo.or(elo_range.as_ref().map(|range| *range.start())).unwrap_or(0),
            limit_strength: setup.elo.is_some(),
            elo_range,
        }
    }

    /// How to make the player.
    pub(crate) fn setup(&self) -> Setup {
        Setup {
            hash_mb: self.hash_mb,
            threads: self.threads,
            lines: self.lines,
            elo: self.limit_strength.then_some(self.elo),
        }
    }

    fn game(&self) -> AnyGame {
        self.rules.game()
    }

    /// The lines that tell a GUI what can be set.
    pub(crate) fn announce(&self) -> Vec<String> {
        fn spin<T: std::fmt::Display>(name: &str, default: T, range: &RangeInclusive<T>) -> String {
            let (min, max) = (range.start(), range.end());
            format!("{name} type spin default {default} min {min} max {max}")
        }
        let mut options = vec![
            spin("Hash", self.hash_mb, &HASH_MB),
            "Clear Hash type button".into(),
            spin("Threads", self.threads, &THREADS),
            spin("MultiPV", self.lines, &LINES),
            "Ponder type check default false".into(),
            spin("Move Overhead", self.overhead.as_millis() as u64, &OVERHEAD_MS),
            "UCI_ShowWDL type check default false".into(),
        ];
        if let Some(range) = &self.elo_range {
            let limited = self.limit_strength;
            options.push(format!("UCI_LimitStrength type check default {limited}"));
            options.push(spin("UCI_Elo", self.elo, range));
        }
        options.extend(self.game().uci_variant_options());
        options.iter().map(|option| format!("option name {option}")).collect()
    }

    /// Sets an option; an error says what would be right.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<Change, String> {
        if let Some(rules) = self.game().uci_rules_of_option(name, value) {
            self.rules = rules;
            return Ok(Change::Rules);
        }
        match name.to_ascii_lowercase().as_str() {
            "hash" => self.hash_mb = number(name, value, &HASH_MB)?,
            "threads" => self.threads = number(name, value, &THREADS)?,
            "multipv" => self.lines = number(name, value, &LINES)?,
            "move overhead" => {
                self.overhead = Duration::from_millis(number(name, value, &OVERHEAD_MS)?);
            }
            "uci_showwdl" => self.show_wdl = check(name, value)?,
            "uci_limitstrength" if self.elo_range.is_some() => {
                self.limit_strength = check(name, value)?;
            }
            "uci_elo" => match &self.elo_range {
                Some(range) => self.elo = number(name, value, range)?,
                None => return Err(format!("there is no option `{name}`")),
            },
            // The GUI decides when to ponder; nothing changes for us.
            "ponder" => drop(check(name, value)?),
            "clear hash" => return Ok(Change::ClearHash),
            "uci_variant" if value.eq_ignore_ascii_case(self.game().name()) => {}
            _ => {
                return Err(format!("there is no option `{name}` with the value `{value}`"));
            }
        }
        Ok(Change::Remembered)
    }
}

fn number<T: std::str::FromStr + PartialOrd + std::fmt::Display>(
    name: &str,
    value: &str,
    range: &RangeInclusive<T>,
) -> Result<T, String> {
    let number = value.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (min, max) = (range.start(), range.end());
        format!("`{value}` is not a value for {name}: a number from {min} to {max}")
    })
}

fn check(name: &str, value: &str) -> Result<bool, String> {
    let wrong = || format!("`{value}` is not a value for {name}: true or false");
    value.to_ascii_lowercase().parse().map_err(|_| wrong())
}
