use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::OptionInfo;

/// What can be evolved in a game, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct EvolutionOptions {
    /// The kinds of genomes.
    pub genomes: Vec<GenomeKind>,
    /// The ways to breed.
    pub schemes: Vec<Scheme>,
    /// How genomes play if nothing else is asked for.
    pub player: String,
    /// Where games start from if nothing else is asked for.
    pub openings: String,
}

/// A kind of genome.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GenomeKind {
    /// Its name.
    pub name: String,
    /// What it looks at.
    pub about: String,
    /// How many numbers a genome has; null if that varies.
    pub genes: Option<usize>,
    /// The scheme that is usual for it.
    pub scheme: String,
    /// Whether `.evl` files of Othello7 can hold it.
    pub is_othello7: bool,
}

/// A way to breed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Scheme {
    /// The first word of its lines.
    pub name: String,
    /// What it does.
    pub about: String,
    /// Its options: `modern children=32`.
    pub options: Vec<OptionInfo>,
}

/// An evolution to start.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewEvolutionJob {
    /// Which game.
    pub game: String,
    /// The rules variant; the usual one if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The kind of genome.
    pub genome: String,
    /// The scheme with its options; the usual one of the genome if left out.
    #[serde(default)]
    pub scheme: Option<String>,
    /// How many generations.
    pub generations: u64,
    /// How genomes play: a line of greedy, minimax or alphabeta without `eval`; the usual one if left
    /// out.
    #[serde(default)]
    pub player: Option<String>,
    /// Fixed opponents, as player lines; the hand-set genome if left out.
    #[serde(default)]
    pub against: Vec<String>,
    /// `start`, `random=PLIES`, `book`, `book=PLIES`; the game's usual ones if left out.
    #[serde(default)]
    pub openings: Option<String>,
    /// The population of an evolution to go on from.
    #[serde(default)]
    pub start: Option<GenerationName>,
    /// Names whatever is random; 1 if left out.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// A generation of an evolution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerationName {
    /// The job.
    pub job: String,
    /// Which generation, from 1.
    pub generation: u64,
}

/// What an evolution has come to so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct EvolutionView {
    /// The kind of genome.
    pub genome: String,
    /// The scheme with its options.
    pub scheme: String,
    /// How genomes play.
    pub player: String,
    /// The rules, if not the usual ones.
    pub rules: Option<String>,
    /// How many numbers a genome has; null if that varies.
    pub genes: Option<usize>,
    /// Whether `.evl` files of Othello7 can hold it.
    pub is_othello7: bool,
    /// Games played so far.
    pub games: u64,
    /// Positions looked at so far.
    pub nodes: u64,
    /// Seconds that took.
    pub seconds: f64,
    /// The generations, at most 300 of them, evenly chosen; the newest is always among them.
    pub points: Vec<EvolutionPoint>,
    /// The numbers of each point's best genome that changed most, 12 at most.
    pub curves: Vec<GeneCurve>,
}

/// A generation in numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct EvolutionPoint {
    /// Which, from 1.
    pub generation: u64,
    /// The fitness of the best.
    pub best: f64,
    /// The mean fitness.
    pub mean: f64,
    /// The fitness of the worst.
    pub worst: f64,
    /// How different the genomes are, in the genes' own scales.
    pub diversity: f64,
    /// The mean size of mutations.
    pub step: f64,
    /// How many numbers the best genome has.
    pub length: usize,
}

/// A number of the best genome, over the generations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GeneCurve {
    /// What it is called.
    pub name: String,
    /// The value that was set by hand, if there is one.
    pub by_hand: Option<f64>,
    /// Its value at each point.
    pub values: Vec<f64>,
}

/// Everybody of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GenerationView {
    /// Which, from 1.
    pub generation: u64,
    /// What the numbers of a genome are called, if all have the same (the first 32).
    pub genes: Vec<String>,
    /// All who were measured, the best first. As players: `eval=job:ID/GENERATION/NUMBER` in a line.
    pub members: Vec<MemberView>,
}

/// A genome as it was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct MemberView {
    /// Its place in the generation, from 1.
    pub number: usize,
    /// How well it did.
    pub fitness: f64,
    /// The generation in which it was born.
    pub born: u64,
    /// Its numbers (the first 32).
    pub genome: Vec<f64>,
    /// How many it has.
    pub length: usize,
}

/// How to save a generation.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GenerationFileQuery {
    /// `genes` (our own format) or `evl` (Othello7's); `genes` if left out.
    pub format: Option<String>,
}
