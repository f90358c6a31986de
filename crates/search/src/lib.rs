//! Searches, generic over the game. Every search is a [`Player`](tablero_core::Player).
//!
//! | module | search |
//! |---|---|
//! | [`alphabeta`] | PVS, transposition table, quiescence, pruning and reductions, Lazy SMP |
//! | [`mcts`] | Monte Carlo tree search (UCT) with playouts or a value network |
//! | [`puct`] | tree search guided by a network, as in AlphaZero; Gumbel at the root |
//! | [`minimax`] | full-width minimax, the reference that the others are tested against |
//! | [`fixed_depth`] | the moves of minimax by plain alpha-beta, for many shallow games |
//! | [`simple`] | random and greedy players, the baselines |
//!
//! All of them share the scale of values (`score`) and the handling of repetitions (`repetition`).
//! Alpha-beta needs [`Tactics`](tablero_core::Tactics) of a game (evaluations, move ordering, noisy
//! moves), MCTS only its rules.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use tablero_core::{Control, GameHistory, Limits, Notation, Player, StandardRules, Tactics};
//! use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
//! use tablero_search::mcts::{Mcts, MctsOptions, RandomPlayout};
//! use tablero_tictactoe::TicTacToe;
//!
//! // X to move wins at c1.
//! let position = TicTacToe::parse_position("x xx. oo. ...", StandardRules).expect("a position");
//! let game = GameHistory::new(position);
//! let evaluation = TicTacToe::evaluations()[0].hand_tuned();
//! let players: [Box<dyn Player<TicTacToe>>; 2] = [
//!     Box::new(AlphaBeta::new(AlphaBetaOptions::for_game::<TicTacToe>(), evaluation)),
//!     Box::new(Mcts::new(MctsOptions::default(), RandomPlayout)),
//! ];
//! let stop = AtomicBool::new(false);
//! for mut player in players {
//!     let mut ignore = |_: &_| {};
//!     let mut control = Control::new(&stop, &mut ignore);
//!     let result = player.choose(&game, &Limits::default(), &mut control).expect("a move");
//!     assert_eq!(position.move_text(result.m), "c1");
//! }
//! ```

pub mod alphabeta;
mod budget;
pub mod fixed_depth;
pub mod mcts;
pub mod minimax;
pub mod puct;
mod recorder;
mod repetition;
mod score;
pub mod simple;

use tablero_core::{Control, GameHistory, GameType};

/// Root moves with fewer visits have no meaningful mean value.
const MIN_VISITS: u64 = 16;

/// The legal moves, restricted to `searchmoves`; empty if the game is over.
fn root_moves<G: GameType>(game: &GameHistory<G>, control: &Control<'_, G>) -> Vec<G::Move> {
    let mut moves = game.moves();
    if let Some(searchmoves) = control.searchmoves() {
        moves.retain(|m| searchmoves.contains(m));
    }
    moves
}
