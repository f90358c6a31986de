//! Unguessable ids and tokens, from the system's random number generator.

/// The alphabet of ids and tokens, without letters that look alike.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A unique id: 60 random bits.
pub(crate) fn random_id() -> String {
    random_letters(12)
}

/// A secret: 160 random bits.
pub(crate) fn random_token() -> String {
    random_letters(32)
}

/// A number below `end`, which must not be 0.
pub(crate) fn random_below(end: u32) -> u32 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system's randomness");
    (u64::from_le_bytes(bytes) % u64::from(end)) as u32
}

fn random_letters(count: usize) -> String {
    let mut bytes = vec![0; count];
    // Without a random source a server must not hand out secrets.
    getrandom::fill(&mut bytes).expect("the system's randomness");
    bytes.into_iter().map(|byte| char::from(LETTERS[usize::from(byte) % 32])).collect()
}
