//! ZIP archives, as far as Keras uses them: a few small files, stored or deflated.

use std::collections::BTreeMap;

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::hdf5::Cursor;
use crate::NetError;
use crate::weights::{MAX_FILE_LEN, content};

const LOCAL_HEADER: &[u8; 4] = b"PK\x03\x04";
const CENTRAL_HEADER: &[u8; 4] = b"PK\x01\x02";
const END_OF_DIRECTORY: &[u8; 4] = b"PK\x05\x06";
/// The end record without its comment.
const END_LEN: usize = 22;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// 1 January 1980, the first date of the format.
const DATE: u16 = 0x21;

pub(super) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL_HEADER)
}

/// The entries by name.
pub(super) fn read(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, NetError> {
    let not_zip = || content("not a ZIP archive, or a truncated one");
    let mut end = bytes.len().checked_sub(END_LEN).ok_or_else(not_zip)?;
    // A comment may follow the record.
    while !bytes[end..].starts_with(END_OF_DIRECTORY) {
        end = end.checked_sub(1).ok_or_else(not_zip)?;
    }
    let mut record = Cursor::at(bytes, end + 10)?;
    let count = record.u16()?;
    record.skip(4)?;
    let mut directory = Cursor::at(bytes, record.u32()? as usize)?;
    let mut entries = BTreeMap::new();
    for _ in 0..count {
        let (name, data) = read_entry(bytes, &mut directory)?;
        entries.insert(name, data);
    }
    Ok(entries)
}

/// Reads an entry of the central directory and its data.
fn read_entry(bytes: &[u8], directory: &mut Cursor<'_>) -> Result<(String, Vec<u8>), NetError> {
    if directory.bytes(4)? != CENTRAL_HEADER {
        return Err(content("the ZIP archive's directory is corrupt"));
    }
    directory.skip(6)?;
    let method = directory.u16()?;
    directory.skip(4)?;
    let sum = directory.u32()?;
    let [packed, unpacked] = [directory.u32()? as usize, directory.u32()? as usize];
    let [name, extra, comment] = [directory.u16()?, directory.u16()?, directory.u16()?];
    directory.skip(8)?;
    let offset = directory.u32()? as usize;
    let name = String::from_utf8_lossy(directory.bytes(name.into())?).into_owned();
    directory.skip(usize::from(extra) + usize::from(comment))?;
    // The lengths of the local header's name and extra field, which may differ from the directory's.
    let mut local = Cursor::at(bytes, offset)?;
    local.skip(26)?;
    let [local_name, local_extra] = [local.u16()?, local.u16()?];
    local.skip(usize::from(local_name) + usize::from(local_extra))?;
    let data = local.bytes(packed)?;
    let data = match method {
        STORED => data.to_vec(),
        DEFLATED => decompress_to_vec_with_limit(data, unpacked.min(MAX_FILE_LEN as usize))
            .map_err(|_| content("the ZIP archive is corrupt"))?,
        _ => return Err(content(&format!("the ZIP archive has compression method {method}"))),
    };
    if crc32(&data) != sum {
        return Err(content("the ZIP archive is corrupt: checksum mismatch"));
    }
    Ok((name, data))
}

/// An archive of stored entries.
pub(super) fn write(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in entries {
        let offset = bytes.len() as u32;
        // Version 2.0, no flags, stored, midnight.
        let mut common = Vec::new();
        for field in [20, 0, STORED, 0, DATE] {
            common.extend(u16::to_le_bytes(field));
        }
        for field in [crc32(data), data.len() as u32, data.len() as u32] {
            common.extend(field.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        bytes.extend(LOCAL_HEADER);
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(data);
        directory.extend(CENTRAL_HEADER);
        directory.extend(20u16.to_le_bytes());
        directory.extend(common);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, count) = (bytes.len() as u32, entries.len() as u16);
    bytes.extend(&directory);
    bytes.extend(END_OF_DIRECTORY);
    bytes.extend([0; 4]);
    bytes.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// CRC-32 of ZIP (IEEE 802.3).
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    };
    !bytes.iter().fold(!0, step)
}
