use crate::{LocalizedString, Notation, Side};

/// The input and output encoding of networks for a game, as in AlphaZero.
///
/// The input is a stack of feature planes, one number per square, relative to the side to move where
/// possible, so that one network plays both sides. The policy head outputs planes of logits. A move's
/// logit is the sum of two of them, or of one and [`ZERO_LOGIT`](Self::ZERO_LOGIT). (Two, because a
/// turn of Shōbu consists of two moves.)
///
/// Planes are stored one after the other, row by row: `square` of `plane` has the index
/// `plane * WIDTH * HEIGHT + square`. Policy outputs are numbered in the same way.
///
/// The defaults fit games with one type of piece in which a move places a piece: planes for the mover's
/// pieces, the opponent's, and ones (so that convolutions see the edge); one policy plane.
///
/// ```
/// use tablero_core::{Encoding, Game, Notation, StandardRules};
/// use tablero_tictactoe::TicTacToe;
///
/// let start = TicTacToe::start(StandardRules);
/// let m = start.parse_move("b2")?;
/// assert_eq!(start.policy_indices(m), [4, TicTacToe::ZERO_LOGIT]);
///
/// let mut planes = vec![0.0; TicTacToe::PLANES * TicTacToe::SQUARES];
/// start.after(m).write_planes(0, &mut planes);
/// assert_eq!(planes[TicTacToe::SQUARES + 4], 1.0, "the opponent of the side to move is on b2");
/// # Ok::<(), tablero_core::ReadError>(())
/// ```
pub trait Encoding: Notation {
    /// The version of the planes; networks of another version are rejected.
    const VERSION: u32 = 1;
    /// Width of a plane.
    const WIDTH: usize;
    /// Height of a plane.
    const HEIGHT: usize;
    /// Input planes.
    const PLANES: usize = 3;
    /// Policy planes.
    const POLICY_PLANES: usize = 1;
    /// The size of the [flat input](Self::write_flat); 0 if there is none.
    const FLAT_SIZE: usize = 0;
    /// The version of the flat input; networks of another version are rejected.
    const FLAT_VERSION: u32 = 1;

    /// The size of the [absolute input](Self::write_absolute); 0 if there is none.
    const ABSOLUTE_SIZE: usize = 0;

    /// Whether planes have a fixed orientation, so that a network may request them
    /// [flipped](Self::write_flipped); planes of other games are relative to the mover anyway.
    const CAN_FLIP: bool = false;

    /// Optional input planes with the squares that each side [attacks](Self::write_attacks).
    const ATTACK_PLANES: usize = 0;

    /// Whether final positions define [ownership](Self::write_ownership), the target of an auxiliary
    /// head as in KataGo.
    const HAS_OWNERSHIP: bool = false;

    /// Squares of a plane.
    const SQUARES: usize = Self::WIDTH * Self::HEIGHT;
    /// The index of a constant logit of 0.
    const ZERO_LOGIT: usize = Self::POLICY_PLANES * Self::SQUARES;
    /// The size of the action space: moves are numbered below it.
    const ACTIONS: usize = Self::ZERO_LOGIT + 1;

    /// Writes the position, which has occurred `seen` times before, to `planes`, which are zeroed.
    fn write_planes(&self, seen: u32, planes: &mut [f32]) {
        let _ = seen;
        let (pieces, ones) = planes.split_at_mut(2 * Self::SQUARES);
        for (square, cell) in self.diagram().cells.iter().enumerate() {
            if let Some(piece) = cell.piece {
                let plane = usize::from(piece.side != self.side());
                pieces[plane * Self::SQUARES + square] = 1.0;
            }
        }
        ones.fill(1.0);
    }

    /// The two policy outputs whose sum is the logit of `m`, unique among the legal moves.
    fn policy_indices(&self, m: Self::Move) -> [usize; 2] {
        [self.touched(m).last().copied().unwrap_or(Self::ZERO_LOGIT), Self::ZERO_LOGIT]
    }

