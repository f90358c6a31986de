//! Writes [`Group`]s, in the layout that h5py writes by default.

use super::{Attribute, Group, SIGNATURE, UNDEFINED, message};
use crate::weights::content;
use crate::{NetError, Tensor};

/// Half the members of a symbol table node, and half the children of a B-tree node: the format's defaults.
const LEAF_K: usize = 4;
const INTERNAL_K: usize = 16;
/// A group's members must fit into one B-tree node.
const MAX_MEMBERS: usize = 2 * LEAF_K * 2 * INTERNAL_K;
const SUPERBLOCK_LEN: usize = 96;
/// The local heap's free list is empty.
const NO_FREE_BLOCK: u64 = 1;

/// The bytes of a file with this root group.
pub(in super::super) fn write(root: &Group) -> Result<Vec<u8>, NetError> {
    let mut file = Writer(vec![0; SUPERBLOCK_LEN]);
    let entry = file.group(root)?;
    let mut superblock = SIGNATURE.to_vec();
    // All versions are 0; addresses and lengths have 8 bytes.
    superblock.extend([0, 0, 0, 0, 0, 8, 8, 0]);
    superblock.extend((LEAF_K as u16).to_le_bytes());
    superblock.extend((INTERNAL_K as u16).to_le_bytes());
    superblock.extend([0; 4]);
    for address in [0, UNDEFINED, file.0.len() as u64, UNDEFINED] {
        superblock.extend(address.to_le_bytes());
    }
    superblock.extend(symbol(0, &entry));
    file.0[..SUPERBLOCK_LEN].copy_from_slice(&superblock);
    Ok(file.0)
}

/// Where an object is, and for groups where their B-tree and heap are.
struct Entry {
    header: u64,
    symbol_table: Option<[u64; 2]>,
}

struct Writer(Vec<u8>);

impl Writer {
    /// Appends a block, aligned to 8 bytes; returns its address.
    fn append(&mut self, bytes: &[u8]) -> u64 {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        let address = self.0.len() as u64;
        self.0.extend(bytes);
        address
    }

    fn group(&mut self, group: &Group) -> Result<Entry, NetError> {
        let mut members = Vec::new();
        for (name, member) in &group.groups {
            members.push((name, self.group(member)?));
        }
        for (name, tensor) in &group.datasets {
            members.push((name, self.dataset(tensor)));
        }
        // The tree is searched by name.
        members.sort_by(|a, b| a.0.cmp(b.0));
        if members.len() > MAX_MEMBERS {
            return Err(content("too many layers for an HDF5 group"));
        }
        // The empty name comes first.
        let mut names = vec![0; 8];
        let mut tree = b"TREE\0\0".to_vec();
        tree.extend((members.len().div_ceil(2 * LEAF_K) as u16).to_le_bytes());
        tree.extend([UNDEFINED, UNDEFINED, 0].map(u64::to_le_bytes).concat());
        for node in members.chunks(2 * LEAF_K) {
            let mut symbols = b"SNOD\x01\0".to_vec();
            symbols.extend((node.len() as u16).to_le_bytes());
            let mut last = 0;
            for (name, entry) in node {
                last = names.len() as u64;
                names.extend(name.as_bytes());
                names.resize((names.len() + 1).next_multiple_of(8), 0);
                symbols.extend(symbol(last, entry));
            }
            symbols.resize(8 + 2 * LEAF_K * 40, 0);
            // A child, and the last name in it as the next key.
            tree.extend(self.append(&symbols).to_le_bytes());
            tree.extend(last.to_le_bytes());
        }
        tree.resize(24 + (4 * INTERNAL_K + 1) * 8, 0);
        let tree = self.append(&tree);
        let data = self.append(&names);
        let mut heap = b"HEAP\0\0\0\0".to_vec();
        heap.extend([names.len() as u64, NO_FREE_BLOCK, data].map(u64::to_le_bytes).concat());
        let symbol_table = [tree, self.append(&heap)];
        let mut messages =
            vec![(message::SYMBOL_TABLE, symbol_table.map(u64::to_le_bytes).concat())];
        for (name, attribute) in &group.attributes {
            messages.push((message::ATTRIBUTE, attribute_message(name, attribute)));
        }
        Ok(Entry { header: self.header(&messages)?, symbol_table: Some(symbol_table) })
    }

