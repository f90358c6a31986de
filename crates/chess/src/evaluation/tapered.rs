use std::ops::{Add, AddAssign, Mul, Sub};

/// A worth that changes in the course of a game: on a full board and on an empty one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tapered {
    middle: i32,
    end: i32,
}

/// Both numbers are in such fractions of a hundredth of a pawn.
const GRAIN: i32 = 64;

/// How many steps there are from the full board to the empty one.
pub(super) const STEPS: i32 = 24;

impl Tapered {
    /// From hundredths of a pawn; what is not a number counts as 0.
    pub(super) fn new(middle: f64, end: f64) -> Self {
        let grains = |worth: f64| (worth * f64::from(GRAIN)).round() as i32;
        Self { middle: grains(middle), end: grains(end) }
    }

    /// The worth in hundredths of a pawn, `step` steps away from the empty board.
    #[inline]
    pub(super) fn at(self, step: i32) -> i32 {
        let [middle, end] = [self.middle, self.end].map(i64::from);
        let sum = middle * i64::from(step) + end * i64::from(STEPS - step);
        (sum / i64::from(STEPS * GRAIN)) as i32
    }
}

impl Add for Tapered {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { middle: self.middle + other.middle, end: self.end + other.end }
    }
}

impl Sub for Tapered {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { middle: self.middle - other.middle, end: self.end - other.end }
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
        Self { middle: self.middle * count as i32, end: self.end * count as i32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_from_the_middle_to_the_end() {
        let worth = Tapered::new(10.0, 34.0);
        assert_eq!([24, 23, 12, 0].map(|step| worth.at(step)), [10, 11, 22, 34]);
        assert_eq!((worth * 3).at(0), 102);
        assert_eq!((Tapered::default() - worth).at(23), -11, "rounds both signs alike");
    }
}