    /// Like [`write_planes`](Self::write_planes), but relative to the mover: for the second side the
    /// board is flipped and the colours are swapped.
    fn write_flipped(&self, seen: u32, planes: &mut [f32]) {
        self.write_planes(seen, planes);
    }

    /// The policy outputs of `m` in [flipped](Self::write_flipped) planes.
    fn flipped_policy_indices(&self, m: Self::Move) -> [usize; 2] {
        self.policy_indices(m)
    }

    /// Writes attacked squares, [flipped](Self::write_flipped), to `planes`, which are zeroed.
    fn write_attacks(&self, _planes: &mut [f32]) {}

    /// Writes the owner of every square of this final position: 1 for `side`, -1 for the opponent, 0 for
    /// neither.
    fn write_ownership(&self, _side: Side, _owners: &mut [f32]) {}

    /// Writes the position as a flat list of integers relative to the mover: the input of the dense
    /// networks of earlier works.
    fn write_flat(&self, _table: &mut [f32]) {}

    /// Writes the position as in Otelo, by colour instead of by mover: for every square 0 if empty, 1 for the
    /// first side, 2 for the second; then the side that made the last move, the opponent of the side to move.
    fn write_absolute(&self, table: &mut [f32]) {
        let number = |side: Side| 1.0 + side.index() as f32;
        let (squares, turn) = table.split_at_mut(Self::SQUARES);
        for (square, cell) in squares.iter_mut().zip(self.diagram().cells) {
            *square = cell.piece.map_or(0.0, |piece| number(piece.side));
        }
        turn.fill(number(!self.side()));
    }

    /// The number of `m` in the action space, the same in every position and unique among the legal moves: the
    /// first policy output; a pass has the number of the constant logit.
    fn action(&self, m: Self::Move) -> usize {
        self.policy_indices(m)[0]
    }

    /// The policy outputs of the move with this number, in whatever position it is legal:
    /// [`policy_indices`](Self::policy_indices) without the position.
    fn action_outputs(action: usize) -> [usize; 2] {
        [action, Self::ZERO_LOGIT]
    }

    /// The same in [flipped](Self::write_flipped) planes, where they depend on the side that moves.
    fn flipped_action_outputs(action: usize, _side: Side) -> [usize; 2] {
        Self::action_outputs(action)
    }

    /// The legal move with this number. Games with many moves decode it instead of comparing all.
    fn move_of_action(&self, action: usize) -> Option<Self::Move> {
        let mut found = None;
        self.each_move(|m| {
            if self.action(m) == action {
                found = Some(m);
            }
        });
        found
    }

    /// What an input plane shows; attack planes follow the others.
    fn plane_name(plane: usize) -> LocalizedString {
        match plane {
            0 => LocalizedString::new("own pieces", "piezas propias"),
            1 => LocalizedString::new("opponent's pieces", "piezas del rival"),
            2 => LocalizedString::new("ones", "unos"),
            _ => {
                LocalizedString::new(format!("plane {}", plane + 1), format!("plano {}", plane + 1))
            }
        }
    }

    /// The diagram cell of a square of an input plane; `None` if the plane is not a picture of the board.
    /// `is_relative` for [flipped](Self::write_flipped) planes.
    fn plane_cell(&self, _plane: usize, square: usize, _is_relative: bool) -> Option<usize> {
        Some(square)
    }

    /// The legal move with these policy outputs.
    fn move_of(&self, indices: [usize; 2]) -> Option<Self::Move> {
        self.moves().into_iter().find(|&m| self.policy_indices(m) == indices)
    }
}

/// Writes 1 for every set bit; bits are numbered like the squares of the plane.
pub fn write_bitboard(plane: &mut [f32], mut set: u64) {
    while set != 0 {
        plane[set.trailing_zeros() as usize] = 1.0;
        set &= set - 1;
    }
}
