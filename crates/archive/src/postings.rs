//! Posting lists: which games have a term, with the result of each game and the move played there.
//!
//! A block is a sequence of groups with ascending keys. A group is the gap to the previous key (shifted by one bit,
//! which says whether more than one game follows, and then their number), then for each game the gap to the previous
//! one with its result in two bits, and the code of the move. All are variable-length integers.

use crate::packed::GameResult;
use crate::{ArchiveError, varint};

/// A game in the list of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Posting {
    /// The key of the term.
    pub(crate) key: u64,
    /// The game, relative to the segment's base.
    pub(crate) game: u32,
    /// The code of the move plus 1 in a position (0 at the end of a game), the side of a player.
    pub(crate) code: u16,
    pub(crate) result: GameResult,
}

/// The size at which a block is closed at the next key.
const BLOCK_BYTES: usize = 24 << 10;

/// Encodes sorted postings as blocks.
pub(crate) struct BlockWriter<'a, E> {
    /// Called with the first key and the bytes of each block.
    emit: &'a mut dyn FnMut(u64, &[u8]) -> Result<(), E>,
    block: Vec<u8>,
    first_key: u64,
    /// The last key of the block.
    last_key: Option<u64>,
    group: Vec<Posting>,
}

impl<'a, E> BlockWriter<'a, E> {
    pub(crate) fn new(emit: &'a mut dyn FnMut(u64, &[u8]) -> Result<(), E>) -> Self {
        Self { emit, block: Vec::new(), first_key: 0, last_key: None, group: Vec::new() }
    }

    /// Adds a posting; keys, and games of a key, must ascend.
    pub(crate) fn push(&mut self, posting: Posting) -> Result<(), E> {
        if self.group.first().is_some_and(|first| first.key != posting.key) {
            self.close_group();
            if self.block.len() >= BLOCK_BYTES {
                self.close_block()?;
            }
        }
        self.group.push(posting);
        Ok(())
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) -> Result<(), E> {
        self.close_group();
        self.close_block()
    }

    fn close_group(&mut self) {
        let Some(first) = self.group.first() else { return };
        let key = first.key;
        let gap = match self.last_key {
            Some(last) => key - last,
            None => {
                self.first_key = key;
                0
            }
        };
        self.last_key = Some(key);
        let has_more = self.group.len() > 1;
        varint::write(gap << 1 | u64::from(has_more), &mut self.block);
        if has_more {
            varint::write(self.group.len() as u64, &mut self.block);
        }
        let mut previous = 0;
        for posting in self.group.drain(..) {
            let gap = u64::from(posting.game - previous);
            varint::write(gap << 2 | u64::from(posting.result.bits()), &mut self.block);
            varint::write(posting.code.into(), &mut self.block);
            previous = posting.game;
        }
    }

    fn close_block(&mut self) -> Result<(), E> {
        if self.block.is_empty() {
            return Ok(());
        }
        (self.emit)(self.first_key, &self.block)?;
        self.block.clear();
        self.last_key = None;
        Ok(())
    }
}

/// Decodes the postings of a block with `first_key`; for one `wanted` key only, or for all.
pub(crate) fn decode(
    first_key: u64,
    mut block: &[u8],
    wanted: Option<u64>,
    mut visit: impl FnMut(Posting),
) -> Result<(), ArchiveError> {
    let bytes = &mut block;
    let mut key = first_key;
    while !bytes.is_empty() {
        let head = varint::read(bytes)?;
        key = key.wrapping_add(head >> 1);
        if wanted.is_some_and(|wanted| key > wanted) {
            return Ok(());
        }
        let count = if head & 1 == 1 { varint::read(bytes)? } else { 1 };
        let is_wanted = wanted.is_none_or(|wanted| wanted == key);
        let mut game = 0u32;
        for _ in 0..count {
            let value = varint::read(bytes)?;
            let code = varint::read(bytes)? as u16;
            game = game.wrapping_add((value >> 2) as u32);
            if is_wanted {
                visit(Posting { key, game, code, result: GameResult::from_bits(value as u8) });
            }
        }
    }
    Ok(())
}

/// Decodes a block of the index and returns its number of postings: for tests with corrupt blocks.
pub fn check_block(bytes: &[u8]) -> Result<usize, ArchiveError> {
    let mut count = 0;
    decode(0, bytes, None, |_| count += 1)?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tablero_core::{Rng, conformance};

    use super::*;

    fn blocks(postings: &[Posting]) -> Vec<(u64, Vec<u8>)> {
        let mut blocks = Vec::new();
        let mut emit = |first: u64, bytes: &[u8]| {
            blocks.push((first, bytes.to_vec()));
            Ok::<_, Infallible>(())
        };
        let mut writer = BlockWriter::new(&mut emit);
        for posting in postings {
            writer.push(*posting).unwrap();
        }
        writer.finish().unwrap();
        blocks
    }

    fn random_postings(count: usize) -> Vec<Posting> {
        let mut rng = Rng::seeded(1);
        let mut postings: Vec<Posting> = (0..count)
            .map(|_| Posting {
                key: rng.below(count as u64 / 2) << rng.below(20),
                game: rng.below(1 << 20) as u32,
                code: rng.below(300) as u16,
                result: GameResult::from_bits(rng.below(4) as u8),
            })
            .collect();
        postings.sort_by_key(|posting| (posting.key, posting.game));
        postings
    }

    #[test]
    fn postings_round_trip() {
        let postings = random_postings(50_000);
        let blocks = blocks(&postings);
        assert!(blocks.len() > 5);
        let mut read = Vec::new();
        for (first, bytes) in &blocks {
            decode(*first, bytes, None, |posting| read.push(posting)).unwrap();
        }
        assert_eq!(read, postings);
        let wanted = postings[30_000].key;
        let mut of_key = Vec::new();
        for (first, bytes) in &blocks {
            decode(*first, bytes, Some(wanted), |posting| of_key.push(posting)).unwrap();
        }
        assert!(of_key.iter().eq(postings.iter().filter(|posting| posting.key == wanted)));
    }

    #[test]
    fn decoder_does_not_panic_on_corrupt_blocks() {
        let block = blocks(&random_postings(100)).remove(0).1;
        conformance::check_reader(&[&block], 2_000, 1, |bytes| {
            let _ = decode(7, bytes, None, |_| {});
        });
    }
}
