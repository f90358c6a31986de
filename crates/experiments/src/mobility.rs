use serde::{Deserialize, Serialize};
use tablero_core::{AnyGameHistory, Side};

/// Mobility: number of legal moves per ply, over the games of a match; of both sides, or of one player.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Mobility {
    /// Per ply: sum of legal moves, and number of games that reached it.
    by_ply: Vec<(u64, u64)>,
}

impl Mobility {
    /// Adds a game: the turns of `side`, or of both.
    pub(crate) fn add(&mut self, game: &AnyGameHistory, side: Option<Side>) {
        let turns = game.positions().filter(|position| side.is_none_or(|s| s == position.side()));
        for (ply, position) in turns.enumerate() {
            let moves = position.count_moves();
            if moves == 0 {
                break;
            }
            if ply == self.by_ply.len() {
                self.by_ply.push((0, 0));
            }
            self.by_ply[ply].0 += moves;
            self.by_ply[ply].1 += 1;
        }
    }

    /// Mean over all positions.
    pub fn mean(&self) -> f64 {
        let (moves, positions) =
            self.by_ply.iter().fold((0, 0), |sum, ply| (sum.0 + ply.0, sum.1 + ply.1));
        moves as f64 / positions.max(1) as f64
    }

    /// Turn (from 1) and mean mobility, for turns that at least half of the games reached: later means
    /// reflect a few long games only.
    pub fn curve(&self) -> Vec<(f64, f64)> {
        let games = self.by_ply.first().map_or(0, |ply| ply.1);
        let usual = self.by_ply.iter().take_while(|ply| 2 * ply.1 >= games);
        let mean =
            |(index, ply): (usize, &(u64, u64))| ((index + 1) as f64, ply.0 as f64 / ply.1 as f64);
        usual.enumerate().map(mean).collect()
    }

    /// Turn and mean of the maximum.
    pub fn peak(&self) -> Option<(f64, f64)> {
        self.curve().into_iter().max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_legal_moves_per_ply() {
        tablero_registry::install(tablero_catalog::games());
        let game = tablero_registry::find("tictactoe").expect("a game").game();
        let (mut mobility, mut second) = (Mobility::default(), Mobility::default());
        for moves in ["", "b2 a1 c3"] {
            let text = format!("start moves {moves}");
            let history = game.parse_history(&text, game.default_rules()).expect("a game");
            mobility.add(&history, None);
            second.add(&history, Some(Side::Second));
        }
        // 9; then 9, 8, 7, 6.
        assert!((mobility.mean() - 39.0 / 5.0).abs() < 1e-12);
        assert_eq!(mobility.curve(), [(1.0, 9.0), (2.0, 8.0), (3.0, 7.0), (4.0, 6.0)]);
        assert_eq!(mobility.peak(), Some((1.0, 9.0)));
        assert_eq!(second.curve(), [(1.0, 8.0), (2.0, 6.0)], "turns of the second player alone");
        assert_eq!(Mobility::default().peak(), None);
    }
}
