use tablero_core::{ForFirst, Game, GameInfo, GameType, Outcome, Rng, Side, StandardRules};

use crate::{Square, bits, symmetry};

/// A position: the discs of the side to move, those of the other side, and who is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Othello {
    mover: u64,
    other: u64,
    side: Side,
}

impl Othello {
    /// The position with these discs; none if a square has two.
    #[inline]
    pub fn from_discs(black: u64, white: u64, side: Side) -> Option<Self> {
        let (mover, other) = match side {
            Side::First => (black, white),
            Side::Second => (white, black),
        };
        (black & white == 0).then_some(Self { mover, other, side })
    }

    /// The discs of `side`; the first player is black.
    #[inline]
    pub fn discs(&self, side: Side) -> u64 {
        if side == self.side { self.mover } else { self.other }
    }

    /// The discs of the side to move.
    #[inline]
    pub const fn mover(&self) -> u64 {
        self.mover
    }

    /// The discs of the side that is not to move.
    #[inline]
    pub const fn other(&self) -> u64 {
        self.other
    }

    /// The squares without a disc.
    #[inline]
    pub const fn empties(&self) -> u64 {
        !(self.mover | self.other)
    }

    /// Whether the side that is not to move could move, so that the other may pass.
    #[inline]
    fn other_can_move(&self) -> bool {
        bits::moves(self.other, self.mover) != 0
    }
}

impl GameType for Othello {
    const NAME: &'static str = "othello";
    const SIDES: [&'static str; 2] = ["black", "white"];
    const MARGIN: Option<&'static str> = Some("discs");
    const PERFT_COUNTS_ENDED: bool = true;
    const SYMMETRIES: usize = symmetry::COUNT;
}

impl Game for Othello {
    type Move = Square;
    type Rules = StandardRules;

    #[inline]
    fn start(_: StandardRules) -> Self {
        Self { mover: 0x0000_0008_1000_0000, other: 0x0000_0010_0800_0000, side: Side::First }
    }

    #[inline]
    fn info(&self) -> &'static GameInfo {
        &Self::INFO
    }

    #[inline]
    fn rules(&self) -> StandardRules {
        StandardRules
    }

    #[inline]
    fn side(&self) -> Side {
        self.side
    }

    #[inline]
    fn each_move(&self, mut visit: impl FnMut(Square)) {
        let mut left = bits::moves(self.mover, self.other);
        if left == 0 && !self.other_can_move() {
            return;
        }
        // The first square of the empty set is the pass, so a side that must pass visits it here.
        // (One call of `visit` rather than two: whole searches are inlined there.)
        loop {
            visit(Square::first_of(left));
            left &= left.wrapping_sub(1);
            if left == 0 {
                break;
            }
        }
    }

    #[inline]
    fn play(&mut self, square: Square) {
        let flips = bits::flips(self.mover, self.other, square);
        *self = Self {
            mover: self.other & !flips,
            other: self.mover | flips | square.bit(),
            side: !self.side,
        };
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if bits::moves(self.mover, self.other) != 0 || self.other_can_move() {
            return None;
        }
        let black = self.discs(Side::First).count_ones() as i16;
        let white = self.discs(Side::Second).count_ones() as i16;
        let empty = 64 - black - white;
        Some(Outcome::by_margin(ForFirst(black - white + empty * (black - white).signum())))
    }

    #[inline]
    fn key(&self) -> u64 {
        // The 128-bit product of the boards, folded, makes every bit depend on many of both; the
        // second product spreads that to the bits that tables use as an index.
        const MOVER: u64 = 0x9e37_79b9_7f4a_7c15;
        const OTHER: u64 = 0xd1b5_4a32_d192_ed03;
        const SIDES: [u64; 2] = [0x2545_f491_4f6c_dd1d, 0xbea2_25f9_eb34_556d];
        let product = u128::from(self.mover ^ MOVER) * u128::from(self.other ^ OTHER);
        let folded = (product >> 64) as u64 ^ product as u64;
        let spread = (folded ^ SIDES[self.side.index()]).wrapping_mul(MOVER);
        spread ^ spread >> 32
    }

    #[inline]
    fn count_moves(&self) -> u64 {
        match bits::moves(self.mover, self.other) {
            0 => u64::from(self.other_can_move()),
            moves => u64::from(moves.count_ones()),
        }
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Square> {
        let moves = bits::moves(self.mover, self.other);
        if moves == 0 {
            return self.other_can_move().then_some(Square::PASS);
        }
        let n = rng.below(u64::from(moves.count_ones())) as u32;
        Some(Square::first_of(bits::nth(moves, n)))
    }

    #[inline]
    fn transform(&self, symmetry: usize) -> Self {
        Self {
            mover: symmetry::image(self.mover, symmetry),
            other: symmetry::image(self.other, symmetry),
            side: self.side,
        }
    }

    #[inline]
    fn transform_move(&self, square: Square, symmetry: usize) -> Square {
        symmetry::square_image(square, symmetry)
    }
}
