use tablero_tictactoe::TicTacToe;

use super::common::{read_games, read_positions, recognises_games, write_games, write_positions};
use super::{FileFormat, Formats, Input};

impl Formats for TicTacToe {
    fn formats() -> &'static [FileFormat<Self>] {
        const FORMATS: &[FileFormat<TicTacToe>] = &[
            FileFormat {
                name: "pgn",
                extensions: &["pgn"],
                about: "games with players, comments and variations",
                recognises: recognises_games::<TicTacToe>,
                read: read_games,
                write: write_games,
            },
            FileFormat {
                name: "positions",
                extensions: &["pos"],
                about: "positions, one a line",
                recognises: looks_like_position,
                read: read_positions,
                write: write_positions,
            },
        ];
        FORMATS
    }
}

/// A side and nine squares.
fn looks_like_position(input: &Input<'_>) -> bool {
    let Ok(text) = input.as_text() else {
        return false;
    };
    let first = text.lines().next().unwrap_or_default();
    let signs: Vec<char> = first.chars().filter(|c| !c.is_whitespace()).collect();
    signs.len() == 10 && signs.iter().all(|c| "xoXO.-".contains(*c))
}
