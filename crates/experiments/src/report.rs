//! Figures for people: tables, plots, and a page that holds them.

mod evolutions;
mod networks;

use tablero_report::{Bar, BarChart, LineChart, Report, Series, Table, number, seconds};

use crate::{
    Compared, Experiment, Figures, MatchFigures, PairFigures, SearchFigures, SearcherFigures,
};

/// 95 of 100 cases lie within so many standard deviations.
const ERROR_BARS: f64 = 1.96;

/// An experiment's figures, ready to be shown.
pub fn report(experiment: &Experiment, figures: &Figures) -> Report {
    let mut report = Report::new(&experiment.title);
    report.paragraph(&format!("From: {}", experiment.work));
    report.paragraph(&experiment.about);
    report.paragraph(&format!("**To expect:** {}", experiment.expect));
    let quick = if figures.quick { " --quick" } else { "" };
    let command = format!("experiment run {}{quick} --seed {}", figures.experiment, figures.seed);
    report.paragraph(&format!("Measured with `tablero {command}`."));
    if figures.quick {
        report.paragraph(
            "This was only a quick look: too few games and positions to prove anything.",
        );
    }
    report.table("##", compared_table(&figures.compare));
    for (plan, figures) in experiment.networks.iter().zip(&figures.networks) {
        networks::add(&mut report, plan, figures);
    }
    for (plan, figures) in experiment.matches.iter().zip(&figures.matches) {
        add_matches(&mut report, &plan.title, figures);
        if plan.show_mobility {
            add_mobility(&mut report, figures);
        }
    }
    for (plan, figures) in experiment.searches.iter().zip(&figures.searches) {
        add_searches(&mut report, &plan.title, figures);
    }
    for (plan, figures) in experiment.evolutions.iter().zip(&figures.evolutions) {
        evolutions::add(&mut report, plan, figures);
    }
    report
}

fn add_matches(report: &mut Report, title: &str, figures: &MatchFigures) {
    report.table("##", match_table(title, figures));
    let mut lines: Vec<(&String, &String)> = Vec::new();
    for pair in &figures.pairs {
        for entry in pair.players.iter().zip(&pair.lines) {
            if !lines.contains(&entry) {
                lines.push(entry);
            }
        }
    }
    list_players(report, lines.into_iter());
    if !figures.ratings.is_empty() {
        let chart = rating_chart(figures);
        report.plot(&format!("{}-rating.svg", figures.id), &chart.title, chart.svg());
    }
    let score = score_chart(title, figures);
    report.plot(&format!("{}-score.svg", figures.id), title, score.svg());
}

/// A rating from game to game.
fn rating_chart(figures: &MatchFigures) -> LineChart {
    let points = figures.ratings.iter().enumerate();
    LineChart {
        title: "Rating from game to game".into(),
        x_label: "games".into(),
        y_label: "Elo by the work's rule (first opponent 400, K = 20)".into(),
        log: false,
        y_name: number,
        series: vec![Series {
            name: String::new(),
            points: points.map(|(game, &rating)| (game as f64 + 1.0, rating)).collect(),
            dashed: false,
        }],
    }
}

fn add_mobility(report: &mut Report, figures: &MatchFigures) {
    let title = "Moves to choose from";
    let chart = LineChart {
        title: title.into(),
        x_label: "turn".into(),
        y_label: "moves, mean of all games".into(),
        log: false,
        y_name: number,
        series: vec![Series {
            name: String::new(),
            points: figures.mobility.curve(),
            dashed: false,
        }],
    };
    report.plot(&format!("{}-mobility.svg", figures.id), title, chart.svg());
}

fn add_searches(report: &mut Report, title: &str, figures: &SearchFigures) {
    report.paragraph(&format!("## {title}"));
    report.paragraph(&format!(
        "Means of {} positions, which have {} moves in the mean; one thread, the \
             best time of some.",
        figures.positions,
        number(figures.branching)
    ));
    list_players(report, figures.players.iter().map(|player| (&player.name, &player.line)));
    report.table("###", nodes_table(figures));
    let chart = search_chart("Positions looked at for a move", figures, true);
    report.plot(&format!("{}-nodes.svg", figures.id), &chart.title, chart.svg());
    report.table("###", time_table(figures));
    let chart = search_chart("Time for a move", figures, false);
    report.plot(&format!("{}-time.svg", figures.id), &chart.title, chart.svg());
}

fn list_players<'a>(report: &mut Report, players: impl Iterator<Item = (&'a String, &'a String)>) {
    for (name, line) in players {
        report.page += &format!("- {name}: `{line}`\n");
    }
    report.page += "\n";
}

