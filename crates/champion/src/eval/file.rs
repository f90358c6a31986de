//! The file of weights: a first line, a header as JSON for people and programs, a line with nothing
//! in it, and the packed weights.

use serde::{Deserialize, Serialize};
use tablero_core::checksum;
use thiserror::Error;

use super::packing::{pack, unpack};
use super::shapes::{SHAPES, Shape};
use super::{PHASES, Parameters, ProbCut, terms};

/// The first line; its number changes with the format.
const MAGIC: &str = "tablero weights 1";

/// No header is longer.
const LONGEST_HEADER: usize = 1 << 20;

/// What a file of weights says about itself.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Header {
    /// The game they are for.
    pub game: String,
    /// What kind of evaluation they are for.
    pub kind: String,
    /// The patterns: name and squares.
    pub shapes: Vec<String>,
    /// The other terms: name and number of values.
    pub terms: Vec<String>,
    /// How many parts of the game have numbers of their own.
    pub phases: usize,
    /// Where they come from.
    pub past: Past,
    /// How well shallow searches foretell deep ones.
    pub probcut: ProbCut,
    /// Length of the packed weights.
    pub bytes: usize,
    /// Their check sum, in hexadecimal.
    pub checksum: String,
}

/// How weights were made.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Past {
    /// The command that made them.
    pub command: String,
    /// Where all randomness came from.
    pub seed: u64,
    /// The program's version.
    pub version: String,
    /// How often the program learned from its own games.
    pub generation: usize,
    /// Games that it played, in all generations.
    pub games: u64,
    /// Positions of these games that it learned from, in all generations.
    pub positions: u64,
    /// How long that took, in seconds.
    pub seconds: f64,
    /// How far evaluations are from labels in games that were kept out of learning.
    pub held_out: Vec<PhaseError>,
    /// The generations, the first one first.
    pub generations: Vec<GenerationPast>,
}

/// How far evaluations are from the truth in one phase.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PhaseError {
    /// The smallest number of empty squares in it.
    pub empties: u32,
    /// Positions that were looked at.
    pub positions: u64,
    /// Mean absolute error, in discs.
    pub mean: f64,
    /// Square root of the mean squared error, in discs.
    pub rms: f64,
}

/// What became of one generation.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct GenerationPast {
    /// Its number.
    pub generation: usize,
    /// Plies that its games were searched.
    pub depth: u32,
    /// Its games were exact from so many empty squares.
    pub exact: u32,
    /// Its games.
    pub games: u64,
    /// Positions that it was learned from.
    pub positions: u64,
    /// Mean absolute error over held-out positions with 12 to 52 empty squares, in discs.
    pub held_out: f64,
    /// The same of the best one before, over the same positions.
    pub held_out_before: f64,
    /// Elo above the best one before; none if all points went one way.
    pub elo: Option<f64>,
    /// Its error bars; none if the games do not tell.
    pub elo_error: Option<f64>,
    /// Its share of the points against the best one before.
    pub score: f64,
    /// Seconds that it took.
    pub seconds: f64,
    /// Games of that match.
    pub gate_games: u64,
    /// Whether it took the best one's place.
    pub accepted: bool,
}

/// Why a file of weights cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WeightsError {
    /// It is something else.
    #[error("this is no file of weights: it should begin with `{MAGIC}`")]
    NotWeights,
    /// The header cannot be read.
    #[error("the header of the weights is damaged: {0}")]
    Header(String),
    /// They are for another evaluation.
    #[error("these weights do not fit this program: {what} is {found}, expected {expected}")]
    Other {
        /// What differs.
        what: &'static str,
        /// As the file has it.
        found: String,
        /// As the program needs it.
        expected: String,
    },
    /// The weights themselves are not what was written.
    #[error("the weights are damaged: {0}")]
    Damaged(String),
}

impl Header {
    /// Says what the weights of this program are.
    pub(super) fn describe_format(&mut self) {
        self.game = "othello".into();
        self.kind = "patterns".into();
        self.shapes = SHAPES.iter().map(describe_shape).collect();
        self.terms = describe_terms();
        self.phases = PHASES;
    }

