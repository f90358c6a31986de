use crate::Board;
use crate::eval::Features;

/// A position in the tree, with what the evaluation keeps of it.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) board: Board,
    pub(crate) features: Features,
    /// How many squares are empty.
    pub(crate) empties: u32,
}

/// A move with what it turns, and how promising it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) square: u8,
    pub(crate) flips: u64,
    pub(crate) rank: i32,
}

impl Node {
    pub(crate) fn new(board: Board) -> Self {
        Self {
            board,
            features: Features::of(board.player, board.opponent),
            empties: board.empties().count_ones(),
        }
    }

    /// After a move.
    #[inline]
    pub(crate) fn after(&self, m: &Move) -> Self {
        Self {
            board: self.board.play(m.square, m.flips),
            features: self.features.play(m.square, m.flips),
            empties: self.empties - 1,
        }
    }

    /// After a pass.
    pub(crate) fn after_pass(&self) -> Self {
        Self { board: self.board.pass(), features: self.features.pass(), empties: self.empties }
    }
}

/// The moves of a position.
pub(crate) struct MoveList {
    moves: [Move; Self::ROOM],
    count: usize,
}

impl MoveList {
    /// No position has more moves.
    const ROOM: usize = 34;

    /// The moves in `set`, not ranked.
    pub(crate) fn new(board: Board, mut set: u64) -> Self {
        let mut list =
            Self { moves: [Move { square: 0, flips: 0, rank: 0 }; Self::ROOM], count: 0 };
        while set != 0 && list.count < Self::ROOM {
            let square = set.trailing_zeros() as u8;
            set &= set - 1;
            list.moves[list.count] = Move { square, flips: board.flips(square), rank: 0 };
            list.count += 1;
        }
        list
    }

    /// Takes the move with the highest rank of those from `at` on to `at`.
    pub(crate) fn take_best(&mut self, at: usize) -> Move {
        let rest = &mut self[at..];
        let mut best = 0;
        for other in 1..rest.len() {
            if rest[other].rank > rest[best].rank {
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
