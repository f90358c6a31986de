//! Counting the leaves of the game tree: the proof that move generation is right.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use crate::Game;

/// The number of ways to play exactly `depth` plies from `position`. A pass is a ply; a finished
/// game has no continuation.
///
/// The last ply is counted, not played ([`Game::count_moves`]).
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    let mut leaves = 0;
    match depth {
        0 => return 1,
        1 => return position.count_moves(),
        // Nearly all the work is here: without a call, positions stay in registers.
        2 => position.each_move(|m| leaves += position.after(m).count_moves()),
        _ => position.each_move(|m| leaves += perft(&position.after(m), depth - 1)),
    }
    leaves
}

/// Like [`perft`], but counts moves that lead to the same position once
/// ([`Game::each_distinct_move`]).
pub fn perft_distinct<G: Game>(position: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    position.each_distinct_move(|m| leaves += perft_distinct(&position.after(m), depth - 1));
    leaves
}

/// [`perft`] on several threads.
pub fn perft_parallel<G: Game>(position: &G, depth: u32, threads: usize) -> u64 {
    /// Enough pieces that the last one does not leave the other threads waiting for long.
    const SPLIT: u32 = 2;
    if threads <= 1 || depth <= SPLIT + 1 {
        return perft(position, depth);
    }
    let mut frontier = vec![position.clone()];
    for _ in 0..SPLIT {
        frontier =
            frontier.iter().flat_map(|p| p.moves().into_iter().map(|m| p.after(m))).collect();
    }
    let (next, leaves) = (AtomicUsize::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(piece) = frontier.get(next.fetch_add(1, Ordering::Relaxed)) {
                    leaves.fetch_add(perft(piece, depth - SPLIT), Ordering::Relaxed);
                }
            });
        }
    });
    leaves.into_inner()
}

/// The slow way to [`perft_distinct`]: plays every move and throws equal positions away.
pub(crate) fn perft_distinct_slow<G: Game>(position: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let next: HashSet<G> = position.moves().into_iter().map(|m| position.after(m)).collect();
    next.iter().map(|child| perft_distinct_slow(child, depth - 1)).sum()
}
