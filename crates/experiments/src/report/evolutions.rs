//! Evolutions: times, a crosstable, curves.

use tablero_report::{Bar, BarChart, LineChart, Report, Series, Table, number, seconds};

use crate::{EvolutionFigures, EvolutionPlan, RunFigures};

/// Discs on a full board.
const DISCS: i16 = 64;

pub(super) fn add(report: &mut Report, plan: &EvolutionPlan, figures: &EvolutionFigures) {
    report.paragraph(&format!("## {}", plan.title));
    report.paragraph(&format!(
        "Genomes of kind `{}`, bred by `{}`, playing as `{}`.",
        plan.genome, plan.scheme, plan.player
    ));
    report.table("###", run_table(plan, figures));
    report.table("###", crosstable("Crosstable", figures));
    report.paragraph(
        "Discs of the row's player, who is black, and of the column's; empty squares count for the \
         winner.",
    );
    if !plan.work_table.is_empty() {
        report.table("###", work_table(plan, figures));
    }
    report.table("###", points_table(figures));
    let chart = points_chart(figures);
    report.plot(&format!("{}-points.svg", figures.id), "Points in the crosstable", chart.svg());
    let longest = figures.runs.iter().max_by_key(|run| run.generations);
    if let Some(run) = longest {
        let chart = fitness_chart(run);
        report.plot(&format!("{}-fitness.svg", figures.id), &chart.title, chart.svg());
        let chart = gene_chart(run);
        report.plot(&format!("{}-genes.svg", figures.id), &chart.title, chart.svg());
    }
}

fn run_table(plan: &EvolutionPlan, figures: &EvolutionFigures) -> Table {
    let head = [
        "",
        "generations",
        "fitness, work",
        "fitness, ours",
        "time, work",
        "time, ours",
        "times as fast",
    ];
    let mut table = Table::new("The evolutions", &head);
    for (run, ours) in plan.runs.iter().zip(&figures.runs) {
        table.rows.push(vec![
            run.name.clone(),
            ours.generations.to_string(),
            number(run.work_fitness),
            number(ours.fitness),
            seconds(run.work_seconds),
            seconds(ours.seconds),
            number((run.work_seconds / ours.seconds.max(1e-9)).round()),
        ]);
    }
    table
}

fn names(figures: &EvolutionFigures) -> Vec<&str> {
    let names = figures.runs.iter().map(|run| run.name.as_str());
    std::iter::once("").chain(names).collect()
}

fn crosstable(title: &str, figures: &EvolutionFigures) -> Table {
    let mut table = Table::new(title, &names(figures));
    for (run, margins) in figures.runs.iter().zip(&figures.table) {
        let cell = |margin: &Option<i16>| match margin {
            None => "-".into(),
            Some(margin) => format!("{}/{}", (DISCS + margin) / 2, (DISCS - margin) / 2),
        };
        let cells = margins.iter().map(cell);
        table.rows.push(std::iter::once(run.name.clone()).chain(cells).collect());
    }
    table
}

fn work_table(plan: &EvolutionPlan, figures: &EvolutionFigures) -> Table {
    let mut table = Table::new("The work's crosstable", &names(figures));
    for (run, row) in figures.runs.iter().zip(&plan.work_table) {
        let cells = row.split(' ').map(String::from);
        table.rows.push(std::iter::once(run.name.clone()).chain(cells).collect());
    }
    table
}

/// The points of a player in the crosstable, of so many games.
fn points(figures: &EvolutionFigures, player: usize) -> (f64, usize) {
    let as_first = figures.table[player].iter().flatten().copied();
    let as_second = figures.table.iter().filter_map(|row| row[player]).map(|margin| -margin);
    let margins: Vec<i16> = as_first.chain(as_second).collect();
    let points = margins.iter().map(|margin| f64::from(1 + margin.signum()) / 2.0).sum();
    (points, margins.len())
}

fn points_table(figures: &EvolutionFigures) -> Table {
    let head = ["generations", "players", "share of all points", "against fewer generations"];
    let mut table = Table::new("Points by generations", &head);
    let mut generations: Vec<u64> = figures.runs.iter().map(|run| run.generations).collect();
    generations.dedup();
    let fewest = generations.first().copied();
    for count in generations {
        let players = (0..figures.runs.len()).filter(|&p| figures.runs[p].generations == count);
        let (mut sum, mut games, mut number_of) = (0.0, 0, 0);
        for (points, played) in players.map(|player| points(figures, player)) {
            (sum, games, number_of) = (sum + points, games + played, number_of + 1);
        }
        let against = match fewest == Some(count) {
            true => "-".into(),
            false => number(figures.later_against_earlier(count)),
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

fn points_chart(figures: &EvolutionFigures) -> BarChart {
    let bar = |(player, run): (usize, &RunFigures)| {
        let (points, games) = points(figures, player);
        Bar {
            name: format!("{} ({})", run.name, run.generations),
            value: 100.0 * points / games.max(1) as f64,
            error: 0.0,
            text: format!("{points} of {games}"),
        }
    };
    BarChart {
        title: "Points in the crosstable, by player (generations)".into(),
        label: "share of the points, %".into(),
        most: 100.0,
        mark: 50.0,
        bars: figures.runs.iter().enumerate().map(bar).collect(),
    }
}

fn fitness_chart(run: &RunFigures) -> LineChart {
    let series = |name: &str, of: fn(&(f64, f64, Vec<f64>)) -> f64| Series {
        name: name.into(),
        points: (1..).zip(&run.curve).map(|(x, point)| (f64::from(x), of(point))).collect(),
        dashed: false,
    };
    LineChart {
        title: format!("Fitness in {}", run.name),
        x_label: "generation".into(),
        y_label: "points kept for life".into(),
        log: false,
        y_name: number,
        series: vec![series("best", |point| point.0), series("mean", |point| point.1)],
    }
}

fn gene_chart(run: &RunFigures) -> LineChart {
    let series = |(gene, name): (usize, &String)| Series {
        name: name.clone(),
        points: (1..)
            .zip(&run.curve)
            .filter_map(|(x, point)| Some((f64::from(x), *point.2.get(gene)?)))
            .collect(),
        dashed: false,
    };
    LineChart {
        title: format!("Coefficients of the best in {}", run.name),
        x_label: "generation".into(),
        y_label: "coefficient".into(),
        log: false,
        y_name: number,
        series: run.genes.iter().enumerate().map(series).collect(),
    }
}
