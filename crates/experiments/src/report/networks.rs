//! Report of trained networks.

use tablero_learn::Loss;
use tablero_report::{LineChart, Report, Series, Table, number, seconds};

use crate::{NetworkMetrics, NetworkPlan};

/// Adds the training metrics of a network.
pub(super) fn add(report: &mut Report, plan: &NetworkPlan, metrics: &NetworkMetrics) {
    if metrics.games == 0 {
        report.paragraph(&format!("## {}\n\nA `{}` with random weights.", plan.title, metrics.net));
        return;
    }
    let mut table = Table::new(&plan.title, &["", ""]);
    for (name, value) in [
        ("network", metrics.net.clone()),
        ("games", number(metrics.games as f64)),
        ("positions", number(metrics.positions as f64)),
        ("positions after unplayed moves", number(metrics.unplayed_positions as f64)),
        ("training steps", number(metrics.steps as f64)),
        ("training time", seconds(metrics.seconds)),
    ] {
        table.rows.push(vec![name.into(), value]);
    }
    if let Some((_, learned, held_out)) = metrics.curve.last() {
        let both = |of: fn(&Loss) -> f64| {
            format!("{} (validation {})", number(of(learned)), number(of(held_out)))
        };
        table.rows.push(vec!["mean squared error".into(), both(|loss| loss.value)]);
        table.rows.push(vec!["mean absolute error".into(), both(|loss| loss.value_error)]);
    }
    report.table("##", table);
    if metrics.curve.len() > 1 {
        let chart = curve(metrics);
        report.plot(&format!("{}-error.svg", metrics.id), &chart.title, chart.svg());
    }
    if let Some(learned) = &metrics.learned {
        let points = learned.generations.iter();
        let points =
            points.filter_map(|generation| Some((generation.generation as f64, generation.elo?)));
        let chart = LineChart {
            title: "Rating by generation".into(),
            x_label: "generation".into(),
            y_label: "Elo above the first anchor".into(),
            log: false,
            format_y: number,
            series: vec![Series { name: "Elo".into(), points: points.collect(), dashed: false }],
        };
        report.plot(&format!("{}-elo.svg", metrics.id), &chart.title, chart.svg());
    }
}

fn curve(metrics: &NetworkMetrics) -> LineChart {
    let line = |name: &str, of: &dyn Fn(&(u64, Loss, Loss)) -> f64| Series {
        name: name.into(),
        points: metrics.curve.iter().map(|point| (point.0 as f64, of(point))).collect(),
        dashed: false,
    };
    LineChart {
        title: "Mean absolute error of the value".into(),
        x_label: "epoch".into(),
        y_label: "mean absolute error".into(),
        log: false,
        format_y: number,
        series: vec![
            line("training", &|point| point.1.value_error),
            line("validation", &|point| point.2.value_error),
        ],
    }
}
