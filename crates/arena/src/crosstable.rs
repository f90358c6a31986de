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
    /// `47/17` if they ended with 47 and 17 pieces on the board. With `total`, empty squares count for the
    /// winner, so that both have so many points together. Several games are averaged; a cell without a
    /// completed game is empty.
    pub fn score_table(&self, total: Option<u32>) -> TextTable {
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
                cell => score_text(&cell, total),
            }));
            rows.push(row);
        }
        TextTable { rows }
    }
}

/// Both sides' pieces or points, the mean of all games.
fn score_text(cell: &Cell, total: Option<u32>) -> String {
    let games = cell.played_out as f64;
    let points = match total {
        None => cell.pieces.map(|pieces| pieces as f64 / games),
        Some(total) => [1.0, -1.0]
            .map(|sign| f64::midpoint(f64::from(total), sign * cell.margin_sum as f64 / games)),
    };
    // Integers without decimals, means with one.
    let digits = usize::from(points.iter().any(|points| points.fract() != 0.0));
    let [first, second] = points.map(|points| format!("{points:.digits$}"));
    format!("{first}/{second}")
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell of Othello7's table: 0/45, a game that white won by taking all discs.
    #[test]
    fn scores_are_the_pieces_on_the_board() {
        let won =
            Cell { losses: 1, margin_sum: -64, pieces: [0, 45], played_out: 1, ..Cell::default() };
        assert_eq!(score_text(&won, None), "0/45");
        assert_eq!(score_text(&won, Some(64)), "0/64");
        let two = Cell { wins: 1, margin_sum: -64 + 30, pieces: [47, 62], played_out: 2, ..won };
        assert_eq!(score_text(&two, None), "23.5/31.0");
        assert_eq!(score_text(&two, Some(64)), "23.5/40.5");
    }
}
