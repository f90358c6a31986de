//! The report of a run.

use tablero_jobs::Header;
use tablero_report::{LineChart, Report, Series, Table, number, seconds};

use crate::ratings::{generation_name, rate};
use crate::{GenerationStats, LearnConfig, LearningHistory, Loss};

/// The report of a run.
pub(crate) fn report(header: &Header, config: &LearnConfig, history: &LearningHistory) -> Report {
    let mut report = Report::new(&format!("Learning {}", config.game));
    let teacher = config.teacher.as_ref().map_or_else(
        || "Trained from self-play alone, without other games.".into(),
        |teacher| {
            format!(
                "The first {} generations trained on games of `{}`.",
                teacher.generations, teacher.player
            )
        },
    );
    report.paragraph(&format!(
        "A {} network. Command: `{}`; seed {}, version {}. Generations: {}; best: {}. {teacher} Ratings at {} \
         simulations per move.",
        config.net,
        config.command,
        header.seed,
        header.version,
        history.generations.len(),
        history.best,
        config.evaluation.sims,
    ));
    for finding in history.findings() {
        report.paragraph(&format!("**{finding}**"));
    }
    report.table("##", generations(&history.generations));
    let strength = strength(config, history);
    report.plot("elo.svg", &strength.title, strength.svg());
    let losses = losses(&history.generations);
    report.plot("losses.svg", &losses.title, losses.svg());
    report.table("##", matches(history));
    report
}

fn generations(generations: &[GenerationStats]) -> Table {
    let head = [
        "generation",
        "games by",
        "games",
        "plies",
        "new positions",
        "steps",
        "value error",
        "policy loss",
        "score against the best",
        "Elo",
        "promoted",
        "time",
    ];
    let mut table = Table::new("Generations", &head);
    for stats in generations {
        let elo = match (stats.elo, stats.elo_error) {
            (Some(elo), Some(error)) => format!("{elo:+.0} ± {error:.0}"),
            _ => "-".into(),
        };
        table.rows.push(vec![
            stats.generation.to_string(),
            stats.player.clone(),
            number(stats.games as f64),
            format!("{:.1}", stats.mean_plies),
            number(stats.new_positions as f64),
            number(stats.steps as f64),
            format!("{:.3}", stats.held_out.value_error),
            format!("{:.3}", stats.held_out.policy),
            stats.score.map_or_else(|| "-".into(), |score| format!("{:.1} %", 100.0 * score)),
            elo,
            if stats.promoted { "yes" } else { "no" }.into(),
            seconds(stats.seconds),
        ]);
    }
    table
}

/// Ratings from all evaluation matches.
fn strength(config: &LearnConfig, history: &LearningHistory) -> LineChart {
    let anchor = config.evaluation.anchors.first().cloned().unwrap_or_else(|| generation_name(0));
    let rated = rate(&history.matches, &anchor);
    let elo = |name: &str| rated.iter().find(|(known, _)| known == name).map(|(_, r)| r.elo);
    let last = history.generations.len();
    let points = (0..=last).filter_map(|n| Some((n as f64, elo(&generation_name(n))?))).collect();
    let mut series = vec![Series { name: "network".into(), points, dashed: false }];
    for anchor in &config.evaluation.anchors {
        if let Some(elo) = elo(anchor) {
            let points = vec![(0.0, elo), (last as f64, elo)];
            series.push(Series { name: anchor.clone(), points, dashed: true });
        }
    }
    LineChart {
        title: "Strength".into(),
        x_label: "generation".into(),
        y_label: format!("Elo above {anchor}"),
        log: false,
        format_y: number,
        series,
    }
}

/// Held-out losses, and those of training positions dashed: where they part, the network memorizes.
fn losses(generations: &[GenerationStats]) -> LineChart {
    let series = |name: &str, of: fn(&Loss) -> f64| {
        let held_out = |g: &GenerationStats| (g.generation as f64, of(&g.held_out));
        let training = |g: &GenerationStats| Some((g.generation as f64, of(g.training.as_ref()?)));
        [
            Series {
                name: format!("{name}, held out"),
                points: generations.iter().map(held_out).collect(),
                dashed: false,
            },
            Series {
                name: format!("{name}, training"),
                points: generations.iter().filter_map(training).collect(),
                dashed: true,
            },
        ]
    };
    LineChart {
        title: "Losses on held-out and training games".into(),
        x_label: "generation".into(),
        y_label: "loss".into(),
        log: false,
        format_y: number,
        series: [
            series("policy (cross-entropy)", |loss| loss.policy),
            series("value (mean squared error)", |loss| loss.value),
        ]
        .into_iter()
        .flatten()
        .filter(|series| !series.points.is_empty())
        .collect(),
    }
}

fn matches(history: &LearningHistory) -> Table {
    let mut table = Table::new("Matches", &["player", "against", "games", "score"]);
    for score in &history.matches {
        table.rows.push(vec![
            score.players[0].clone(),
            score.players[1].clone(),
            number(score.games),
            format!("{:.1} %", 100.0 * score.score()),
        ]);
    }
    table
}
