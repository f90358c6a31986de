//! What a position is worth without looking ahead: learned tables over patterns of squares.

/// A disc in the units of [`Weights::evaluate`].
pub const DISC: i32 = 128;

/// Pattern state of a position, kept up to date move by move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features;

impl Features {
    /// The features of a position, from scratch.
    pub fn of(_player: u64, _opponent: u64) -> Self {
        Self
    }

    /// The features after the side to move plays on `square` and turns `flips`; the other side is then
    /// to move.
    #[must_use]
    pub fn play(&self, _square: u8, _flips: u64) -> Self {
        *self
    }

    /// The features when the side to move passes.
    #[must_use]
    pub fn pass(&self) -> Self {
        *self
    }
}

/// The learned tables.
#[derive(Debug)]
pub struct Weights;

impl Weights {
    /// The weights that come with the program.
    pub fn embedded() -> &'static Self {
        &Self
    }

    /// The expected final margin for the side to move, in [`DISC`]ths of a disc.
    pub fn evaluate(&self, _features: &Features, player: u64, opponent: u64) -> i32 {
        use tablero_othello::bits::moves;
        let mobility = moves(player, opponent).count_ones() as i32
            - moves(opponent, player).count_ones() as i32;
        const CORNERS: u64 = 0x8100_0000_0000_0081;
        let corners =
            (player & CORNERS).count_ones() as i32 - (opponent & CORNERS).count_ones() as i32;
        (mobility + 6 * corners) * DISC
    }

    /// How far, in discs (one standard deviation), the value of a search of `shallow` plies lies from that
    /// of one of `deep` plies, in positions with so many empty squares; `deep == empties` is an
    /// exact search.
    pub fn sigma(&self, empties: u32, shallow: u32, deep: u32) -> f32 {
        1.5 + 0.02 * empties as f32 + 0.25 * (deep - shallow) as f32
    }
}
