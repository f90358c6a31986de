//! Playing levels, shipped weights and the game's defaults.

use tablero_core::{
    Defaults, EvolutionDefaults, LearningDefaults, Level, Levels, ShippedFile, Strength,
    UciDialect, shipped_files,
};

use crate::Shobu;

impl Levels for Shobu {
    const LADDER: &'static [Level] = &[
        Level::new("alphabeta depth=1 eval=stones within=12 temperature=5 quiescence=0", 0),
        Level::new("alphabeta depth=1 eval=stones within=11 temperature=6.5 quiescence=0", 199),
        Level::new("alphabeta depth=1 within=3.6 temperature=1.3 quiescence=1", 440),
        Level::new("alphabeta depth=1 within=3 temperature=1.05 quiescence=1", 631),
        Level::new("alphabeta depth=1 within=2 temperature=0.75", 863),
        Level::new("alphabeta depth=1 within=0.7 temperature=0.28", 1137),
        Level::new("alphabeta depth=2 within=0.8 temperature=0.3", 1332),
        Level::new("alphabeta depth=3 within=1.1 temperature=0.42", 1582),
        Level::new("alphabeta depth=3 within=0.5 temperature=0.2", 1702),
        Level::new("alphabeta depth=4", 1962),
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
    const NAMED: [(&'static str, &'static str); 3] =
        [("easy", "level 2"), ("intermediate", "level 5"), ("hard", "level 8")];
}

impl Defaults for Shobu {
    const OPENING_PLIES: usize = 6;
    /// Alpha-beta rather than minimax: Shōbu needs quiescence search before static evaluation.
    const EVOLUTION: EvolutionDefaults = EvolutionDefaults {
        player: "alphabeta depth=2",
        max_plies: Some(200),
        ..EvolutionDefaults::DEFAULT
    };
    const LEARNING: LearningDefaults = LearningDefaults {
        anchors: &["random", "level 2", "level 5", "level 8"],
        ..LearningDefaults::DEFAULT
    };
    const SHIPPED_GENOMES: &'static [ShippedFile] = shipped_files!["shobu-pressure" "genes"];
    const SHIPPED_NETS: &'static [ShippedFile] = shipped_files!["shobu-4x32" "safetensors"];
    const SIGNATURE_DEPTH: u32 = 3;
    const PERFT_DEPTH: Option<u32> = Some(4);
}

impl UciDialect for Shobu {}
