use std::io;
use std::path::PathBuf;

use tablero_core::{ReadError, excerpt};
use thiserror::Error;

/// Why there is no evaluation, or no genome file.
#[derive(Debug, Error)]
pub enum GenomeError {
    /// The name is neither a known evaluation nor a file.
    #[error("there is no evaluation or file `{name}`; {game} has {}", known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The game.
        game: &'static str,
        /// The evaluations that the game has.
        known: Vec<String>,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A file is text in UTF-16.
    #[error("invalid genome file: the text is in UTF-16; convert it to UTF-8 first")]
    Utf16,
    /// A file is not UTF-8.
    #[error("invalid genome file: it is not text")]
    NotText,
    /// An invalid `.evl` file of Othello7.
    #[error("invalid .evl file: {0}")]
    Evl(ReadError),
    /// Invalid TOML, or a field is missing or unknown.
    #[error("invalid genome file: {0}")]
    Syntax(String),
    /// The file's `format` is not ours.
    #[error("invalid genome file: its format is `{}`, not `{expected}`", excerpt(found))]
    Format {
        /// The format that the file names.
        found: String,
        /// The format that this program reads.
        expected: String,
    },
    /// The file has a newer format version.
    #[error(
        "invalid genome file: it is of version {found}, written by a newer program; this one reads \
         version {supported}"
    )]
    NewerVersion {
        /// The file's version.
        found: u32,
        /// The version that this program reads.
        supported: u32,
    },
    /// The file lacks a gene of its kind.
    #[error("invalid genome file: {kind} lacks the gene `{gene}`")]
    MissingGene {
        /// The genome kind.
        kind: String,
        /// The gene.
        gene: String,
    },
    /// The file names a gene that its kind does not have.
    #[error("invalid genome file: {kind} has no gene `{}`", excerpt(gene))]
    UnknownGene {
        /// The genome kind.
        kind: String,
        /// The gene.
        gene: String,
    },
    /// The file names a gene twice.
    #[error("invalid genome file: a gene of {kind} is named twice")]
    DuplicateGene {
        /// The genome kind.
        kind: String,
    },
    /// An individual is not a genome of its kind.
    #[error("invalid genome file: {}: {error}", individual_name(*number))]
    Individual {
        /// Its number in the population, from 1; 0 is the best.
        number: usize,
        /// What is wrong with it.
        error: InvalidGenome,
    },
    /// A genome is not one of its kind.
    #[error("invalid genome: {0}")]
    Invalid(#[from] InvalidGenome),
    /// Genomes of another game.
    #[error("these genomes are for {}, not {expected}", excerpt(found))]
    WrongGame {
        /// The game of the genomes.
        found: String,
        /// The game that they are to be used for.
        expected: String,
    },
    /// Genomes of another kind.
    #[error("these genomes are of kind `{}`, not `{expected}`", excerpt(found))]
    WrongKind {
        /// The kind of the genomes.
        found: String,
        /// The expected kind.
        expected: String,
    },
    /// The game has no such kind.
    #[error("{game} has no genomes of kind `{}`; it has {}", excerpt(kind), known.join(", "))]
    UnknownKind {
        /// The game.
        game: &'static str,
        /// The kind.
        kind: String,
        /// The kinds that the game has.
        known: Vec<&'static str>,
    },
    /// The file has no such individual.
    #[error("there is no individual {number}; there are {count} (1 to {count}), and `best`")]
    UnknownIndividual {
        /// The number, as given.
        number: String,
        /// The size of the population.
        count: usize,
    },
    /// An `.evl` file cannot hold genomes of this kind.
    #[error("an .evl file holds polynomials of Othello, sci or jma, not {kind} of {game}")]
    NotEvl {
        /// The genome kind.
        kind: String,
        /// The game.
        game: String,
    },
}

impl From<ReadError> for GenomeError {
    // Not as a source: the message contains it.
    fn from(error: ReadError) -> Self {
        Self::Evl(error)
    }
}

fn individual_name(number: usize) -> String {
    if number == 0 { "the best".into() } else { format!("individual {number}") }
}

/// Why numbers are not a genome of their kind.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum InvalidGenome {
    /// The wrong number of numbers.
    #[error("it has {found} numbers, {kind} needs {expected}")]
    Length {
        /// The genome kind.
        kind: String,
        /// How many there are.
        found: usize,
        /// How many the kind has.
        expected: usize,
    },
    /// A gene is infinite or not a number.
    #[error("{gene} is {value}")]
    NotFinite {
        /// The gene.
        gene: String,
        /// Its value.
        value: f64,
    },
    /// The fitness is infinite or not a number.
    #[error("its fitness is {value}")]
    Fitness {
        /// The fitness.
        value: f64,
    },
    /// A network without numbers.
    #[error("it has no numbers")]
    Empty,
    /// A chromosome with too many numbers.
    #[error("it has {numbers} numbers; a chromosome has at most {max}")]
    TooLong {
        /// How many there are.
        numbers: usize,
        /// The greatest number.
        max: usize,
    },
    /// A gene of a chromosome is not an 8-bit integer.
    #[error("a gene is {value}, not an integer from -128 to 127")]
    NotByte {
        /// The gene.
        value: f64,
    },
    /// The number of hidden neurons is not an integer, or too large.
    #[error("the number of neurons is {value}, not an integer from 0 to {max}")]
    NeuronCount {
        /// The number.
        value: f64,
        /// The greatest number.
        max: usize,
    },
    /// Connections have three numbers each, and there is a greatest number of them.
    #[error("{numbers} numbers are not up to {max} connections of three each")]
    ConnectionCount {
        /// How many numbers follow the number of neurons.
        numbers: usize,
        /// The greatest number of connections.
        max: usize,
    },
    /// A connection starts or ends at a node that does not exist.
    #[error("a connection names node {value}; nodes are 0 to {last}")]
    Node {
        /// The node.
        value: f64,
        /// The last node.
        last: usize,
    },
    /// A connection starts at the output or ends at an input.
    #[error("a connection from node {from} to node {to} is not allowed")]
    Connection {
        /// Where it starts.
        from: usize,
        /// Where it ends.
        to: usize,
    },
    /// A weight is infinite or not a number.
    #[error("a weight is {value}")]
    Weight {
        /// The weight.
        value: f64,
    },
    /// The network is not feed-forward.
    #[error("its connections form a cycle")]
    Cycle,
}
