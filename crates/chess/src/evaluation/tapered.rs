//! Tapered evaluation: scores interpolated between middlegame and endgame by game phase.

use std::ops::{Add, AddAssign, Mul, Sub};

/// A pair of middlegame and endgame scores, in fixed point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tapered {
    mg: i32,
    eg: i32,
}

/// Fixed-point units per centipawn.
const FIXED_POINT: i32 = 64;

/// The phase of the start position; 0 is a position without pieces.
pub(super) const MAX_PHASE: i32 = 24;

impl Tapered {
    /// From centipawns; NaN counts as 0.
    pub(super) fn new(mg: f64, eg: f64) -> Self {
        let fixed = |centipawns: f64| (centipawns * f64::from(FIXED_POINT)).round() as i32;
        Self { mg: fixed(mg), eg: fixed(eg) }
    }

    /// The interpolated score in pawns, not rounded.
    pub(super) fn pawns(self, phase: i32) -> f64 {
        let [mg, eg] = [self.mg, self.eg].map(f64::from);
        let share = f64::from(phase) / f64::from(MAX_PHASE);
        (mg * share + eg * (1.0 - share)) / (100.0 * f64::from(FIXED_POINT))
    }

    /// The interpolated score in centipawns at a phase of 0 to [`MAX_PHASE`].
    #[inline]
    pub(super) fn taper(self, phase: i32) -> i32 {
        let [mg, eg] = [self.mg, self.eg].map(i64::from);
        let sum = mg * i64::from(phase) + eg * i64::from(MAX_PHASE - phase);
        (sum / i64::from(MAX_PHASE * FIXED_POINT)) as i32
    }
}

impl Add for Tapered {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { mg: self.mg + other.mg, eg: self.eg + other.eg }
    }
}

impl Sub for Tapered {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { mg: self.mg - other.mg, eg: self.eg - other.eg }
    }
}

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u32> for Tapered {
    type Output = Self;

    #[inline]
    fn mul(self, count: u32) -> Self {
        Self { mg: self.mg * count as i32, eg: self.eg * count as i32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_from_middlegame_to_endgame() {
        let score = Tapered::new(10.0, 34.0);
        assert_eq!([24, 23, 12, 0].map(|phase| score.taper(phase)), [10, 11, 22, 34]);
        assert_eq!((score * 3).taper(0), 102);
        assert_eq!((Tapered::default() - score).taper(23), -11, "rounds symmetrically");
    }
}
