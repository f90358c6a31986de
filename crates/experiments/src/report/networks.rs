//! Networks that were trained.

use tablero_learn::Loss;
use tablero_report::{LineChart, Report, Series, Table, number, seconds};

use crate::{NetworkFigures, NetworkPlan};

/// Adds what became of a network.
pub(super) fn add(report: &mut Report, plan: &NetworkPlan, figures: &NetworkFigures) {
    if figures.games == 0 {
        report.paragraph(&format!("## {}\n\nA `{}` with random weights.", plan.title, figures.net));
        return;
    }
    let mut table = Table::new(&plan.title, &["", ""]);
    for (name, value) in [
        ("network", figures.net.clone()),
        ("games", number(figures.games as f64)),
        ("positions", number(figures.positions as f64)),
        ("positions behind other moves", number(figures.others as f64)),
        ("steps of training", number(figures.steps as f64)),
        ("time", seconds(figures.seconds)),
    ] {
        table.rows.push(vec![name.into(), value]);
    }
    if let Some((_, learned, held_out)) = figures.curve.last() {
        let both = |of: fn(&Loss) -> f64| {
            format!("{} (held out {})", number(of(learned)), number(of(held_out)))
        };
        table.rows.push(vec!["mean square error".into(), both(|loss| loss.value)]);
        table.rows.push(vec!["mean absolute error".into(), both(|loss| loss.value_error)]);
    }
    report.table("##", table);
    if figures.curve.len() > 1 {
        let chart = curve(figures);
        report.plot(&format!("{}-error.svg", figures.id), &chart.title, chart.svg());
    }
    if let Some(learned) = &figures.learned {
        let points = learned.generations.iter();
        let points = points.filter_map(|past| Some((past.generation as f64, past.elo?)));
        let chart = LineChart {
            title: "Strength of the generations".into(),
            x_label: "generation".into(),
            y_label: "Elo above the first anchor".into(),
            log: false,
            y_name: number,
            series: vec![Series { name: "Elo".into(), points: points.collect(), dashed: false }],
        };
        report.plot(&format!("{}-elo.svg", figures.id), &chart.title, chart.svg());
    }
}

fn curve(figures: &NetworkFigures) -> LineChart {
    let line = |name: &str, of: &dyn Fn(&(u64, Loss, Loss)) -> f64| Series {
        name: name.into(),
        points: figures.curve.iter().map(|point| (point.0 as f64, of(point))).collect(),
        dashed: false,
    };
    LineChart {
        title: "Mean absolute error of the value".into(),
        x_label: "epoch".into(),
        y_label: "mean absolute error".into(),
        log: false,
        y_name: number,
        series: vec![
            line("learned from", &|point| point.1.value_error),
            line("held out", &|point| point.2.value_error),
        ],
    }
}
