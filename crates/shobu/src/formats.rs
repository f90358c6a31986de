//! Shōbu's file formats: PGN and lists of positions.

use tablero_core::{FileFormat, Formats, Input, lenient_text};

use crate::Shobu;

impl Formats for Shobu {
    fn formats() -> Vec<FileFormat> {
        vec![
            FileFormat { extensions: &["pgn", "shobu"], ..FileFormat::pgn::<Self>() },
            FileFormat {
                about: "positions, one per line: side to move and four boards",
                recognises: looks_like_position,
                ..FileFormat::positions::<Self>()
            },
        ]
    }
}

/// Detects a side to move followed by boards of 16 squares.
fn looks_like_position(input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let mut words = text.split_whitespace();
    let side =
        words.next().is_some_and(|word| ["b", "w", "B", "W", "black", "white"].contains(&word));
    let board = words.next().unwrap_or_default();
    side && board.len() == 16 && board.chars().all(|c| "bwBW.-_".contains(c))
}
