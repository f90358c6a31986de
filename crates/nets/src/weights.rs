//! Weights and their file: the safetensors format, which other programs read too. Its metadata says
//! what the network plays, of which kind it is and where it comes from.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tablero_core::Rng;
use tablero_jobs::write_beside;

use crate::{Dims, NetError, NetKind, plan};

/// The format's name and version in the metadata.
const FORMAT: &str = "tablero-net 1";
/// No header is longer, and no file larger.
const LONGEST_HEADER: usize = 16 << 20;
const LARGEST_FILE: u64 = 4 << 30;
const METADATA: &str = "__metadata__";

/// The numbers of a network, by name, and what must be known about them.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// The game that it plays.
    pub game: String,
    /// What it is.
    pub kind: NetKind,
    /// The version of the game's encoding that it was trained with.
    pub version: u32,
    /// How it was made: one entry a step, the oldest first.
    pub past: Vec<String>,
    /// The tensors that [`plan`] lists.
    pub tensors: BTreeMap<String, Tensor>,
}

/// Numbers in rows and columns.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// How many there are in each direction; the last one is the nearest.
    pub shape: Vec<usize>,
    /// All of them.
    pub data: Vec<f32>,
}

/// A tensor in the file's header.
#[derive(Serialize, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl Weights {
    /// A network that knows nothing yet.
    pub fn random(kind: NetKind, dims: &Dims, seed: u64) -> Result<Self, NetError> {
        kind.check(dims)?;
        let mut rng = Rng::seeded(seed);
        let tensors = plan(&kind, dims).into_iter().map(|tensor| {
            let data = first_values(&tensor.name, &tensor.shape, &mut rng);
            (tensor.name, Tensor { shape: tensor.shape, data })
        });
        Ok(Self {
            game: dims.game.into(),
            version: dims.version_for(&kind),
            past: vec![format!("random {kind}, seed {seed}")],
            tensors: tensors.collect(),
            kind,
        })
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, NetError> {
        let io = |source| NetError::Io { path: path.to_owned(), source };
        let metadata = fs::metadata(path).map_err(io)?;
        if !metadata.is_file() || metadata.len() > LARGEST_FILE {
            return Err(NetError::Content(format!("{} is no file of a network", path.display())));
        }
        let bytes = fs::read(path).map_err(io)?;
        Self::from_bytes(&bytes)
            .map_err(|error| NetError::Content(format!("{}: {error}", path.display())))
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), NetError> {
        Ok(write_beside(path, &self.to_bytes())?)
    }

    /// The content of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut data = Vec::new();
        let mut header = serde_json::Map::new();
        for (name, tensor) in &self.tensors {
            let begin = data.len();
            data.extend(tensor.data.iter().flat_map(|value| value.to_le_bytes()));
            let entry = Entry {
                dtype: "F32".into(),
                shape: tensor.shape.clone(),
                data_offsets: [begin, data.len()],
            };
            header.insert(name.clone(), serde_json::json!(entry));
        }
        let metadata = serde_json::json!({
            "format": FORMAT,
            "game": self.game,
            "net": self.kind.to_string(),
            "encoding": self.version.to_string(),
            "past": self.past.join("\n"),
            "checksum": format!("{:016x}", checksum(&data)),
        });
        header.insert(METADATA.into(), metadata);
        let mut text = serde_json::Value::Object(header).to_string();
        // Spaces at its end let the numbers begin at a multiple of 8 bytes.
        text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(8) - text.len()));
        let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
        bytes.extend(text.as_bytes());
        bytes.extend(data);
        bytes
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        let (header, data) = split_header(bytes)?;
        let mut header: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(header).map_err(|_| not_safetensors())?;
        let metadata = header.remove(METADATA).unwrap_or_default();
        let text = |key: &str| {
            let value = metadata.get(key).and_then(serde_json::Value::as_str);
            value.ok_or_else(|| {
                content(&format!("its metadata has no `{key}`: Tablero did not write it"))
            })
        };
        if text("format")? != FORMAT {
            return Err(content(&format!("its format is `{}`, not `{FORMAT}`", text("format")?)));
        }
        if text("checksum")? != format!("{:016x}", checksum(data)) {
            return Err(content("it is damaged: the check sum is wrong"));
        }
        let version = text("encoding")?.parse();
        let mut tensors = BTreeMap::new();
        for (name, entry) in header {
            let tensor = read_tensor(&name, entry, data)?;
            tensors.insert(name, tensor);
        }
        Ok(Self {
            game: text("game")?.into(),
            kind: text("net")?.parse()?,
            version: version.map_err(|_| content("its `encoding` is not a number"))?,
            past: text("past")?.lines().map(str::to_owned).collect(),
            tensors,
        })
    }

    /// An error unless these are all the tensors of a network for that game.
    pub fn check(&self, dims: &Dims) -> Result<(), NetError> {
        if self.game != dims.game {
            return Err(NetError::WrongGame { found: self.game.clone(), wanted: dims.game });
        }
        self.kind.check(dims)?;
        let version = dims.version_for(&self.kind);
        if self.version != version {
            return Err(content(&format!(
                "it was trained with version {} of {}'s encoding; this program has version {version}",
                self.version, dims.game
            )));
        }
        let plan = plan(&self.kind, dims);
        for planned in &plan {
            let Some(tensor) = self.tensors.get(&planned.name) else {
                return Err(content(&format!("the tensor `{}` is missing", planned.name)));
            };
            if tensor.shape != planned.shape {
                return Err(content(&format!(
                    "the tensor `{}` has the shape {:?}, not {:?}",
                    planned.name, tensor.shape, planned.shape
                )));
            }
        }
        let known = |name: &String| plan.iter().any(|planned| planned.name == *name);
        match self.tensors.keys().find(|name| !known(name)) {
            Some(name) => Err(content(&format!("a {} has no tensor `{name}`", self.kind))),
            None => Ok(()),
        }
    }
}

