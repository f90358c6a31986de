//! Playing levels, shipped weights and the game's defaults.

use tablero_core::{
    Defaults, EvolutionDefaults, LearningDefaults, Level, Levels, ShippedFile, Strength,
    UciDialect, shipped_files,
};

use crate::Shobu;

impl Levels for Shobu {
    const LADDER: &'static [Level] = &[
        Level::new("alphabeta depth=1 eval=stones within=11 temperature=6.5 quiescence=0", 0),
        Level::new("alphabeta depth=1 eval=pressure within=3.6 temperature=1.3 quiescence=1", 315),
        Level::new("alphabeta depth=1 eval=pressure within=2.8 temperature=1.02 quiescence=1", 564),
        Level::new("alphabeta depth=1 eval=pressure within=2.1 temperature=0.78", 894),
        Level::new("alphabeta depth=1 eval=pressure within=1.1 temperature=0.42", 1217),
        Level::new("alphabeta nodes=500", 1463),
        Level::new("alphabeta nodes=1800", 1730),
        Level::new("alphabeta nodes=7000", 2008),
        Level::new("alphabeta nodes=40000", 2290),
        Level::new("alphabeta time=1s hash=64", 2697),
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
    const SHIPPED_NNUE: &'static [ShippedFile] = shipped_files!["shobu-nnue-64" "nnue"];
    const SHIPPED_NETS: &'static [ShippedFile] = shipped_files!["shobu-4x32" "safetensors"];
    const SIGNATURE_DEPTH: u32 = 3;
    const PERFT_DEPTH: Option<u32> = Some(4);
}

impl UciDialect for Shobu {}
