use std::fmt;

/// A move: a square, or the pass.
///
/// ```
/// use tablero_othello::Square;
/// let f5 = Square::from_name("F5").unwrap();
/// assert_eq!((f5.index(), f5.bit()), (37, 1 << 37));
/// assert_eq!(f5.to_string(), "f5");
/// assert_eq!(Square::PASS.bit(), 0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Square(u8);

impl Square {
    /// The pass, legal only for a side without any other move.
    pub const PASS: Self = Self(64);

    /// The square with index `8 * row + column`, if it is below 64.
    #[inline]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The lowest square of a set; the pass if the set is empty.
    #[inline]
    pub const fn first_of(set: u64) -> Self {
        // An empty set has 64 trailing zeros, and 64 is the pass.
        Self(set.trailing_zeros() as u8)
    }

    /// Parses `a1` to `h8`, case-insensitively.
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

    /// The square's index; 64 for the pass.
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
