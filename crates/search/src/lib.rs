//! Searches, generic over the game: plain minimax (for tests), alpha-beta, Monte Carlo tree search.

pub mod alphabeta;
pub mod mcts;
