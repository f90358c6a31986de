//! Repetition detection: the draw rules that depend on the path, the same for all searches.
//!
//! A claimable draw counts as a draw. So does the first repetition within the search tree: the side
//! that repeats once can repeat again. Positions that were on the board, the root included, count as
//! the rules say.

use std::marker::PhantomData;

use tablero_core::{DrawReason, GameHistory, GameType, HistoryRules};

use crate::score;

/// Keys of all positions from the start of the game to the current node.
#[derive(Clone)]
pub(crate) struct RepetitionHistory<G: GameType> {
    /// One key per ply; those up to `root` were on the board. Empty if not
    /// [`ENABLED`](Self::ENABLED).
    keys: Vec<u64>,
    root: usize,
    /// Counts of keys by hash: mostly 0, which saves scanning `keys`.
    filter: Box<[u16]>,
    game: PhantomData<G>,
}

const FILTER_SIZE: usize = 4096;

impl<G: GameType> RepetitionHistory<G> {
    /// Whether the game has draw rules that depend on its history.
    pub(crate) const ENABLED: bool = !matches!(
        G::HISTORY,
        HistoryRules { claim_at_repetition: None, draw_at_repetition: None, draw_at_ply: None }
    );

    /// Occurrences of a position that make a draw, claimed or declared.
    const REPETITION_LIMIT: Option<u32> =
        match (G::HISTORY.claim_at_repetition, G::HISTORY.draw_at_repetition) {
            (Some(claim), Some(draw)) if draw < claim => Some(draw),
            (Some(claim), _) => Some(claim),
            (None, draw) => draw,
        };

    /// At the current position of `game`.
    pub(crate) fn new(game: &GameHistory<G>) -> Self {
        let filter_size = if Self::ENABLED { FILTER_SIZE } else { 0 };
        let mut history = Self {
            keys: Vec::new(),
            root: game.plies(),
            filter: vec![0; filter_size].into_boxed_slice(),
            game: PhantomData,
        };
        if Self::ENABLED {
            game.positions().for_each(|position| history.push(position.key()));
        }
        history
    }

    /// Enters a node.
    #[inline]
    pub(crate) fn push(&mut self, key: u64) {
        if Self::ENABLED {
            self.keys.push(key);
            self.filter[key as usize % FILTER_SIZE] += 1;
        }
    }

    /// Leaves a node.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if let Some(key) = self.keys.pop() {
            self.filter[key as usize % FILTER_SIZE] -= 1;
        }
    }

    /// The value of child `position`, `ply` plies from the root, if a draw rule ends the game
    /// there.
    #[inline]
    pub(crate) fn draw_score(&self, position: &G, key: u64, ply: usize) -> Option<i32> {
        if self.is_repetition(key) {
            return Some(0);
        }
        if !self.at_ply_limit() && position.draw().is_none() {
            return None;
        }
        // A result on the board takes precedence over the draw.
        let over = position.outcome();
        Some(over.map_or(0, |outcome| score::from_outcome::<G>(outcome, position.side(), ply)))
    }

    /// Whether a draw rule ends the game at child `position`, which has no result on the board.
    #[inline]
    pub(crate) fn is_draw(&self, position: &G, key: u64) -> bool {
        self.is_repetition(key) || self.at_ply_limit() || position.draw().is_some()
    }

    /// Whether that draw needs no claim: by repetition or a move limit, but not because nobody can win.
    pub(crate) fn is_automatic_draw(&self, position: &G, key: u64) -> bool {
        let by_rule = position
            .draw()
            .is_some_and(|draw| draw.forced && draw.reason != DrawReason::DeadPosition);
        let by_repetition = G::HISTORY
            .draw_at_repetition
            .is_some_and(|limit| self.occurrences(key).saturating_add(1) >= limit);
        by_rule || by_repetition || self.at_ply_limit()
    }

    /// Earlier occurrences of a position.
    pub(crate) fn occurrences(&self, key: u64) -> u32 {
        if !Self::ENABLED || self.filter[key as usize % FILTER_SIZE] == 0 {
            return 0;
        }
        self.keys.iter().filter(|&&old| old == key).count() as u32
    }

    /// Whether the child with this key is a draw by repetition.
    #[inline]
    pub(crate) fn is_repetition(&self, key: u64) -> bool {
        match Self::REPETITION_LIMIT {
            Some(limit) => {
                self.filter[key as usize % FILTER_SIZE] > 0 && self.is_repetition_slow(key, limit)
            }
            None => false,
        }
    }

    fn is_repetition_slow(&self, key: u64, limit: u32) -> bool {
        let (board, below) = self.keys.split_at(self.root + 1);
        let before = board.iter().filter(|&&old| old == key).count() as u32;
        before + 1 >= limit || below.contains(&key)
    }

    /// Whether the child is at the ply limit of the game.
    #[inline]
    fn at_ply_limit(&self) -> bool {
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

    /// Four moves that restore the position.
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
        panic!("no cycle of four plies");
    }

    /// Which of the next four positions are draws by repetition.
    fn draws<G: GameType>(game: &GameHistory<G>, moves: [G::Move; 4]) -> [bool; 4] {
        let mut history = RepetitionHistory::new(game);
        let mut position = game.position().clone();
        let draws = moves.map(|m| {
            position.play(m);
            let key = position.key();
            let drawn = history.is_repetition(key);
            assert_eq!(history.is_draw(&position, key), drawn);
            assert_eq!(history.draw_score(&position, key, 1), drawn.then_some(0));
            history.push(key);
            drawn
        });
        moves.iter().for_each(|_| history.pop());
        assert_eq!(history.keys.len(), game.plies() + 1);
        draws
    }

    fn check_repetitions<G: GameType>() {
        let start = G::start(G::Rules::default());
        let moves = cycle(&start);
        let mut game = GameHistory::new(start);
        // The second occurrence of the root is no draw by the rules.
        assert_eq!(draws(&game, moves), [false; 4]);
        // Below the root a second occurrence is.
        let mut history = RepetitionHistory::new(&game);
        let first = game.position().after(moves[0]).key();
        history.push(first);
        assert!(history.is_repetition(first));
        assert_eq!(history.occurrences(first), 1);
        // Threefold, counting occurrences on the board.
        for m in moves {
            game.play(m).expect("legal");
        }
        assert_eq!(draws(&game, moves), [false, false, false, true]);
        assert_eq!(RepetitionHistory::new(&game).occurrences(game.position().key()), 2);
    }

    #[test]
    fn the_first_repetition_within_the_tree_is_a_draw() {
        check_repetitions::<Chess>();
        check_repetitions::<Shobu>();
    }

    #[test]
    fn games_without_repetition_rules_keep_no_keys() {
        let game = GameHistory::new(Othello::start(Default::default()));
        let mut history = RepetitionHistory::new(&game);
        let key = game.position().key();
        history.push(key);
        assert!(
            !history.is_repetition(key) && history.occurrences(key) == 0 && history.keys.is_empty()
        );
    }
}
