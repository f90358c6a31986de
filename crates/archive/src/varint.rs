//! Unsigned integers in groups of seven bits, the lowest first (LEB128).

use crate::ArchiveError;

pub(crate) fn write(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number and advances `bytes`.
#[inline]
pub(crate) fn read(bytes: &mut &[u8]) -> Result<u64, ArchiveError> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index as u32);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Ok(value);
        }
    }
    Err(ArchiveError::Damaged("a number is not terminated"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            write(value, &mut bytes);
            let mut rest = &bytes[..];
            assert_eq!(read(&mut rest).unwrap(), value);
            assert!(rest.is_empty());
            assert!(read(&mut &bytes[..bytes.len() - 1]).is_err());
        }
        assert!(read(&mut &[0xff; 20][..]).is_err());
    }
}
