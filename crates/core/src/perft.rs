//! Counting the leaves of the game tree: the proof that move generation is right.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use crate::GameType;

/// The number of ways to play exactly `depth` plies from `position`. A pass is a ply. A game that is
/// over sooner counts as [`GameType::PERFT_COUNTS_ENDED`] says.
///
/// The last ply is counted, not played ([`Game::count_moves`](crate::Game::count_moves)).
pub fn perft<G: GameType>(position: &G, depth: u32) -> u64 {
    let mut leaves = 0;
    match depth {
        0 => return 1,
        1 => return last_ply(position),
        // Nearly all the work is here: without a call, positions stay in registers.
        2 => position.each_move(|m| leaves += last_ply(&position.after(m))),
        _ => position.each_move(|m| leaves += perft(&position.after(m), depth - 1)),
    }
    or_ended::<G>(leaves)
}

#[inline(always)]
fn last_ply<G: GameType>(position: &G) -> u64 {
    or_ended::<G>(position.count_moves())
}

/// The leaves below a position: none if its game is over, or itself.
#[inline(always)]
fn or_ended<G: GameType>(leaves: u64) -> u64 {
    if G::PERFT_COUNTS_ENDED { leaves.max(1) } else { leaves }
}

/// Like [`perft`], but counts moves that lead to the same position once
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
    /// Enough pieces that the last one does not leave the other threads waiting for long.
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
pub(crate) fn perft_distinct_slow<G: GameType>(position: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let next: HashSet<G> = position.moves().into_iter().map(|m| position.after(m)).collect();
    or_ended::<G>(next.iter().map(|child| perft_distinct_slow(child, depth - 1)).sum())
}
