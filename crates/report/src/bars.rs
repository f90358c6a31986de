use crate::axis::{Axis, Scale};
use crate::number;
use crate::svg::{Anchor, GRID, Svg, TEXT};

/// A horizontal bar chart with error bars.
pub struct BarChart {
    /// Title.
    pub title: String,
    /// Label of the axis.
    pub label: String,
    /// End of the axis, which starts at 0.
    pub max: f64,
    /// A reference value, drawn as a line.
    pub reference: f64,
    /// From top to bottom.
    pub bars: Vec<Bar>,
}

/// A bar.
pub struct Bar {
    /// Label to its left.
    pub name: String,
    /// Length.
    pub value: f64,
    /// Half width of the error bar; 0 for none.
    pub error: f64,
    /// Text at its end.
    pub text: String,
}

const WIDTH: f64 = 860.0;
const LEFT: f64 = 290.0;
const RIGHT: f64 = WIDTH - 190.0;
const TOP: f64 = 55.0;
const ROW: f64 = 46.0;
const THICK: f64 = 26.0;
/// Light enough for the error bars to stand out.
const FILL: &str = "#8fbfe0";

impl BarChart {
    /// Renders the chart.
    pub fn svg(&self) -> String {
        let bottom = TOP + ROW * self.bars.len() as f64;
        let axis = Axis::around([0.0, self.max].into_iter(), Scale::Linear, (LEFT, RIGHT));
        let mut svg = Svg::new(WIDTH, bottom + 65.0);
        svg.title(&self.title);
        for value in axis.ticks() {
            svg.line((axis.at(value), TOP), (axis.at(value), bottom), GRID, 1.0);
            svg.text((axis.at(value), bottom + 22.0), Anchor::Middle, &number(value));
        }
        for (index, bar) in self.bars.iter().enumerate() {
            let middle = TOP + ROW * (index as f64 + 0.5);
            let size = (axis.at(bar.value) - LEFT, THICK);
            svg.rectangle((LEFT, middle - THICK / 2.0), size, FILL);
            svg.text((LEFT - 10.0, middle + 5.0), Anchor::End, &bar.name);
            svg.text((RIGHT + 12.0, middle + 5.0), Anchor::Start, &bar.text);
            if bar.error > 0.0 {
                let low = axis.at((bar.value - bar.error).max(0.0));
                let high = axis.at((bar.value + bar.error).min(self.max));
                svg.line((low, middle), (high, middle), TEXT, 2.0);
                for end in [low, high] {
                    svg.line((end, middle - 7.0), (end, middle + 7.0), TEXT, 2.0);
                }
            }
        }
        svg.line((axis.at(self.reference), TOP), (axis.at(self.reference), bottom), TEXT, 1.0);
        svg.text((f64::midpoint(LEFT, RIGHT), bottom + 50.0), Anchor::Middle, &self.label);
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_bars_with_errors() {
        let bar = |value, error| Bar { name: "a".into(), value, error, text: "+12 ± 3".into() };
        let bars = vec![bar(60.0, 5.0), bar(100.0, 0.0)];
        let chart =
            BarChart { title: "t".into(), label: "%".into(), max: 100.0, reference: 50.0, bars };
        let svg = chart.svg();
        // The background and two bars; one error bar of three lines, besides grid and reference line.
        assert_eq!(svg.matches("<rect").count(), 3);
        assert_eq!(svg.matches("+12 ± 3").count(), 2);
        assert_eq!(svg.matches(r#"stroke-width="2""#).count(), 3);
    }
}
