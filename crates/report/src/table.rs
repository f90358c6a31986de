use std::fmt;

/// A table for the terminal ([`Display`](fmt::Display)) and for Markdown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Title.
    pub title: String,
    /// Column names.
    pub header: Vec<String>,
    /// The rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: &str, head: &[&str]) -> Self {
        let header = head.iter().map(|cell| (*cell).to_owned()).collect();
        Self { title: title.into(), header, rows: Vec::new() }
    }

    /// The table in Markdown, without the title; the first column is left-aligned, the others right.
    pub fn markdown(&self) -> String {
        let row = |cells: &[String]| {
            let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|---|{}\n", "--:|".repeat(self.header.len().saturating_sub(1)));
        let rows: String = self.rows.iter().map(|cells| row(cells)).collect();
        row(&self.header) + &rule + &rows
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..self.header.len()).map(width).collect();
        writeln!(f, "{}", self.title)?;
        for row in all() {
            let mut line = format!("  {:<width$}", row[0], width = widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                line += &format!("  {cell:>width$}");
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Formats a number: thousands separators, or three significant digits.
///
/// ```
/// use tablero_report::number;
/// assert_eq!([262_144.0, 12.3456].map(number), ["262,144", "12.3"].map(String::from));
/// ```
pub fn number(value: f64) -> String {
    if value.abs() >= 1000.0 {
        return thousands(value.round() as i64);
    }
    if (value - value.round()).abs() < 1e-9 {
        return format!("{value:.0}");
    }
    let before_point = value.abs().log10().floor() as i32;
    format!("{value:.digits$}", digits = (2 - before_point).clamp(0, 9) as usize)
}

fn thousands(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("-{text}") } else { text }
}

/// Formats seconds in µs, ms or s.
pub fn seconds(value: f64) -> String {
    // Slightly less, so that one unit minus a rounding error is written as one unit.
    const MILLISECOND: f64 = 0.001 * (1.0 - 1e-9);
    const SECOND: f64 = 1.0 - 1e-9;
    if value < MILLISECOND {
        format!("{} µs", number(value * 1e6))
    } else if value < SECOND {
        format!("{} ms", number(value * 1e3))
    } else {
        format!("{} s", number(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        for (value, text) in [
            (0.0, "0"),
            (7.0, "7"),
            (0.9313, "0.931"),
            (8.8312, "8.83"),
            (12.3456, "12.3"),
            (116.0, "116"),
            (262_144.4, "262,144"),
            (-1_234.0, "-1,234"),
            (0.000_123_4, "0.000123"),
            (0.3 - 0.2 + 0.9, "1"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(
            [1e-6, 0.000_012_3, 0.001, 0.0421, 6.5, 10.0].map(seconds),
            ["1 µs", "12.3 µs", "1 ms", "42.1 ms", "6.50 s", "10 s"].map(String::from)
        );
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new("Who", &["name", "n"]);
        table.rows.push(vec!["a|b".into(), "100".into()]);
        assert_eq!(table.to_string(), "Who\n  name    n\n  a|b   100\n");
        assert_eq!(table.markdown(), "| name | n |\n|---|--:|\n| a\\|b | 100 |\n");
    }
}
