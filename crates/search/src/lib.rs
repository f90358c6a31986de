//! Searches, generic over the game: plain minimax (the reference) and its quick twin for small
//! depths (`lean`), alpha-beta, Monte Carlo tree search, and two players that hardly look ahead.

pub mod alphabeta;
mod budget;
pub mod lean;
pub mod mcts;
pub mod plain;
pub mod puct;
mod repetition;
mod score;
pub mod simple;

use tablero_core::{Control, GameType, Match};

/// Fewer visits than this say little about a move.
const LEAST_VISITS: u64 = 16;

/// The moves that a player may choose from; none if the match is over.
fn candidates<G: GameType>(game: &Match<G>, control: &Control<'_, G>) -> Vec<G::Move> {
    let mut moves = game.moves();
    if let Some(only) = control.only() {
        moves.retain(|m| only.contains(m));
    }
    moves
}
