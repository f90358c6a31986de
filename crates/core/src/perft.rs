//! Perft: counts the leaves of the game tree, the standard test of move generation.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use crate::{GameType, spawn_helper};

/// The number of move sequences of `depth` plies from `position`. A pass is a ply; games that end earlier
/// count according to [`GameType::PERFT_COUNTS_ENDED`].
///
/// The last ply is counted in bulk ([`Game::count_moves`](crate::Game::count_moves)).
///
/// ```
/// use tablero_core::{Game, StandardRules, perft};
/// use tablero_tictactoe::TicTacToe;
/// assert_eq!(perft(&TicTacToe::start(StandardRules), 4), 9 * 8 * 7 * 6);
/// ```
pub fn perft<G: GameType>(position: &G, depth: u32) -> u64 {
    let mut leaves = 0;
    match depth {
        0 => return 1,
        1 => return last_ply(position),
        // The hot case, unrolled: positions stay in registers.
        2 => position.each_move(|m| leaves += last_ply(&position.after(m))),
        _ => position.each_move(|m| leaves += perft(&position.after(m), depth - 1)),
    }
    or_ended::<G>(leaves)
}

#[inline(always)]
fn last_ply<G: GameType>(position: &G) -> u64 {
    or_ended::<G>(position.count_moves())
}

/// The leaves below a position, 1 instead of 0 where ended games count.
#[inline(always)]
fn or_ended<G: GameType>(leaves: u64) -> u64 {
    if G::PERFT_COUNTS_ENDED { leaves.max(1) } else { leaves }
}

/// Like [`perft`], but moves that lead to the same position count once
/// ([`Game::each_distinct_move`](crate::Game::each_distinct_move)).
pub fn perft_distinct<G: GameType>(position: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    position.each_distinct_move(|m| leaves += perft_distinct(&position.after(m), depth - 1));
    or_ended::<G>(leaves)
}

/// [`perft`] on several threads.
pub fn perft_parallel<G: GameType>(position: &G, depth: u32, threads: usize) -> u64 {
    /// Plies until the tree is split: enough subtrees to balance the threads.
    const SPLIT: u32 = 2;
    if threads <= 1 || depth <= SPLIT + 1 {
        return perft(position, depth);
    }
    let (mut frontier, mut ended) = (vec![position.clone()], 0);
    for _ in 0..SPLIT {
        ended += frontier
            .iter()
            .filter(|p| p.outcome().is_some())
            .map(|_| or_ended::<G>(0))
            .sum::<u64>();
        frontier =
            frontier.iter().flat_map(|p| p.moves().into_iter().map(|m| p.after(m))).collect();
    }
    let (next, leaves) = (AtomicUsize::new(0), AtomicU64::new(ended));
    let count = || {
        while let Some(subtree) = frontier.get(next.fetch_add(1, Ordering::Relaxed)) {
            leaves.fetch_add(perft(subtree, depth - SPLIT), Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        let _helpers = (1..threads).take_while(|_| spawn_helper(scope, count)).count();
        count();
    });
    leaves.into_inner()
}

/// Reference for [`perft_distinct`]: plays every move and removes equal positions.
pub(crate) fn perft_distinct_slow<G: GameType>(position: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let next: HashSet<G> = position.moves().into_iter().map(|m| position.after(m)).collect();
    or_ended::<G>(next.iter().map(|child| perft_distinct_slow(child, depth - 1)).sum())
}
