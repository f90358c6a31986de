//! AVX2 flip generation: the four axes in four lanes, like the AVX2 flip functions of Edax.
//!
//! From the square played, eight rays lead to the edges of the board, four towards higher squares
//! ("up") and four towards lower ones ("down"). On each ray the nearest square that is not the
//! opponent's decides: if it has an own disc, everything before it is flipped. Upwards it is the
//! lowest bit of a set, downwards the highest.

use std::arch::x86_64::*;

/// The discs that `player` flips by playing on the empty square `square`.
#[inline]
pub(crate) fn flips(player: u64, opponent: u64, square: u8) -> u64 {
    // SAFETY: this module is compiled only for processors that have AVX2.
    unsafe { flips_of(player, opponent, square) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn flips_of(player: u64, opponent: u64, square: u8) -> u64 {
    let rays = &RAYS[usize::from(square & 63)];
    // SAFETY: both halves of a `Rays` are 32 bytes, aligned to 32.
    let (up, down) = unsafe {
        (_mm256_load_si256(rays.up.as_ptr().cast()), _mm256_load_si256(rays.down.as_ptr().cast()))
    };
    let own = _mm256_set1_epi64x(player as i64);
    let other = _mm256_set1_epi64x(opponent as i64);
    let zero = _mm256_setzero_si256();

    // Up: the lowest square that is not the opponent's; the discs below it are flipped.
    let open = _mm256_andnot_si256(other, up);
    let nearest = _mm256_and_si256(open, _mm256_sub_epi64(zero, open));
    let end = _mm256_and_si256(nearest, own);
    let before = _mm256_add_epi64(end, _mm256_set1_epi64x(-1));
    let is_open = _mm256_cmpeq_epi64(end, zero);
    let flipped_up = _mm256_and_si256(_mm256_andnot_si256(is_open, before), up);

    // Down: the highest square that is not the opponent's; the discs above it are flipped.
    // SAFETY: only compiled for processors with the features it needs.
    let highest = unsafe { highest_bit(_mm256_andnot_si256(other, down)) };
    let end = _mm256_and_si256(highest, own);
    let above = _mm256_sub_epi64(zero, _mm256_add_epi64(end, end));
    let flipped = _mm256_or_si256(flipped_up, _mm256_and_si256(above, down));

    let half =
        _mm_or_si128(_mm256_castsi256_si128(flipped), _mm256_extracti128_si256::<1>(flipped));
    _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
}

/// The highest bit of each lane.
#[cfg(all(target_feature = "avx512cd", target_feature = "avx512vl"))]
#[inline]
#[target_feature(enable = "avx2,avx512cd,avx512vl")]
unsafe fn highest_bit(set: __m256i) -> __m256i {
    _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(set))
}

/// The highest bit of each lane, whose bits are on a ray of the lane's axis: every bit is smeared
/// down the ray, and only the one outside all shadows remains.
#[cfg(not(all(target_feature = "avx512cd", target_feature = "avx512vl")))]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn highest_bit(set: __m256i) -> __m256i {
    let steps = |n: i64| _mm256_setr_epi64x(n, 8 * n, 7 * n, 9 * n);
    let mut shadow = _mm256_srlv_epi64(set, steps(1));
    shadow = _mm256_or_si256(shadow, _mm256_srlv_epi64(shadow, steps(1)));
    shadow = _mm256_or_si256(shadow, _mm256_srlv_epi64(shadow, steps(2)));
    shadow = _mm256_or_si256(shadow, _mm256_srlv_epi64(shadow, steps(4)));
    _mm256_andnot_si256(shadow, set)
}

/// The rays from a square, up and down along rows, columns and both diagonals: one cache line.
#[repr(align(64))]
struct Rays {
    up: [u64; 4],
    down: [u64; 4],
}

/// File and rank steps of the four upward rays.
const UP: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 1), (1, 1)];

static RAYS: [Rays; 64] = {
    const NONE: Rays = Rays { up: [0; 4], down: [0; 4] };
    let mut rays = [NONE; 64];
    let mut square = 0;
    while square < 64 {
        let mut axis = 0;
        while axis < 4 {
            let (dx, dy) = UP[axis];
            rays[square].up[axis] = ray(square as i32, dx, dy);
            rays[square].down[axis] = ray(square as i32, -dx, -dy);
            axis += 1;
        }
        square += 1;
    }
    rays
};

/// The squares beyond `square` in a direction.
const fn ray(square: i32, dx: i32, dy: i32) -> u64 {
    let (mut x, mut y) = (square % 8 + dx, square / 8 + dy);
    let mut set = 0;
    while x >= 0 && x < 8 && y >= 0 && y < 8 {
        set |= 1 << (8 * y + x);
        x += dx;
        y += dy;
    }
    set
}
