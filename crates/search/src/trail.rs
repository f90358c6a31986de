use std::marker::PhantomData;

use tablero_core::{Game, Match};

use crate::score;

/// The positions from the start of the match down to the one that a search looks at, and the draws
/// that follow from them.
///
/// A search counts a draw that the mover may only claim as a draw, and a position that comes a
/// second time below the root too: whoever could bring it about once can do so again.
pub(crate) struct Trail<G: Game> {
    /// One key for each ply; those up to `root` were on the board.
    keys: Vec<u64>,
    root: usize,
    /// How many keys fall into each slot: almost always none, which saves looking through `keys`.
    slots: Box<[u16]>,
    game: PhantomData<G>,
}

const SLOTS: usize = 4096;

impl<G: Game> Trail<G> {
    /// At the present position of `game`.
    pub(crate) fn new(game: &Match<G>) -> Self {
        let mut trail = Self {
            keys: Vec::new(),
            root: game.plies(),
            slots: vec![0; SLOTS].into_boxed_slice(),
            game: PhantomData,
        };
        for position in game.positions() {
            trail.push(position.key());
        }
        trail
    }

    /// Goes down to a position with this key.
    #[inline]
    pub(crate) fn push(&mut self, key: u64) {
        self.keys.push(key);
        self.slots[key as usize % SLOTS] += 1;
    }

    /// Goes up again.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if let Some(key) = self.keys.pop() {
            self.slots[key as usize % SLOTS] -= 1;
        }
    }

    /// The value of `position`, which comes next on the trail, `ply` plies below the root, if a rule
    /// for draws ends the game there.
    #[inline]
    pub(crate) fn draw(&self, position: &G, key: u64, ply: usize) -> Option<i32> {
        if self.repeats(key) {
            return Some(0);
        }
        let too_long = G::HISTORY.draw_at_ply.is_some_and(|limit| self.keys.len() >= limit);
        if !too_long && position.draw().is_none() {
            return None;
        }
        // A game that is over on the board at the same moment counts as it stands there.
        let over = position.outcome();
        Some(over.map_or(0, |outcome| score::of_outcome::<G>(outcome, position.side(), ply)))
    }

    /// How often a position with this key is on the trail.
    pub(crate) fn seen(&self, key: u64) -> u32 {
        if self.slots[key as usize % SLOTS] == 0 {
            return 0;
        }
        self.keys.iter().filter(|&&old| old == key).count() as u32
    }

    #[inline]
    fn repeats(&self, key: u64) -> bool {
        let rules = G::HISTORY;
        match rules.claim_at_repetition.or(rules.draw_at_repetition) {
            Some(limit) => self.slots[key as usize % SLOTS] > 0 && self.repeats_slow(key, limit),
            None => false,
        }
    }

    fn repeats_slow(&self, key: u64, limit: u32) -> bool {
        let (board, below) = self.keys.split_at(self.root + 1);
        let before = board.iter().filter(|&&old| old == key).count() as u32;
        before + 1 >= limit || below.contains(&key)
    }
}
