use crate::COLOURS;
use crate::axis::{Axis, Scale};
use crate::number;
use crate::svg::{Anchor, GRID, Svg, TEXT};

/// A line chart whose x axis counts something.
pub struct LineChart {
    /// Title.
    pub title: String,
    /// Label of the x axis.
    pub x_label: String,
    /// Label of the y axis.
    pub y_label: String,
    /// Whether the y axis is logarithmic.
    pub log: bool,
    /// Format of the tick labels of the y axis.
    pub format_y: fn(f64) -> String,
    /// The lines.
    pub series: Vec<Series>,
}

/// A line.
pub struct Series {
    /// Label in the legend, which is drawn for several lines.
    pub name: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
    /// Whether the line is dashed: an estimate, not a measurement.
    pub dashed: bool,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 110.0;
/// Width of the legend.
const LEGEND: f64 = 250.0;
const NO_LEGEND: f64 = 40.0;
const TOP: f64 = 55.0;
const BOTTOM: f64 = HEIGHT - 65.0;
/// Lines with more points are drawn without dots.
const MAX_DOTS: usize = 20;

impl LineChart {
    /// Renders the chart.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let right = WIDTH - if self.series.len() > 1 { LEGEND } else { NO_LEGEND };
        let x = Axis::around(points().map(|point| point.0), Scale::Integer, (LEFT, right));
        let values = points().map(|point| point.1);
        // A linear axis includes 0, lest differences look too large.
        let zero = (!self.log).then_some(0.0);
        let scale = if self.log { Scale::Log } else { Scale::Linear };
        let y = Axis::around(values.chain(zero), scale, (BOTTOM, TOP));
        let mut svg = Svg::new(WIDTH, HEIGHT);
        svg.title(&self.title);
        self.draw_axes(&mut svg, &x, &y, right);
        for (index, series) in self.series.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let visible = series.points.iter().filter(|point| !self.log || point.1 > 0.0);
            let places: Vec<_> = visible.map(|point| (x.at(point.0), y.at(point.1))).collect();
            svg.path(&places, colour, series.dashed);
            if !series.dashed && places.len() <= MAX_DOTS {
                places.iter().for_each(|&place| svg.dot(place, colour));
            }
            if self.series.len() > 1 {
                let height = TOP + 12.0 + 26.0 * index as f64;
                let (from, to) = (right + 20.0, right + 48.0);
                svg.path(&[(from, height), (to, height)], colour, series.dashed);
                svg.text((to + 8.0, height + 5.0), Anchor::Start, &series.name);
            }
        }
        svg.finish()
    }

    fn draw_axes(&self, svg: &mut Svg, x: &Axis, y: &Axis, right: f64) {
        for value in y.ticks() {
            svg.line((LEFT, y.at(value)), (right, y.at(value)), GRID, 1.0);
            svg.text((LEFT - 8.0, y.at(value) + 5.0), Anchor::End, &(self.format_y)(value));
        }
        for value in x.ticks() {
            svg.line((x.at(value), BOTTOM), (x.at(value), BOTTOM + 5.0), TEXT, 1.0);
            svg.text((x.at(value), BOTTOM + 22.0), Anchor::Middle, &number(value));
        }
        svg.line((LEFT, BOTTOM), (right, BOTTOM), TEXT, 1.0);
        svg.text((f64::midpoint(LEFT, right), HEIGHT - 18.0), Anchor::Middle, &self.x_label);
        svg.vertical_text((24.0, f64::midpoint(TOP, BOTTOM)), &self.y_label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_every_line_with_its_name() {
        let series = |name: &str, dashed| Series {
            name: name.into(),
            points: vec![(1.0, 4.0), (2.0, 100.0), (3.0, 0.0)],
            dashed,
        };
        let chart = LineChart {
            title: "A < B".into(),
            x_label: "depth".into(),
            y_label: "nodes".into(),
            log: true,
            format_y: number,
            series: vec![series("one", false), series("two", true)],
        };
        let svg = chart.svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("A &lt; B") && svg.contains(">one<") && svg.contains(">two<"));
        // Each line and its sample in the legend; 0 is not on a logarithmic axis.
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
