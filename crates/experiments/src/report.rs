//! The report: a Markdown page with tables and plots.

mod evolutions;
mod networks;
mod staged;

use tablero_arena::MatchEnd;
use tablero_arena::stats::{PairResult, ratings};
use tablero_report::{Bar, BarChart, LineChart, Report, Series, Table, number, seconds};

use crate::{
    ComparisonResult, Experiment, MatchMetrics, Mobility, PairMetrics, Results, SearchMetrics,
    SearcherMetrics,
};

/// Normal quantile of a 95 % confidence interval.
const Z_95: f64 = 1.96;

/// Renders the results of an experiment.
pub fn report(experiment: &Experiment, results: &Results) -> Report {
    let mut report = Report::new(&experiment.title);
    for (before, text) in [
        ("Source: ", &experiment.source),
        ("", &experiment.description),
        ("**Expected result:** ", &experiment.expected_result),
    ] {
        if !text.is_empty() {
            report.paragraph(&format!("{before}{text}"));
        }
    }
    let quick = if results.quick { " --quick" } else { "" };
    let name = &results.experiment;
    report.paragraph(&match crate::find(name) {
        Ok(_) => {
            format!("Measured with `tablero experiment run {name}{quick} --seed {}`.", results.seed)
        }
        Err(_) => format!("Measured with the plan `{name}`, seed {}.", results.seed),
    });
    if results.quick {
        report.paragraph("This was a quick run: too few games and positions for conclusions.");
    }
    if !results.comparisons.is_empty() {
        report.table("##", comparison_table(&results.comparisons));
    }
    for (plan, metrics) in experiment.networks.iter().zip(&results.networks) {
        networks::add(&mut report, plan, metrics);
    }
    staged::add(&mut report, &experiment.staged_evolutions, &results.staged_evolutions);
    for (plan, metrics) in experiment.matches.iter().zip(&results.matches) {
        add_matches(&mut report, &plan.title, metrics);
        if plan.show_mobility {
            add_mobility(&mut report, metrics);
        }
    }
    for (plan, metrics) in experiment.searches.iter().zip(&results.searches) {
        add_searches(&mut report, &plan.title, metrics);
    }
    for (plan, metrics) in experiment.evolutions.iter().zip(&results.evolutions) {
        evolutions::add(&mut report, plan, metrics);
    }
    report
}

fn add_matches(report: &mut Report, title: &str, metrics: &MatchMetrics) {
    report.table("##", match_table(title, metrics));
    report.paragraph(SIGNIFICANCE);
    if let Some(table) = rating_table(metrics) {
        report.table("###", table);
    }
    let mut lines: Vec<(&String, &String)> = Vec::new();
    for pair in &metrics.pairs {
        for entry in pair.players.iter().zip(&pair.lines) {
            if !lines.contains(&entry) {
                lines.push(entry);
            }
        }
    }
    list_players(report, lines.into_iter());
    if !metrics.ratings.is_empty() {
        let chart = rating_chart(metrics);
        report.plot(&format!("{}-rating.svg", metrics.id), &chart.title, chart.svg());
    }
    let score = score_chart(title, metrics);
    report.plot(&format!("{}-score.svg", metrics.id), title, score.svg());
}

/// Elo rating by game.
fn rating_chart(metrics: &MatchMetrics) -> LineChart {
    let points = metrics.ratings.iter().enumerate();
    LineChart {
        title: "Rating by game".into(),
        x_label: "games".into(),
        y_label: "Elo (first opponent 400, K = 20)".into(),
        log: false,
        format_y: number,
        series: vec![Series {
            name: String::new(),
            points: points.map(|(game, &rating)| (game as f64 + 1.0, rating)).collect(),
            dashed: false,
        }],
    }
}

fn add_mobility(report: &mut Report, metrics: &MatchMetrics) {
    let title = "Mobility";
    let chart = LineChart {
        title: title.into(),
        x_label: "turn".into(),
        y_label: "legal moves, mean of all games".into(),
        log: false,
        format_y: number,
        series: vec![Series {
            name: String::new(),
            points: metrics.mobility.curve(),
            dashed: false,
        }],
    };
    report.plot(&format!("{}-mobility.svg", metrics.id), title, chart.svg());
    for (index, pair) in metrics.pairs.iter().enumerate() {
        let title = format!("Mobility of {} and {}", pair.players[0], pair.players[1]);
        let series = |(name, mobility): (&String, &Mobility)| Series {
            name: name.clone(),
            points: mobility.curve(),
            dashed: false,
        };
        let chart = LineChart {
            title: title.clone(),
            x_label: "turn of the player".into(),
            y_label: "legal moves, mean of all games".into(),
            log: false,
            format_y: number,
            series: pair.players.iter().zip(&pair.mobility).map(series).collect(),
        };
        let file = format!("{}-mobility-{}.svg", metrics.id, index + 1);
        report.plot(&file, &title, chart.svg());
    }
}

