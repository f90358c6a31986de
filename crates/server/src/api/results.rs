use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which games count.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HumanResultsQuery {
    /// Only this game.
    pub game: Option<String>,
}

/// The results of people against engines, from the finished games of the library.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct HumanResults {
    /// By opponent, most games first.
    pub opponents: Vec<OpponentResults>,
    /// The games, oldest first: at most the newest 2000.
    pub games: Vec<HumanGame>,
}

/// The results of people against one engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct OpponentResults {
    /// Which game.
    pub game: String,
    /// The engine's player line.
    pub player: String,
    /// Wins, draws and losses of people.
    pub results: [u64; 3],
}

/// A finished game of a person against an engine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct HumanGame {
    /// The game's id.
    pub id: String,
    /// Which game.
    pub game: String,
    /// The person's name; may be empty.
    pub name: String,
    /// The engine's player line.
    pub player: String,
    /// The person's result.
    pub result: HumanResult,
    /// Unix time when the game began.
    pub created: f64,
}

/// A result for the person.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HumanResult {
    /// Won.
    Win,
    /// Drawn.
    Draw,
    /// Lost.
    Loss,
}
