//! Compression of weights: zigzag encoding, low and high bytes apart, then DEFLATE.

/// DEFLATE level, 0 to 10.
const COMPRESSION_LEVEL: u8 = 8;

/// Compresses the weights of all phases.
pub(super) fn pack(phases: &[Vec<i16>]) -> Vec<u8> {
    let all = || phases.iter().flatten().map(|weight| zigzag(*weight));
    let low = all().map(|encoded| encoded as u8);
    let high = all().map(|encoded| (encoded >> 8) as u8);
    let bytes: Vec<u8> = low.chain(high).collect();
    miniz_oxide::deflate::compress_to_vec(&bytes, COMPRESSION_LEVEL)
}

/// Decompresses what [`pack`] compressed.
pub(super) fn unpack(
    packed: &[u8],
    phases: usize,
    weights: usize,
) -> Result<Vec<Vec<i16>>, String> {
    let expected = 2 * phases * weights;
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, expected)
        .map_err(|error| format!("cannot decompress weights: {error}"))?;
    if bytes.len() != expected {
        return Err(format!("{} bytes of weights, expected {expected}", bytes.len()));
    }
    let (low, high) = bytes.split_at(expected / 2);
    let weight = |(low, high): (&u8, &u8)| unzigzag(u16::from_le_bytes([*low, *high]));
    let all: Vec<i16> = low.iter().zip(high).map(weight).collect();
    Ok(all.chunks_exact(weights).map(<[i16]>::to_vec).collect())
}

/// Zigzag encoding: 0, -1, 1, -2, 2, ... become 0, 1, 2, 3, 4, ...
const fn zigzag(weight: i16) -> u16 {
    ((weight << 1) ^ (weight >> 15)) as u16
}

const fn unzigzag(encoded: u16) -> i16 {
    (encoded >> 1) as i16 ^ -((encoded & 1) as i16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        for weight in i16::MIN..=i16::MAX {
            assert_eq!(unzigzag(zigzag(weight)), weight);
        }
        let phases = vec![vec![0, 1, -1, i16::MIN], vec![i16::MAX, 300, -300, 7]];
        assert_eq!(unpack(&pack(&phases), 2, 4).unwrap(), phases);
        assert!(unpack(&pack(&phases), 2, 3).is_err());
        assert!(unpack(&pack(&phases), 2, 5).is_err());
        assert!(unpack(b"no such thing", 2, 4).is_err());
    }
}