    fn check_format(&self) -> Result<(), WeightsError> {
        let mut expected = Self::default();
        expected.describe_format();
        let differ = |what, found: String, expected: String| {
            if found == expected {
                return Ok(());
            }
            Err(WeightsError::Other { what, found, expected })
        };
        differ("the game", self.game.clone(), expected.game)?;
        differ("the kind", self.kind.clone(), expected.kind)?;
        differ("the list of patterns", self.shapes.join(", "), expected.shapes.join(", "))?;
        differ("the list of terms", self.terms.join(", "), expected.terms.join(", "))?;
        differ("the number of phases", self.phases.to_string(), expected.phases.to_string())
    }
}

fn describe_shape(shape: &Shape) -> String {
    format!("{}: {}", shape.name, shape.squares)
}

fn describe_terms() -> Vec<String> {
    let described = |(name, values): (&str, usize)| format!("{name}: {values} values");
    terms::NAMES.into_iter().zip(terms::VALUES).map(described).collect()
}

/// A file.
pub(super) fn write(header: &Header, parameters: &Parameters) -> Vec<u8> {
    let packed = pack(&parameters.0);
    let mut header = header.clone();
    header.bytes = packed.len();
    header.checksum = format!("{:016x}", checksum(&packed));
    let json = serde_json::to_string_pretty(&header).expect("plain data");
    let mut file = format!("{MAGIC}\n{json}\n\n").into_bytes();
    file.extend(packed);
    file
}

/// The content of a file.
pub(super) fn read(file: &[u8]) -> Result<(Header, Parameters), WeightsError> {
    let magic = format!("{MAGIC}\n");
    let rest = file.strip_prefix(magic.as_bytes()).ok_or(WeightsError::NotWeights)?;
    let searched = &rest[..rest.len().min(LONGEST_HEADER)];
    let end = searched.windows(2).position(|pair| pair == b"\n\n");
    let end = end.ok_or_else(|| WeightsError::Header("it has no end".into()))?;
    let header: Header = serde_json::from_slice(&rest[..end])
        .map_err(|error| WeightsError::Header(error.to_string()))?;
    header.check_format()?;
    let packed = &rest[end + 2..];
    if packed.len() != header.bytes {
        let problem = format!("{} bytes, expected {}", packed.len(), header.bytes);
        return Err(WeightsError::Damaged(problem));
    }
    if format!("{:016x}", checksum(packed)) != header.checksum {
        return Err(WeightsError::Damaged("their check sum is wrong".into()));
    }
    let phases = unpack(packed, header.phases, Parameters::per_phase());
    Ok((header, Parameters(phases.map_err(WeightsError::Damaged)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Weights;

    fn sample() -> Vec<u8> {
        let mut parameters = Parameters::zero();
        parameters.0[3][77] = -1234;
        let past = Past { command: "tablero learn".into(), games: 5, ..Past::default() };
        let header = Header { past, ..Header::default() };
        Weights::new(parameters, ProbCut::default(), header).to_bytes()
    }

    #[test]
    fn comes_back_as_it_was() {
        let bytes = sample();
        let weights = Weights::read(&bytes).unwrap();
        assert_eq!(weights.parameters().0[3][77], -1234);
        assert_eq!(weights.header().past.games, 5);
        assert_eq!(weights.to_bytes(), bytes);
    }

    #[test]
    fn damage_is_told() {
        let bytes = sample();
        let error = |bytes: &[u8]| Weights::read(bytes).unwrap_err().to_string();
        assert!(error(b"PK").contains("should begin with `tablero weights 1`"));
        assert!(error(&bytes[..100]).contains("header"));
        assert!(error(&bytes[..bytes.len() - 1]).contains("expected"));
        let mut flipped = bytes.clone();
        *flipped.last_mut().unwrap() ^= 1;
        assert!(error(&flipped).contains("check sum"));
        let text = String::from_utf8_lossy(&bytes[..2000]).into_owned();
        let at = text.find("\"othello\"").unwrap();
        let mut other = bytes.clone();
        other[at + 1..at + 8].copy_from_slice(b"go-ban2");
        assert!(error(&other).contains("the game is go-ban2, expected othello"));
    }

    #[test]
    fn no_damaged_byte_of_the_header_makes_it_panic() {
        let bytes = sample();
        for at in (0..1500.min(bytes.len())).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x15;
            let _ = Weights::read(&damaged);
        }
    }
}
