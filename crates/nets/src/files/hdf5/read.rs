//! Reads a file into [`Group`]s. Every offset is checked, and links that loop exhaust a budget.

use std::collections::BTreeMap;

use super::{Attribute, Group, SIGNATURE, UNDEFINED, message};
use crate::weights::content;
use crate::{NetError, Tensor};

// Sanity limits.
const MAX_DEPTH: usize = 32;
const MAX_RANK: u8 = 32;

/// Reads a file.
pub(in super::super) fn read(bytes: &[u8]) -> Result<Group, NetError> {
    let mut superblock = Cursor::at(bytes, SIGNATURE.len())?;
    let version = superblock.u8()?;
    if version > 1 {
        return Err(content(&format!(
            "an HDF5 file with superblock version {version}; Keras writes version 0"
        )));
    }
    superblock.skip(4)?;
    if [superblock.u8()?, superblock.u8()?] != [8, 8] {
        return Err(content("an HDF5 file with addresses that do not have 8 bytes"));
    }
    // Four addresses precede the root's entry, which starts with the offset of its name.
    superblock.skip(9 + if version == 1 { 4 } else { 0 } + 32 + 8)?;
    // A valid file refers to each of its bytes about once.
    let mut reader = Reader { bytes, budget: bytes.len().saturating_mul(4) };
    match reader.object(superblock.address()?, 0)? {
        Object::Group(group) => Ok(group),
        Object::Dataset(_) | Object::Other => Err(content("the HDF5 file has no root group")),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    /// Bytes that may still be read.
    budget: usize,
}

enum Object {
    Group(Group),
    Dataset(Tensor),
    /// What networks do not need, such as integers.
    Other,
}

/// The messages of an object header.
#[derive(Default)]
struct Header<'a> {
    shape: Option<Vec<usize>>,
    datatype: Option<Datatype>,
    layout: Option<Cursor<'a>>,
    has_filters: bool,
    symbol_table: Option<[usize; 2]>,
    attributes: BTreeMap<String, Attribute>,
}

#[derive(Clone, Copy, PartialEq)]
enum Datatype {
    F32,
    F64,
    /// A string of this many bytes.
    FixedText(usize),
    VariableText,
    Other,
}

