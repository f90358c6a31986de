//! Weights and their file format: safetensors, with the game, the architecture and the provenance in the
//! metadata.

use std::collections::BTreeMap;
use std::path::Path;

use tablero_core::{Rng, excerpt, read_bounded};
use tablero_jobs::atomic_write;

use crate::safetensors::{File, Writer, wrong};
use crate::{EncodingSpec, Mlp, NetError, NetKind, Resnet, View, tensor_specs};

/// Name and version of the metadata.
const FORMAT: &str = "tablero-net 1";
/// The largest networks have 1 GiB of parameters, and a header.
pub(crate) const MAX_FILE_LEN: u64 = (1 << 30) + (16 << 20);

/// A network's tensors and metadata.
///
/// See the [crate's example](crate).
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// The game.
    pub game: String,
    /// The architecture.
    pub kind: NetKind,
    /// The version of the game's encoding.
    pub version: u32,
    /// How the weights were made: one entry per step, oldest first.
    pub provenance: Vec<String>,
    /// The tensors of [`tensor_specs`].
    pub tensors: BTreeMap<String, Tensor>,
}

/// A tensor in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The elements.
    pub data: Vec<f32>,
}

impl Weights {
    /// Random weights by He initialization.
    pub fn random(kind: NetKind, spec: &EncodingSpec, seed: u64) -> Result<Self, NetError> {
        kind.check(spec)?;
        let mut rng = Rng::seeded(seed);
        let tensors = tensor_specs(&kind, spec).into_iter().map(|tensor| {
            let data = initial_values(&tensor.name, &tensor.shape, &mut rng);
            (tensor.name, Tensor { shape: tensor.shape, data })
        });
        Ok(Self {
            game: spec.game.into(),
            version: spec.version_for(&kind),
            provenance: vec![format!("random {kind}, seed {seed}")],
            tensors: tensors.collect(),
            kind,
        })
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, NetError> {
        let io = |source| NetError::Io { path: path.to_owned(), source };
        let bytes = read_bounded(path, MAX_FILE_LEN).map_err(io)?;
        Self::from_bytes(&bytes)
            .map_err(|error| NetError::Content(format!("{}: {error}", path.display())))
    }

    /// Writes a file atomically.
    pub fn write(&self, path: &Path) -> Result<(), NetError> {
        Ok(atomic_write(path, &self.to_bytes())?)
    }

    /// Serializes to the file format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Writer::default();
        for (name, tensor) in &self.tensors {
            let elements = tensor.data.iter().map(|value| value.to_le_bytes());
            file.add(name, "F32", &tensor.shape, elements);
        }
        file.finish(&[
            ("format", FORMAT.into()),
            ("game", self.game.clone()),
            ("net", self.kind.to_string()),
            ("encoding", self.version.to_string()),
            ("provenance", self.provenance.join("\n")),
        ])
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        let file = File::read(bytes, FORMAT)?;
        let version = file.text("encoding")?.parse();
        Ok(Self {
            game: file.text("game")?.into(),
            kind: file.text("net")?.parse()?,
            version: version.map_err(|_| content("`encoding` is not a number"))?,
            provenance: file.text("provenance")?.lines().map(str::to_owned).collect(),
            tensors: read_tensors(&file)?,
        })
    }

    /// Reads a file that may have no more than the tensors of a network of this game, as PyTorch saves them. Names and
    /// shapes tell the architecture; see [`from_any_bytes`](Self::from_any_bytes).
    pub(crate) fn from_safetensors(bytes: &[u8], spec: &EncodingSpec) -> Result<Self, NetError> {
        let file = File::read_any(bytes)?;
        if !file.is_bare() {
            return Self::from_bytes(bytes);
        }
        let tensors = read_tensors(&file)?;
        let kind = kind_of(&tensors, spec).ok_or_else(|| {
            content(
                "neither written by Tablero nor the tensors of an mlp (`layer.0.weight`, ...) or a resnet \
                 (`input.conv.weight`, ...)",
            )
        })?;
        Ok(Self {
            game: spec.game.into(),
            version: spec.version_for(&kind),
            provenance: vec!["tensors of another program".into()],
            kind,
            tensors,
        })
    }