fn add_searches(report: &mut Report, title: &str, metrics: &SearchMetrics) {
    report.paragraph(&format!("## {title}"));
    report.paragraph(&format!(
        "Means over {} positions with {} legal moves on average; one thread, minimum time of \
         several runs.",
        metrics.positions,
        number(metrics.branching)
    ));
    list_players(report, metrics.players.iter().map(|player| (&player.name, &player.line)));
    report.table("###", nodes_table(metrics));
    let chart = search_chart("Nodes per move", metrics, true);
    report.plot(&format!("{}-nodes.svg", metrics.id), &chart.title, chart.svg());
    report.table("###", time_table(metrics));
    let chart = search_chart("Time per move", metrics, false);
    report.plot(&format!("{}-time.svg", metrics.id), &chart.title, chart.svg());
}

fn list_players<'a>(report: &mut Report, players: impl Iterator<Item = (&'a String, &'a String)>) {
    for (name, line) in players {
        report.page += &format!("- {name}: `{line}`\n");
    }
    report.page += "\n";
}

fn comparison_table(comparisons: &[ComparisonResult]) -> Table {
    let head = ["", "published", "measured", "expected", ""];
    let mut table = Table::new("Published and measured values", &head);
    for row in comparisons {
        let range = |[low, high]: [f64; 2]| match low == high {
            true => number(low),
            false => format!("{} to {}", number(low), number(high)),
        };
        let verdict = match row.is_expected {
            Some(true) => "as expected",
            Some(false) => "NOT as expected",
            None => "",
        };
        table.rows.push(vec![
            row.description.clone(),
            row.reference.clone(),
            row.measured.map_or_else(|| "not measured".into(), number),
            row.expected.map_or_else(String::new, range),
            verdict.into(),
        ]);
    }
    table
}

fn match_table(title: &str, metrics: &MatchMetrics) -> Table {
    let has_margin = metrics.pairs.iter().any(|pair| pair.summary.first_margin_mean.is_some());
    let columns = ["", "games", "wins", "draws", "losses", "score", "Elo", "p", "by side"];
    let mut table = Table::new(title, &columns);
    let significant = significant(metrics);
    let has_sprt = metrics.pairs.iter().any(|pair| pair.summary.llr.is_some());
    if has_sprt {
        table.header.push("SPRT".into());
    }
    if has_margin {
        table.header.push("mean margin".into());
    }
    for (pair, is_significant) in metrics.pairs.iter().zip(significant) {
        let summary = &pair.summary;
        let mut row = vec![pair_name(pair)];
        row.extend(
            [summary.games, summary.wins, summary.draws, summary.losses].map(|n| n.to_string()),
        );
        row.push(format!("{:.1} %", 100.0 * summary.score.unwrap_or(0.5)));
        row.push(elo_text(pair));
        row.push(format!("{}{}", p_text(p_value(pair)), if is_significant { " *" } else { "" }));
        // Wins of the first side, draws, wins of the second, whoever played it.
        row.push(summary.by_side.map(|games| games.to_string()).join("-"));
        if has_sprt {
            row.push(sprt_text(pair));
        }
        if has_margin {
            let margin = summary.first_margin_mean;
            row.push(margin.map_or_else(String::new, |margin| format!("{margin:+.1}")));
        }
        table.rows.push(row);
    }
    table
}

/// Below the table of a match.
const SIGNIFICANCE: &str = "Elo with 95 % confidence intervals. p is the probability of a difference at least as large \
    between equal players (two-sided, from pairs of games); `*` marks what is significant at 5 % when all matches of the \
    table are taken together (Holm's correction).";

/// The two-sided p-value of a match.
fn p_value(pair: &PairMetrics) -> f64 {
    let los = pair.summary.los;
    (2.0 * los.min(1.0 - los)).clamp(0.0, 1.0)
}

