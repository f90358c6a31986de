//! Report of evolutions: times, crosstable, fitness curves.

use tablero_report::{Bar, BarChart, LineChart, Report, Series, Table, number, seconds};

use crate::{EvolutionMetrics, EvolutionPlan, RunMetrics};

/// Discs on a full board.
const DISCS: i16 = 64;

pub(super) fn add(report: &mut Report, plan: &EvolutionPlan, metrics: &EvolutionMetrics) {
    report.paragraph(&format!("## {}", plan.title));
    report.paragraph(&format!(
        "Genome `{}`, scheme `{}`, player `{}`.",
        plan.genome, plan.scheme, plan.player
    ));
    report.table("###", run_table(plan, metrics));
    report.table("###", crosstable(plan, metrics));
    report.paragraph(match plan.full_board {
        true => {
            "Discs of the row's player, who has black, and of the column's; empty squares count for \
             the winner."
        }
        false => "Discs of the row's player, who has black, and of the column's on the board.",
    });
    if !plan.reference_table.is_empty() {
        report.table("###", reference_table(plan, metrics));
    }
    report.table("###", points_table(metrics));
    let chart = points_chart(metrics);
    report.plot(&format!("{}-points.svg", metrics.id), "Points in the crosstable", chart.svg());
    let longest = metrics.runs.iter().max_by_key(|run| run.generations);
    if let Some(run) = longest {
        let chart = fitness_chart(run);
        report.plot(&format!("{}-fitness.svg", metrics.id), &chart.title, chart.svg());
        let chart = gene_chart(run);
        report.plot(&format!("{}-genes.svg", metrics.id), &chart.title, chart.svg());
    }
}

fn run_table(plan: &EvolutionPlan, metrics: &EvolutionMetrics) -> Table {
    let head = [
        "",
        "generations",
        "fitness, published",
        "fitness, measured",
        "time, published",
        "time, measured",
        "speed-up",
    ];
    let mut table = Table::new("Evolutions", &head);
    for (run, ours) in plan.runs.iter().zip(&metrics.runs) {
        table.rows.push(vec![
            run.name.clone(),
            ours.generations.to_string(),
            number(run.reference_fitness),
            number(ours.fitness),
            seconds(run.reference_seconds),
            seconds(ours.seconds),
            number((run.reference_seconds / ours.seconds.max(1e-9)).round()),
        ]);
    }
    table
}

fn names(metrics: &EvolutionMetrics) -> Vec<&str> {
    let names = metrics.runs.iter().map(|run| run.name.as_str());
    std::iter::once("").chain(names).collect()
}

fn crosstable(plan: &EvolutionPlan, metrics: &EvolutionMetrics) -> Table {
    let mut table = Table::new("Crosstable", &names(metrics));
    for (row, run) in metrics.runs.iter().enumerate() {
        let cell = |column: usize| {
            let pieces = metrics.pieces.get(row).and_then(|row| row[column]);
            let Some(margin) = metrics.table[row][column] else { return "-".into() };
            match pieces.filter(|_| !plan.full_board) {
                Some([first, second]) => format!("{first}/{second}"),
                None => format!("{}/{}", (DISCS + margin) / 2, (DISCS - margin) / 2),
            }
        };
        let cells = (0..metrics.runs.len()).map(cell);
        table.rows.push(std::iter::once(run.name.clone()).chain(cells).collect());
    }
    table
}

fn reference_table(plan: &EvolutionPlan, metrics: &EvolutionMetrics) -> Table {
    let mut table = Table::new("Published crosstable", &names(metrics));
    for (run, row) in metrics.runs.iter().zip(&plan.reference_table) {
        let cells = row.split(' ').map(String::from);
        table.rows.push(std::iter::once(run.name.clone()).chain(cells).collect());
    }
    table
}

/// Points of a player in the crosstable, and number of games.
fn points(metrics: &EvolutionMetrics, player: usize) -> (f64, usize) {
    let as_first = metrics.table[player].iter().flatten().copied();
    let as_second = metrics.table.iter().filter_map(|row| row[player]).map(|margin| -margin);
    let margins: Vec<i16> = as_first.chain(as_second).collect();
    let points = margins.iter().map(|margin| f64::from(1 + margin.signum()) / 2.0).sum();
    (points, margins.len())
}

fn points_table(metrics: &EvolutionMetrics) -> Table {
    let head = ["generations", "players", "score", "score against fewer generations"];
    let mut table = Table::new("Points by generations", &head);
    let mut generations: Vec<u64> = metrics.runs.iter().map(|run| run.generations).collect();
    generations.dedup();
    let fewest = generations.first().copied();
    for count in generations {
        let players = (0..metrics.runs.len()).filter(|&p| metrics.runs[p].generations == count);
        let (mut sum, mut games, mut number_of) = (0.0, 0, 0);
        for (points, played) in players.map(|player| points(metrics, player)) {
            (sum, games, number_of) = (sum + points, games + played, number_of + 1);
        }
        let against = match fewest == Some(count) {
            true => "-".into(),
            false => number(metrics.score_of_later(count)),
        };
        table.rows.push(vec![
            count.to_string(),
            number_of.to_string(),
            number(sum / games.max(1) as f64),
            against,
        ]);
    }
    table
}

fn points_chart(metrics: &EvolutionMetrics) -> BarChart {
    let bar = |(player, run): (usize, &RunMetrics)| {
        let (points, games) = points(metrics, player);
        Bar {
            name: format!("{} ({})", run.name, run.generations),
            value: 100.0 * points / games.max(1) as f64,
            error: 0.0,
            text: format!("{points} of {games}"),
        }
    };
    BarChart {
        title: "Points in the crosstable, by player (generations)".into(),
        label: "score, %".into(),
        max: 100.0,
        reference: 50.0,
        bars: metrics.runs.iter().enumerate().map(bar).collect(),
    }
}

fn fitness_chart(run: &RunMetrics) -> LineChart {
    let series = |name: &str, of: fn(&(f64, f64, Vec<f64>)) -> f64| Series {
        name: name.into(),
        points: (1..).zip(&run.curve).map(|(x, point)| (f64::from(x), of(point))).collect(),
        dashed: false,
    };
    LineChart {
        title: format!("Fitness in {}", run.name),
        x_label: "generation".into(),
        y_label: "fitness (accumulated points)".into(),
        log: false,
        format_y: number,
        series: vec![series("best", |point| point.0), series("mean", |point| point.1)],
    }
}

fn gene_chart(run: &RunMetrics) -> LineChart {
    let series = |(gene, name): (usize, &String)| Series {
        name: name.clone(),
        points: (1..)
            .zip(&run.curve)
            .filter_map(|(x, point)| Some((f64::from(x), *point.2.get(gene)?)))
            .collect(),
        dashed: false,
    };
    LineChart {
        title: format!("Genes of the best in {}", run.name),
        x_label: "generation".into(),
        y_label: "gene".into(),
        log: false,
        format_y: number,
        series: run.genes.iter().enumerate().map(series).collect(),
    }
}
