use tablero_core::{ForFirst, Game, Outcome, Side, StandardRules};

use crate::Square;

/// A position: the discs of the side to move, those of the other side, and who is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Othello {
    mover: u64,
    other: u64,
    side: Side,
}

impl Othello {
    /// The position with these discs; none if a square has two.
    pub fn from_discs(black: u64, white: u64, side: Side) -> Option<Self> {
        let (mover, other) = match side {
            Side::First => (black, white),
            Side::Second => (white, black),
        };
        (black & white == 0).then_some(Self { mover, other, side })
    }

    /// The discs of `side`; the first player is black.
    pub fn discs(&self, side: Side) -> u64 {
        if side == self.side { self.mover } else { self.other }
    }
}

/// The squares where `mover` may play.
fn moves(mover: u64, other: u64) -> u64 {
    (0..64).filter(|&square| flips(mover, other, square) != 0).fold(0, |set, s| set | 1 << s)
}

/// The discs that `mover` turns by playing on `square`.
fn flips(mover: u64, other: u64, square: usize) -> u64 {
    if (mover | other) >> square & 1 == 1 {
        return 0;
    }
    let mut all = 0;
    for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let (mut x, mut y, mut line) = ((square % 8) as i32 + dx, (square / 8) as i32 + dy, 0u64);
        while (0..8).contains(&x) && (0..8).contains(&y) {
            let bit = 1u64 << (8 * y + x);
            if mover & bit != 0 {
                all |= line;
            }
            if other & bit == 0 {
                break;
            }
            line |= bit;
            (x, y) = (x + dx, y + dy);
        }
    }
    all
}

impl Game for Othello {
    type Move = Square;
    type Rules = StandardRules;

    const NAME: &'static str = "othello";
    const SIDES: [&'static str; 2] = ["black", "white"];

    fn start(_: StandardRules) -> Self {
        Self { mover: 0x0000_0008_1000_0000, other: 0x0000_0010_0800_0000, side: Side::First }
    }

    fn rules(&self) -> StandardRules {
        StandardRules
    }

    fn side(&self) -> Side {
        self.side
    }

    fn each_move(&self, mut visit: impl FnMut(Square)) {
        let mut set = moves(self.mover, self.other);
        if set == 0 && moves(self.other, self.mover) != 0 {
            visit(Square::PASS);
        }
        while set != 0 {
            visit(Square::new(set.trailing_zeros() as u8).unwrap_or(Square::PASS));
            set &= set - 1;
        }
    }

    fn play(&mut self, square: Square) {
        let flips = if square.is_pass() { 0 } else { flips(self.mover, self.other, square.index()) };
        let mover = self.mover | flips | square.bit();
        *self = Self { mover: self.other & !flips, other: mover, side: !self.side };
    }

    fn outcome(&self) -> Option<Outcome> {
        if moves(self.mover, self.other) != 0 || moves(self.other, self.mover) != 0 {
            return None;
        }
        let black = self.discs(Side::First).count_ones() as i16;
        let white = self.discs(Side::Second).count_ones() as i16;
        let empty = 64 - black - white;
        Some(Outcome::by_margin(ForFirst(black - white + empty * (black - white).signum())))
    }

    fn key(&self) -> u64 {
        (self.mover.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.other).wrapping_mul(0xff51_afd7_ed55_8ccd)
            ^ self.side.index() as u64
    }
}
