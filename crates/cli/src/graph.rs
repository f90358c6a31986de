//! Bar charts in the terminal.

use std::fmt;

use anstyle::{AnsiColor, Style};

/// The winning chances over a game; up is good for the first player.
pub(crate) struct Graph {
    /// Expected score of the first player, from 0 to 1, per position.
    pub(crate) values: Vec<f64>,
    /// Whether the move to that position was a mistake.
    pub(crate) marks: Vec<bool>,
    /// Names of the sides.
    pub(crate) sides: [&'static str; 2],
}

const ROWS: usize = 8;
const COLUMNS: usize = 100;
/// A cell filled from below, in eighths.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.sides.iter().map(|side| side.len()).max().unwrap_or(0);
        let columns = self.columns();
        for row in (0..ROWS).rev() {
            let label = match row {
                0 => self.sides[1],
                row if row == ROWS - 1 => self.sides[0],
                _ => "",
            };
            write!(f, "{label:>width$} │")?;
            for &(value, marked) in &columns {
                let eighths = (value * (8 * ROWS) as f64).round() as usize;
                let block = BLOCKS[eighths.saturating_sub(8 * row).min(8)];
                let style = if marked { AnsiColor::Red.on_default() } else { Style::new() };
                write!(f, "{style}{block}{style:#}")?;
            }
            writeln!(f)?;
        }
        write!(f, "{:>width$} └{}", "", "─".repeat(columns.len()))
    }
}

impl Graph {
    /// The value of each column: that of its last position, marked if any position is.
    fn columns(&self) -> Vec<(f64, bool)> {
        let count = self.values.len().min(COLUMNS);
        let start = |column: usize| column * self.values.len() / count.max(1);
        (0..count)
            .map(|column| {
                let range = start(column)..start(column + 1);
                (self.values[range.end - 1], self.marks[range].contains(&true))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;

    #[test]
    fn long_games_are_compressed_and_short_ones_not_stretched() {
        for (length, columns) in [(1, 1), (60, 60), (100, 100), (333, 100)] {
            let graph = Graph {
                values: (0..length).map(|n| n as f64 / length as f64).collect(),
                marks: vec![false; length],
                sides: ["black", "white"],
            };
            assert_eq!(graph.columns().len(), columns);
            assert_eq!(graph.to_string().lines().count(), super::ROWS + 1);
        }
    }
}
