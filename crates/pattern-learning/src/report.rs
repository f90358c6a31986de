//! What a run has learned, for people.

use tablero_champion::eval::{GenerationPast, PhaseError};
use tablero_jobs::Header;
use tablero_report::{LineChart, Report, Series, Table, number, seconds};

use crate::Learned;

/// So many generations' errors are drawn: the newest.
const DRAWN: usize = 5;

/// The report of a run.
pub(crate) fn report(header: &Header, learned: &Learned) -> Report {
    let mut report = Report::new("Learning Othello by patterns");
    let best = learned.best.map_or_else(|| "none yet".into(), |best| best.to_string());
    report.paragraph(&format!(
        "Seed {}, program version {}. Generations: {}; the best: {best}. Nothing but the rules and the \
         games that the program played against itself went into it.",
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

fn generations(generations: &[GenerationPast]) -> Table {
    let head = [
        "generation",
        "games",
        "depth",
        "exact from",
        "positions",
        "error",
        "error of the best before",
        "Elo against it",
        "score",
        "games of the match",
        "accepted",
        "time",
    ];
    let mut table = Table::new("Generations", &head);
    for past in generations {
        let elo = match (past.elo, past.elo_error) {
            (Some(elo), Some(error)) => format!("{elo:+.0} ± {error:.0}"),
            (Some(elo), None) => format!("{elo:+.0}"),
            (None, _) => "-".into(),
        };
        table.rows.push(vec![
            past.generation.to_string(),
            number(past.games as f64),
            past.depth.to_string(),
            past.exact.to_string(),
            number(past.positions as f64),
            format!("{:.2}", past.held_out),
            format!("{:.2}", past.held_out_before),
            elo,
            format!("{:.1} %", 100.0 * past.score),
            past.gate_games.to_string(),
            if past.accepted { "yes" } else { "no" }.into(),
            seconds(past.seconds),
        ]);
    }
    table
}

/// Elo of the best so far above nothing learned: the sum of all accepted steps.
fn strength(generations: &[GenerationPast]) -> LineChart {
    // A match that was won in every game says at least so much.
    const WON_ALL: f64 = 800.0;
    let mut sum = 0.0;
    let mut points = vec![(0.0, 0.0)];
    for past in generations {
        if past.accepted {
            sum += past.elo.unwrap_or(WON_ALL);
        }
        points.push((past.generation as f64, sum));
    }
    LineChart {
        title: "Strength of the best weights".into(),
        x_label: "generation".into(),
        y_label: "Elo above an evaluation of zeros".into(),
        log: false,
        y_name: number,
        series: vec![Series { name: "Elo".into(), points, dashed: false }],
    }
}

fn error_chart(generations: &[Vec<PhaseError>]) -> LineChart {
    let first = generations.len().saturating_sub(DRAWN);
    let series = |(index, errors): (usize, &Vec<PhaseError>)| Series {
        name: format!("generation {}", first + index + 1),
        points: points(errors),
        dashed: false,
    };
    LineChart {
        title: "Error in games that were kept out of learning".into(),
        x_label: "empty squares".into(),
        y_label: "mean absolute error in discs".into(),
        log: false,
        y_name: number,
        series: generations[first..].iter().enumerate().map(series).collect(),
    }
}

fn points(errors: &[PhaseError]) -> Vec<(f64, f64)> {
    let seen = errors.iter().filter(|phase| phase.positions > 0);
    seen.map(|phase| (f64::from(phase.empties), phase.mean)).collect()
}

fn error_table(errors: &[PhaseError]) -> Table {
    let head = ["empty squares", "positions", "mean absolute error", "root mean square"];
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
