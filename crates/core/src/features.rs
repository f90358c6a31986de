use crate::Tactics;

/// What a small evolved network sees of a position: a few numbers of the order of one, for most of
/// them the mover's minus the opponent's. Without any, a game has no such networks.
pub trait Features: Tactics {
    /// What each number is; at most [`MAX_FEATURES`].
    const FEATURES: &'static [&'static str] = &[];

    /// Writes the numbers of this position, as many as [`FEATURES`](Self::FEATURES) has.
    fn write_features(&self, _numbers: &mut [f32]) {}
}

/// No game has more features.
pub const MAX_FEATURES: usize = 32;
