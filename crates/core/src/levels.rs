use crate::GameType;

/// The ladder of a game: players of measured strength, from beginner to strong.
///
/// Weak levels play weakly in a human way: shallow searches that sample among moves close to the best.
pub trait Levels: GameType {
    /// From the weakest to the strongest, each measured against the one below it.
    const LADDER: &'static [Level];
    /// What each level is for people, as far as that is known.
    const STRENGTHS: &'static [Strength] = &[];
    /// The rating of level 1 on the scale that players of the game use.
    const LEVEL_ONE_RATING: i32 = 0;
    /// The player line for analysis and review; the caller limits the search.
    const ANALYST: &'static str = "alphabeta";
    /// The player lines of `level easy`, `level intermediate` and `level hard`.
    const NAMED: [(&'static str, &'static str); 3];
}

/// How strong a player is compared with people.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Strength {
    /// Has just learned the rules.
    Beginner,
    /// Has played some games.
    Novice,
    /// Plays now and then.
    Casual,
    /// Plays often.
    Regular,
    /// Plays in a club.
    Club,
    /// Among the best of a club.
    StrongClub,
    /// Wins tournaments.
    Expert,
    /// As strong as the best people.
    Master,
    /// Stronger than any person.
    Superhuman,
    /// Never makes a mistake.
    Perfect,
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
