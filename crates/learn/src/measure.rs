//! How strong generations are beside each other and beside players that do not change.

use serde::{Deserialize, Serialize};
use tablero_arena::stats::{Meeting, Rating, ratings};

/// What two players scored against each other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Met {
    /// Their names: `generation 3`, or the line of an anchor.
    pub players: [String; 2],
    /// The first one's points.
    pub points: f64,
    /// Of so many games.
    pub games: f64,
}

impl Met {
    /// The first one's share.
    pub fn score(&self) -> f64 {
        self.points / self.games.max(1.0)
    }
}

/// The name of a generation.
pub(crate) fn name(generation: usize) -> String {
    format!("generation {generation}")
}

/// The ratings of all who met, `zero` having 0 if it is among them.
pub(crate) fn rate(meetings: &[Met], zero: &str) -> Vec<(String, Rating)> {
    let mut names: Vec<&String> = Vec::new();
    let mut number = |name| {
        names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        })
    };
    let list: Vec<Meeting> = meetings
        .iter()
        .map(|met| Meeting {
            players: [number(&met.players[0]), number(&met.players[1])],
            points: met.points,
            games: met.games,
        })
        .collect();
    let rated = ratings(names.len(), &list);
    let base = names.iter().position(|name| *name == zero).map_or(0.0, |zero| rated[zero].elo);
    let shift = |rating: Rating| Rating { elo: rating.elo - base, ..rating };
    names.into_iter().cloned().zip(rated.into_iter().map(shift)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_stand_on_the_first_anchor() {
        let met =
            |a: &str, b: &str, points| Met { players: [a.into(), b.into()], points, games: 100.0 };
        let meetings =
            [met("generation 1", "random", 75.0), met("generation 2", "generation 1", 75.0)];
        let rated = rate(&meetings, "random");
        let elo = |name: &str| rated.iter().find(|(known, _)| known == name).expect(name).1.elo;
        assert_eq!(elo("random"), 0.0);
        assert!((elo("generation 1") - 190.0).abs() < 5.0, "{rated:?}");
        assert!((elo("generation 2") - 380.0).abs() < 10.0, "{rated:?}");
        assert!(rate(&[], "random").is_empty());
    }
}