    fn dataset(&mut self, tensor: &Tensor) -> Entry {
        let bytes: Vec<u8> = tensor.data.iter().flat_map(|value| value.to_le_bytes()).collect();
        let address = self.append(&bytes);
        // Version 3, contiguous.
        let mut layout = vec![3, 1];
        layout.extend([address, bytes.len() as u64].map(u64::to_le_bytes).concat());
        let messages = [
            (message::DATASPACE, dataspace(&tensor.shape)),
            (message::DATATYPE, float_type()),
            // Version 2: allocated late, written if set, not defined.
            (message::FILL_VALUE, vec![2, 2, 2, 0]),
            (message::LAYOUT, layout),
        ];
        let header = self.header(&messages).expect("short messages");
        Entry { header, symbol_table: None }
    }

    /// Appends a version 1 object header.
    fn header(&mut self, messages: &[(u16, Vec<u8>)]) -> Result<u64, NetError> {
        let mut body = Vec::new();
        for (kind, data) in messages {
            let size = data.len().next_multiple_of(8);
            let too_long = |_| content("an attribute does not fit into an HDF5 header");
            let stored = u16::try_from(size).map_err(too_long)?;
            body.extend([kind.to_le_bytes(), stored.to_le_bytes()].concat());
            body.extend([0; 4]);
            body.extend(data);
            body.resize(body.len() + size - data.len(), 0);
        }
        let mut header = vec![1, 0];
        header.extend((messages.len() as u16).to_le_bytes());
        header.extend([1u32, body.len() as u32, 0].map(u32::to_le_bytes).concat());
        header.extend(body);
        Ok(self.append(&header))
    }
}

/// An entry of a symbol table.
fn symbol(name: u64, entry: &Entry) -> Vec<u8> {
    // Groups are cached in their entries.
    let is_group = u64::from(entry.symbol_table.is_some());
    let [tree, heap] = entry.symbol_table.unwrap_or([0; 2]);
    [name, entry.header, is_group, tree, heap].map(u64::to_le_bytes).concat()
}

fn dataspace(shape: &[usize]) -> Vec<u8> {
    let mut bytes = vec![1, shape.len() as u8, 0, 0, 0, 0, 0, 0];
    bytes.extend(shape.iter().flat_map(|&size| (size as u64).to_le_bytes()));
    bytes
}

/// Little-endian IEEE 754, 32 bits.
fn float_type() -> Vec<u8> {
    // Class and version; little-endian with an implied leading bit; the sign is bit 31.
    let mut bytes = vec![0x11, 0x20, 31, 0];
    bytes.extend(4u32.to_le_bytes());
    // Bit offset and precision; place and size of the exponent, then of the mantissa.
    bytes.extend([0, 0, 32, 0, 23, 8, 0, 23]);
    bytes.extend(127u32.to_le_bytes());
    bytes
}

/// A version 1 attribute with UTF-8 strings, padded with NUL to the same length.
fn attribute_message(name: &str, attribute: &Attribute) -> Vec<u8> {
    let (list, shape) = match attribute {
        Attribute::Text(text) => (std::slice::from_ref(text), vec![]),
        Attribute::List(list) => (&list[..], vec![list.len()]),
    };
    let length = list.iter().map(String::len).max().unwrap_or(0).max(1);
    let mut datatype = vec![0x13, 0x11, 0, 0];
    datatype.extend((length as u32).to_le_bytes());
    let mut name = name.as_bytes().to_vec();
    name.push(0);
    let parts = [name, datatype, dataspace(&shape)];
    let mut bytes = vec![1, 0];
    bytes.extend(parts.iter().flat_map(|part| (part.len() as u16).to_le_bytes()));
    for part in parts {
        bytes.extend(&part);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    for text in list {
        bytes.extend(text.as_bytes());
        bytes.resize(bytes.len() + length - text.len(), 0);
    }
    bytes
}