    /// Checks game, encoding version, and the names and shapes of all tensors.
    pub fn check(&self, spec: &EncodingSpec) -> Result<(), NetError> {
        if self.game != spec.game {
            return Err(NetError::WrongGame { found: self.game.clone(), expected: spec.game });
        }
        self.kind.check(spec)?;
        let version = spec.version_for(&self.kind);
        if self.version != version {
            return Err(content(&format!(
                "trained with version {} of {}'s encoding; this program has version {version}",
                self.version, spec.game
            )));
        }
        let specs = tensor_specs(&self.kind, spec);
        for expected in &specs {
            let Some(tensor) = self.tensors.get(&expected.name) else {
                return Err(content(&format!("tensor `{}` is missing", expected.name)));
            };
            if tensor.shape != expected.shape {
                let shape = excerpt(&format!("{:?}", tensor.shape));
                return Err(content(&format!(
                    "tensor `{}` has shape {shape}, not {:?}",
                    expected.name, expected.shape
                )));
            }
        }
        let known = |name: &String| specs.iter().any(|spec| spec.name == *name);
        match self.tensors.keys().find(|name| !known(name)) {
            Some(name) => {
                let name = excerpt(name);
                Err(content(&format!("unexpected tensor `{name}` in a {}", self.kind)))
            }
            None => Ok(()),
        }
    }
}

pub(crate) fn content(text: &str) -> NetError {
    NetError::Content(text.into())
}

fn read_tensors(file: &File<'_>) -> Result<BTreeMap<String, Tensor>, NetError> {
    let mut tensors = BTreeMap::new();
    for (name, tensor) in &file.tensors {
        let data = tensor.elements(name, "F32", f32::from_le_bytes)?;
        if data.iter().any(|value| !value.is_finite()) {
            return Err(wrong(name, "has NaN or infinite values"));
        }
        tensors.insert(name.clone(), Tensor { shape: tensor.shape.clone(), data });
    }
    Ok(tensors)
}

/// The architecture that tensors belong to. Dense networks of the size of Otelo's inputs are taken for
/// [absolute](Mlp::is_absolute) ones.
fn kind_of(tensors: &BTreeMap<String, Tensor>, spec: &EncodingSpec) -> Option<NetKind> {
    let shape = |name: String| tensors.get(&name).map(|tensor| &tensor.shape[..]);
    if let Some([filters, planes, ..]) = shape("input.conv.weight".into()) {
        let has_block = |block: &usize| shape(format!("block.{block}.first.conv.weight")).is_some();
        let view = if *planes == spec.planes { View::Planes } else { View::Attacks };
        return Some(NetKind::Resnet(Resnet {
            blocks: (0..).take_while(has_block).count(),
            filters: *filters,
            ownership: tensors.contains_key("ownership.weight"),
            view,
        }));
    }
    let mut sizes = Vec::new();
    while let Some([outputs, inputs]) =
        shape(format!("layer.{}.weight", sizes.len().saturating_sub(1)))
    {
        if sizes.is_empty() {
            sizes.push(*inputs);
        }
        sizes.push(*outputs);
    }
    let is_absolute = spec.absolute_size > 0 && sizes.first() == Some(&spec.absolute_size);
    // Through its text, which checks the sizes.
    NetKind::Mlp(Mlp { sizes, is_absolute }).to_string().parse().ok()
}

/// He initialization (2015): normal with variance 2 / fan-in keeps the scale of activations and gradients from
/// layer to layer. Biases are 0, normalizations the identity.
fn initial_values(name: &str, shape: &[usize], rng: &mut Rng) -> Vec<f32> {
    let count = shape.iter().product();
    if name.ends_with("gamma") || name.ends_with("variance") {
        return vec![1.0; count];
    }
    if !name.ends_with("weight") {
        return vec![0.0; count];
    }
    let fan_in: usize = shape[1..].iter().product();
    let std_dev = (2.0 / fan_in as f64).sqrt();
    (0..count).map(|_| (std_dev * rng.normal()) as f32).collect()
}

