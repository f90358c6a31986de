//! HDF5, as far as Keras uses it: the original layout of the format (superblock 0, version 1 object headers,
//! groups as B-trees), contiguous arrays of floats, and attributes of strings.
//!
//! Format: "HDF5 File Format Specification Version 3.0", The HDF Group.

mod read;
mod write;

use std::collections::BTreeMap;

pub(super) use read::Cursor;
pub(super) use read::read;
pub(super) use write::write;

use crate::Tensor;

const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";
/// The address of what is not there.
const UNDEFINED: u64 = u64::MAX;

/// Types of header messages.
mod message {
    pub(super) const DATASPACE: u16 = 0x1;
    pub(super) const DATATYPE: u16 = 0x3;
    pub(super) const FILL_VALUE: u16 = 0x5;
    pub(super) const LAYOUT: u16 = 0x8;
    pub(super) const FILTERS: u16 = 0xb;
    pub(super) const ATTRIBUTE: u16 = 0xc;
    pub(super) const CONTINUATION: u16 = 0x10;
    pub(super) const SYMBOL_TABLE: u16 = 0x11;
}

/// A group of arrays and groups.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Group {
    pub(super) attributes: BTreeMap<String, Attribute>,
    pub(super) groups: BTreeMap<String, Group>,
    pub(super) datasets: BTreeMap<String, Tensor>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Attribute {
    Text(String),
    List(Vec<String>),
}

impl Group {
    /// The text of an attribute.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.attributes.get(name)? {
            Attribute::Text(text) => Some(text),
            Attribute::List(_) => None,
        }
    }

    /// The strings of an attribute.
    pub(super) fn list(&self, name: &str) -> Option<&[String]> {
        match self.attributes.get(name)? {
            Attribute::List(list) => Some(list),
            Attribute::Text(_) => None,
        }
    }

    /// The array at a path such as `layers/dense/vars/0`.
    pub(super) fn dataset(&self, path: &str) -> Option<&Tensor> {
        match path.split_once('/') {
            Some((group, rest)) => self.groups.get(group)?.dataset(rest),
            None => self.datasets.get(path),
        }
    }

    /// Adds an array, and the groups of its path.
    pub(super) fn add(&mut self, path: &str, tensor: Tensor) {
        match path.split_once('/') {
            Some((group, rest)) => self.group(group).add(rest, tensor),
            None => {
                self.datasets.insert(path.into(), tensor);
            }
        }
    }

    /// A member group, which is added if missing.
    pub(super) fn group(&mut self, name: &str) -> &mut Self {
        self.groups.entry(name.into()).or_default()
    }

    pub(super) fn set(&mut self, name: &str, text: &str) {
        self.attributes.insert(name.into(), Attribute::Text(text.into()));
    }
}

pub(super) fn is_hdf5(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}
