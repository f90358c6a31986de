use crate::GameType;

/// The ladder of a game: players of measured strength, from beginner to strong.
///
/// Weak levels play weakly in a human way: shallow searches that sample among moves close to the best.
pub trait Levels: GameType {
    /// From the weakest to the strongest, each measured against the one below it.
    const LADDER: &'static [Level];
    /// The rating of level 1 on the scale that players of the game use.
    const LEVEL_ONE_RATING: i32 = 0;
    /// The player line for analysis and review; the caller limits the search.
    const ANALYST: &'static str = "alphabeta";
    /// The player lines of `level easy`, `level intermediate` and `level hard`.
    const NAMED: [(&'static str, &'static str); 3];
}

/// A player of measured strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Its player line.
    pub line: &'static str,
    /// Measured Elo relative to level 1.
    pub elo: i32,
}

impl Level {
    /// A level of measured strength.
    pub const fn new(line: &'static str, elo: i32) -> Self {
        Self { line, elo }
    }

    /// The rating on the game's own scale, at least 0.
    pub fn rating(&self, level_one: i32) -> u32 {
        u32::try_from(level_one + self.elo).unwrap_or(0)
    }
}
