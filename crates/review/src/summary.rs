use serde::Serialize;
use tablero_core::AnyRecord;

use crate::Review;

/// A review as text; the names are those of `--json`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReviewSummary {
    /// The game.
    pub game: &'static str,
    /// The player that searched.
    pub player: String,
    /// Of both sides, from 0 to 100.
    pub accuracy: [Option<f64>; 2],
    /// The score of the starting position.
    pub start: String,
    /// The moves.
    pub moves: Vec<MoveSummary>,
}

/// A move of a [`ReviewSummary`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveSummary {
    /// Its number, from 1.
    pub ply: usize,
    /// The side that played it.
    pub side: &'static str,
    /// The move.
    #[serde(rename = "move")]
    pub m: String,
    /// Score after the move, from the first player's point of view.
    pub value: String,
    /// Best, good, inaccuracy, mistake or blunder.
    pub verdict: String,
    /// In units of the game, unless a proven win or loss is involved.
    pub loss: Option<f64>,
    /// Of the expected score, from 0 to 1.
    pub chance_loss: f64,
    /// Whether the loss is exact (the positions are solved).
    pub exact: bool,
    /// The best variation before the move.
    pub line: Vec<String>,
}

impl Review {
    /// This review of `record` by `player` as text.
    pub fn summary(&self, record: &AnyRecord, player: &str) -> ReviewSummary {
        let info = record.start.info();
        let mut position = record.start.clone();
        let mut moves = Vec::new();
        for (ply, reviewed) in (1..).zip(&self.moves) {
            moves.push(MoveSummary {
                ply,
                side: info.sides[reviewed.side.index()],
                m: position.move_text(reviewed.played),
                value: reviewed.after.0.to_string(),
                verdict: reviewed.verdict.to_string(),
                loss: reviewed.loss.units,
                chance_loss: reviewed.loss.expected_score,
                exact: reviewed.exact,
                line: position.line_text(&reviewed.best),
            });
            position.play(reviewed.played);
        }
        ReviewSummary {
            game: info.name,
            player: player.into(),
            accuracy: self.accuracy,
            start: self.start.0.to_string(),
            moves,
        }
    }
}
