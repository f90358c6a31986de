//! Weights as bytes, packed: small numbers are common, so low and high bytes are kept apart.

/// How hard to pack, of 10.
const EFFORT: u8 = 8;

/// The weights of all phases, packed.
pub(super) fn pack(phases: &[Vec<i16>]) -> Vec<u8> {
    let all = || phases.iter().flatten().map(|weight| fold(*weight));
    let low = all().map(|folded| folded as u8);
    let high = all().map(|folded| (folded >> 8) as u8);
    let bytes: Vec<u8> = low.chain(high).collect();
    miniz_oxide::deflate::compress_to_vec(&bytes, EFFORT)
}

/// What [`pack`] packed: so many phases of so many weights each.
pub(super) fn unpack(
    packed: &[u8],
    phases: usize,
    weights: usize,
) -> Result<Vec<Vec<i16>>, String> {
    let expected = 2 * phases * weights;
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, expected)
        .map_err(|error| format!("the packed weights cannot be unpacked: {error}"))?;
    if bytes.len() != expected {
        return Err(format!("{} bytes of weights, expected {expected}", bytes.len()));
    }
    let (low, high) = bytes.split_at(expected / 2);
    let weight = |(low, high): (&u8, &u8)| unfold(u16::from_le_bytes([*low, *high]));
    let all: Vec<i16> = low.iter().zip(high).map(weight).collect();
    Ok(all.chunks_exact(weights).map(<[i16]>::to_vec).collect())
}

/// 0, -1, 1, -2, 2, ... become 0, 1, 2, 3, 4, ...
const fn fold(weight: i16) -> u16 {
    ((weight << 1) ^ (weight >> 15)) as u16
}

const fn unfold(folded: u16) -> i16 {
    (folded >> 1) as i16 ^ -((folded & 1) as i16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_was() {
        for weight in i16::MIN..=i16::MAX {
            assert_eq!(unfold(fold(weight)), weight);
        }
        let phases = vec![vec![0, 1, -1, i16::MIN], vec![i16::MAX, 300, -300, 7]];
        assert_eq!(unpack(&pack(&phases), 2, 4).unwrap(), phases);
        assert!(unpack(&pack(&phases), 2, 3).is_err());
        assert!(unpack(&pack(&phases), 2, 5).is_err());
        assert!(unpack(b"no such thing", 2, 4).is_err());
    }
}
