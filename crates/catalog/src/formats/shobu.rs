use tablero_shobu::Shobu;

use super::common::{read_games, read_positions, recognises_games, write_games, write_positions};
use super::{FileFormat, Formats, Input};

impl Formats for Shobu {
    fn formats() -> &'static [FileFormat<Self>] {
        const FORMATS: &[FileFormat<Shobu>] = &[
            FileFormat {
                name: "pgn",
                extensions: &["pgn", "shobu"],
                about: "games with players, comments and variations",
                recognises: recognises_games::<Shobu>,
                read: read_games,
                write: write_games,
            },
            FileFormat {
                name: "positions",
                extensions: &["pos"],
                about: "positions, one a line: side to move and four boards",
                recognises: looks_like_position,
                read: read_positions,
                write: write_positions,
            },
        ];
        FORMATS
    }
}

/// A side, then boards of 16 squares.
fn looks_like_position(input: &Input<'_>) -> bool {
    let Ok(text) = input.as_text() else {
        return false;
    };
    let mut words = text.split_whitespace();
    let side =
        words.next().is_some_and(|word| ["b", "w", "B", "W", "black", "white"].contains(&word));
    let board = words.next().unwrap_or_default();
    side && board.len() == 16 && board.chars().all(|c| "bwBW.-_".contains(c))
}
