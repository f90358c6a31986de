//! The keys of the inverted index.

use tablero_core::{AnyGame, AnyPosition, AnyRules};

/// Bits of a key. At 30 million postings a lookup meets a foreign posting once in 100,000 times; small lists, in
/// which it would matter, are verified against the games.
const KEY_BITS: u32 = 42;

/// A property that games are found by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Term {
    /// All games.
    All,
    Player(i64),
    Event(i64),
    Opening(i64),
    Year(u16),
}

/// The key of a term among the games of one kind.
pub(crate) fn term_key(game: AnyGame, term: Term) -> u64 {
    let (tag, id) = match term {
        Term::All => (1, 0),
        Term::Player(id) => (2, id as u64),
        Term::Event(id) => (3, id as u64),
        Term::Opening(id) => (4, id as u64),
        Term::Year(year) => (5, u64::from(year)),
    };
    shorten(mix(mix(hash(game.name().as_bytes()), tag), id))
}

/// The key of a position up to symmetry.
pub(crate) fn position_key(position: &AnyPosition) -> u64 {
    shorten(mix(position_salt(position.rules()), position.canonical().key))
}

/// What distinguishes the positions of games and rules variants.
pub(crate) fn position_salt(rules: AnyRules) -> u64 {
    let of_game = hash(rules.game().name().as_bytes());
    if rules.is_default() { of_game } else { mix(of_game, hash(rules.name().as_bytes())) }
}

/// The key of a position, from the salt of its rules and its canonical key.
pub(crate) fn salted_key(salt: u64, canonical: u64) -> u64 {
    shorten(mix(salt, canonical))
}

const fn shorten(hash: u64) -> u64 {
    hash >> (64 - KEY_BITS)
}

/// A 64-bit hash of bytes, the same on every machine and in every version.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = mix(0x243f_6a88_85a3_08d3, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    hash
}

/// Mixes a value into a hash by a folded 128-bit multiplication, as wyhash does.
pub(crate) const fn mix(hash: u64, value: u64) -> u64 {
    let product = (hash ^ 0x9e37_79b9_7f4a_7c15) as u128 * (value ^ 0xd1b5_4a32_d192_ed03) as u128;
    let folded = (product >> 64) as u64 ^ product as u64;
    (folded ^ folded >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
