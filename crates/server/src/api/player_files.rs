use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A file with a player, kept in the data folder. In player lines: `file:NAME`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlayerFile {
    /// Its name: `player100aSCI.evl`.
    pub name: String,
    /// The game that it plays.
    pub game: String,
    /// What it holds.
    pub kind: PlayerFileKind,
    /// The kind of genome or network: `sci`, `resnet 4x32`; empty for weights.
    pub detail: String,
    /// A player line with it.
    pub player: String,
    /// The generations of its evolution, for genomes.
    pub generations: Option<u64>,
    /// The size of its population, for genomes; `file:NAME#3` is the third.
    pub individuals: Option<usize>,
    /// Its size.
    pub bytes: u64,
    /// Unix time.
    pub added: f64,
}

/// What a player file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayerFileKind {
    /// Evolved genomes (`.genes`, Othello7's `.evl`).
    Genomes,
    /// Weights of a learner besides networks (`.weights`).
    Weights,
    /// A network (`.safetensors`, Keras' `.keras` and `.h5`).
    Network,
}

/// Options of an upload; the file is the request's body.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PlayerFileQuery {
    /// The file's name, with its extension.
    pub name: String,
}
