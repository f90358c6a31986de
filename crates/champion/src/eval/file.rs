//! The weights file: a magic line, a JSON header, an empty line, and the compressed weights.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tablero_core::{checksum, excerpt, read_bounded};
use thiserror::Error;

use super::packing::{pack, unpack};
use super::patterns::{PATTERNS, Pattern};
use super::{PHASES, Parameters, ProbCut, terms};

/// The first line, with the version of the format.
const MAGIC: &str = "tablero weights 1";

/// Maximum size of a file; the shipped one is much smaller.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Maximum size of the header.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// The header of a weights file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Header {
    /// The game.
    pub game: String,
    /// The kind of evaluation.
    pub kind: String,
    /// Name and squares of the patterns.
    pub patterns: Vec<String>,
    /// Name and number of values of the other terms.
    pub terms: Vec<String>,
    /// Number of phases.
    pub phases: usize,
    /// How the weights were made.
    pub provenance: Provenance,
    /// The error model of Multi-ProbCut.
    pub probcut: ProbCut,
    /// Size of the compressed weights.
    pub bytes: usize,
    /// Their checksum, in hexadecimal.
    pub checksum: String,
}

/// How weights were made.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// The command that made them.
    pub command: String,
    /// Random seed.
    pub seed: u64,
    /// The program's version.
    pub version: String,
    /// Generation of self-play.
    pub generation: usize,
    /// Self-play games of all generations.
    pub games: u64,
    /// Training positions of the last generation.
    pub positions: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Held-out errors by phase.
    pub held_out: Vec<PhaseError>,
    /// All generations.
    pub generations: Vec<GenerationStats>,
}

/// Evaluation error in a phase.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PhaseError {
    /// Fewest empties of the phase.
    pub empties: u32,
    /// Number of positions.
    pub positions: u64,
    /// Mean absolute error, in discs.
    pub mean: f64,
    /// Root mean square error, in discs.
    pub rms: f64,
}

/// Statistics of a generation.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct GenerationStats {
    /// Its number.
    pub generation: usize,
    /// Search depth of its games.
    pub depth: u32,
    /// Maximum empties for exact searches in its games.
    pub exact_empties: u32,
    /// Number of its games.
    pub games: u64,
    /// Training positions.
    pub positions: u64,
    /// Mean absolute error over held-out positions with 12 to 52 empties, in discs.
    pub held_out: f64,
    /// The same of the previous best weights, over the same positions.
    pub held_out_best: f64,
    /// Elo difference to the previous best; none if one side scored all points.
    pub elo: Option<f64>,
    /// Its 95 % error; none if undefined.
    pub elo_error: Option<f64>,
    /// Score against the previous best, from 0 to 1.
    pub score: f64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Games of the gating match.
    pub gate_games: u64,
    /// Whether it became the best.
    pub accepted: bool,
}

/// Why a weights file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WeightsError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(String),
    /// Not a weights file.
    #[error("not a weights file: expected `{MAGIC}` in the first line")]
    NotWeights,
    /// Invalid header.
    #[error("invalid header: {0}")]
    Header(String),
    /// Weights of another evaluation.
    #[error("incompatible weights: {what} is {}, expected {}", excerpt(found), excerpt(expected))]
    Incompatible {
        /// What differs.
        what: &'static str,
        /// In the file.
        found: String,
        /// In this program.
        expected: String,
    },
    /// Corrupt weights.
    #[error("corrupt weights: {0}")]
    Corrupt(String),
}

impl Header {
    /// Sets the fields that describe the format.
    pub(super) fn describe_format(&mut self) {
        self.game = "othello".into();
        self.kind = "patterns".into();
        self.patterns = PATTERNS.iter().map(describe_pattern).collect();
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
            Err(WeightsError::Incompatible { what, found, expected })
        };
        differ("game", self.game.clone(), expected.game)?;
        differ("kind", self.kind.clone(), expected.kind)?;
        differ("list of patterns", self.patterns.join(", "), expected.patterns.join(", "))?;
        differ("list of terms", self.terms.join(", "), expected.terms.join(", "))?;
        differ("number of phases", self.phases.to_string(), expected.phases.to_string())
    }
}

