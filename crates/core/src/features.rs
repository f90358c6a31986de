use crate::{Localized, LocalizedString, Tactics};

/// Input features of small evolved networks: a few numbers of order one, most of them differences between
/// mover and opponent. Without features a game has no such networks.
pub trait Features: Tactics {
    /// The names of the features; at most [`MAX_FEATURES`].
    const FEATURES: &'static [&'static str] = &[];

    /// Writes the features of this position, in the order of [`FEATURES`](Self::FEATURES).
    fn write_features(&self, _numbers: &mut [f32]) {}

    /// What the features measure, in the same order; without texts their names are shown.
    const FEATURE_TEXTS: &'static [Localized] = &[];

    /// What a feature measures.
    fn feature_text(index: usize) -> LocalizedString {
        match Self::FEATURE_TEXTS.get(index) {
            Some(&text) => text.into(),
            None => Self::FEATURES.get(index).copied().unwrap_or_default().into(),
        }
    }
}

/// The maximum number of features of a game.
pub const MAX_FEATURES: usize = 32;
