//! The file format of Othello7 (`.evl`): a population of SCI or JMA polynomials.
//!
//! Line 1: `1` (polynomials) and `1` (SCI) or `2` (JMA); line 2: generations; 31 lines with fitness and
//! coefficients to six decimals, the last of them the best ever; last line: the run time in Spanish.

use std::fmt::Write as _;

use tablero_core::{Localized, LocalizedString, ReadError};

use crate::{GenomeError, Genomes, Individual, Provenance};

/// Individuals besides the best ever.
pub const POPULATION: usize = 30;

/// The game that Othello7 plays.
const GAME: &str = "othello";

/// A type of polynomial: its number on line 1, genome kind and coefficients.
struct PolynomialType {
    number: u32,
    kind: &'static str,
    genes: &'static [&'static str],
}

const SCI: [&str; 3] = ["x1", "x2", "x3"];
const JMA: [&str; 10] = ["x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10"];

const TYPES: [PolynomialType; 2] = [
    PolynomialType { number: 1, kind: "sci", genes: &SCI },
    PolynomialType { number: 2, kind: "jma", genes: &JMA },
];

/// What is expected where.
const HEAD: Localized = Localized::new("`1 1` (SCI) or `1 2` (JMA)", "`1 1` (SCI) o `1 2` (JMA)");
const GENERATIONS: Localized =
    Localized::new("the number of generations", "el número de generaciones");
const END: Localized = Localized::new("the end of the file", "el final del archivo");

/// Whether the format can hold genomes of this kind.
pub fn supports(game: &str, kind: &str) -> bool {
    game == GAME && TYPES.iter().any(|known| known.kind == kind)
}

/// Rounds to the six decimals of the format.
pub fn round(value: f64) -> f64 {
    // Through text, so that a written number is read back exactly.
    format!("{value:.6}").parse().unwrap_or(value)
}

/// Parses a file.
pub fn parse(text: &str) -> Result<Genomes, GenomeError> {
    let mut lines = Lines { text, offset: 0 };
    let (at, head) = lines.next(HEAD)?;
    let mut words = head.split_whitespace();
    if words.next() != Some("1") {
        return Err(ReadError::at(text, at, HEAD).into());
    }
    let number = words.next().filter(|_| words.next().is_none());
    let number = number.and_then(|word| word.parse::<u32>().ok());
    let kind = TYPES.iter().find(|known| Some(known.number) == number);
    let kind = kind.ok_or_else(|| ReadError::at(text, at, HEAD))?;
    let (at, line) = lines.next(GENERATIONS)?;
    let generations = line.trim().parse();
    let generations = generations.map_err(|_| ReadError::at(text, at, GENERATIONS))?;
    let count = kind.genes.len();
    let mut individuals = Vec::new();
    for number in 1..=POPULATION + 1 {
        let expected = LocalizedString::new(
            format!("polynomial {number} of 31: a fitness and {count} coefficients"),
            format!("el polinomio {number} de 31: una aptitud y {count} coeficientes"),
        );
        let (at, line) = lines.next(expected.clone())?;
        let individual = individual(line, count);
        individuals.push(individual.ok_or_else(|| ReadError::at(text, at, expected))?);
    }
    let expected = "`Tiempo: H horas, M minutos, S segundos`";
    let (at, line) = lines.next(expected)?;
    let seconds = seconds(line).ok_or_else(|| ReadError::at(text, at, expected))?;
    if let Some(at) = lines.rest() {
        return Err(ReadError::at(text, at, END).into());
    }
    let best = individuals.remove(POPULATION);
    let provenance = Provenance { generations, seconds: seconds as f64, ..Provenance::default() };
    let genes = kind.genes.iter().map(|&gene| gene.into()).collect();
    Ok(Genomes::from_parts(GAME, kind.kind, genes, provenance, best, individuals))
}

/// The text of a file. A larger population is truncated to 30, a smaller one padded with copies of the
/// best with fitness 0.
pub fn text(genomes: &Genomes) -> Result<String, GenomeError> {
    let kind = TYPES.iter().find(|known| known.kind == genomes.kind);
    let number =
        kind.filter(|_| genomes.game == GAME).map(|known| known.number).ok_or_else(|| {
            GenomeError::NotEvl { kind: genomes.kind.clone(), game: genomes.game.clone() }
        })?;
    let mut text = format!("1 {number}\n{}\n", genomes.provenance.generations);
    let filler = Individual { fitness: 0.0, ..genomes.best.clone() };
    let population = genomes.population.iter().chain(std::iter::repeat(&filler));
    for individual in population.take(POPULATION).chain([&genomes.best]) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", individual.fitness.round() as i64);
        for coefficient in &individual.genome {
            let digits = format!("{coefficient:.6}");
            let digits = if digits == "-0.000000" { "0.000000" } else { &digits };
            let _ = write!(text, " {digits}");
        }
        text.push('\n');
    }
    let seconds = genomes.provenance.seconds.round() as u64;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let _ = writeln!(text, "Tiempo: {hours} horas, {minutes} minutos, {} segundos", seconds % 60);
    Ok(text)
}