fn describe_pattern(pattern: &Pattern) -> String {
    format!("{}: {}", pattern.name, pattern.squares)
}

fn describe_terms() -> Vec<String> {
    let described = |(name, values): (&str, usize)| format!("{name}: {values} values");
    terms::NAMES.into_iter().zip(terms::VALUES).map(described).collect()
}

/// Writes a file.
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

/// The bytes of a file.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, WeightsError> {
    read_bounded(path, MAX_FILE_BYTES).map_err(|error| WeightsError::Io(error.to_string()))
}

/// Parses a file.
pub(super) fn read(file: &[u8]) -> Result<(Header, Parameters), WeightsError> {
    let magic = format!("{MAGIC}\n");
    let rest = file.strip_prefix(magic.as_bytes()).ok_or(WeightsError::NotWeights)?;
    let searched = &rest[..rest.len().min(MAX_HEADER_BYTES)];
    let end = searched.windows(2).position(|pair| pair == b"\n\n");
    let end = end.ok_or_else(|| WeightsError::Header("no empty line after it".into()))?;
    let header: Header = serde_json::from_slice(&rest[..end])
        .map_err(|error| WeightsError::Header(excerpt(&error.to_string())))?;
    header.check_format()?;
    let packed = &rest[end + 2..];
    if packed.len() != header.bytes {
        let problem = format!("{} bytes, expected {}", packed.len(), header.bytes);
        return Err(WeightsError::Corrupt(problem));
    }
    if format!("{:016x}", checksum(packed)) != header.checksum {
        return Err(WeightsError::Corrupt("wrong checksum".into()));
    }
    let phases = unpack(packed, header.phases, Parameters::per_phase());
    Ok((header, Parameters(phases.map_err(WeightsError::Corrupt)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Weights;

    fn sample() -> Vec<u8> {
        let mut parameters = Parameters::zero();
        parameters.0[3][77] = -1234;
        let provenance =
            Provenance { command: "tablero learn".into(), games: 5, ..Provenance::default() };
        let header = Header { provenance, ..Header::default() };
        Weights::new(parameters, ProbCut::default(), header).to_bytes()
    }

    #[test]
    fn round_trips() {
        let bytes = sample();
        let weights = Weights::read(&bytes).unwrap();
        assert_eq!(weights.parameters().0[3][77], -1234);
        assert_eq!(weights.header().provenance.games, 5);
        assert_eq!(weights.to_bytes(), bytes);
    }

    #[test]
    fn errors_name_the_problem() {
        let bytes = sample();
        let error = |bytes: &[u8]| Weights::read(bytes).unwrap_err().to_string();
        assert!(error(b"PK").contains("expected `tablero weights 1`"));
        assert!(error(&bytes[..100]).contains("header"));
        assert!(error(&bytes[..bytes.len() - 1]).contains("expected"));
        let mut flipped = bytes.clone();
        *flipped.last_mut().unwrap() ^= 1;
        assert!(error(&flipped).contains("checksum"));
        let text = String::from_utf8_lossy(&bytes[..2000]).into_owned();
        let at = text.find("\"othello\"").unwrap();
        let mut other = bytes.clone();
        other[at + 1..at + 8].copy_from_slice(b"go-ban2");
        assert!(error(&other).contains("game is go-ban2, expected othello"));
    }

    #[test]
    fn errors_quote_little_of_the_file() {
        let text = String::from_utf8_lossy(&sample()).into_owned();
        let long = "x".repeat(100_000);
        for (from, to) in [
            ("\"othello\"", format!("\"{long}\"")),
            ("\"phases\": ", format!("\"phases\": \"{long}\", \"y\": ")),
        ] {
            let error = Weights::read(text.replacen(from, &to, 1).as_bytes()).unwrap_err();
            assert!(error.to_string().len() < 300, "{from}: {:.300}", error.to_string());
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused() {
        let error = Weights::read_file(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(error, "it is neither a file nor a pipe");
    }

    #[test]
    fn corrupt_headers_do_not_panic() {
        let bytes = sample();
        for at in (0..1500.min(bytes.len())).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x15;
            let _ = Weights::read(&damaged);
        }
    }
}