fn compared_table(compared: &[Compared]) -> Table {
    let head = ["", "the work", "ours", "expected", ""];
    let mut table = Table::new("What the work says, and what we measured", &head);
    for row in compared {
        let between = |[low, high]: [f64; 2]| match low == high {
            true => number(low),
            false => format!("{} to {}", number(low), number(high)),
        };
        let verdict = match row.as_expected {
            Some(true) => "as expected",
            Some(false) => "NOT as expected",
            None => "",
        };
        table.rows.push(vec![
            row.what.clone(),
            row.work.clone(),
            row.ours.map_or_else(|| "not measured".into(), number),
            row.between.map_or_else(String::new, between),
            verdict.into(),
        ]);
    }
    table
}

fn match_table(title: &str, figures: &MatchFigures) -> Table {
    let has_margin = figures.pairs.iter().any(|pair| pair.summary.first_margin_mean.is_some());
    let mut table = Table::new(title, &["", "games", "won", "drawn", "lost", "points", "Elo"]);
    if has_margin {
        table.head.push("mean margin".into());
    }
    for pair in &figures.pairs {
        let summary = &pair.summary;
        let mut row = vec![pair_name(pair)];
        row.extend(
            [summary.games, summary.wins, summary.draws, summary.losses].map(|n| n.to_string()),
        );
        row.push(format!("{:.1} %", 100.0 * summary.score.unwrap_or(0.5)));
        row.push(elo_text(pair));
        if has_margin {
            let margin = summary.first_margin_mean;
            row.push(margin.map_or_else(String::new, |margin| format!("{margin:+.1}")));
        }
        table.rows.push(row);
    }
    table
}

fn pair_name(pair: &PairFigures) -> String {
    format!("{} – {}", pair.players[0], pair.players[1])
}

fn elo_text(pair: &PairFigures) -> String {
    match (pair.summary.elo, pair.summary.elo_error) {
        (Some(elo), Some(error)) => format!("{elo:+.0} ± {error:.0}"),
        (Some(elo), None) => format!("{elo:+.0}"),
        _ => "all alike".into(),
    }
}

fn score_chart(title: &str, figures: &MatchFigures) -> BarChart {
    let bar = |pair: &PairFigures| {
        let pairs = pair.summary.pentanomial;
        let deviation = pairs.variance().map_or(0.0, |v| (v / pairs.pairs() as f64).sqrt());
        Bar {
            name: pair_name(pair),
            value: 100.0 * pair.summary.score.unwrap_or(0.5),
            error: 100.0 * ERROR_BARS * deviation,
            text: format!("Elo {}", elo_text(pair)),
        }
    };
    BarChart {
        title: title.into(),
        label: "points of the first named, % (with 95 % error bars)".into(),
        most: 100.0,
        mark: 50.0,
        bars: figures.pairs.iter().map(bar).collect(),
    }
}

/// A table with a column for every search, and a row for every depth.
fn depth_table(
    title: &str,
    figures: &SearchFigures,
    cell: impl Fn(&SearcherFigures, usize) -> String,
) -> Table {
    let mut table = Table::new(title, &["depth"]);
    table.head.extend(figures.players.iter().map(|player| player.name.clone()));
    let depths = figures.players.iter().map(|player| player.depths.len()).max().unwrap_or(0);
    for index in 0..depths {
        let mut row = vec![(index + 1).to_string()];
        row.extend(figures.players.iter().map(|player| cell(player, index)));
        table.rows.push(row);
    }
    table
}

fn nodes_table(figures: &SearchFigures) -> Table {
    let nodes = |player: &SearcherFigures, index: usize| number(player.depths[index].nodes.round());
    let mut table = depth_table("Positions looked at for a move", figures, nodes);
    for estimate in &figures.estimates {
        table.head.push(estimate.name.clone());
        for (row, nodes) in table.rows.iter_mut().zip(&estimate.nodes) {
            row.push(number(nodes.round()));
        }
    }
    table
}

fn time_table(figures: &SearchFigures) -> Table {
    let time = |player: &SearcherFigures, index: usize| seconds(player.depths[index].seconds);
    depth_table("Time for a move", figures, time)
}

fn search_chart(title: &str, figures: &SearchFigures, nodes: bool) -> LineChart {
    let measured = figures.players.iter().map(|player| Series {
        name: player.name.clone(),
        points: player
            .depths
            .iter()
            .map(|at| (at.depth as f64, if nodes { at.nodes } else { at.seconds }))
            .collect(),
        dashed: false,
    });
    let estimated = figures.estimates.iter().filter(|_| nodes).map(|estimate| Series {
        name: estimate.name.clone(),
        points: (1..)
            .zip(&estimate.nodes)
            .map(|(depth, &nodes)| (f64::from(depth), nodes))
            .collect(),
        dashed: true,
    });
    LineChart {
        title: title.into(),
        x_label: "depth (plies)".into(),
        y_label: format!("{}, mean (logarithmic)", if nodes { "positions" } else { "time" }),
        log: true,
        y_name: if nodes { number } else { seconds },
        series: measured.chain(estimated).collect(),
    }
}
