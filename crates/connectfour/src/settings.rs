//! Playing levels and the game's defaults for matches and learning.

use tablero_core::{Defaults, LearningDefaults, Level, Levels, Strength, UciDialect};

use crate::position::ConnectFour;

// ANCHOR: levels
/// Each step was measured in a match against the level below, paired games from random openings of
/// four plies: 1000 games up to level 7, 600 for level 8, 200 for level 9, 140 for level 10. Error bars: 20 to 50 Elo.
impl Levels for ConnectFour {
    const LADDER: &'static [Level] = &[
        Level::new("random", 0),
        Level::new("alphabeta depth=1 eval=lines within=4 temperature=2 quiescence=0", 249),
        Level::new("alphabeta depth=1 eval=lines within=0.4 temperature=0.2 quiescence=0", 503),
        Level::new("alphabeta depth=1 within=0.6 temperature=0.3", 702),
        Level::new("alphabeta depth=2 within=0.5 temperature=0.25", 886),
        Level::new("alphabeta depth=2", 1054),
        Level::new("alphabeta depth=4", 1166),
        Level::new("alphabeta depth=8", 1281),
        Level::new("alphabeta depth=12", 1394),
        Level::new("perfect time=1s", 1550),
    ];
    const STRENGTHS: &'static [Strength] = &[
        Strength::Beginner,
        Strength::Beginner,
        Strength::Novice,
        Strength::Casual,
        Strength::Regular,
        Strength::Regular,
        Strength::Club,
        Strength::StrongClub,
        Strength::Expert,
        Strength::Superhuman,
    ];
    const NAMED: [(&'static str, &'static str); 3] =
        [("easy", "level 2"), ("intermediate", "level 5"), ("hard", "level 8")];
}
// ANCHOR_END: levels

// ANCHOR: defaults
impl Defaults for ConnectFour {
    const OPENING_PLIES: usize = 4;
    /// A game has at most 42 plies: more random ones would decide it.
    const LEARNING: LearningDefaults = LearningDefaults {
        anchors: &["random", "level 3", "level 6", "level 8"],
        temperature_plies: 12,
        random_plies: 4,
        teacher_random_plies: 8,
        ..LearningDefaults::DEFAULT
    };
    const SIGNATURE_DEPTH: u32 = 10;
    const PERFT_DEPTH: Option<u32> = Some(10);
}

/// UCI with the usual notation.
impl UciDialect for ConnectFour {}
// ANCHOR_END: defaults
