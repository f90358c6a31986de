//! Evaluations that explain themselves.

use serde::Serialize;
use tablero_core::{
    AnyPosition, Diagram, Explanation, LocalizedString, PlayerLine, PlayerLineError, Term,
    TermCell, ValueUnit,
};

use crate::GameEntry;

/// The evaluation behind a player line.
pub trait Explainer: Send {
    /// The evaluation of a position that is not over, term by term.
    fn explain(&mut self, position: &AnyPosition) -> Explanation;
}

/// A shipped evaluation that can be explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explainable {
    /// Its name: `jma`, `patterns`.
    pub name: String,
    /// A player line that uses it: `greedy eval=jma`.
    pub player: String,
    /// A one-sentence description.
    pub about: LocalizedString,
}

/// What is to be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Explained<'a> {
    /// The game's default evaluation.
    Default,
    /// An evaluation: the name of an [`Explainable`], or a file.
    Evaluation(&'a str),
    /// A network: a name or a file.
    Net(&'a str),
    /// The evaluation of a player line.
    Player(&'a str),
}

impl Explained<'_> {
    /// The player line for [`GameEntry::explainer`].
    pub fn line(self, entry: &dyn GameEntry) -> Result<String, PlayerLineError> {
        let with = |kind: &str, option: &str, value: &str| {
            let options = vec![(option.to_owned(), value.to_owned())];
            PlayerLine { kind: kind.into(), words: Vec::new(), options }.to_string()
        };
        let shipped = entry.explainable();
        let named = |name: &str| shipped.iter().find(|known| known.name == name);
        match self {
            Self::Player(line) => Ok(line.into()),
            Self::Evaluation(name) => Ok(named(name)
                .map_or_else(|| with("greedy", "eval", name), |known| known.player.clone())),
            Self::Net(name) => Ok(with("puct", "net", name)),
            Self::Default => {
                let none =
                    || "this game ships no evaluation; choose one by name or file".to_owned();
                let first = shipped.first().map(|known| known.player.clone());
                first.ok_or_else(|| PlayerLineError::Other(none()))
            }
        }
    }
}

/// An explanation as text and numbers; the names are those of `tablero explain --json`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplanationSummary {
    /// The line of the player whose evaluation it is.
    pub player: String,
    /// The position.
    pub position: String,
    /// The side to move.
    pub side: &'static str,
    /// In units of the game for the side to move; of networks from -1 (lost) to 1 (won).
    pub value: f64,
    /// The unit: that of the game, or `result`.
    pub unit: &'static str,
    /// The terms, in the order of the evaluation.
    pub terms: Vec<TermSummary>,
    /// What else the evaluation depends on.
    pub facts: Vec<String>,
    /// What a network sees and says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkSummary>,
}

/// A term of an [`ExplanationSummary`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TermSummary {
    /// Its short name.
    pub name: String,
    /// What it measures.
    pub about: String,
    /// The value of the feature.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
    /// What it contributes to the evaluation.
    pub contribution: f64,
    /// Where it comes from.
    pub squares: Vec<SquareSummary>,
}

/// A number on a square.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SquareSummary {
    /// The square.
    pub square: String,
    /// The number.
    pub value: f64,
}

/// A network's view in an [`ExplanationSummary`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NetworkSummary {
    /// The legal moves, the highest rated first.
    pub policy: Vec<RatingSummary>,
    /// Who is expected to own each square at the end.
    pub ownership: Vec<SquareSummary>,
    /// The input planes.
    pub planes: Vec<PlaneSummary>,
}

/// A move with a network's rating.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingSummary {
    /// The move.
    #[serde(rename = "move")]
    pub m: String,
    /// Its rating.
    pub rating: f64,
}

/// An input plane.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlaneSummary {
    /// What it shows.
    pub about: String,
    /// The number on all squares, if it is the same.
    pub constant: Option<f64>,
    /// Otherwise the numbers other than 0.
    pub squares: Vec<SquareSummary>,
}

impl ExplanationSummary {
    /// The explanation of `position` by the evaluation of `player`.
    pub fn new(player: &str, position: &AnyPosition, explanation: &Explanation) -> Self {
        let diagram = position.diagram();
        let squares = |cells: &[TermCell]| squares(&diagram, cells);
        let term = |term: &Term| TermSummary {
            name: term.name.clone(),
            about: term.about.en.clone(),
            value: term.value,
            weight: term.weight,
            contribution: term.contribution,
            squares: squares(&term.cells),
        };
        let network = explanation.network.as_ref().map(|network| NetworkSummary {
            policy: network
                .policy
                .iter()
                .map(|rated| RatingSummary { m: rated.label.clone(), rating: rated.rating })
                .collect(),
            ownership: squares(&network.ownership),
            planes: network
                .planes
                .iter()
                .map(|plane| PlaneSummary {
                    about: plane.about.en.clone(),
                    constant: plane.constant,
                    squares: squares(&plane.cells),
                })
                .collect(),
        });
        Self {
            player: player.into(),
            position: position.position_text(),
            side: position.info().sides[position.side().index()],
            value: explanation.value,
            unit: match explanation.unit {
                ValueUnit::Points => position.game().unit(),
                ValueUnit::Result => "result",
            },
            terms: explanation.terms.iter().map(term).collect(),
            facts: explanation.facts.iter().map(|fact| fact.en.clone()).collect(),
            network,
        }
    }
}

fn squares(diagram: &Diagram, cells: &[TermCell]) -> Vec<SquareSummary> {
    let columns = diagram.columns.len();
    let name = |cell: usize| {
        format!("{}{}", diagram.columns[cell % columns], diagram.rows[cell / columns])
    };
    let square = |&TermCell { cell, value }: &TermCell| SquareSummary { square: name(cell), value };
    cells.iter().map(square).collect()
}
