//! Reports: a Markdown page with tables and SVG plots.
//!
//! A [`Report`] collects paragraphs, [`Table`]s and plots ([`LineChart`], [`BarChart`]) and writes them to a
//! folder. The charts are drawn without dependencies.
//!
//! ```
//! use tablero_report::{LineChart, Report, Series, number};
//!
//! let mut report = Report::new("Learning");
//! let chart = LineChart {
//!     title: "Error".into(),
//!     x_label: "generation".into(),
//!     y_label: "discs".into(),
//!     log: false,
//!     format_y: number,
//!     series: vec![Series { name: String::new(), points: vec![(1.0, 6.5), (2.0, 4.1)], dashed: false }],
//! };
//! report.plot("error.svg", &chart.title, chart.svg());
//! assert!(report.page.contains("![Error](error.svg)"));
//! ```

mod axis;
mod bars;
mod lines;
mod page;
mod svg;
mod table;

pub use bars::{Bar, BarChart};
pub use lines::{LineChart, Series};
pub use page::{Plot, Report, ReportError, prepare_folder};
pub use table::{Table, number, seconds};

/// A palette that is safe for colour blindness (Okabe and Ito).
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
