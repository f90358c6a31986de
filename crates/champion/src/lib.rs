//! The Othello champion: an evaluation learned from its own games, a selective midgame search and an
//! exact endgame search.
//!
//! Boards here are pairs of sets: the discs of the side to move and those of the other side.

pub mod eval;
