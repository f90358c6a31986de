//! Playing levels, shipped weights and the game's defaults.

use tablero_core::{
    BookLine, Defaults, Level, Levels, Protocol, ShippedFile, Strength, UciDialect, shipped_files,
};

use crate::Othello;
use crate::openings::OPENINGS;

impl Levels for Othello {
    const ANALYST: &'static str = "champion";
    const LADDER: &'static [Level] = &[
        Level::new("alphabeta depth=1 eval=discs within=12 temperature=6", 0),
        Level::new("alphabeta depth=1 eval=positional within=20 temperature=12", 246),
        Level::new("alphabeta depth=1 eval=iago within=3 temperature=1.5", 536),
        Level::new("alphabeta depth=2 eval=iago within=4 temperature=2", 818),
        Level::new("alphabeta depth=3 eval=iago within=2 temperature=1", 1096),
        Level::new("alphabeta depth=4 eval=iago", 1348),
        Level::new("champion level=2", 1514),
        Level::new("champion level=4", 1736),
        Level::new("champion level=7", 1974),
        Level::new("champion level=10", 2191),
    ];
    const STRENGTHS: &'static [Strength] = &[
        Strength::Beginner,
        Strength::Novice,
        Strength::Casual,
        Strength::Regular,
        Strength::Regular,
        Strength::Club,
        Strength::StrongClub,
        Strength::Expert,
        Strength::Master,
        Strength::Superhuman,
    ];
    /// The three levels of "Juego de IA Othello", exactly: a pass costs no depth, and an ended game is worth
    /// the work's gain function. Pruning finds the same moves.
    const NAMED: [(&'static str, &'static str); 3] = [
        ("easy", "minimax depth=3 eval=discs pruning=on passes=free ends=eval"),
        ("intermediate", "minimax depth=3 eval=positional pruning=on passes=free ends=eval"),
        ("hard", "minimax depth=6 eval=positional pruning=on passes=free ends=eval"),
    ];
}

impl Defaults for Othello {
    const OPENINGS: &'static [BookLine] = OPENINGS;
    const SHIPPED_GENOMES: &'static [ShippedFile] = shipped_files![
        "othello-sci" "genes",
        "othello-jma" "genes",
        "othello-iago" "genes",
        "othello-net" "genes",
        "othello-bill" "genes",
        "othello-broad" "genes",
        "othello-markers" "genes",
        "othello7-sci" "evl",
    ];
    const SHIPPED_NETS: &'static [ShippedFile] =
        shipped_files!["othello-zero-4x32" "safetensors", "othello-2x32" "safetensors"];
    const PERFT_DEPTH: Option<u32> = Some(11);
    const MARGIN_TOTAL: Option<u32> = Some(64);
}

impl UciDialect for Othello {
    const PROTOCOLS: &'static [Protocol] = &[Protocol::Uci, Protocol::NBoard, Protocol::Gtp];
}
