//! Tournaments as tables for people.

use std::fmt;

use crate::TournamentResult;
use crate::tournament::Cell;

/// Rows and columns of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// All rows, the head first.
    pub rows: Vec<Vec<String>>,
}

impl TournamentResult {
    /// Everyone against everyone as wins-draws-losses of the row's player, both sides together, the
    /// strongest first, with points, rating and the rating that ran along (`run`).
    pub fn crosstable(&self) -> Table {
        let ranking = self.ranking();
        let place = |index: usize| (index + 1).to_string();
        let mut head =
            vec![String::new(), "player".into(), "elo".into(), "run".into(), "points".into()];
        head.extend((0..ranking.len()).map(place));
        let mut rows = vec![head];
        for (index, &player) in ranking.iter().enumerate() {
            let (rating, total) = (self.ratings[player], self.total(player));
            let mut row = vec![
                place(index),
                self.players[player].clone(),
                format!("{:+.0} ±{:.0}", rating.elo, rating.error),
                format!("{:.0}", self.running[player].rating),
                format!("{}/{}", total.wins as f64 + 0.5 * total.draws as f64, total.count()),
            ];
            let cell = |&other: &usize| match self.meeting(player, other) {
                _ if other == player => "-".into(),
                Cell { wins, draws, losses, .. } => format!("{wins}-{draws}-{losses}"),
            };
            row.extend(ranking.iter().map(cell));
            rows.push(row);
        }
        Table { rows }
    }

    /// Everyone against everyone as Othello7 shows it: the row's player on the first side, the
    /// column's on the second, `47/17` if they ended with 47 and 17 of the `total` points on the
    /// board. Of several games it is the mean; a cell without a game that was played to the end of
    /// the board is left empty.
    pub fn score_table(&self, total: u32) -> Table {
        let place = |index: usize| (index + 1).to_string();
        let players = 0..self.players.len();
        let mut head = vec![String::new(), "first/second".into()];
        head.extend(players.clone().map(place));
        let mut rows = vec![head];
        for first in players.clone() {
            let mut row = vec![place(first), self.players[first].clone()];
            row.extend(players.clone().map(|second| match self.games[first][second] {
                _ if first == second => "-".into(),
                Cell { played_out: 0, .. } => String::new(),
                cell => score_text(cell.margin_sum as f64 / cell.played_out as f64, total),
            }));
            rows.push(row);
        }
        Table { rows }
    }
}

/// Both sides' points, of which there are `total`.
fn score_text(margin: f64, total: u32) -> String {
    let points = |margin: f64| {
        let points = (f64::from(total) + margin) / 2.0;
        // Whole numbers as such, means with one digit.
        let digits = usize::from(points.fract() != 0.0);
        format!("{points:.digits$}")
    };
    format!("{}/{}", points(margin), points(-margin))
}

impl fmt::Display for Table {
    /// In columns: the text of the second to the left, numbers to the right.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<_> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                line += gap;
                line += &if column == 1 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
