//! The ways to breed, one file each.

mod cmaes;
mod hall;
mod modern;
mod othello7;

use tablero_core::{OptionInfo, OptionValues, PlayerLine};
use tablero_genomes::{GenomeKind, Individual};

use crate::field::Field;
use crate::{EvolutionConfig, EvolveError, Generation};

/// A way to breed, under way.
pub(crate) trait Scheme {
    /// Breeds and measures one generation.
    fn step(&mut self, field: &mut Field<'_>) -> Result<Generation, EvolveError>;

    /// All that is needed to go on from here.
    fn state(&self) -> serde_json::Value;

    /// The best of all, and the population with the best first.
    fn population(&self) -> (Individual, Vec<Individual>);

    /// Decides who is best, after the last generation.
    fn finish(&mut self, _field: &mut Field<'_>) -> Result<(), EvolveError> {
        Ok(())
    }
}

/// A way to breed, for people to choose.
pub struct SchemeInfo {
    /// The first word of its lines.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its options.
    pub options: Vec<OptionInfo>,
}

/// The ways to breed.
pub fn schemes() -> Vec<SchemeInfo> {
    vec![othello7::info(), modern::info(), cmaes::info()]
}

/// A scheme's name and options, as a line of text says them.
pub(crate) struct SchemeLine {
    line: PlayerLine,
    info: SchemeInfo,
}

impl SchemeLine {
    pub(crate) fn parse(text: &str) -> Result<Self, EvolveError> {
        let line: PlayerLine = text.parse()?;
        let known: Vec<_> = schemes().iter().map(|scheme| scheme.name).collect();
        let info = schemes().into_iter().find(|scheme| scheme.name == line.kind);
        let info = info.ok_or_else(|| {
            let known = known.join(", ");
            EvolveError::Config(format!("there is no scheme `{}`; there are {known}", line.kind))
        })?;
        let wrong = |problem: String| Err(EvolveError::Config(format!("{}: {problem}", info.name)));
        if let Some(word) = line.words.first() {
            return wrong(format!("only options like name=value are expected, not `{word}`"));
        }
        for (name, value) in &line.options {
            let Some(option) = info.options.iter().find(|option| option.name == name) else {
                let known: Vec<_> = info.options.iter().map(|option| option.name).collect();
                return wrong(format!("no option `{name}`; it has {}", known.join(", ")));
            };
            if !option.values.allow(value) {
                return wrong(format!("`{name}={value}`: {name} is {}", option.values));
            }
        }
        Ok(Self { line, info })
    }

    /// Says what is wrong with breeding this kind of genome.
    pub(crate) fn check(&self, kind: &dyn GenomeKind) -> Result<(), EvolveError> {
        if self.info.name == "cmaes" && kind.genes().is_none() {
            let problem =
                format!("cmaes needs genomes of one length, which {} has not", kind.name());
            return Err(EvolveError::Config(problem));
        }
        Ok(())
    }

    /// An option as text, or its default.
    fn text(&self, name: &str) -> &str {
        let default = || {
            let option = self.info.options.iter().find(|option| option.name == name);
            option.map_or("", |option| option.default.as_str())
        };
        self.line.option(name).unwrap_or_else(default)
    }

    /// A number among the options, checked.
    fn number(&self, name: &str) -> f64 {
        self.text(name).parse().unwrap_or(0.0)
    }

    fn count(&self, name: &str) -> usize {
        self.number(name) as usize
    }
}

/// The scheme of a configuration: new, or as it was kept in `state`.
pub(crate) fn start(
    config: &EvolutionConfig,
    kind: &dyn GenomeKind,
    seed: u64,
    state: Option<serde_json::Value>,
) -> Result<Box<dyn Scheme>, EvolveError> {
    let line = SchemeLine::parse(&config.scheme)?;
    line.check(kind)?;
    let start = config.starting_genomes(kind)?;
    let damaged =
        |error: serde_json::Error| EvolveError::Config(format!("the checkpoint: {error}"));
    Ok(match line.info.name {
        "othello7" => {
            let state = state.map(serde_json::from_value).transpose().map_err(damaged)?;
            Box::new(othello7::Othello7::new(&line, kind, seed, start, state))
        }
        "modern" => {
            let state = state.map(serde_json::from_value).transpose().map_err(damaged)?;
            Box::new(modern::Modern::new(&line, kind, seed, start, state))
        }
        _ => {
            let state = state.map(serde_json::from_value).transpose().map_err(damaged)?;
            Box::new(cmaes::Cmaes::new(&line, kind, seed, start, state)?)
        }
    })
}

fn option(
    name: &'static str,
    values: OptionValues,
    default: &str,
    about: &'static str,
) -> OptionInfo {
    OptionInfo { name, values, default: default.into(), about }
}

fn count(name: &'static str, min: u64, default: &str, about: &'static str) -> OptionInfo {
    option(name, OptionValues::Integer { min, max: 10_000 }, default, about)
}

fn number(name: &'static str, min: f64, default: &str, about: &'static str) -> OptionInfo {
    option(name, OptionValues::Number { min, max: 1000.0 }, default, about)
}

/// Where a population comes from if not from a file.
fn origin() -> OptionInfo {
    let values = OptionValues::Choice(vec!["hand".into(), "random".into()]);
    option(
        "from",
        values,
        "hand",
        "the first genomes: near the hand-set one (if there is one), or random",
    )
}

/// What the randomness of a generation comes from; the first generation is number 1, and 0 is the
/// first population.
fn rng_of(seed: u64, generation: u64) -> tablero_core::Rng {
    tablero_core::Rng::for_part(seed, generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_values_that_are_allowed() {
        for scheme in schemes() {
            for option in &scheme.options {
                assert!(option.values.allow(&option.default), "{} {}", scheme.name, option.name);
            }
            assert!(SchemeLine::parse(scheme.name).is_ok());
        }
    }

    #[test]
    fn wrong_lines_are_told_what_is_right() {
        let error = |line: &str| SchemeLine::parse(line).err().expect("wrong").to_string();
        assert!(error("neat").contains("othello7, modern, cmaes"));
        assert!(error("modern x=1").contains("children"));
        assert!(error("modern children=0").contains("1 to"));
        assert!(error("modern 3").contains("name=value"));
        assert!(error("").contains("empty"));
    }
}
