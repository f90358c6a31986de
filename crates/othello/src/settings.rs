//! Playing levels, shipped weights and the game's defaults.

use tablero_core::{Defaults, Level, Levels, Protocol, ShippedFile, UciDialect, shipped_files};

use crate::Othello;

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
    /// The three levels of "Juego de IA Othello", exactly.
    const NAMED: [(&'static str, &'static str); 3] = [
        ("easy", "alphabeta depth=3 eval=discs selectivity=off"),
        ("intermediate", "alphabeta depth=3 eval=positional selectivity=off"),
        ("hard", "alphabeta depth=6 eval=positional selectivity=off"),
    ];
}

impl Defaults for Othello {
    const SHIPPED_GENOMES: &'static [ShippedFile] = shipped_files![
        "othello-sci" "genes",
        "othello-jma" "genes",
        "othello-iago" "genes",
        "othello-net" "genes",
        "othello7-sci" "evl",
    ];
    const SHIPPED_NETS: &'static [ShippedFile] = shipped_files!["othello-2x32" "safetensors"];
    const PERFT_DEPTH: Option<u32> = Some(11);
    const MARGIN_TOTAL: Option<u32> = Some(64);
}

impl UciDialect for Othello {
    const PROTOCOLS: &'static [Protocol] = &[Protocol::Uci, Protocol::NBoard, Protocol::Gtp];
}
