use std::fmt::Write;

/// Builds an SVG file.
pub(crate) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// The part of a text at its coordinates.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

pub(crate) const TEXT: &str = "#222222";
pub(crate) const GRID: &str = "#dddddd";
const BACKGROUND: &str = "#ffffff";

impl Svg {
    pub(crate) const fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.add(format_args!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}" stroke-width="{width}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    pub(crate) fn path(&mut self, points: &[(f64, f64)], colour: &str, dashed: bool) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dash = if dashed { r#" stroke-dasharray="7 5""# } else { "" };
        self.add(format_args!(
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-linejoin="round"{dash}/>"#,
            points.join(" ")
        ));
    }

    pub(crate) fn dot(&mut self, at: (f64, f64), colour: &str) {
        let (x, y) = at;
        self.add(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="{colour}"/>"#));
    }

    /// A filled rectangle with its upper left `corner`.
    pub(crate) fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), colour: &str) {
        self.add(format_args!(
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="{colour}"/>"#,
            corner.0, corner.1, size.0, size.1
        ));
    }

    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.styled_text(at, anchor, text, "");
    }

    pub(crate) fn title(&mut self, text: &str) {
        self.styled_text((20.0, 30.0), Anchor::Start, text, r#" font-size="18" font-weight="600""#);
    }

    /// Text rotated by 90°, centred at `at`.
    pub(crate) fn vertical_text(&mut self, at: (f64, f64), text: &str) {
        let turn = format!(r#" transform="rotate(-90 {:.1} {:.1})""#, at.0, at.1);
        self.styled_text(at, Anchor::Middle, text, &turn);
    }

    fn styled_text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str, style: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        self.add(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{TEXT}"{style}>{text}</text>"#
        ));
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{element}").expect("writing to a string");
    }

    /// The complete file.
    pub(crate) fn finish(self) -> String {
        let Self { width, height, body } = self;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif" font-size="14">
<rect width="{width}" height="{height}" fill="{BACKGROUND}"/>
{body}</svg>
"#
        )
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
