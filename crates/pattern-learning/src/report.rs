//! The Markdown report of a run.

use tablero_champion::eval::{GenerationStats, PhaseError};
use tablero_jobs::Header;
use tablero_report::{LineChart, Report, Series, Table, number, seconds};

use crate::LearningHistory;

/// Number of generations in the error chart, the newest.
const MAX_SERIES: usize = 5;

/// The report of a run.
pub(crate) fn report(header: &Header, learned: &LearningHistory) -> Report {
    let mut report = Report::new("Learning Othello by patterns");
    let best = learned.best.map_or_else(|| "none yet".into(), |best| best.to_string());
    report.paragraph(&format!(
        "Seed {}, version {}. Generations: {}; best: {best}. Trained on self-play games only, from \
         zero weights.",
        header.seed,
        header.version,
        learned.generations.len()
    ));
    report.table("##", generations(&learned.generations));
    let elo = strength(&learned.generations);
    report.plot("elo.svg", &elo.title, elo.svg());
    let errors = error_chart(&learned.held_out);
    report.plot("errors.svg", &errors.title, errors.svg());
    if let Some(errors) = learned.held_out.last() {
        report.table("##", error_table(errors));
    }
    report
}

fn generations(generations: &[GenerationStats]) -> Table {
    let head = [
        "generation",
        "games",
        "depth",
        "exact empties",
        "positions",
        "held-out error",
        "error of the previous best",
        "Elo difference",
        "score",
        "gating games",
        "accepted",
        "time",
    ];
    let mut table = Table::new("Generations", &head);
    for stats in generations {
        let elo = match (stats.elo, stats.elo_error) {
            (Some(elo), Some(error)) => format!("{elo:+.0} ± {error:.0}"),
            (Some(elo), None) => format!("{elo:+.0}"),
            (None, _) => "-".into(),
        };
        table.rows.push(vec![
            stats.generation.to_string(),
            number(stats.games as f64),
            stats.depth.to_string(),
            stats.exact_empties.to_string(),
            number(stats.positions as f64),
            format!("{:.2}", stats.held_out),
            format!("{:.2}", stats.held_out_best),
            elo,
            format!("{:.1} %", 100.0 * stats.score),
            stats.gate_games.to_string(),
            if stats.accepted { "yes" } else { "no" }.into(),
            seconds(stats.seconds),
        ]);
    }
    table
}

/// Elo of the best weights above zero weights: the sum of all accepted steps.
fn strength(generations: &[GenerationStats]) -> LineChart {
    // For a match won in every game.
    const MAX_STEP: f64 = 800.0;
    let mut sum = 0.0;
    let mut points = vec![(0.0, 0.0)];
    for stats in generations {
        if stats.accepted {
            sum += stats.elo.unwrap_or(MAX_STEP);
        }
        points.push((stats.generation as f64, sum));
    }
    LineChart {
        title: "Strength of the best weights".into(),
        x_label: "generation".into(),
        y_label: "Elo above zero weights".into(),
        log: false,
        format_y: number,
        series: vec![Series { name: "Elo".into(), points, dashed: false }],
    }
}

fn error_chart(generations: &[Vec<PhaseError>]) -> LineChart {
    let first = generations.len().saturating_sub(MAX_SERIES);
    let series = |(index, errors): (usize, &Vec<PhaseError>)| Series {
        name: format!("generation {}", first + index + 1),
        points: points(errors),
        dashed: false,
    };
    LineChart {
        title: "Held-out error by phase".into(),
        x_label: "empties".into(),
        y_label: "mean absolute error in discs".into(),
        log: false,
        format_y: number,
        series: generations[first..].iter().enumerate().map(series).collect(),
    }
}

fn points(errors: &[PhaseError]) -> Vec<(f64, f64)> {
    let measured = errors.iter().filter(|phase| phase.positions > 0);
    measured.map(|phase| (f64::from(phase.empties), phase.mean)).collect()
}

fn error_table(errors: &[PhaseError]) -> Table {
    let head = ["empties", "positions", "mean absolute error", "root mean square error"];
    let mut table = Table::new("Errors of the newest generation, in discs", &head);
    for phase in errors.iter().filter(|phase| phase.positions > 0) {
        table.rows.push(vec![
            format!("{}-{}", phase.empties, phase.empties + 1),
            number(phase.positions as f64),
            format!("{:.2}", phase.mean),
            format!("{:.2}", phase.rms),
        ]);
    }
    table
}