#[cfg(test)]
mod tests {
    use tablero_core::conformance::check_reader;
    use tablero_othello::Othello;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    fn small() -> Weights {
        let kind = "resnet 1x4 ownership".parse().expect("a kind");
        Weights::random(kind, &EncodingSpec::of::<TicTacToe>(), 3).expect("a network")
    }

    #[test]
    fn files_round_trip() {
        let weights = small();
        weights.check(&EncodingSpec::of::<TicTacToe>()).expect("all tensors");
        assert_eq!(Weights::from_bytes(&weights.to_bytes()).expect("a file"), weights);
        let path = std::env::temp_dir().join(format!("net-{}.safetensors", std::process::id()));
        weights.write(&path).expect("written");
        assert_eq!(Weights::read(&path).expect("read"), weights);
        std::fs::remove_file(&path).expect("removed");
        let error = Weights::read(&path).expect_err("no file").to_string();
        assert!(error.contains("net-"), "{error}");
    }

    #[test]
    fn initialization_is_seeded() {
        assert_eq!(small(), small());
    }

    #[test]
    fn mismatches_are_reported() {
        let check = |change: fn(&mut Weights), expected: &str| {
            let mut weights = small();
            change(&mut weights);
            let error =
                weights.check(&EncodingSpec::of::<TicTacToe>()).expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(|w| w.game = "othello".into(), "plays othello, not tictactoe");
        check(|w| w.version = 9, "version 9");
        check(|w| drop(w.tensors.remove("policy.out.bias")), "`policy.out.bias` is missing");
        check(
            |w| w.kind = "resnet 1x5 ownership".parse().expect("a kind"),
            "[4, 3, 3, 3], not [5, 3, 3, 3]",
        );
        check(
            |w| w.kind = "resnet 1x4".parse().expect("a kind"),
            "unexpected tensor `ownership.bias`",
        );
        assert!(small().check(&EncodingSpec::of::<Othello>()).is_err());
    }

    #[test]
    fn corrupt_files_are_refused() {
        let bytes = small().to_bytes();
        let mut corrupt = bytes.clone();
        *corrupt.last_mut().expect("bytes") ^= 1;
        let error = |bytes: &[u8]| Weights::from_bytes(bytes).expect_err("corrupt").to_string();
        assert!(error(&corrupt).contains("checksum"));
        assert!(error(&bytes[..100]).contains("truncated"));
        assert!(error(&bytes[..bytes.len() - 4]).contains("checksum"));
        assert!(error(b"").contains("not a safetensors"));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused() {
        let error = Weights::read(Path::new("/dev/zero")).expect_err("endless").to_string();
        assert_eq!(error, "/dev/zero: it is neither a file nor a pipe");
    }

    #[test]
    fn errors_quote_little_of_the_file() {
        let long = "x".repeat(100_000);
        let check = |change: &dyn Fn(&mut Weights)| {
            let mut weights = small();
            change(&mut weights);
            let read = Weights::from_bytes(&weights.to_bytes());
            let error = read.and_then(|read| read.check(&EncodingSpec::of::<TicTacToe>()));
            let error = error.expect_err("invalid").to_string();
            assert!(error.len() < 300, "{} bytes: {error:.300}", error.len());
        };
        check(&|weights| weights.game.clone_from(&long));
        check(&|weights| {
            let tensor = Tensor { shape: vec![1], data: vec![f32::NAN] };
            weights.tensors.insert(long.clone(), tensor);
        });
        check(&|weights| {
            weights.tensors.insert(long.clone(), Tensor { shape: vec![1], data: vec![0.0] });
        });
        check(&|weights| {
            let tensor = weights.tensors.values_mut().next().expect("a tensor");
            tensor.shape.extend(vec![1; 10_000]);
        });
    }

    #[test]
    fn reading_never_panics() {
        let bytes = small().to_bytes();
        check_reader(&[&bytes[..2000.min(bytes.len())], &bytes], 300, 1, |bytes| {
            let _ = Weights::from_bytes(bytes);
        });
    }
}
