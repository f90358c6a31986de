//! The files of Othello7 (`.evl`): a population of SCI or JMA polynomials.
//!
//! Line 1: `1` (polynomials) and `1` (SCI) or `2` (JMA); line 2: generations; 31 lines with a fitness
//! and the coefficients to six decimals, the last of them the best of all; the time it took.

use std::fmt::Write as _;

use tablero_core::ReadError;

use crate::{GenomeError, Genomes, Individual, Past};

/// Individuals besides the best of all.
pub const POPULATION: usize = 30;

/// The game that Othello7 plays.
const GAME: &str = "othello";

/// A type of polynomials: the number on line 1, the kind, its coefficients.
struct Polynomial {
    number: u32,
    kind: &'static str,
    genes: &'static [&'static str],
}

const SCI: [&str; 3] = ["x1", "x2", "x3"];
const JMA: [&str; 10] = ["x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10"];

const TYPES: [Polynomial; 2] = [
    Polynomial { number: 1, kind: "sci", genes: &SCI },
    Polynomial { number: 2, kind: "jma", genes: &JMA },
];

/// Whether a kind of genomes can be kept in such a file.
pub fn holds(game: &str, kind: &str) -> bool {
    game == GAME && TYPES.iter().any(|known| known.kind == kind)
}

/// A value that a file can hold: six decimals.
pub fn rounded(value: f64) -> f64 {
    // By way of text, so that reading what was written gives the same number.
    format!("{value:.6}").parse().unwrap_or(value)
}

/// Reads a file.
pub fn parse(text: &str) -> Result<Genomes, GenomeError> {
    let mut lines = Lines { text, offset: 0 };
    let (at, head) = lines.next("`1 1` (SCI) or `1 2` (JMA)")?;
    let mut words = head.split_whitespace();
    if words.next() != Some("1") {
        return Err(ReadError::at(text, at, "`1 1` (SCI) or `1 2` (JMA)").into());
    }
    let number = words.next().filter(|_| words.next().is_none());
    let number = number.and_then(|word| word.parse::<u32>().ok());
    let kind = TYPES.iter().find(|known| Some(known.number) == number);
    let kind = kind.ok_or_else(|| ReadError::at(text, at, "`1 1` (SCI) or `1 2` (JMA)"))?;
    let (at, line) = lines.next("the number of generations")?;
    let generations = line.trim().parse();
    let generations =
        generations.map_err(|_| ReadError::at(text, at, "the number of generations"))?;
    let count = kind.genes.len();
    let mut individuals = Vec::new();
    for number in 1..=POPULATION + 1 {
        let expected = format!("polynomial {number} of 31: a fitness and {count} coefficients");
        let (at, line) = lines.next(&expected)?;
        let individual = individual(line, count);
        individuals.push(individual.ok_or_else(|| ReadError::at(text, at, expected))?);
    }
    let expected = "`Tiempo: H horas, M minutos, S segundos`";
    let (at, line) = lines.next(expected)?;
    let seconds = seconds(line).ok_or_else(|| ReadError::at(text, at, expected))?;
    if let Some(at) = lines.rest() {
        return Err(ReadError::at(text, at, "the end of the file").into());
    }
    let best = individuals.remove(POPULATION);
    let past = Past { generations, seconds: seconds as f64, ..Past::default() };
    let genes = kind.genes.iter().map(|&gene| gene.into()).collect();
    Ok(Genomes::of_parts(GAME, kind.kind, genes, past, best, individuals))
}

/// The text of a file. A larger population is cut to its first 30, a smaller one filled up with copies
/// of the best whose fitness is 0.
pub fn text(genomes: &Genomes) -> Result<String, GenomeError> {
    let kind = TYPES.iter().find(|known| known.kind == genomes.kind);
    let number =
        kind.filter(|_| genomes.game == GAME).map(|known| known.number).ok_or_else(|| {
            GenomeError::Unwritable(format!(
                "an .evl file holds polynomials of Othello, sci or jma, not {} of {}",
                genomes.kind, genomes.game
            ))
        })?;
    let mut text = format!("1 {number}\n{}\n", genomes.past.generations);
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
    let seconds = genomes.past.seconds.round() as u64;
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

/// Lines with their places; blank ones at the end do not count.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self, expected: &str) -> Result<(usize, &'a str), ReadError> {
        let (at, rest) = (self.offset, &self.text[self.offset..]);
        if rest.trim().is_empty() {
            return Err(ReadError::at(self.text, self.text.len(), expected));
        }
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        self.offset += line.len();
        Ok((at, line.trim_end()))
    }

    /// Where something stands after the last line that was asked for.
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

    /// The file that the work prints.
    const PRINTED: &str = include_str!("../../../weights/othello7-sci.evl");

    #[test]
    fn the_printed_file_round_trips_to_the_byte() {
        let genomes = parse(PRINTED).expect("the work's own file");
        assert_eq!(genomes.past.generations, 100);
        assert_eq!(genomes.past.seconds, 6.0 * 3600.0 + 11.0 * 60.0 + 32.0);
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
    fn damage_is_named_with_its_line() {
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
    fn other_kinds_do_not_fit() {
        let kind = find_kind::<Othello>("positional").expect("a kind");
        let genome = kind.by_hand().expect("by hand");
        let best = Individual { fitness: 0.0, genome };
        let genomes = Genomes::new(GAME, &*kind, Past::default(), best, Vec::new());
        assert!(text(&genomes).expect_err("not sci").to_string().contains("sci or jma"));
    }

    #[test]
    fn small_populations_are_filled_up() {
        let mut genomes = parse(PRINTED).expect("right");
        genomes.population.truncate(2);
        let again = parse(&text(&genomes).expect("sci")).expect("right");
        assert_eq!(again.population[1], genomes.population[1]);
        assert_eq!(again.population[29].genome, genomes.best.genome);
        assert_eq!(again.population[29].fitness, 0.0);
    }
}
