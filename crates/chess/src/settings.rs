//! Playing levels, shipped weights and the game's defaults.

use tablero_core::{
    BookLine, Defaults, EvolutionDefaults, LearningDefaults, Level, Levels, ShippedFile, Strength,
    shipped_files,
};

use crate::Chess;
use crate::book::BOOK;
use crate::openings::OPENINGS;

impl Levels for Chess {
    const LADDER: &'static [Level] = &[
        Level::new("alphabeta depth=1 within=3 temperature=1", 0),
        Level::new("alphabeta depth=1 within=1.7 temperature=0.72", 289),
        Level::new("alphabeta depth=1 within=0.95 temperature=0.46", 547),
        Level::new("alphabeta depth=2 within=1.2 temperature=0.55", 795),
        Level::new("alphabeta depth=2 within=0.75 temperature=0.37", 1041),
        Level::new("alphabeta depth=3 within=0.9 temperature=0.37", 1336),
        Level::new("alphabeta depth=3 within=0.58 temperature=0.24", 1560),
        Level::new("alphabeta depth=3", 1849),
        Level::new("alphabeta depth=4", 2084),
        Level::new("alphabeta depth=5", 2336),
    ];
    const STRENGTHS: &'static [Strength] = &[
        Strength::Beginner,
        Strength::Beginner,
        Strength::Novice,
        Strength::Novice,
        Strength::Casual,
        Strength::Casual,
        Strength::Regular,
        Strength::Club,
        Strength::StrongClub,
        Strength::Expert,
    ];
    const LEVEL_ONE_RATING: i32 = -250;
    const NAMED: [(&'static str, &'static str); 3] =
        [("easy", "level 2"), ("intermediate", "level 5"), ("hard", "level 8")];
}

impl Defaults for Chess {
    const BOOK: &'static [BookLine] = BOOK;
    const OPENINGS: &'static [BookLine] = OPENINGS;
    /// Alpha-beta rather than minimax: chess needs quiescence search before static evaluation.
    const EVOLUTION: EvolutionDefaults = EvolutionDefaults {
        player: "alphabeta depth=2",
        max_plies: Some(200),
        ..EvolutionDefaults::DEFAULT
    };
    const LEARNING: LearningDefaults = LearningDefaults {
        anchors: &["random", "level 1", "level 3", "level 5"],
        temperature_plies: 30,
        draw: -0.5,
        ..LearningDefaults::DEFAULT
    };
    const SHIPPED_GENOMES: &'static [ShippedFile] = shipped_files!["chess-principles" "genes"];
    const SHIPPED_NETS: &'static [ShippedFile] = shipped_files!["chess-4x32" "safetensors"];
    const PERFT_DEPTH: Option<u32> = Some(6);
}
