//! Elo ratings of generations, anchored to fixed players.

use serde::{Deserialize, Serialize};
use tablero_arena::stats::{PairResult, Rating, ratings};

/// The score of an evaluation match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchScore {
    /// The players: `generation 3`, or the player line of an anchor.
    pub players: [String; 2],
    /// The first player's points.
    pub points: f64,
    /// Games played.
    pub games: f64,
}

impl MatchScore {
    /// The first player's points per game.
    pub fn score(&self) -> f64 {
        self.points / self.games.max(1.0)
    }
}

/// The name of a generation.
pub(crate) fn generation_name(generation: usize) -> String {
    format!("generation {generation}")
}

/// The generation with this name; none for other players.
pub(crate) fn generation_number(name: &str) -> Option<usize> {
    name.strip_prefix("generation ")?.parse().ok()
}

/// The ratings of all players, relative to `anchor` if it is among them.
pub(crate) fn rate(matches: &[MatchScore], anchor: &str) -> Vec<(String, Rating)> {
    let mut names: Vec<&String> = Vec::new();
    let mut number = |name| {
        names.iter().position(|other| *other == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        })
    };
    let list: Vec<PairResult> = matches
        .iter()
        .map(|score| PairResult {
            players: [number(&score.players[0]), number(&score.players[1])],
            points: score.points,
            games: score.games,
        })
        .collect();
    let rated = ratings(names.len(), &list);
    let base =
        names.iter().position(|name| *name == anchor).map_or(0.0, |anchor| rated[anchor].elo);
    let shift = |rating: Rating| Rating { elo: rating.elo - base, ..rating };
    names.into_iter().cloned().zip(rated.into_iter().map(shift)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_relative_to_the_anchor() {
        let score = |a: &str, b: &str, points| MatchScore {
            players: [a.into(), b.into()],
            points,
            games: 100.0,
        };
        let matches =
            [score("generation 1", "random", 75.0), score("generation 2", "generation 1", 75.0)];
        let rated = rate(&matches, "random");
        let elo = |name: &str| rated.iter().find(|(other, _)| other == name).expect(name).1.elo;
        assert_eq!(elo("random"), 0.0);
        assert!((elo("generation 1") - 190.0).abs() < 5.0, "{rated:?}");
        assert!((elo("generation 2") - 380.0).abs() < 10.0, "{rated:?}");
        assert!(rate(&[], "random").is_empty());
    }
}
