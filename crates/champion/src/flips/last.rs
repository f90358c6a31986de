//! The last move of a game: how many discs it turns, without saying which.
//!
//! Every square but one has a disc, so a line of the board is told by one side's discs alone: eight bits,
//! packed from the line, look the answer up.

/// The lines through each square, as sets: column and the two diagonals.
struct Lines {
    column: u64,
    rising: u64,
    falling: u64,
    /// Where the square is in the packed diagonals.
    rising_place: u8,
    falling_place: u8,
}

static LINES: [Lines; 64] = {
    const NONE: Lines =
        Lines { column: 0, rising: 0, falling: 0, rising_place: 0, falling_place: 0 };
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
                lines[square].rising |= bit;
                lines[square].rising_place += (other < square) as u8;
            }
            if ox + y == x + oy {
                lines[square].falling |= bit;
                lines[square].falling_place += (other < square) as u8;
            }
            other += 1;
        }
        square += 1;
    }
    lines
};

/// How many discs a move at a place of a line turns, by the mover's discs in it; all other places
/// have discs of the other side.
static TURNED: [[u8; 256]; 8] = {
    let mut turned = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0;
        while own < 256 {
            turned[place][own] =
                turned_in_line(place as i32, own, 1) + turned_in_line(place as i32, own, -1);
            own += 1;
        }
        place += 1;
    }
    turned
};

const fn turned_in_line(place: i32, own: usize, step: i32) -> u8 {
    let mut at = place + step;
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

/// How many discs `player` turns by playing on `square`, the only empty one.
#[inline]
pub(crate) fn count_last(player: u64, square: u8) -> u32 {
    let square = usize::from(square & 63);
    let (x, y) = (square % 8, square / 8);
    let lines = &LINES[square];
    let turned = |place: usize, own: u64| u32::from(TURNED[place & 7][(own & 255) as usize]);
    turned(x, player >> (8 * y))
        + turned(y, pack(player, lines.column))
        + turned(lines.rising_place.into(), pack(player, lines.rising))
        + turned(lines.falling_place.into(), pack(player, lines.falling))
}

/// The bits of `set` that are in `line`, side by side.
#[inline]
fn pack(set: u64, line: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    // SAFETY: this line is compiled only for processors that have BMI2.
    return unsafe { std::arch::x86_64::_pext_u64(set, line) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        // One bit of each row at most: for a column, its file is first moved to file a.
        let (mut packed, mut place, mut left) = (0, 0, line);
        while left != 0 {
            let bit = left & left.wrapping_neg();
            packed |= u64::from(set & bit != 0) << place;
            place += 1;
            left ^= bit;
        }
        packed
    }
}
