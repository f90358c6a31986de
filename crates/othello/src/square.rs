use std::fmt;

/// A move: a square, or the pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Square(u8);

impl Square {
    /// The move of a side that has no other.
    pub const PASS: Self = Self(64);

    /// The square of that number, `8 * row + column`, below 64.
    #[inline]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The first square of a set; the pass if the set is empty.
    #[inline]
    pub const fn first_of(set: u64) -> Self {
        // An empty set has 64 trailing zeros, and 64 is the pass.
        Self(set.trailing_zeros() as u8)
    }

    /// The square called `a1` to `h8`, in any case.
    #[inline]
    pub fn from_name(name: &str) -> Option<Self> {
        match name.as_bytes() {
            [column, row @ b'1'..=b'8'] => match column.to_ascii_lowercase() {
                column @ b'a'..=b'h' => Some(Self(8 * (row - b'1') + column - b'a')),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether this is the pass.
    #[inline]
    pub const fn is_pass(self) -> bool {
        self.0 == 64
    }

    /// The square's number; 64 for the pass.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The set with just this square; empty for the pass.
    #[inline]
    pub const fn bit(self) -> u64 {
        if self.is_pass() { 0 } else { 1 << self.0 }
    }
}

impl fmt::Display for Square {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_pass() {
            return f.write_str("pass");
        }
        write!(f, "{}{}", char::from(b'a' + self.0 % 8), self.0 / 8 + 1)
    }
}
