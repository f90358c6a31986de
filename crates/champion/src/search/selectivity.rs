use std::fmt;

/// Confidence of Multi-ProbCut: the probability that a pruned search would have agreed. The levels
/// are those of Edax.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Selectivity(u8);

impl Selectivity {
    /// 73 %, the most selective.
    pub const LOWEST_CONFIDENCE: Self = Self(0);
    /// 100 %: no ProbCut.
    pub const NONE: Self = Self(5);
    /// All levels, from the most selective to none.
    pub const ALL: [Self; 6] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5)];

    /// The level with this confidence: 73, 87, 95, 98, 99 or 100 percent.
    pub fn from_percent(percent: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|selectivity| selectivity.percent() == percent)
    }

    /// The confidence in percent.
    pub const fn percent(self) -> u32 {
        [73, 87, 95, 98, 99, 100][self.0 as usize]
    }

    /// The next less selective level; none after [`NONE`](Self::NONE).
    #[must_use]
    pub fn next(self) -> Option<Self> {
        (self < Self::NONE).then_some(Self(self.0 + 1))
    }

    /// The confidence as a two-sided interval, in standard deviations.
    pub(crate) const fn std_devs(self) -> Option<f32> {
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