impl<'a> Reader<'a> {
    fn at(&self, address: usize) -> Result<Cursor<'a>, NetError> {
        Cursor::at(self.bytes, address)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), NetError> {
        let left = self.budget.checked_sub(bytes);
        self.budget = left.ok_or_else(|| content("the HDF5 file is corrupt: its links loop"))?;
        Ok(())
    }

    fn object(&mut self, address: usize, depth: usize) -> Result<Object, NetError> {
        if depth > MAX_DEPTH {
            return Err(content("the HDF5 file has too many levels"));
        }
        let header = self.header(address)?;
        if let Some([tree, heap]) = header.symbol_table {
            let mut group = Group { attributes: header.attributes, ..Group::default() };
            let names = self.local_heap(heap)?;
            self.tree(tree, names, &mut group, depth)?;
            return Ok(Object::Group(group));
        }
        match (header.datatype, &header.shape, &header.layout) {
            (Some(Datatype::F32 | Datatype::F64), Some(_), Some(_)) if header.has_filters => {
                Err(content("the HDF5 file has compressed arrays; Keras writes plain ones"))
            }
            (Some(datatype @ (Datatype::F32 | Datatype::F64)), Some(shape), Some(layout)) => {
                Ok(Object::Dataset(self.array(datatype, shape, *layout)?))
            }
            _ => Ok(Object::Other),
        }
    }

    /// Reads a version 1 object header with its continuation blocks.
    fn header(&mut self, address: usize) -> Result<Header<'a>, NetError> {
        let mut prefix = self.at(address)?;
        if prefix.u8()? != 1 {
            return Err(content("the HDF5 file has object headers that Keras does not write"));
        }
        self.spend(16)?;
        prefix.skip(7)?;
        let size = prefix.u32()? as usize;
        prefix.skip(4)?;
        let mut header = Header::default();
        let mut blocks = vec![Cursor::new(prefix.bytes(size)?)];
        while let Some(mut block) = blocks.pop() {
            while block.len() >= 8 {
                let (kind, size) = (block.u16()?, block.u16()?);
                self.spend(8 + usize::from(size))?;
                block.skip(4)?;
                let mut body = Cursor::new(block.bytes(size.into())?);
                if kind == message::CONTINUATION {
                    let (address, length) = (body.address()?, body.address()?);
                    blocks.push(Cursor::new(self.at(address)?.bytes(length)?));
                } else {
                    self.message(kind, body, &mut header)?;
                }
            }
        }
        Ok(header)
    }

    fn message(
        &mut self,
        kind: u16,
        mut body: Cursor<'a>,
        header: &mut Header<'a>,
    ) -> Result<(), NetError> {
        match kind {
            message::DATASPACE => header.shape = Some(dataspace(&mut body)?),
            message::DATATYPE => header.datatype = Some(datatype(&mut body)?),
            message::LAYOUT => header.layout = Some(body),
            message::FILTERS => header.has_filters = true,
            message::SYMBOL_TABLE => {
                header.symbol_table = Some([body.address()?, body.address()?]);
            }
            message::ATTRIBUTE => {
                if let Some((name, attribute)) = self.attribute(body)? {
                    header.attributes.insert(name, attribute);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An attribute; none if it is neither a string nor a list of strings.
    fn attribute(&mut self, mut body: Cursor<'a>) -> Result<Option<(String, Attribute)>, NetError> {
        let version = body.u8()?;
        let is_shared = body.u8()? & 3 != 0 && version > 1;
        if !(1..=3).contains(&version) || is_shared {
            return Ok(None);
        }
        let sizes = [body.u16()?, body.u16()?, body.u16()?].map(usize::from);
        if version == 3 {
            body.skip(1)?;
        }
        let mut parts = [&[][..]; 3];
        for (part, size) in parts.iter_mut().zip(sizes) {
            let padded = if version == 1 { size.next_multiple_of(8) } else { size };
            *part = &body.bytes(padded)?[..size];
        }
        let [name, datatype_part, dataspace_part] = parts;
        let datatype = datatype(&mut Cursor::new(datatype_part))?;
        let shape = dataspace(&mut Cursor::new(dataspace_part))?;
        let count = element_count(&shape)?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(match datatype {
                Datatype::FixedText(size) => text(body.bytes(size)?),
                Datatype::VariableText => {
                    let length = body.u32()? as usize;
                    let (collection, index) = (body.address()?, body.u32()?);
                    self.spend(length)?;
                    let bytes = if length == 0 { &[] } else { self.global(collection, index)? };
                    text(bytes.get(..length).ok_or_else(truncated)?)
                }
                Datatype::F32 | Datatype::F64 | Datatype::Other => return Ok(None),
            });
        }
        let attribute = match (shape.is_empty(), list.pop()) {
            (true, Some(text)) => Attribute::Text(text),
            (_, last) => {
                list.extend(last);
                Attribute::List(list)
            }
        };
        Ok(Some((text(name), attribute)))
    }

    /// An object of a global heap collection, which holds strings of variable length.
    fn global(&self, collection: usize, index: u32) -> Result<&'a [u8], NetError> {
        let mut start = self.at(collection)?;
        if start.bytes(4)? != b"GCOL" {
            return Err(content("the HDF5 file has a corrupt global heap"));
        }
        start.skip(4)?;
        let size = start.address()?.checked_sub(16).ok_or_else(truncated)?;
        let mut heap = Cursor::new(start.bytes(size)?);
        while heap.len() >= 16 {
            let found = heap.u16()?;
            heap.skip(6)?;
            let size = heap.address()?;
            if u32::from(found) == index && found != 0 {
                return heap.bytes(size);
            }
            if found == 0 {
                break;
            }
            heap.skip(size.checked_next_multiple_of(8).ok_or_else(truncated)?)?;
        }
        Err(content("the HDF5 file has a string that is not in its heap"))
    }

    /// The data segment of a local heap, which holds the names of a group's members.
    fn local_heap(&self, address: usize) -> Result<&'a [u8], NetError> {
        let mut heap = self.at(address)?;
        if heap.bytes(4)? != b"HEAP" {
            return Err(content("the HDF5 file has a corrupt local heap"));
        }
        heap.skip(4)?;
        let size = heap.address()?;
        heap.skip(8)?;
        self.at(heap.address()?)?.bytes(size)
    }

    /// Adds the members below a node of a group's B-tree.
    fn tree(
        &mut self,
        address: usize,
        names: &'a [u8],
        group: &mut Group,
        depth: usize,
    ) -> Result<(), NetError> {
        self.spend(24)?;
        let mut node = self.at(address)?;
        if depth > MAX_DEPTH || node.bytes(4)? != b"TREE" || node.u8()? != 0 {
            return Err(content("the HDF5 file has a corrupt group"));
        }
        let (level, entries) = (node.u8()?, node.u16()?);
        // Siblings and the first key.
        node.skip(24)?;
        for _ in 0..entries {
            let child = node.address()?;
            self.spend(16)?;
            match level {
                0 => self.symbols(child, names, group, depth)?,
                _ => self.tree(child, names, group, depth + 1)?,
            }
            node.skip(8)?;
        }
        Ok(())
    }

    /// Adds the members of a symbol table node.
    fn symbols(
        &mut self,
        address: usize,
        names: &'a [u8],
        group: &mut Group,
        depth: usize,
    ) -> Result<(), NetError> {
        let mut node = self.at(address)?;
        if node.bytes(4)? != b"SNOD" {
            return Err(content("the HDF5 file has a corrupt symbol table"));
        }
        node.skip(2)?;
        for _ in 0..node.u16()? {
            self.spend(40)?;
            let name = node.address()?;
            let name = text(names.get(name..).ok_or_else(truncated)?);
            let header = node.u64()?;
            node.skip(24)?;
            // A symbolic link has no header.
            if header == UNDEFINED || header == 0 {
                continue;
            }
            let header = usize::try_from(header).map_err(|_| truncated())?;
            match self.object(header, depth + 1)? {
                Object::Group(member) => drop(group.groups.insert(name, member)),
                Object::Dataset(tensor) => drop(group.datasets.insert(name, tensor)),
                Object::Other => {}
            }
        }
        Ok(())
    }

    fn array(
        &mut self,
        datatype: Datatype,
        shape: &[usize],
        mut layout: Cursor<'a>,
    ) -> Result<Tensor, NetError> {
        let element = if datatype == Datatype::F64 { 8 } else { 4 };
        let size = element_count(shape)?.checked_mul(element).ok_or_else(truncated)?;
        let bytes = match (layout.u8()?, layout.u8()?) {
            (3, 0) => {
                let stored = layout.u16()?;
                layout.bytes(stored.into())?
            }
            (3, 1) => {
                let (address, stored) = (layout.address()?, layout.address()?);
                self.at(address)?.bytes(stored)?
            }
            _ => return Err(content("the HDF5 file has chunked arrays; Keras writes plain ones")),
        };
        let bytes = bytes.get(..size).ok_or_else(truncated)?;
        self.spend(size)?;
        let data: Vec<f32> = match datatype {
            Datatype::F64 => {
                bytes.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes) as f32).collect()
            }
            _ => bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
        };
        if data.iter().any(|value| !value.is_finite()) {
            return Err(content("the HDF5 file has NaN or infinite values"));
        }
        Ok(Tensor { shape: shape.to_vec(), data })
    }
}

