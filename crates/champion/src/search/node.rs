use crate::Board;
use crate::eval::Features;

/// A position in the tree, with its incrementally updated features.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) board: Board,
    pub(crate) features: Features,
    /// Number of empty squares.
    pub(crate) empties: u32,
}

/// A move with the discs that it flips and its ordering score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) square: u8,
    pub(crate) flips: u64,
    pub(crate) score: i32,
}

impl Node {
    pub(crate) fn new(board: Board) -> Self {
        Self {
            board,
            features: Features::of(board.player, board.opponent),
            empties: board.empties().count_ones(),
        }
    }

    /// The child by a move.
    #[inline]
    pub(crate) fn after(&self, m: &Move) -> Self {
        Self {
            board: self.board.play(m.square, m.flips),
            features: self.features.play(m.square, m.flips),
            empties: self.empties - 1,
        }
    }

    /// The child by a pass.
    pub(crate) fn after_pass(&self) -> Self {
        Self { board: self.board.pass(), features: self.features.pass(), empties: self.empties }
    }
}

/// The moves of a position.
pub(crate) struct MoveList {
    moves: [Move; Self::CAPACITY],
    count: usize,
}

impl MoveList {
    /// No position has more moves.
    const CAPACITY: usize = 34;

    /// The moves in `set`, unscored.
    pub(crate) fn new(board: Board, mut set: u64) -> Self {
        let mut list =
            Self { moves: [Move { square: 0, flips: 0, score: 0 }; Self::CAPACITY], count: 0 };
        while set != 0 && list.count < Self::CAPACITY {
            let square = set.trailing_zeros() as u8;
            set &= set - 1;
            list.moves[list.count] = Move { square, flips: board.flips(square), score: 0 };
            list.count += 1;
        }
        list
    }

    /// Swaps the best of the moves from `at` on to `at` and returns it.
    pub(crate) fn pick_best(&mut self, at: usize) -> Move {
        let rest = &mut self[at..];
        let mut best = 0;
        for other in 1..rest.len() {
            if rest[other].score > rest[best].score {
                best = other;
            }
        }
        rest.swap(0, best);
        rest[0]
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        &self.moves[..self.count]
    }
}

impl std::ops::DerefMut for MoveList {
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.moves[..self.count]
    }
}
