use std::path::Path;

use tablero_core::{excerpt, read_bounded};

use super::NnueSpec;
use super::kernel::{ACCUMULATOR_ONE, LANES, MAX_OUTPUT_WEIGHT, OUTPUT_ONE, screlu_dot};
use crate::NetError;
use crate::safetensors::{File, Writer, wrong};
use crate::weights::{MAX_FILE_LEN, content};

/// The file extension.
pub const NNUE_EXTENSION: &str = "nnue";
/// The widest accumulator.
pub const MAX_HIDDEN: usize = 1024;

/// Name and version of the metadata.
const FORMAT: &str = "tablero-nnue 1";

/// The integers of a network, with their provenance. Files are safetensors.
///
/// ```
/// use tablero_nets::nnue::{NnueSpec, NnueTrainer};
/// use tablero_tictactoe::TicTacToe;
///
/// let spec = NnueSpec::of::<TicTacToe>();
/// let weights = NnueTrainer::new(spec, 16, 1)?.quantize(vec!["random".into()]);
/// assert_eq!(weights.hidden(), 16);
/// # Ok::<(), tablero_nets::NetError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct NnueWeights {
    /// The game.
    pub game: String,
    /// The version of its inputs.
    pub version: u32,
    /// Centi-units per unit of the output.
    pub scale: f64,
    /// How the weights were made: one entry per step, oldest first.
    pub provenance: Vec<String>,
    /// The first layer: a row per feature; a unit is 1/255.
    pub(super) rows: Vec<i16>,
    pub(super) bias: Vec<i16>,
    /// The output layers: for each bucket the weights of the mover's accumulator, then of the other; a unit is
    /// 1/64.
    pub(super) output: Vec<i16>,
    /// A unit is 1/255 * 1/64.
    pub(super) output_bias: Vec<i32>,
}

impl NnueWeights {
    /// The width of an accumulator.
    pub fn hidden(&self) -> usize {
        self.bias.len()
    }

    /// The number of weights.
    pub fn numbers(&self) -> usize {
        self.rows.len() + self.bias.len() + self.output.len() + self.output_bias.len()
    }

    /// Its name as a network: `nnue 64`.
    pub fn kind(&self) -> String {
        format!("nnue {}", self.hidden())
    }

    /// The row of a feature.
    #[inline]
    pub(super) fn row(&self, feature: u16) -> &[i16] {
        let hidden = self.hidden();
        &self.rows[usize::from(feature) * hidden..][..hidden]
    }

    /// The product of a bucket's output layer with the accumulators of the mover and of the other side.
    #[inline]
    pub(super) fn output_dot(&self, bucket: usize, own: &[i16], other: &[i16]) -> i64 {
        let hidden = self.hidden();
        let output = &self.output[bucket * 2 * hidden..][..2 * hidden];
        screlu_dot(own, &output[..hidden]) + screlu_dot(other, &output[hidden..])
    }

    /// The network's value, in centi-units, from the two dot products of a bucket's output layer.
    #[inline]
    pub(super) fn centi_units(&self, dots: i64, bucket: usize) -> i32 {
        const UNIT: f64 = ACCUMULATOR_ONE as f64 * OUTPUT_ONE as f64;
        let sum = dots / i64::from(ACCUMULATOR_ONE) + i64::from(self.output_bias[bucket]);
        (sum as f64 * (self.scale / UNIT)) as i32
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, NetError> {
        let io = |source| NetError::Io { path: path.to_owned(), source };
        let bytes = read_bounded(path, MAX_FILE_LEN).map_err(io)?;
        Self::from_bytes(&bytes).map_err(|error| content(&format!("{}: {error}", path.display())))
    }

    /// Serializes to the file format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let hidden = self.hidden();
        let features = self.rows.len() / hidden;
        let mut file = Writer::default();
        let mut add = |name: &str, shape: &[usize], numbers: &[i16]| {
            file.add(name, "I16", shape, numbers.iter().map(|number| number.to_le_bytes()));
        };
        add("features.weight", &[features, hidden], &self.rows);
        add("features.bias", &[hidden], &self.bias);
        add("output.weight", &[self.output_bias.len(), 2 * hidden], &self.output);
        let bias = self.output_bias.iter().map(|number| number.to_le_bytes());
        file.add("output.bias", "I32", &[self.output_bias.len()], bias);
        file.finish(&[
            ("format", FORMAT.into()),
            ("game", self.game.clone()),
            ("net", self.kind()),
            ("inputs", self.version.to_string()),
            ("scale", self.scale.to_string()),
            ("provenance", self.provenance.join("\n")),
        ])
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        let file = File::read(bytes, FORMAT)?;
        let tensor = |name: &str| {
            file.tensors.get(name).ok_or_else(|| content(&format!("tensor `{name}` is missing")))
        };
        let shorts = |name: &str| tensor(name)?.elements(name, "I16", i16::from_le_bytes);
        let weights = Self {
            game: file.text("game")?.into(),
            version: number(&file, "inputs")?,
            scale: number(&file, "scale")?,
            provenance: file.text("provenance")?.lines().map(str::to_owned).collect(),
            rows: shorts("features.weight")?,
            bias: shorts("features.bias")?,
            output: shorts("output.weight")?,
            output_bias: tensor("output.bias")?.elements(
                "output.bias",
                "I32",
                i32::from_le_bytes,
            )?,
        };
        weights.check_consistency()?;
        Ok(weights)
    }

    fn check_consistency(&self) -> Result<(), NetError> {
        let (hidden, buckets) = (self.hidden(), self.output_bias.len());
        if !is_width(hidden) {
            return Err(content(&format!(
                "{hidden} hidden neurons; expected a multiple of {LANES} up to {MAX_HIDDEN}"
            )));
        }
        if self.rows.is_empty() || !self.rows.len().is_multiple_of(hidden) {
            return Err(wrong("features.weight", "does not fit the bias"));
        }
        if buckets == 0 || self.output.len() != buckets * 2 * hidden {
            return Err(wrong("output.weight", "does not fit the biases"));
        }
        if self.output.iter().any(|weight| weight.unsigned_abs() > MAX_OUTPUT_WEIGHT as u16) {
            return Err(wrong("output.weight", "has numbers out of range"));
        }
        let is_scale = self.scale.is_finite() && self.scale > 0.0 && self.scale <= 1e6;
        if is_scale { Ok(()) } else { Err(content("`scale` is out of range")) }
    }

    /// Checks that the network is for this game and its inputs.
    pub fn check(&self, spec: &NnueSpec) -> Result<(), NetError> {
        if self.game != spec.game {
            return Err(NetError::WrongGame { found: self.game.clone(), expected: spec.game });
        }
        if self.version != spec.version {
            return Err(content(&format!(
                "trained with version {} of {}'s inputs; this program has version {}",
                self.version, spec.game, spec.version
            )));
        }
        let found = (self.rows.len() / self.hidden(), self.output_bias.len());
        if found == (spec.features, spec.buckets) {
            return Ok(());
        }
        Err(content(&format!(
            "{} features and {} output layers; {} has {} and {}",
            found.0, found.1, spec.game, spec.features, spec.buckets
        )))
    }
}

/// Whether an accumulator may have this width.
pub(super) const fn is_width(hidden: usize) -> bool {
    hidden > 0 && hidden <= MAX_HIDDEN && hidden.is_multiple_of(LANES)
}

fn number<T: std::str::FromStr>(file: &File<'_>, key: &str) -> Result<T, NetError> {
    let text = file.text(key)?;
    text.parse().map_err(|_| content(&format!("`{key}` is not a number: `{}`", excerpt(text))))
}
