//! Report of evolutions in stages: scores against their opponents.

use tablero_report::{LineChart, Report, Series, Table, number, seconds};

use crate::{StagedEvolutionMetrics, StagedEvolutionPlan};

pub(super) fn add(
    report: &mut Report,
    plans: &[StagedEvolutionPlan],
    metrics: &[StagedEvolutionMetrics],
) {
    let Some(first) = plans.first() else { return };
    report.paragraph("## Evolutions");
    for plan in plans {
        report.page += &format!(
            "- {}: genome `{}`, scheme `{}`, player `{}`\n",
            plan.title, plan.genome, plan.scheme, plan.player
        );
    }
    report.page += "\n";
    report.table("###", table(plans, metrics));
    for (stage, plan) in first.stages.iter().enumerate() {
        let chart = LineChart {
            title: format!("Score of the population against {}", plan.against),
            x_label: "generation".into(),
            y_label: "mean score".into(),
            log: false,
            format_y: number,
            series: plans
                .iter()
                .zip(metrics)
                .map(|(plan, metrics)| Series {
                    name: plan.title.clone(),
                    points: curve(&metrics.stages[stage].mean),
                    dashed: false,
                })
                .collect(),
        };
        report.plot(&format!("stage-{}.svg", stage + 1), &chart.title, chart.svg());
    }
}

fn table(plans: &[StagedEvolutionPlan], metrics: &[StagedEvolutionMetrics]) -> Table {
    let head = ["", "against", "generations", "games", "mean score at the end", "time"];
    let mut table = Table::new("Evolutions", &head);
    for (plan, metrics) in plans.iter().zip(metrics) {
        for stage in &metrics.stages {
            table.rows.push(vec![
                plan.title.clone(),
                stage.against.clone(),
                stage.mean.len().to_string(),
                stage.games.to_string(),
                format!("{:.1} %", 100.0 * stage.final_score()),
                seconds(stage.seconds),
            ]);
        }
    }
    table
}

/// Means of up to a hundred intervals of generations: single generations are noisy.
fn curve(scores: &[f64]) -> Vec<(f64, f64)> {
    let size = scores.len().div_ceil(100).max(1);
    let mean = |(index, interval): (usize, &[f64])| {
        let sum: f64 = interval.iter().sum();
        ((index * size + interval.len()) as f64, sum / interval.len() as f64)
    };
    scores.chunks(size).enumerate().map(mean).collect()
}
