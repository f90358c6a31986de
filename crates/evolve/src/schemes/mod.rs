//! The evolution schemes, one file each.

mod cmaes;
mod es;
mod hall_of_fame;
mod othello7;

use tablero_core::{Localized, OptionInfo, OptionValues, PlayerLine, PlayerLineError};
use tablero_genomes::{GenomeKind, Individual};

use crate::fitness::FitnessEvaluator;
use crate::{EvolutionConfig, EvolveError, Generation};

/// A running scheme.
pub(crate) trait Scheme {
    /// Creates and evaluates the next generation.
    fn step(&mut self, evaluator: &mut FitnessEvaluator<'_>) -> Result<Generation, EvolveError>;

    /// The state for a checkpoint.
    fn state(&self) -> serde_json::Value;

    /// The best individual, and the population, the best first.
    fn population(&self) -> (Individual, Vec<Individual>);

    /// Determines the best individual after the last generation.
    fn finish(&mut self, _evaluator: &mut FitnessEvaluator<'_>) -> Result<(), EvolveError> {
        Ok(())
    }
}

/// The description of a scheme.
pub struct SchemeInfo {
    /// The first word of a scheme line.
    pub name: &'static str,
    /// A one-sentence description.
    pub about: Localized,
    /// Its options.
    pub options: Vec<OptionInfo>,
}

/// The schemes.
///
/// ```
/// let names: Vec<_> = tablero_evolve::schemes().iter().map(|scheme| scheme.name).collect();
/// assert_eq!(names, ["othello7", "es", "cmaes"]);
/// ```
pub fn schemes() -> Vec<SchemeInfo> {
    vec![othello7::info(), es::info(), cmaes::info()]
}

/// A parsed scheme line: `es lambda=32`.
pub(crate) struct SchemeLine {
    line: PlayerLine,
    info: SchemeInfo,
}

impl SchemeLine {
    pub(crate) fn parse(text: &str) -> Result<Self, EvolveError> {
        let known = || schemes().iter().map(|scheme| scheme.name).collect();
        let line: PlayerLine = text.parse().map_err(|error| match error {
            PlayerLineError::Empty => EvolveError::EmptyScheme { known: known() },
            error => EvolveError::Scheme(error),
        })?;
        let info = schemes().into_iter().find(|scheme| scheme.name == line.kind);
        let info = info.ok_or_else(|| EvolveError::UnknownScheme {
            name: line.kind.clone(),
            known: known(),
        })?;
        line.check(info.name, &info.options, false).map_err(EvolveError::Scheme)?;
        Ok(Self { line, info })
    }

    /// Checks that the scheme supports a genome kind.
    pub(crate) fn check(&self, kind: &dyn GenomeKind) -> Result<(), EvolveError> {
        if self.info.name == "cmaes" && kind.genes().is_none() {
            return Err(EvolveError::VariableLength { kind: kind.name() });
        }
        Ok(())
    }

    /// The text of an option, or its default.
    fn text(&self, name: &str) -> &str {
        let default = || {
            let option = self.info.options.iter().find(|option| option.name == name);
            option.map_or("", |option| option.default.as_str())
        };
        self.line.option(name).unwrap_or_else(default)
    }

    /// The value of a numeric option, already validated.
    fn number(&self, name: &str) -> f64 {
        self.text(name).parse().unwrap_or(0.0)
    }

    fn count(&self, name: &str) -> usize {
        self.number(name) as usize
    }
}

/// The scheme of a configuration: new, or resumed from `state`.
pub(crate) fn start(
    config: &EvolutionConfig,
    kind: &dyn GenomeKind,
    seed: u64,
    state: Option<serde_json::Value>,
) -> Result<Box<dyn Scheme>, EvolveError> {
    let line = SchemeLine::parse(&config.scheme)?;
    line.check(kind)?;
    let start = config.initial_genomes(kind)?;
    let damaged = EvolveError::Checkpoint;
    Ok(match line.info.name {
        "othello7" => {
            let state = state.map(serde_json::from_value).transpose().map_err(damaged)?;
            Box::new(othello7::Othello7::new(&line, kind, seed, start, state))
        }
        "es" => {
            let state = state.map(serde_json::from_value).transpose().map_err(damaged)?;
            Box::new(es::EvolutionStrategy::new(&line, kind, seed, start, state))
        }
        _ => {
            let state = state.map(serde_json::from_value).transpose().map_err(damaged)?;
            Box::new(cmaes::Cmaes::new(&line, kind, seed, start, state)?)
        }
    })
}

fn option(name: &'static str, values: OptionValues, default: &str, about: Localized) -> OptionInfo {
    OptionInfo { name, values, default: default.into(), about }
}

fn count(name: &'static str, min: u64, default: &str, about: Localized) -> OptionInfo {
    option(name, OptionValues::Integer { min, max: 10_000 }, default, about)
}

fn number(name: &'static str, min: f64, default: &str, about: Localized) -> OptionInfo {
    option(name, OptionValues::Number { min, max: 1000.0 }, default, about)
}

/// The option `from`: the origin of the population, if not a file.
fn origin() -> OptionInfo {
    let values = OptionValues::Choice(vec!["hand".into(), "random".into()]);
    option(
        "from",
        values,
        "hand",
        Localized::new(
            "initial genomes: near the hand-tuned one (if there is one), or random",
            "genomas iniciales: cerca del ajustado a mano (si lo hay) o al azar",
        ),
    )
}

/// The random generator of a generation: 0 is the initial population, 1 the first generation.
fn generation_rng(seed: u64, generation: u64) -> tablero_core::Rng {
    tablero_core::Rng::for_stream(seed, generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid() {
        for scheme in schemes() {
            for option in &scheme.options {
                assert!(option.values.allows(&option.default), "{} {}", scheme.name, option.name);
            }
            assert!(SchemeLine::parse(scheme.name).is_ok());
        }
    }

    #[test]
    fn errors_list_valid_values() {
        let error = |line: &str| SchemeLine::parse(line).err().expect("wrong").to_string();
        assert!(error("neat").contains("othello7, es, cmaes"));
        assert!(error("es x=1").contains("lambda"));
        assert!(error("es lambda=0").contains("1 to"));
        assert!(error("es 3").contains("name=value"));
        assert!(error("").contains("empty"));
    }
}
