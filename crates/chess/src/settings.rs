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
        Level::new("alphabeta depth=1 within=1.7 temperature=0.72", 0),
        Level::new("alphabeta depth=1 within=0.85 temperature=0.4", 260),
        Level::new("alphabeta depth=2 within=0.95 temperature=0.45", 526),
        Level::new("alphabeta depth=2 within=0.5 temperature=0.24", 767),
        Level::new("alphabeta depth=3 within=0.45 temperature=0.18", 1086),
        Level::new("alphabeta depth=4", 1394),
        Level::new("alphabeta nodes=3000", 1744),
        Level::new("alphabeta nodes=10000", 2139),
        Level::new("alphabeta nodes=45000", 2560),
        Level::new("alphabeta time=1s hash=64", 2860),
    ];
    const STRENGTHS: &'static [Strength] = &[
        Strength::Beginner,
        Strength::Beginner,
        Strength::Novice,
        Strength::Casual,
        Strength::Casual,
        Strength::Regular,
        Strength::Club,
        Strength::StrongClub,
        Strength::Expert,
        Strength::Master,
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
    const SHIPPED_NNUE: &'static [ShippedFile] = shipped_files!["chess-nnue-128" "nnue"];
    const SHIPPED_NETS: &'static [ShippedFile] = shipped_files!["chess-4x32" "safetensors"];
    const PERFT_DEPTH: Option<u32> = Some(6);
}
