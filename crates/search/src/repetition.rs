use std::marker::PhantomData;

use tablero_core::{GameType, HistoryRules, Match};

use crate::score;

/// The positions from the start of the match down to the one that a search looks at, and the draws
/// that follow from them: the one rule about repetition for all searches.
///
/// A search counts a draw that the mover may only claim as a draw, and a position that comes a
/// second time below the root too: whoever could bring it about once can do so again. Positions that
/// were on the board, the root included, count as the rules say.
#[derive(Clone)]
pub(crate) struct RepetitionHistory<G: GameType> {
    /// One key for each ply; those up to `root` were on the board. None if history does not matter.
    keys: Vec<u64>,
    root: usize,
    /// How many keys fall into each slot: almost always none, which saves looking through `keys`.
    slots: Box<[u16]>,
    game: PhantomData<G>,
}

const SLOTS: usize = 4096;

impl<G: GameType> RepetitionHistory<G> {
    /// Whether the game has rules about the past; without them nothing needs to be remembered.
    pub(crate) const MATTERS: bool = !matches!(
        G::HISTORY,
        HistoryRules { claim_at_repetition: None, draw_at_repetition: None, draw_at_ply: None }
    );

    /// How often a position must come for a draw, claimed or declared.
    const LIMIT: Option<u32> = match (G::HISTORY.claim_at_repetition, G::HISTORY.draw_at_repetition)
    {
        (Some(claim), Some(draw)) if draw < claim => Some(draw),
        (Some(claim), _) => Some(claim),
        (None, draw) => draw,
    };

    /// At the present position of `game`.
    pub(crate) fn new(game: &Match<G>) -> Self {
        let slots = if Self::MATTERS { SLOTS } else { 0 };
        let mut history = Self {
            keys: Vec::new(),
            root: game.plies(),
            slots: vec![0; slots].into_boxed_slice(),
            game: PhantomData,
        };
        if Self::MATTERS {
            game.positions().for_each(|position| history.push(position.key()));
        }
        history
    }

    /// Goes down to a position with this key.
    #[inline]
    pub(crate) fn push(&mut self, key: u64) {
        if Self::MATTERS {
            self.keys.push(key);
            self.slots[key as usize % SLOTS] += 1;
        }
    }

    /// Goes up again.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if let Some(key) = self.keys.pop() {
            self.slots[key as usize % SLOTS] -= 1;
        }
    }

    /// The value of `position`, which comes next, `ply` plies below the root, if a rule for draws ends
    /// the game there.
    #[inline]
    pub(crate) fn draw(&self, position: &G, key: u64, ply: usize) -> Option<i32> {
        if self.repeats(key) {
            return Some(0);
        }
        if !self.is_too_long() && position.draw().is_none() {
            return None;
        }
        // A game that is over on the board at the same moment counts as it stands there.
        let over = position.outcome();
        Some(over.map_or(0, |outcome| score::of_outcome::<G>(outcome, position.side(), ply)))
    }

    /// Whether a rule for draws ends the game at `position`, which comes next and is not over on the board.
    #[inline]
    pub(crate) fn is_drawn(&self, position: &G, key: u64) -> bool {
        self.repeats(key) || self.is_too_long() || position.draw().is_some()
    }

    /// How often a position with this key came before.
    pub(crate) fn seen(&self, key: u64) -> u32 {
        if !Self::MATTERS || self.slots[key as usize % SLOTS] == 0 {
            return 0;
        }
        self.keys.iter().filter(|&&old| old == key).count() as u32
    }

    /// Whether the position with this key, which comes next, counts as a draw because it came before.
    #[inline]
    pub(crate) fn repeats(&self, key: u64) -> bool {
        match Self::LIMIT {
            Some(limit) => self.slots[key as usize % SLOTS] > 0 && self.repeats_slow(key, limit),
            None => false,
        }
    }

    fn repeats_slow(&self, key: u64, limit: u32) -> bool {
        let (board, below) = self.keys.split_at(self.root + 1);
        let before = board.iter().filter(|&&old| old == key).count() as u32;
        before + 1 >= limit || below.contains(&key)
    }

    /// Whether the next position is the last of the longest game that there is.
    #[inline]
    fn is_too_long(&self) -> bool {
        G::HISTORY.draw_at_ply.is_some_and(|limit| self.keys.len() >= limit)
    }
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_core::Game;
    use tablero_othello::Othello;
    use tablero_shobu::Shobu;

    use super::*;

    /// Four moves after which the position is the same again.
    fn cycle<G: GameType>(start: &G) -> [G::Move; 4] {
        let moves = start.moves();
        for &out in &moves {
            let after = start.after(out);
            for reply in after.moves() {
                let third = after.after(reply);
                for back in third.moves() {
                    let fourth = third.after(back);
                    let mut home = fourth.moves().into_iter();
                    if let Some(home) = home.find(|&m| fourth.after(m).key() == start.key()) {
                        return [out, reply, back, home];
                    }
                }
            }
        }
        panic!("no way to and fro");
    }

    /// The keys of the next four positions, and which of them count as draws.
    fn draws<G: GameType>(game: &Match<G>, moves: [G::Move; 4]) -> [bool; 4] {
        let mut history = RepetitionHistory::new(game);
        let mut position = game.position().clone();
        let draws = moves.map(|m| {
            position.play(m);
            let key = position.key();
            let drawn = history.repeats(key);
            assert_eq!(history.is_drawn(&position, key), drawn);
            assert_eq!(history.draw(&position, key, 1), drawn.then_some(0));
            history.push(key);
            drawn
        });
        moves.iter().for_each(|_| history.pop());
        assert_eq!(history.keys.len(), game.plies() + 1);
        draws
    }

    fn counts_twice_below_the_root<G: GameType>() {
        let start = G::start(G::Rules::default());
        let moves = cycle(&start);
        let mut game = Match::new(start);
        // The root comes a second time: as the rules say, not yet a draw.
        assert_eq!(draws(&game, moves), [false; 4]);
        // Below the root a second time is enough.
        let mut history = RepetitionHistory::new(&game);
        let first = game.position().after(moves[0]).key();
        history.push(first);
        assert!(history.repeats(first));
        assert_eq!(history.seen(first), 1);
        // What was on the board twice is a draw the third time.
        for m in moves {
            game.play(m).expect("legal");
        }
        assert_eq!(draws(&game, moves), [false, false, false, true]);
        assert_eq!(RepetitionHistory::new(&game).seen(game.position().key()), 2);
    }

    #[test]
    fn a_second_time_below_the_root_is_a_draw() {
        counts_twice_below_the_root::<Chess>();
        counts_twice_below_the_root::<Shobu>();
    }

    #[test]
    fn nothing_is_remembered_if_it_does_not_matter() {
        let game = Match::new(Othello::start(Default::default()));
        let mut history = RepetitionHistory::new(&game);
        let key = game.position().key();
        history.push(key);
        assert!(!history.repeats(key) && history.seen(key) == 0 && history.keys.is_empty());
    }
}
