//! Playing levels and the game's defaults for matches, evolution and learning.

use tablero_core::{
    Defaults, EvolutionDefaults, Formats, LearningDefaults, Level, Levels, Strength, UciDialect,
};

use crate::TicTacToe;

impl Levels for TicTacToe {
    const LADDER: &'static [Level] = &[
        Level::new("random", 0),
        Level::new("alphabeta depth=1 within=0.2 temperature=0.1", 230),
        Level::new("alphabeta depth=9", 419),
    ];
    const STRENGTHS: &'static [Strength] =
        &[Strength::Beginner, Strength::Casual, Strength::Perfect];
    const NAMED: [(&'static str, &'static str); 3] =
        [("easy", "level 1"), ("intermediate", "level 2"), ("hard", "level 3")];
}

impl Defaults for TicTacToe {
    const OPENING_PLIES: usize = 2;
    const EVOLUTION: EvolutionDefaults =
        EvolutionDefaults { player: "minimax depth=1", ..EvolutionDefaults::DEFAULT };
    /// The state space is tiny (5,478 positions): a small network and few games suffice.
    const LEARNING: LearningDefaults = LearningDefaults {
        net: "resnet 2x16",
        quick_net: "resnet 1x8",
        games: 200,
        anchors: &["random", "level 3"],
        full_search_prob: 1.0,
        temperature_plies: 9,
        random_plies: 4,
        teacher_random_plies: 4,
        random_move_prob: 0.1,
        ..LearningDefaults::DEFAULT
    };
    const SIGNATURE_DEPTH: u32 = 9;
}

impl UciDialect for TicTacToe {}

impl Formats for TicTacToe {}
