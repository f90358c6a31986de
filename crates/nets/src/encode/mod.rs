//! How positions and moves look to a network; one file a game.
//!
//! A position is a stack of planes, each with one number a square; where it can be, it is seen
//! from the side of the player to move, so that one network plays both sides. The network answers
//! with move planes: a move is worth the sum of one or two of these outputs, and what is not needed
//! points to the output that is always 0. (Two, because a turn of Shōbu is two moves.)

mod chess;
mod othello;
mod shobu;
#[cfg(test)]
mod tests;
mod tictactoe;

use tablero_core::{Game, Side};

/// What networks see of a game.
///
/// Planes follow one another, each row by row: the number of `square` in `plane` has the index
/// `plane * SIDE * SIDE + square`, and outputs are numbered in the same way.
pub trait Encoding: Game {
    /// Networks of another version see something else and cannot be used.
    const VERSION: u32;
    /// The board is that wide and high.
    const SIDE: usize;
    /// Planes of a position.
    const PLANES: usize;
    /// Planes of the outputs for moves.
    const MOVE_PLANES: usize;
    /// Numbers in the [table form](Self::write_table); 0 if there is none.
    const TABLE: usize = 0;
    /// Networks that read another version of the table form cannot be used.
    const TABLE_VERSION: u32 = 1;

    /// Whether planes are the same whoever is to move, so that a network may ask for them
    /// [turned](Self::write_turned); in all other games they are seen from the mover's side anyway.
    const TURNS: bool = false;

    /// Further planes for networks that ask for them: what each side
    /// [attacks](Self::write_attacks).
    const ATTACK_PLANES: usize = 0;

    /// Whether squares have owners in the end, about whom a network may have an opinion.
    const OWNED: bool = false;

    /// The output that is always 0.
    const NOTHING: usize = Self::MOVE_PLANES * Self::SIDE * Self::SIDE;

    /// Writes the position, which has been on the board `seen` times before, into `planes`, which
    /// are all 0.
    fn write_planes(&self, seen: u32, planes: &mut [f32]);

    /// The two outputs whose sum is for `m`; no other legal move has the same two.
    fn outputs_of(&self, m: Self::Move) -> [usize; 2];

    /// Like [`write_planes`](Self::write_planes), but always as if the first player were to move: for
    /// the second one, the board is turned and the colours are exchanged.
    fn write_turned(&self, seen: u32, planes: &mut [f32]) {
        self.write_planes(seen, planes);
    }

    /// The outputs of `m` in [turned](Self::write_turned) planes.
    fn turned_outputs_of(&self, m: Self::Move) -> [usize; 2] {
        self.outputs_of(m)
    }

    /// Writes what is attacked, [turned](Self::write_turned), into `planes`, which are all 0.
    fn write_attacks(&self, _planes: &mut [f32]) {}

    /// Writes for every square of this position, with which a game ended, whose it is: 1 if `side`'s, -1 if the
    /// other's, 0 if nobody's.
    fn write_owners(&self, _side: Side, _owners: &mut [f32]) {}

    /// Writes the position as a flat list of whole numbers, seen from the mover's side, as earlier works did.
    fn write_table(&self, _table: &mut [f32]) {}

    /// The legal move with these outputs.
    fn move_of(&self, outputs: [usize; 2]) -> Option<Self::Move> {
        self.moves().into_iter().find(|&m| self.outputs_of(m) == outputs)
    }
}

/// Writes 1 for every square of a set, whose bits are numbered as the plane's squares.
fn write_set(plane: &mut [f32], mut set: u64) {
    while set != 0 {
        plane[set.trailing_zeros() as usize] = 1.0;
        set &= set - 1;
    }
}
