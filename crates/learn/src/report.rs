//! What a run has learned, for people.

use tablero_jobs::Header;
use tablero_report::{LineChart, Report, Series, Table, number, seconds};

use crate::measure::{name, rate};
use crate::{GenerationPast, LearnConfig, Learned, Loss};

/// The report of a run.
pub(crate) fn report(header: &Header, config: &LearnConfig, learned: &Learned) -> Report {
    let mut report = Report::new(&format!("Learning {}", config.game));
    let teacher = config.teacher.as_ref().map_or_else(
        || "Nothing but the rules and the network's own games went into it.".into(),
        |teacher| {
            format!(
                "The first {} generations learned from games of `{}`.",
                teacher.generations, teacher.line
            )
        },
    );
    report.paragraph(&format!(
        "A {} network. Command: `{}`; seed {}, program version {}. Generations: {}; the one in use: {}. \
         {teacher} Ratings are at {} simulations for a move.",
        config.net,
        config.command,
        header.seed,
        header.version,
        learned.generations.len(),
        learned.best,
        config.measure.sims,
    ));
    report.table("##", generations(&learned.generations));
    let strength = strength(config, learned);
    report.plot("elo.svg", &strength.title, strength.svg());
    let losses = losses(&learned.generations);
    report.plot("losses.svg", &losses.title, losses.svg());
    report.table("##", meetings(learned));
    report
}

fn generations(generations: &[GenerationPast]) -> Table {
    let head = [
        "generation",
        "games by",
        "games",
        "plies",
        "new positions",
        "steps",
        "value error",
        "policy loss",
        "score against the best before",
        "Elo",
        "in use",
        "time",
    ];
    let mut table = Table::new("Generations", &head);
    for past in generations {
        let elo = match (past.elo, past.elo_error) {
            (Some(elo), Some(error)) => format!("{elo:+.0} ± {error:.0}"),
            _ => "-".into(),
        };
        table.rows.push(vec![
            past.generation.to_string(),
            past.player.clone(),
            number(past.games as f64),
            format!("{:.1}", past.plies),
            number(past.new_positions as f64),
            number(past.steps as f64),
            format!("{:.3}", past.held_out.value_error),
            format!("{:.3}", past.held_out.moves),
            past.score.map_or_else(|| "-".into(), |score| format!("{:.1} %", 100.0 * score)),
            elo,
            if past.accepted { "yes" } else { "no" }.into(),
            seconds(past.seconds),
        ]);
    }
    table
}

/// Ratings by all games that are known now.
fn strength(config: &LearnConfig, learned: &Learned) -> LineChart {
    let zero = config.measure.anchors.first().cloned().unwrap_or_else(|| name(0));
    let rated = rate(&learned.meetings, &zero);
    let elo = |name: &str| rated.iter().find(|(known, _)| known == name).map(|(_, r)| r.elo);
    let last = learned.generations.len();
    let points = (0..=last).filter_map(|n| Some((n as f64, elo(&name(n))?))).collect();
    let mut series = vec![Series { name: "network".into(), points, dashed: false }];
    for anchor in &config.measure.anchors {
        if let Some(elo) = elo(anchor) {
            let points = vec![(0.0, elo), (last as f64, elo)];
            series.push(Series { name: anchor.clone(), points, dashed: true });
        }
    }
    LineChart {
        title: "Strength".into(),
        x_label: "generation".into(),
        y_label: format!("Elo above {zero}"),
        log: false,
        y_name: number,
        series,
    }
}

fn losses(generations: &[GenerationPast]) -> LineChart {
    let series = |name: &str, of: fn(&Loss) -> f64| Series {
        name: name.into(),
        points: generations.iter().map(|g| (g.generation as f64, of(&g.held_out))).collect(),
        dashed: false,
    };
    LineChart {
        title: "Losses in games that were kept out of learning".into(),
        x_label: "generation".into(),
        y_label: "loss".into(),
        log: false,
        y_name: number,
        series: vec![
            series("moves (cross-entropy)", |loss| loss.moves),
            series("value (mean square)", |loss| loss.value),
            series("value (mean error)", |loss| loss.value_error),
        ],
    }
}

fn meetings(learned: &Learned) -> Table {
    let mut table = Table::new("Matches", &["player", "against", "games", "score"]);
    for met in &learned.meetings {
        table.rows.push(vec![
            met.players[0].clone(),
            met.players[1].clone(),
            number(met.games),
            format!("{:.1} %", 100.0 * met.score()),
        ]);
    }
    table
}
