//! Small plots as SVG: lines over a linear or logarithmic axis, and bars with error bars.

mod axis;
mod bars;
mod lines;
mod svg;

pub(crate) use bars::{Bar, BarChart};
pub(crate) use lines::{LineChart, Series};

/// Colours that people with colour blindness can tell apart, too.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