fn split_header(bytes: &[u8]) -> Result<(&[u8], &[u8]), NetError> {
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(not_safetensors)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length > LONGEST_HEADER {
        return Err(not_safetensors());
    }
    rest.split_at_checked(length).ok_or_else(|| content("it is cut off"))
}

fn read_tensor(name: &str, entry: serde_json::Value, data: &[u8]) -> Result<Tensor, NetError> {
    let entry: Entry = serde_json::from_value(entry).map_err(|_| not_safetensors())?;
    let wrong = |what: &str| content(&format!("the tensor `{name}` {what}"));
    if entry.dtype != "F32" {
        return Err(wrong(&format!("has numbers of type {}, not F32", entry.dtype)));
    }
    let [begin, end] = entry.data_offsets;
    let bytes = data.get(begin..end).ok_or_else(|| wrong("lies outside of the file"))?;
    let count = entry.shape.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
    if count.and_then(|count| count.checked_mul(4)) != Some(bytes.len()) {
        return Err(wrong("has another length than its shape"));
    }
    let numbers = bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
    let data: Vec<f32> = numbers.collect();
    if data.iter().any(|value| !value.is_finite()) {
        return Err(wrong("has values that are not numbers"));
    }
    Ok(Tensor { shape: entry.shape, data })
}

fn content(text: &str) -> NetError {
    NetError::Content(text.into())
}

fn not_safetensors() -> NetError {
    content("it is not a safetensors file")
}

/// Numbers to begin with: spread so that neither values nor changes grow from layer to layer.
fn first_values(name: &str, shape: &[usize], rng: &mut Rng) -> Vec<f32> {
    let count = shape.iter().product();
    if name.ends_with("gamma") || name.ends_with("variance") {
        return vec![1.0; count];
    }
    if !name.ends_with("weight") {
        return vec![0.0; count];
    }
    let inputs: usize = shape[1..].iter().product();
    let spread = (2.0 / inputs as f64).sqrt();
    (0..count).map(|_| (spread * rng.normal()) as f32).collect()
}

/// FNV-1a over words of 8 bytes.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|&word| u64::from_le_bytes(word));
    let all = words.chain(rest.iter().map(|&byte| u64::from(byte)));
    all.fold(0xcbf2_9ce4_8422_2325, |sum, word| {
        let mixed = (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        // The product alone never moves a bit down.
        mixed ^ mixed >> 32
    })
}

#[cfg(test)]
mod tests {
    use tablero_core::conformance::check_reader;
    use tablero_othello::Othello;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    fn small() -> Weights {
        let kind = "resnet 1x4 ownership".parse().expect("a kind");
        Weights::random(kind, &Dims::of::<TicTacToe>(), 3).expect("a network")
    }

    #[test]
    fn what_is_written_is_read() {
        let weights = small();
        weights.check(&Dims::of::<TicTacToe>()).expect("all tensors");
        assert_eq!(Weights::from_bytes(&weights.to_bytes()).expect("a file"), weights);
        let path = std::env::temp_dir().join(format!("net-{}.safetensors", std::process::id()));
        weights.write(&path).expect("written");
        assert_eq!(Weights::read(&path).expect("read"), weights);
        std::fs::remove_file(&path).expect("removed");
        let error = Weights::read(&path).expect_err("no file").to_string();
        assert!(error.contains("net-"), "{error}");
    }

    #[test]
    fn the_same_seed_gives_the_same_network() {
        assert_eq!(small(), small());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let check = |change: fn(&mut Weights), expected: &str| {
            let mut weights = small();
            change(&mut weights);
            let error = weights.check(&Dims::of::<TicTacToe>()).expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(|w| w.game = "othello".into(), "plays othello, not tictactoe");
        check(|w| w.version = 9, "version 9");
        check(|w| drop(w.tensors.remove("policy.out.bias")), "`policy.out.bias` is missing");
        check(
            |w| w.kind = "resnet 1x5 ownership".parse().expect("a kind"),
            "[4, 3, 3, 3], not [5, 3, 3, 3]",
        );
        check(|w| w.kind = "resnet 1x4".parse().expect("a kind"), "no tensor `ownership.bias`");
        assert!(small().check(&Dims::of::<Othello>()).is_err());
    }

    #[test]
    fn damage_is_noticed() {
        let bytes = small().to_bytes();
        let mut damaged = bytes.clone();
        *damaged.last_mut().expect("bytes") ^= 1;
        let error = |bytes: &[u8]| Weights::from_bytes(bytes).expect_err("damaged").to_string();
        assert!(error(&damaged).contains("check sum"));
        assert!(error(&bytes[..100]).contains("cut off"));
        assert!(error(&bytes[..bytes.len() - 4]).contains("check sum"));
        assert!(error(b"").contains("not a safetensors"));
    }

    #[test]
    fn no_bytes_panic() {
        let bytes = small().to_bytes();
        check_reader(&[&bytes[..2000.min(bytes.len())], &bytes], 300, 1, |bytes| {
            let _ = Weights::from_bytes(bytes);
        });
    }
}
