//! Position and rules: legal moves, passes, outcome, hash key, symmetries.

use tablero_core::{ForFirst, Game, GameInfo, GameType, Outcome, Rng, Side, StandardRules};

use crate::{Square, bitboard, symmetry};

/// A position: the discs of the side to move, the discs of the opponent, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Othello {
    mover: u64,
    other: u64,
    side: Side,
}

impl Othello {
    /// The position with these discs; `None` if the sets overlap.
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

    /// The discs of the opponent of the side to move.
    #[inline]
    pub const fn other(&self) -> u64 {
        self.other
    }

    /// The empty squares.
    #[inline]
    pub const fn empties(&self) -> u64 {
        !(self.mover | self.other)
    }

    /// Whether the opponent has a move, so that the side to move may have to pass.
    #[inline]
    fn other_can_move(&self) -> bool {
        bitboard::moves(self.other, self.mover) != 0
    }
}

impl GameType for Othello {
    const NAME: &'static str = "othello";
    const SIDES: [&'static str; 2] = ["black", "white"];
    const MARGIN: Option<&'static str> = Some("discs");
    const MAX_MARGIN: Option<i32> = Some(64);
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
        let mut left = bitboard::moves(self.mover, self.other);
        if left == 0 && !self.other_can_move() {
            return;
        }
        // `first_of` the empty set is the pass, so a forced pass is visited here too. A single call
        // site of `visit` matters: whole searches are inlined into it.
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
        let flips = bitboard::flips(self.mover, self.other, square);
        *self = Self {
            mover: self.other & !flips,
            other: self.mover | flips | square.bit(),
            side: !self.side,
        };
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if bitboard::moves(self.mover, self.other) != 0 || self.other_can_move() {
            return None;
        }
        let black = self.discs(Side::First).count_ones() as i16;
        let white = self.discs(Side::Second).count_ones() as i16;
        let empty = 64 - black - white;
        Some(Outcome::by_margin(ForFirst(black - white + empty * (black - white).signum())))
    }

    #[inline]
    fn key(&self) -> u64 {
        // Folded 128-bit multiply (the mixing step of wyhash), then a second multiply to spread
        // entropy to the bits that tables use as an index. Computed from scratch: a move changes too
        // many squares for incremental Zobrist keys to pay off.
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
        match bitboard::moves(self.mover, self.other) {
            0 => u64::from(self.other_can_move()),
            moves => u64::from(moves.count_ones()),
        }
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Square> {
        let moves = bitboard::moves(self.mover, self.other);
        if moves == 0 {
            return self.other_can_move().then_some(Square::PASS);
        }
        let n = rng.below(u64::from(moves.count_ones())) as u32;
        Some(Square::first_of(bitboard::nth(moves, n)))
    }

    #[inline]
    fn transform(&self, symmetry: usize) -> Self {
        Self {
            mover: symmetry::transform(self.mover, symmetry),
            other: symmetry::transform(self.other, symmetry),
            side: self.side,
        }
    }

    #[inline]
    fn transform_move(&self, square: Square, symmetry: usize) -> Square {
        symmetry::transform_square(square, symmetry)
    }
}
