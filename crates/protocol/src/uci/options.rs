//! UCI options of the engine.

use std::ops::RangeInclusive;
use std::time::Duration;

use tablero_core::{AnyGame, AnyRules, machine_memory, max_threads};

use crate::engine::{Engine, EngineSettings};

const MULTIPV: RangeInclusive<usize> = 1..=256;
const MOVE_OVERHEAD_MS: RangeInclusive<u64> = 0..=5_000;

/// Table sizes within the memory of this machine.
fn hash_mb() -> RangeInclusive<usize> {
    const MAX: usize = 65_536;
    1..=machine_memory().map_or(MAX, |bytes| MAX.min((bytes >> 20) as usize))
}

fn threads() -> RangeInclusive<usize> {
    1..=max_threads()
}

/// Current values.
pub(crate) struct Options {
    pub(crate) rules: AnyRules,
    pub(crate) show_wdl: bool,
    /// Communication delay, deducted from the clock (`Move Overhead`).
    pub(crate) move_overhead: Duration,
    hash_mb: usize,
    threads: usize,
    multipv: usize,
    elo_range: Option<RangeInclusive<u32>>,
    elo: u32,
    limit_strength: bool,
}

/// What follows from setting an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Only the stored value changes.
    Stored,
    /// The transposition table is cleared.
    ClearHash,
    /// The rules change, and the position is reset.
    Rules,
}

impl Options {
    pub(crate) fn new(engine: &Engine<'_>) -> Self {
        let settings = &engine.settings;
        let elo_range = engine.elo.clone();
        Self {
            rules: engine.game.default_rules(),
            show_wdl: false,
            move_overhead: Duration::from_millis(10),
            hash_mb: settings.hash_mb,
            threads: settings.threads,
            multipv: settings.multipv,
            elo: settings.elo.or(elo_range.as_ref().map(|range| *range.start())).unwrap_or(0),
            limit_strength: settings.elo.is_some(),
            elo_range,
        }
    }

    /// Settings for the player.
    pub(crate) fn settings(&self) -> EngineSettings {
        EngineSettings {
            hash_mb: self.hash_mb,
            threads: self.threads,
            multipv: self.multipv,
            elo: self.limit_strength.then_some(self.elo),
        }
    }

    fn game(&self) -> AnyGame {
        self.rules.game()
    }

    /// The `option` lines of the handshake.
    pub(crate) fn declarations(&self) -> Vec<String> {
        fn spin<T: std::fmt::Display>(name: &str, default: T, range: &RangeInclusive<T>) -> String {
            let (min, max) = (range.start(), range.end());
            format!("{name} type spin default {default} min {min} max {max}")
        }
        let mut options = vec![
            spin("Hash", self.hash_mb, &hash_mb()),
            "Clear Hash type button".into(),
            spin("Threads", self.threads, &threads()),
            spin("MultiPV", self.multipv, &MULTIPV),
            "Ponder type check default false".into(),
            spin("Move Overhead", self.move_overhead.as_millis() as u64, &MOVE_OVERHEAD_MS),
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

    /// Sets an option; the error names the valid values.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<Effect, String> {
        if let Some(rules) = self.game().uci_rules_from_option(name, value) {
            self.rules = rules;
            return Ok(Effect::Rules);
        }
        match name.to_ascii_lowercase().as_str() {
            "hash" => self.hash_mb = number(name, value, &hash_mb())?,
            "threads" => self.threads = number(name, value, &threads())?,
            "multipv" => self.multipv = number(name, value, &MULTIPV)?,
            "move overhead" => {
                self.move_overhead = Duration::from_millis(number(name, value, &MOVE_OVERHEAD_MS)?);
            }
            "uci_showwdl" => self.show_wdl = check(name, value)?,
            "uci_limitstrength" if self.elo_range.is_some() => {
                self.limit_strength = check(name, value)?;
            }
            "uci_elo" => match &self.elo_range {
                Some(range) => self.elo = number(name, value, range)?,
                None => return Err(format!("no such option: `{name}`")),
            },
            // Pondering is up to the GUI (`go ponder`).
            "ponder" => drop(check(name, value)?),
            "clear hash" => return Ok(Effect::ClearHash),
            "uci_variant" if value.eq_ignore_ascii_case(self.game().name()) => {}
            _ => {
                return Err(format!("no such option: `{name}` with value `{value}`"));
            }
        }
        Ok(Effect::Stored)
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
        format!("invalid value `{value}` for {name}: expected a number from {min} to {max}")
    })
}

fn check(name: &str, value: &str) -> Result<bool, String> {
    let wrong = || format!("invalid value `{value}` for {name}: expected true or false");
    value.to_ascii_lowercase().parse().map_err(|_| wrong())
}
