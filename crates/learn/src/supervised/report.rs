//! Learning curves.

use tablero_core::AnyGame;
use tablero_report::{LineChart, Report, Series, number};

use super::data::file_name;
use super::{Epoch, TrainOptions};
use crate::Loss;

pub(super) fn curves(game: AnyGame, epochs: &[Epoch], options: &TrainOptions) -> Report {
    let mut report = Report::new(&format!("Training a network for {game}"));
    let data: Vec<_> = options.data.iter().map(|path| file_name(path)).collect();
    report.paragraph(&format!("`{}` on {}, seed {}.", options.net, data.join(", "), options.seed));
    let curve = |name: &str, of: &dyn Fn(&Epoch) -> f64| Series {
        name: name.into(),
        points: epochs.iter().map(|epoch| (epoch.epoch as f64, of(epoch))).collect(),
        dashed: false,
    };
    for (file, title, of) in [
        (
            "mse.svg",
            "Mean squared error of the value",
            (|loss: &Loss| loss.value) as fn(&Loss) -> f64,
        ),
        ("mae.svg", "Mean absolute error of the value", |loss| loss.value_error),
        ("policy.svg", "Cross-entropy of the policy", |loss| loss.policy),
    ] {
        if epochs.iter().all(|epoch| of(&epoch.training) == 0.0) {
            continue;
        }
        let chart = LineChart {
            title: title.into(),
            x_label: "epoch".into(),
            y_label: title.into(),
            log: false,
            format_y: number,
            series: match epochs.first().and_then(|epoch| epoch.held_out) {
                Some(_) => vec![
                    curve("training", &|epoch| of(&epoch.training)),
                    curve("held out", &|epoch| epoch.held_out.as_ref().map_or(0.0, of)),
                ],
                None => vec![curve("training", &|epoch| of(&epoch.training))],
            },
        };
        report.plot(file, title, chart.svg());
    }
    report
}
