//! The number of discs that the last move flips (`count_last_flip` of Edax).
//!
//! With a single empty square one side's discs determine each line: eight bits, extracted from the
//! line by PEXT, index a lookup table.

/// Masks of the lines through a square; the row needs none.
struct Lines {
    column: u64,
    antidiagonal: u64,
    diagonal: u64,
    /// Index of the square within its diagonals.
    antidiagonal_index: u8,
    diagonal_index: u8,
}

static LINES: [Lines; 64] = {
    const NONE: Lines =
        Lines { column: 0, antidiagonal: 0, diagonal: 0, antidiagonal_index: 0, diagonal_index: 0 };
    let mut lines = [NONE; 64];
    let mut square = 0;
    while square < 64 {
        let (x, y) = (square % 8, square / 8);
        let mut other = 0;
        while other < 64 {
            let (ox, oy) = (other % 8, other / 8);
            let bit = 1 << other;
            if ox == x {
                lines[square].column |= bit;
            }
            if ox + oy == x + y {
                lines[square].antidiagonal |= bit;
                lines[square].antidiagonal_index += (other < square) as u8;
            }
            if ox + y == x + oy {
                lines[square].diagonal |= bit;
                lines[square].diagonal_index += (other < square) as u8;
            }
            other += 1;
        }
        square += 1;
    }
    lines
};

/// Discs flipped within a line, by the index of the move and the mover's discs; all other squares
/// are the opponent's.
static FLIPPED: [[u8; 256]; 8] = {
    let mut flipped = [[0; 256]; 8];
    let mut index = 0;
    while index < 8 {
        let mut own = 0;
        while own < 256 {
            flipped[index][own] = flipped_in_direction(index as i32, own, 1)
                + flipped_in_direction(index as i32, own, -1);
            own += 1;
        }
        index += 1;
    }
    flipped
};

const fn flipped_in_direction(index: i32, own: usize, step: i32) -> u8 {
    let mut at = index + step;
    let mut run = 0;
    while at >= 0 && at < 8 {
        if own >> at & 1 == 1 {
            return run;
        }
        run += 1;
        at += step;
    }
    0
}

/// The number of discs that `player` flips by playing on `square`, the only empty one.
#[inline]
pub(crate) fn count_last_flip(player: u64, square: u8) -> u32 {
    let square = usize::from(square & 63);
    let (x, y) = (square % 8, square / 8);
    let lines = &LINES[square];
    let flipped = |index: usize, own: u64| u32::from(FLIPPED[index & 7][(own & 255) as usize]);
    flipped(x, player >> (8 * y))
        + flipped(y, extract_bits(player, lines.column))
        + flipped(lines.antidiagonal_index.into(), extract_bits(player, lines.antidiagonal))
        + flipped(lines.diagonal_index.into(), extract_bits(player, lines.diagonal))
}

/// The bits of `set` selected by `line`, contiguously (PEXT).
#[inline]
fn extract_bits(set: u64, line: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    // SAFETY: this line is compiled only for processors that have BMI2.
    return unsafe { std::arch::x86_64::_pext_u64(set, line) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        let (mut packed, mut index, mut left) = (0, 0, line);
        while left != 0 {
            let bit = left & left.wrapping_neg();
            packed |= u64::from(set & bit != 0) << index;
            index += 1;
            left ^= bit;
        }
        packed
    }
}