fn p_text(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

/// Holm's step-down procedure: which matches differ from equality at a family-wise error rate of 5 %.
fn significant(metrics: &MatchMetrics) -> Vec<bool> {
    let values: Vec<f64> = metrics.pairs.iter().map(p_value).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut significant = vec![false; values.len()];
    for (rank, &index) in order.iter().enumerate() {
        if values[index] > 0.05 / (values.len() - rank) as f64 {
            break;
        }
        significant[index] = true;
    }
    significant
}

fn sprt_text(pair: &PairMetrics) -> String {
    let verdict = match pair.end {
        Some(MatchEnd::AcceptedH0) => "H0",
        Some(MatchEnd::AcceptedH1) => "H1",
        _ => "undecided",
    };
    pair.summary.llr.map_or_else(String::new, |llr| format!("{verdict}, LLR {llr:+.2}"))
}

/// Ratings of all players by maximum likelihood, if there are more than two.
fn rating_table(metrics: &MatchMetrics) -> Option<Table> {
    let mut names: Vec<&String> = Vec::new();
    for name in metrics.pairs.iter().flat_map(|pair| &pair.players) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() < 3 {
        return None;
    }
    let index = |name: &String| names.iter().position(|known| *known == name).unwrap_or(0);
    let results: Vec<PairResult> = metrics
        .pairs
        .iter()
        .map(|pair| PairResult {
            players: [index(&pair.players[0]), index(&pair.players[1])],
            points: pair.summary.wins as f64 + pair.summary.draws as f64 / 2.0,
            games: pair.summary.games as f64,
        })
        .collect();
    let mut rated: Vec<_> = names.iter().zip(ratings(names.len(), &results)).collect();
    rated.sort_by(|a, b| b.1.elo.total_cmp(&a.1.elo));
    let mut table = Table::new("Ratings", &["player", "Elo", "±"]);
    for (name, rating) in rated {
        table.rows.push(vec![
            (*name).clone(),
            format!("{:+.0}", rating.elo),
            format!("{:.0}", rating.error),
        ]);
    }
    Some(table)
}

fn pair_name(pair: &PairMetrics) -> String {
    format!("{} – {}", pair.players[0], pair.players[1])
}

fn elo_text(pair: &PairMetrics) -> String {
    match (pair.summary.elo, pair.summary.elo_error) {
        (Some(elo), Some(error)) => format!("{elo:+.0} ± {error:.0}"),
        (Some(elo), None) => format!("{elo:+.0}"),
        _ => "n/a".into(),
    }
}

fn score_chart(title: &str, metrics: &MatchMetrics) -> BarChart {
    let bar = |pair: &PairMetrics| {
        let pairs = pair.summary.pentanomial;
        let deviation = pairs.variance().map_or(0.0, |v| (v / pairs.pairs() as f64).sqrt());
        Bar {
            name: pair_name(pair),
            value: 100.0 * pair.summary.score.unwrap_or(0.5),
            error: 100.0 * Z_95 * deviation,
            text: format!("Elo {}", elo_text(pair)),
        }
    };
    BarChart {
        title: title.into(),
        label: "score of the first player, % (with 95 % error bars)".into(),
        max: 100.0,
        reference: 50.0,
        bars: metrics.pairs.iter().map(bar).collect(),
    }
}

/// A table with a column per player and a row per depth.
fn depth_table(
    title: &str,
    metrics: &SearchMetrics,
    cell: impl Fn(&SearcherMetrics, usize) -> String,
) -> Table {
    let mut table = Table::new(title, &["depth"]);
    table.header.extend(metrics.players.iter().map(|player| player.name.clone()));
    let depths = metrics.players.iter().map(|player| player.depths.len()).max().unwrap_or(0);
    for index in 0..depths {
        let mut row = vec![(index + 1).to_string()];
        row.extend(metrics.players.iter().map(|player| cell(player, index)));
        table.rows.push(row);
    }
    table
}

fn nodes_table(metrics: &SearchMetrics) -> Table {
    let nodes = |player: &SearcherMetrics, index: usize| number(player.depths[index].nodes.round());
    let mut table = depth_table("Nodes per move", metrics, nodes);
    for estimate in &metrics.estimates {
        table.header.push(estimate.name.clone());
        for (row, nodes) in table.rows.iter_mut().zip(&estimate.nodes) {
            row.push(number(nodes.round()));
        }
    }
    table
}

fn time_table(metrics: &SearchMetrics) -> Table {
    let time = |player: &SearcherMetrics, index: usize| seconds(player.depths[index].seconds);
    depth_table("Time per move", metrics, time)
}

fn search_chart(title: &str, metrics: &SearchMetrics, nodes: bool) -> LineChart {
    let measured = metrics.players.iter().map(|player| Series {
        name: player.name.clone(),
        points: player
            .depths
            .iter()
            .map(|at| (at.depth as f64, if nodes { at.nodes } else { at.seconds }))
            .collect(),
        dashed: false,
    });
    let estimated = metrics.estimates.iter().filter(|_| nodes).map(|estimate| Series {
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
        y_label: format!("{}, mean (logarithmic)", if nodes { "nodes" } else { "time" }),
        log: true,
        format_y: if nodes { number } else { seconds },
        series: measured.chain(estimated).collect(),
    }
}
