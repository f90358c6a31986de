//! Crosstables as text.

use std::fmt;

use crate::TournamentResult;
use crate::tournament::Cell;

/// A table of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextTable {
    /// All rows, the header first.
    pub rows: Vec<Vec<String>>,
}

impl TournamentResult {
    /// The crosstable: wins-draws-losses of the row's player, both sides together, ranked by rating,
    /// with points, rating and incremental rating (`run`).
    pub fn crosstable(&self) -> TextTable {
        let ranking = self.ranking();
        let rank = |index: usize| (index + 1).to_string();
        let mut header =
            vec![String::new(), "player".into(), "elo".into(), "run".into(), "points".into()];
        header.extend((0..ranking.len()).map(rank));
        let mut rows = vec![header];
        for (index, &player) in ranking.iter().enumerate() {
            let (rating, total) = (self.ratings[player], self.total(player));
            let mut row = vec![
                rank(index),
                self.players[player].clone(),
                format!("{:+.0} ±{:.0}", rating.elo, rating.error),
                format!("{:.0}", self.running[player].rating),
                format!("{}/{}", total.wins as f64 + 0.5 * total.draws as f64, total.games()),
            ];
            let cell = |&other: &usize| match self.head_to_head(player, other) {
                _ if other == player => "-".into(),
                Cell { wins, draws, losses, .. } => format!("{wins}-{draws}-{losses}"),
            };
            row.extend(ranking.iter().map(cell));
            rows.push(row);
        }
        TextTable { rows }
    }

    /// The score table of Othello7: the row's player on the first side, the column's on the second;
    /// `47/17` if they ended with 47 and 17 of the `total` points on the board. Several games are
    /// averaged; a cell without a completed game is empty.
    pub fn score_table(&self, total: u32) -> TextTable {
        let rank = |index: usize| (index + 1).to_string();
        let players = 0..self.players.len();
        let mut header = vec![String::new(), "first/second".into()];
        header.extend(players.clone().map(rank));
        let mut rows = vec![header];
        for first in players.clone() {
            let mut row = vec![rank(first), self.players[first].clone()];
            row.extend(players.clone().map(|second| match self.games[first][second] {
                _ if first == second => "-".into(),
                Cell { played_out: 0, .. } => String::new(),
                cell => score_text(cell.margin_sum as f64 / cell.played_out as f64, total),
            }));
            rows.push(row);
        }
        TextTable { rows }
    }
}

/// Both sides' points, `total` together.
fn score_text(margin: f64, total: u32) -> String {
    let points = |margin: f64| {
        let points = (f64::from(total) + margin) / 2.0;
        // Integers without decimals, means with one.
        let digits = usize::from(points.fract() != 0.0);
        format!("{points:.digits$}")
    };
    format!("{}/{}", points(margin), points(-margin))
}

impl fmt::Display for TextTable {
    /// Aligned columns: the second to the left, the others to the right.
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