fn individual(line: &str, count: usize) -> Option<Individual> {
    let numbers: Option<Vec<f64>> = line
        .split_whitespace()
        .map(|word| word.parse().ok().filter(|number: &f64| number.is_finite()))
        .collect();
    let numbers = numbers.filter(|numbers| numbers.len() == count + 1)?;
    Some(Individual { fitness: numbers[0], genome: numbers[1..].to_vec() })
}

fn seconds(line: &str) -> Option<u64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["Tiempo:", hours, "horas,", minutes, "minutos,", seconds, "segundos"] = words[..] else {
        return None;
    };
    let [hours, minutes, seconds] = [hours, minutes, seconds].map(|word| word.parse::<u64>().ok());
    hours?.checked_mul(3600)?.checked_add(minutes?.checked_mul(60)?)?.checked_add(seconds?)
}

/// An iterator over lines with their offsets; trailing blank lines are ignored.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Lines<'a> {
    fn next(
        &mut self,
        expected: impl Into<LocalizedString>,
    ) -> Result<(usize, &'a str), ReadError> {
        let (at, rest) = (self.offset, &self.text[self.offset..]);
        if rest.trim().is_empty() {
            return Err(ReadError::at(self.text, self.text.len(), expected));
        }
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        self.offset += line.len();
        Ok((at, line.trim_end()))
    }

    /// The offset of the first character after the last line read, if any is left.
    fn rest(&self) -> Option<usize> {
        let rest = &self.text[self.offset..];
        let blank = rest.len() - rest.trim_start().len();
        (blank < rest.len()).then_some(self.offset + blank)
    }
}

#[cfg(test)]
mod tests {
    use tablero_othello::Othello;

    use super::*;
    use crate::find_kind;

    /// The file printed in the thesis.
    const PRINTED: &str = include_str!("../../../weights/othello7-sci.evl");

    #[test]
    fn the_printed_file_round_trips_exactly() {
        let genomes = parse(PRINTED).expect("the printed file");
        assert_eq!(genomes.provenance.generations, 100);
        assert_eq!(genomes.provenance.seconds, 6.0 * 3600.0 + 11.0 * 60.0 + 32.0);
        assert_eq!(genomes.population.len(), 30);
        assert_eq!(genomes.best.fitness, 162.0);
        assert_eq!(genomes.best.genome, [4.797, -0.453, 1.503001]);
        assert_eq!(genomes.population[29].genome, [6.339, -3.309001, 1.536]);
        assert_eq!(text(&genomes).expect("sci"), PRINTED);
        let other_line_ends = PRINTED.replace('\n', "\r\n");
        assert_eq!(parse(&other_line_ends).expect("Windows wrote it"), genomes);
        assert_eq!(parse(PRINTED.trim_end()).expect("no last line end"), genomes);
        // Through our own format and back.
        let ours = Genomes::parse(&genomes.text()).expect("readable");
        assert_eq!(text(&ours).expect("sci"), PRINTED);
    }

    #[test]
    fn ten_coefficients_are_jma() {
        let line = "7 1 2 3 4 5 6 7 8 9 -10.5\n";
        let file = format!("1 2\n5\n{}Tiempo: 0 horas, 1 minutos, 2 segundos\n", line.repeat(31));
        let genomes = parse(&file).expect("jma");
        assert_eq!((&*genomes.kind, genomes.best.genome[9]), ("jma", -10.5));
        assert!(text(&genomes).expect("jma").starts_with("1 2\n5\n7 1.000000 2.000000"));
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| parse(text).expect_err("damaged").to_string();
        let lines: Vec<&str> = PRINTED.lines().collect();
        let without = |line: usize| {
            let mut lines = lines.clone();
            lines.remove(line);
            lines.join("\n")
        };
        assert!(error("").contains("`1 1` (SCI)"));
        assert!(error("2 1\n").contains("`1 1` (SCI)"));
        assert!(error("1 3\n").contains("JMA"));
        assert!(error(&without(1)).contains("generations"), "{}", error(&without(1)));
        assert!(error(&without(20)).contains("polynomial 31 of 31"));
        assert!(error(&without(33)).contains("Tiempo"));
        assert!(error(&PRINTED.replace("-0.624001", "x")).contains("line 4"));
        assert!(error(&PRINTED.replace(" -0.624001", "")).contains("3 coefficients"));
        assert!(error(&PRINTED.replace("-0.624001", "inf")).contains("polynomial 2"));
        assert!(error(&format!("{PRINTED}more")).contains("the end of the file"));
        let half = &PRINTED[..PRINTED.len() / 2];
        assert!(error(half).contains("polynomial"), "{}", error(half));
    }

    #[test]
    fn other_kinds_are_rejected() {
        let kind = find_kind::<Othello>("positional").expect("a kind");
        let genome = kind.hand_tuned().expect("hand-tuned");
        let best = Individual { fitness: 0.0, genome };
        let genomes = Genomes::new(GAME, &*kind, Provenance::default(), best, Vec::new());
        assert!(text(&genomes).expect_err("not sci").to_string().contains("sci or jma"));
    }

    #[test]
    fn small_populations_are_padded() {
        let mut genomes = parse(PRINTED).expect("right");
        genomes.population.truncate(2);
        let again = parse(&text(&genomes).expect("sci")).expect("right");
        assert_eq!(again.population[1], genomes.population[1]);
        assert_eq!(again.population[29].genome, genomes.best.genome);
        assert_eq!(again.population[29].fitness, 0.0);
    }
}
