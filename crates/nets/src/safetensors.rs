//! The safetensors format: named tensors and string metadata, with a checksum of the data among it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tablero_core::excerpt;

use crate::NetError;
use crate::weights::content;

const MAX_HEADER_LEN: usize = 16 << 20;
const METADATA: &str = "__metadata__";
const CHECKSUM: &str = "checksum";

/// Metadata and tensors of a file; tensors borrow its bytes.
pub(crate) struct File<'a> {
    metadata: BTreeMap<String, String>,
    pub(crate) tensors: BTreeMap<String, RawTensor<'a>>,
}

/// A tensor as bytes, in row-major order, little-endian.
pub(crate) struct RawTensor<'a> {
    dtype: String,
    pub(crate) shape: Vec<usize>,
    bytes: &'a [u8],
}

/// A tensor in the header.
#[derive(Serialize, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// Writes a file tensor by tensor.
#[derive(Default)]
pub(crate) struct Writer {
    header: serde_json::Map<String, serde_json::Value>,
    data: Vec<u8>,
}

impl Writer {
    /// Adds a tensor whose elements are given as bytes.
    pub(crate) fn add<const N: usize>(
        &mut self,
        name: &str,
        dtype: &str,
        shape: &[usize],
        elements: impl Iterator<Item = [u8; N]>,
    ) {
        let start = self.data.len();
        elements.for_each(|bytes| self.data.extend(bytes));
        let entry = Entry {
            dtype: dtype.into(),
            shape: shape.to_vec(),
            data_offsets: [start, self.data.len()],
        };
        self.header.insert(name.into(), serde_json::json!(entry));
    }

    /// The file, with its metadata.
    pub(crate) fn finish(mut self, metadata: &[(&str, String)]) -> Vec<u8> {
        let mut all: serde_json::Map<_, _> = metadata
            .iter()
            .map(|(key, value)| (String::from(*key), value.clone().into()))
            .collect();
        all.insert(CHECKSUM.into(), format!("{:016x}", checksum(&self.data)).into());
        self.header.insert(METADATA.into(), all.into());
        let mut text = serde_json::Value::Object(self.header).to_string();
        // Padding aligns the data to 8 bytes.
        text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(8) - text.len()));
        let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
        bytes.extend(text.as_bytes());
        bytes.extend(self.data);
        bytes
    }
}

impl<'a> File<'a> {
    /// Reads a file whose metadata has this `format`.
    pub(crate) fn read(bytes: &'a [u8], format: &str) -> Result<Self, NetError> {
        let file = Self::read_any(bytes)?;
        if file.text("format")? != format {
            let found = excerpt(file.text("format")?);
            return Err(content(&format!("the format is `{found}`, not `{format}`")));
        }
        Ok(file)
    }

    /// Whether the file has no more than tensors, as PyTorch saves them.
    pub(crate) fn is_bare(&self) -> bool {
        self.metadata.get("format").is_none_or(|format| format == "pt")
    }

    /// Reads a file with any metadata. Only this program writes a checksum.
    pub(crate) fn read_any(bytes: &'a [u8]) -> Result<Self, NetError> {
        let (header, data) = split_header(bytes)?;
        let mut header: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(header).map_err(|_| not_safetensors())?;
        let metadata = header.remove(METADATA).unwrap_or_default();
        let metadata = serde_json::from_value(metadata).unwrap_or_default();
        let mut file = Self { metadata, tensors: BTreeMap::new() };
        let expected = file.metadata.get(CHECKSUM);
        if expected.is_some_and(|expected| *expected != format!("{:016x}", checksum(data))) {
            return Err(content("corrupt: checksum mismatch"));
        }
        for (name, entry) in header {
            let entry: Entry = serde_json::from_value(entry).map_err(|_| not_safetensors())?;
            let [start, end] = entry.data_offsets;
            let bytes = data.get(start..end).ok_or_else(|| wrong(&name, "is outside the file"))?;
            file.tensors.insert(name, RawTensor { dtype: entry.dtype, shape: entry.shape, bytes });
        }
        Ok(file)
    }

    /// The metadata under a key.
    pub(crate) fn text(&self, key: &str) -> Result<&str, NetError> {
        let value = self.metadata.get(key).map(String::as_str);
        value
            .ok_or_else(|| content(&format!("the metadata has no `{key}`: not written by Tablero")))
    }
}

impl RawTensor<'_> {
    /// The elements of this type, of `N` bytes each.
    pub(crate) fn elements<const N: usize, T>(
        &self,
        name: &str,
        dtype: &str,
        from: fn([u8; N]) -> T,
    ) -> Result<Vec<T>, NetError> {
        if self.dtype != dtype {
            let found = excerpt(&self.dtype);
            return Err(wrong(name, &format!("has dtype {found}, not {dtype}")));
        }
        let count = self.shape.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
        if count.and_then(|count| count.checked_mul(N)) != Some(self.bytes.len()) {
            return Err(wrong(name, "does not have the length of its shape"));
        }
        Ok(self.bytes.as_chunks::<N>().0.iter().map(|&bytes| from(bytes)).collect())
    }
}

/// What is wrong with a tensor.
pub(crate) fn wrong(name: &str, what: &str) -> NetError {
    content(&format!("tensor `{}` {what}", excerpt(name)))
}

fn split_header(bytes: &[u8]) -> Result<(&[u8], &[u8]), NetError> {
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(not_safetensors)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length > MAX_HEADER_LEN {
        return Err(not_safetensors());
    }
    rest.split_at_checked(length).ok_or_else(|| content("the file is truncated"))
}

fn not_safetensors() -> NetError {
    content("not a safetensors file")
}

/// FNV-1a over 8-byte words.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|&word| u64::from_le_bytes(word));
    let all = words.chain(rest.iter().map(|&byte| u64::from(byte)));
    all.fold(0xcbf2_9ce4_8422_2325, |sum, word| {
        let mixed = (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        // A product carries bits only upwards.
        mixed ^ mixed >> 32
    })
}
