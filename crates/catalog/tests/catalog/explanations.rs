//! Explanations sum to the evaluation, for every shipped evaluation and network of every game.

use std::collections::HashSet;

use tablero_catalog::games;
use tablero_core::{AnyPosition, Explanation, PlayerSetup, Rng, ValueUnit};
use tablero_registry::GameEntry;

/// Positions of random games that are not over.
fn positions(entry: &dyn GameEntry, count: u64) -> Vec<AnyPosition> {
    let mut positions = Vec::new();
    for game in 0..count {
        let mut rng = Rng::for_stream(8, game);
        let mut position = entry.game().start();
        for _ in 0..rng.below(90) {
            let next =
                tablero_core::Game::random_move(&position, &mut rng).map(|m| position.after(m));
            match next {
                Some(next) if next.outcome().is_none() => position = next,
                _ => break,
            }
        }
        positions.push(position);
    }
    positions
}

fn check(name: &str, explanation: &Explanation, position: &AnyPosition) {
    let place = format!("{name} at {}", position.position_text());
    let error = explanation.sum() - explanation.value;
    assert!(error.abs() < 1e-6, "{place}: {error} missing in {explanation:?}");
    let names: HashSet<&str> = explanation.terms.iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names.len(), explanation.terms.len(), "{place}: names are unique");
    let cells = position.diagram().cells.len();
    for term in &explanation.terms {
        assert!((term.value * term.weight - term.contribution).abs() < 1e-6, "{place}: {term:?}");
        assert!(!term.name.is_empty() && !term.about.en.is_empty() && !term.about.es.is_empty());
        assert!(term.cells.iter().all(|cell| cell.cell < cells), "{place}: {term:?}");
    }
    if let Some(network) = &explanation.network {
        let cells_of =
            network.planes.iter().flat_map(|plane| &plane.cells).chain(&network.ownership);
        assert!(cells_of.into_iter().all(|cell| cell.cell < cells), "{place}");
        let ratings: Vec<f64> = network.policy.iter().map(|rated| rated.rating).collect();
        assert!(ratings.is_sorted_by(|a, b| a >= b), "{place}");
    }
}

#[test]
fn every_shipped_evaluation_explains_itself() {
    for entry in games() {
        let explainable = entry.explainable();
        assert!(!explainable.is_empty());
        for shipped in explainable {
            let name = format!("{} {}", entry.game().name(), shipped.name);
            let built = entry.explainer(&shipped.player, &PlayerSetup::default());
            let mut explainer = built.unwrap_or_else(|error| panic!("{name}: {error}"));
            let is_net = shipped.player.starts_with("puct");
            for position in positions(entry, if is_net { 3 } else { 40 }) {
                let explanation = explainer.explain(&position);
                check(&name, &explanation, &position);
                assert_eq!(explanation.unit == ValueUnit::Result, is_net, "{name}");
                assert!(
                    explanation.terms.len() > 1
                        || shipped.player.contains("stones")
                        || shipped.player.contains("discs")
                        || explanation.network.is_some(),
                    "{name}"
                );
                let policy = explanation.network.as_ref().map_or(0, |net| net.policy.len());
                if is_net && policy > 0 {
                    assert_eq!(policy as u64, position.count_moves(), "{name}");
                }
            }
        }
    }
}

#[test]
fn players_are_explained_by_their_evaluation() {
    let all = games();
    let othello = all.iter().find(|entry| entry.game().name() == "othello").expect("there");
    let start = othello.game().start();
    let position = start.after(start.moves()[0]);
    let terms = |line: &str| {
        let explainer = othello.explainer(line, &PlayerSetup::default());
        explainer.map(|mut explainer| explainer.explain(&position).terms)
    };
    let names = |line: &str| -> Vec<String> {
        terms(line).expect(line).into_iter().map(|term| term.name).collect()
    };
    assert_eq!(names("alphabeta depth=4 eval=sci"), ["x1", "x2", "x3"]);
    assert!(names("champion level=3").len() >= 54 + 5, "windows and terms");
    assert!(!names("level 3").is_empty());
    for (line, part) in [
        ("random", "no evaluation to explain"),
        ("greedy eval=/etc/passwd", "files are not read here"),
        ("uci /bin/sh", "not allowed"),
        ("greedy evaluation=sci", "no option"),
        ("", "empty"),
    ] {
        let error = terms(line).expect_err(line).to_string();
        assert!(error.contains(part), "{line}: {error}");
    }
}
