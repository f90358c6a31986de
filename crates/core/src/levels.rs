use crate::GameType;

/// The ladder of a game: players from one that a child can beat to a strong one.
///
/// Weak levels are weak as people are: they look ahead only a little and choose among moves that
/// look nearly as good as the best.
pub trait Levels: GameType {
    /// From the weakest to the strongest, each measured against the one below.
    const LADDER: &'static [Level];
    /// The rating of level 1 on the scale that players of the game use.
    const LEVEL_ONE: i32 = 0;
    /// Who analyses positions and reviews games; whoever asks bounds the search.
    const ANALYST: &'static str = "alphabeta";
    /// What `level easy`, `level intermediate` and `level hard` stand for.
    const NAMED: [(&'static str, &'static str); 3];
}

/// A player of measured strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// The line that it stands for.
    pub line: &'static str,
    /// Measured Elo, level 1 being 0.
    pub elo: i32,
}

impl Level {
    /// A level of measured strength.
    pub const fn new(line: &'static str, elo: i32) -> Self {
        Self { line, elo }
    }

    /// The rating on the game's own scale, which begins at 0.
    pub fn rating(&self, level_one: i32) -> u32 {
        u32::try_from(level_one + self.elo).unwrap_or(0)
    }
}