/// The shape of a dataspace; empty for a scalar.
fn dataspace(body: &mut Cursor<'_>) -> Result<Vec<usize>, NetError> {
    let (version, rank, _flags) = (body.u8()?, body.u8()?, body.u8()?);
    match version {
        1 => body.skip(5)?,
        2 => {
            // A null dataspace has no elements.
            if body.u8()? == 2 {
                return Ok(vec![0]);
            }
        }
        _ => return Err(content("the HDF5 file has an unknown dataspace")),
    }
    if rank > MAX_RANK {
        return Err(content("the HDF5 file has an array of too many dimensions"));
    }
    (0..rank).map(|_| body.address()).collect()
}

fn datatype(body: &mut Cursor<'_>) -> Result<Datatype, NetError> {
    let class = body.u8()? & 15;
    let flags = body.u8()?;
    body.skip(2)?;
    let size = body.u32()?;
    let is_big_endian = flags & 1 == 1;
    Ok(match (class, size) {
        (1, 4) if !is_big_endian => Datatype::F32,
        (1, 8) if !is_big_endian => Datatype::F64,
        (3, size) if size > 0 => Datatype::FixedText(size as usize),
        (9, 16) if flags & 15 == 1 => Datatype::VariableText,
        _ => Datatype::Other,
    })
}

fn element_count(shape: &[usize]) -> Result<usize, NetError> {
    let count = shape.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
    count.ok_or_else(truncated)
}

/// Text up to the first NUL.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn truncated() -> NetError {
    content("the file is truncated or corrupt")
}

/// Reads little-endian numbers from bytes.
#[derive(Clone, Copy)]
pub(in super::super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    const fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// From an offset to the end.
    pub(in super::super) fn at(bytes: &'a [u8], offset: usize) -> Result<Self, NetError> {
        bytes.get(offset..).map(Self::new).ok_or_else(truncated)
    }

    const fn len(&self) -> usize {
        self.rest.len()
    }

    pub(in super::super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], NetError> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or_else(truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(in super::super) fn skip(&mut self, count: usize) -> Result<(), NetError> {
        self.bytes(count).map(drop)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], NetError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or_else(truncated)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn u8(&mut self) -> Result<u8, NetError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(in super::super) fn u16(&mut self) -> Result<u16, NetError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(in super::super) fn u32(&mut self) -> Result<u32, NetError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, NetError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// An address, length or size.
    fn address(&mut self) -> Result<usize, NetError> {
        usize::try_from(self.u64()?).map_err(|_| truncated())
    }
}
