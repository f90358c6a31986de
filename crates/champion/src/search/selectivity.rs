use std::fmt;

/// How sure a search wants to be before it believes that a position is not worth looking at: the
/// chance, at each of its short cuts, that a full search would agree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Selectivity(u8);

impl Selectivity {
    /// The boldest.
    pub const BOLDEST: Self = Self(0);
    /// No short cuts.
    pub const NONE: Self = Self(5);
    /// All, from the boldest to none.
    pub const ALL: [Self; 6] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5)];

    /// The one with that percentage: 73, 87, 95, 98, 99 or 100.
    pub fn from_percent(percent: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|selectivity| selectivity.percent() == percent)
    }

    /// The chance in percent.
    pub const fn percent(self) -> u32 {
        [73, 87, 95, 98, 99, 100][self.0 as usize]
    }

    /// The next more careful one; none after [`NONE`](Self::NONE).
    #[must_use]
    pub fn next(self) -> Option<Self> {
        (self < Self::NONE).then_some(Self(self.0 + 1))
    }

    /// As many standard deviations on either side hold that chance.
    pub(crate) const fn deviations(self) -> Option<f32> {
        match self.0 {
            0 => Some(1.1),
            1 => Some(1.5),
            2 => Some(2.0),
            3 => Some(2.6),
            4 => Some(3.3),
            _ => None,
        }
    }

    pub(crate) const fn level(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Selectivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.percent())
    }
}
