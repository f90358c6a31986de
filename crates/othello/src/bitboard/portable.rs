//! Portable version: one axis after the other in 64-bit words.

use super::AXES;
use crate::Square;

/// The legal moves of `mover`, as a set of empty squares.
#[inline]
pub fn moves(mover: u64, other: u64) -> u64 {
    let ends = AXES.iter().fold(0, |ends, &(step, inside)| {
        let [up, down] = runs(mover, other & inside, step);
        ends | up << step | down >> step
    });
    ends & !(mover | other)
}

/// The discs that `mover` flips by playing on `square`, which must be empty; none for a pass.
#[inline]
pub fn flips(mover: u64, other: u64, square: Square) -> u64 {
    AXES.iter().fold(0, |flips, &(step, inside)| {
        let [up, down] = runs(square.bit(), other & inside, step);
        let up = if up << step & mover != 0 { up } else { 0 };
        let down = if down >> step & mover != 0 { down } else { 0 };
        flips | up | down
    })
}

/// The runs of `propagator` that start one `step` above and below `from`: a Kogge-Stone fill.
#[inline]
fn runs(from: u64, propagator: u64, step: u32) -> [u64; 2] {
    let mut up = propagator & from << step;
    let mut down = propagator & from >> step;
    up |= propagator & up << step;
    down |= propagator & down >> step;
    let pairs_up = propagator & propagator << step;
    let pairs_down = pairs_up >> step;
    for _ in 0..2 {
        up |= pairs_up & up << (2 * step);
        down |= pairs_down & down >> (2 * step);
    }
    [up, down]
}

/// The set with only the `n`-th square of `set`, counted from 0; empty if there is none.
#[inline]
pub fn nth(mut set: u64, n: u32) -> u64 {
    for _ in 0..n {
        set &= set.wrapping_sub(1);
    }
    set & set.wrapping_neg()
}
