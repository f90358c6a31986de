use serde::Serialize;
use tablero_core::{AnyPosition, AnyRecord, ForFirst, Value};

use crate::{Choice, ComparedPosition, Comparison, Review};

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

/// A comparison as text; the names are those of `--json`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ComparisonSummary {
    /// The game.
    pub game: &'static str,
    /// The players.
    pub players: [String; 2],
    /// The judge, if there is one.
    pub judge: Option<String>,
    /// Positions with a choice.
    pub compared: usize,
    /// Those in which the players choose the same move.
    pub agreements: usize,
    /// Positions in which the judge finds the first or the second player's move better.
    pub right: [usize; 2],
    /// The mean loss of each player against the other, in expected score from 0 to 1.
    pub mean_loss: [f64; 2],
    /// The positions.
    pub positions: Vec<ComparedSummary>,
}

/// A position of a [`ComparisonSummary`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ComparedSummary {
    /// Plies before it.
    pub ply: usize,
    /// The side to move.
    pub side: &'static str,
    /// The position.
    pub position: String,
    /// The move of the game.
    pub played: Option<String>,
    /// Whether both players choose the same move.
    pub agree: bool,
    /// What they choose.
    pub choices: [ChoiceSummary; 2],
    /// The difference of the players' own scores, in expected score.
    pub gap: Option<f64>,
    /// The judge's view.
    pub judged: Option<JudgedSummary>,
}

/// A player's choice.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ChoiceSummary {
    /// The move.
    #[serde(rename = "move")]
    pub m: String,
    /// Its score, from the first side's point of view.
    pub value: Option<String>,
    /// The principal variation.
    pub line: Vec<String>,
}

/// The judge's view of two different moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct JudgedSummary {
    /// The scores after the two moves, from the first side's point of view.
    pub values: [String; 2],
    /// 0 or 1, or null if both moves are equally good.
    pub right: Option<usize>,
    /// What the other move loses, in units of the game.
    pub loss: Option<f64>,
    /// The same in expected score.
    pub chance_loss: f64,
}

impl Comparison {
    /// This comparison of `players` along `record` as text.
    pub fn summary(
        &self,
        record: &AnyRecord,
        players: [&str; 2],
        judge: Option<&str>,
    ) -> ComparisonSummary {
        let mut position = record.start.clone();
        let (mut at, mut positions) = (0, Vec::new());
        for compared in &self.positions {
            record.plies[at..compared.ply].iter().for_each(|ply| position.play(ply.m));
            at = compared.ply;
            positions.push(compared.summary(&position));
        }
        ComparisonSummary {
            game: record.start.info().name,
            players: players.map(Into::into),
            judge: judge.map(Into::into),
            compared: self.positions.len(),
            agreements: self.agreements(),
            right: [0, 1].map(|player| self.right(player)),
            mean_loss: [0, 1].map(|player| self.mean_loss(player)),
            positions,
        }
    }
}

impl ComparedPosition {
    fn summary(&self, position: &AnyPosition) -> ComparedSummary {
        let text = |value: ForFirst<Value>| value.0.to_string();
        let choice = |choice: &Choice| ChoiceSummary {
            m: position.move_text(choice.m),
            value: choice.value.map(text),
            line: position.line_text(&choice.line),
        };
        let judged = self.judged.as_ref().map(|judged| JudgedSummary {
            values: judged.values.map(text),
            right: judged.right,
            loss: judged.loss.units,
            chance_loss: judged.loss.expected_score,
        });
        ComparedSummary {
            ply: self.ply,
            side: position.info().sides[self.side.index()],
            position: position.position_text(),
            played: self.played.map(|m| position.move_text(m)),
            agree: self.agree(),
            choices: [choice(&self.choices[0]), choice(&self.choices[1])],
            gap: self.gap,
            judged,
        }
    }
}
