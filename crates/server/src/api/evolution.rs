use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Localized, OptionInfo};

/// The genomes and schemes of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct EvolutionOptions {
    /// The kinds of genomes.
    pub genomes: Vec<GenomeKind>,
    /// The evolution schemes.
    pub schemes: Vec<Scheme>,
    /// The default player line that genomes play with.
    pub player: String,
    /// The default openings.
    pub openings: String,
}

/// A kind of genome.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GenomeKind {
    /// Its name.
    pub name: String,
    /// Its features.
    pub about: Localized,
    /// The number of genes; null if it varies.
    pub genes: Option<usize>,
    /// Its default scheme.
    pub scheme: String,
    /// Whether Othello7's `.evl` files can hold it.
    pub is_othello7: bool,
}

/// An evolution scheme.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Scheme {
    /// The first word of its lines.
    pub name: String,
    /// What it does.
    pub about: Localized,
    /// Its options: `es lambda=32`.
    pub options: Vec<OptionInfo>,
}

/// An evolution to start.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewEvolutionJob {
    /// Which game.
    pub game: String,
    /// The rules variant; the default if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The kind of genome.
    pub genome: String,
    /// The scheme with its options; the genome's default if left out.
    #[serde(default)]
    pub scheme: Option<String>,
    /// The number of generations.
    pub generations: u64,
    /// The player line that genomes play with: greedy, minimax or alphabeta without `eval`; the default
    /// if left out.
    #[serde(default)]
    pub player: Option<String>,
    /// Fixed opponents, as player lines; the hand-tuned genome if left out.
    #[serde(default)]
    pub opponents: Vec<String>,
    /// `start`, `random=PLIES`, `book`, `book=PLIES`; the game's default if left out.
    #[serde(default)]
    pub openings: Option<String>,
    /// The generation of another evolution to start from.
    #[serde(default)]
    pub initial: Option<GenerationRef>,
    /// The player file to start from, instead of another evolution.
    #[serde(default)]
    pub initial_file: Option<String>,
    /// The random seed; 1 if left out.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// A generation of an evolution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerationRef {
    /// The job's id.
    pub job: String,
    /// The generation, from 1.
    pub generation: u64,
}

/// The results so far of an evolution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct EvolutionView {
    /// The kind of genome.
    pub genome: String,
    /// The scheme with its options.
    pub scheme: String,
    /// The player line that genomes play with.
    pub player: String,
    /// The rules variant; null for the default.
    pub rules: Option<String>,
    /// The number of genes; null if it varies.
    pub genes: Option<usize>,
    /// Whether Othello7's `.evl` files can hold it.
    pub is_othello7: bool,
    /// Games played so far.
    pub games: u64,
    /// Nodes searched so far.
    pub nodes: u64,
    /// Wall time so far.
    pub seconds: f64,
    /// The generations: at most 300, evenly sampled, always with the last one.
    pub generations: Vec<EvolutionGeneration>,
    /// The genes that varied most, at most 12: their values in the best genome of each generation above.
    pub curves: Vec<GeneCurve>,
}

/// The statistics of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct EvolutionGeneration {
    /// Its number, from 1.
    pub generation: u64,
    /// The best fitness.
    pub best: f64,
    /// The mean fitness.
    pub mean: f64,
    /// The worst fitness.
    pub worst: f64,
    /// The spread of the genomes, in units of the genes' scales.
    pub diversity: f64,
    /// The mean mutation step size.
    pub sigma: f64,
    /// The length of the best genome.
    pub length: usize,
}

/// A gene of the best genome, over the generations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GeneCurve {
    /// Its name.
    pub name: String,
    /// The hand-tuned value, if there is one.
    pub by_hand: Option<f64>,
    /// Its value in each generation.
    pub values: Vec<f64>,
}

/// The population of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GenerationView {
    /// Its number, from 1.
    pub generation: u64,
    /// The names of the genes (the first 32); empty if they vary.
    pub genes: Vec<String>,
    /// The individuals, fittest first. As players: `eval=job:ID/GENERATION/NUMBER`.
    pub individuals: Vec<IndividualView>,
}

/// An individual and its fitness.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct IndividualView {
    /// Its rank in the generation, from 1.
    pub number: usize,
    /// Its fitness.
    pub fitness: f64,
    /// The generation in which it was created.
    pub born: u64,
    /// Its genes (the first 32).
    pub genome: Vec<f64>,
    /// The number of its genes.
    pub length: usize,
}

/// The format of a generation's file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GenerationFileQuery {
    /// `genes` (Tablero's format) or `evl` (Othello7's); `genes` if left out.
    pub format: Option<String>,
}
