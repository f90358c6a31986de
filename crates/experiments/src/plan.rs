//! Experiment plans: the TOML files in `experiments/`.

use serde::{Deserialize, Serialize};
use tablero_learn::LrSchedule;

use crate::ExperimentError;

/// The plans, embedded in the program.
const PLANS: &[(&str, &str)] = &[
    ("othello7", include_str!("../../../experiments/othello7.toml")),
    ("moriarty", include_str!("../../../experiments/moriarty.toml")),
    ("unicen", include_str!("../../../experiments/unicen.toml")),
    ("shobu-minimax", include_str!("../../../experiments/shobu-minimax.toml")),
    ("otelo", include_str!("../../../experiments/otelo.toml")),
    ("hatchet1", include_str!("../../../experiments/hatchet1.toml")),
];

/// The plan of an experiment: networks to train, matches, searches and evolutions to run, and the expected
/// results.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// One-line title.
    pub title: String,
    /// Citation of the reproduced work, if it is one.
    #[serde(default)]
    pub source: String,
    /// What the work did, and how this experiment reproduces it.
    #[serde(default)]
    pub description: String,
    /// Expected result.
    #[serde(default)]
    pub expected_result: String,
    /// Name of the game.
    pub game: String,
    /// Rules, if not the default ones.
    #[serde(default)]
    pub rules: Option<String>,
    /// Default random seed.
    pub seed: u64,
    /// Rules for which to count the moves of the start position.
    #[serde(default)]
    pub first_moves: Vec<String>,
    /// Networks to train, first of all.
    #[serde(default)]
    pub networks: Vec<NetworkPlan>,
    /// Evolutions whose best genomes play in the matches.
    #[serde(default)]
    pub staged_evolutions: Vec<StagedEvolutionPlan>,
    /// Matches to play.
    #[serde(default)]
    pub matches: Vec<MatchPlan>,
    /// Searches to measure.
    #[serde(default)]
    pub searches: Vec<SearchPlan>,
    /// Evolutions to run.
    #[serde(default)]
    pub evolutions: Vec<EvolutionPlan>,
    /// Published values to compare with.
    #[serde(default)]
    pub comparisons: Vec<Comparison>,
    /// The work's other claims, which commands of their own reproduce.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// What else was found, as Markdown, below the table of all works.
    #[serde(default)]
    pub notes: String,
    /// The texts in Spanish, for the page.
    #[serde(default)]
    pub es: Translation,
}

/// The texts of a plan in another language.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translation {
    /// One-line title.
    pub title: String,
    /// What the work did, and how this experiment reproduces it.
    pub description: String,
    /// Expected result.
    pub expected_result: String,
}

/// A number for the full experiment and one for `--quick`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// For the full experiment.
    pub full: usize,
    /// For a quick run.
    pub quick: usize,
}

/// A player with a short name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// Name in tables and plots.
    pub name: String,
    /// Player line; `{depth}` is replaced by the depth, `{ID}` by the file of the network or staged
    /// evolution `ID`.
    pub line: String,
}

/// A round robin of matches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchPlan {
    /// Prefix of its metrics.
    pub id: String,
    /// Title in the report.
    pub title: String,
    /// Players, from weak to strong.
    pub players: Vec<Entrant>,
    /// Games per match.
    pub games: Size,
    /// Openings, such as `random=PLIES`.
    pub openings: String,
    /// Value of `{depth}` in the player lines.
    #[serde(default)]
    pub depth: Option<Size>,
    /// Bounds of a sequential probability ratio test (SPRT) in Elo, which may end matches early: of the player that
    /// comes later in the list against the earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<[f64; 2]>,
    /// Whether the report plots the mobility.
    #[serde(default)]
    pub show_mobility: bool,
    /// A gauntlet instead of a round robin: the last player meets the others in turn, and its Elo rating
    /// is updated after every game, as in Hatchet1.
    #[serde(default)]
    pub track_rating: bool,
}

/// Searches of the same positions at increasing depths.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchPlan {
    /// Prefix of its metrics.
    pub id: String,
    /// Title in the report.
    pub title: String,
    /// Player of the games from which the positions are taken.
    pub position_player: String,
    /// First and last ply of the positions, which are spread evenly in between.
    pub plies: [usize; 2],
    /// Number of positions.
    pub positions: Size,
    /// Maximum depth; the minimum is 1.
    pub depth: Size,
    /// Players to measure.
    pub players: Vec<Entrant>,
    /// Published estimates of the node counts.
    #[serde(default)]
    pub estimates: Vec<Estimate>,
}

/// A network: trained on recorded games, by self-play reinforcement learning, or with random weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkPlan {
    /// Prefix of its metrics.
    pub id: String,
    /// Title in the report.
    pub title: String,
    /// Architecture.
    pub net: String,
    /// Supervised training on games of a player.
    #[serde(default)]
    pub supervised: Option<SupervisedPlan>,
    /// Self-play reinforcement learning.
    #[serde(default)]
    pub learning: Option<LearningPlan>,
}

/// Supervised training on games of a player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupervisedPlan {
    /// Player line, with `{iterations}`.
    pub player: String,
    /// Value of `{iterations}`.
    pub iterations: Size,
    /// Number of games.
    pub games: Size,
    /// Maximum number of random opening plies.
    pub random_plies: usize,
    /// Longer games are adjudicated as draws.
    #[serde(default)]
    pub max_plies: Option<Size>,
    /// Number of epochs.
    pub epochs: Size,
    /// Batch size.
    pub batch_size: usize,
    /// Learning rate.
    pub lr: f64,
    /// Learning rate schedule.
    #[serde(default = "constant_schedule")]
    pub schedule: LrSchedule,
    /// Plain SGD instead of Adam.
    pub sgd: bool,
    /// Weight of the search value in the value target; the rest is the game's result. Above 0, positions
    /// after moves that were searched but not played are training samples too.
    #[serde(default)]
    pub q_ratio: f64,
    /// Augment with the board's symmetries.
    pub symmetries: bool,
    /// Fraction held out for validation.
    pub held_out: f64,
    /// What is held out.
    #[serde(default)]
    pub split: SplitUnit,
    /// The epoch whose weights are kept.
    #[serde(default)]
    pub keep: Keep,
    /// Whether the samples are the rows of Otelo's table: the boards after the moves, with the game's result.
    #[serde(default)]
    pub from_table: bool,
}

/// The unit of the split into training and validation set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitUnit {
    /// Whole games.
    #[default]
    Game,
    /// Positions, as in Otelo.
    Position,
}

/// The epoch whose weights are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// The one with the lowest validation loss.
    #[default]
    Best,
    /// The last, as in Otelo.
    Last,
}

const fn constant_schedule() -> LrSchedule {
    LrSchedule::Constant
}

/// A self-play learning run; other settings have their defaults.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningPlan {
    /// Player of the games of the first generations.
    #[serde(default)]
    pub teacher: Option<String>,
    /// Number of these generations.
    pub teacher_generations: Size,
    /// Games per generation of the teacher.
    pub teacher_games: Size,
    /// Training samples per new position of the teacher.
    #[serde(default)]
    pub teacher_replay_ratio: Option<f64>,
    /// Learning rate.
    #[serde(default)]
    pub lr: Option<f64>,
    /// Batch size.
    #[serde(default)]
    pub batch_size: Option<usize>,
    /// Total number of generations.
    pub generations: Size,
    /// Self-play games per generation.
    pub games: Size,
    /// Simulations per move.
    pub sims: u64,
    /// Longer games are adjudicated as draws.
    pub max_plies: usize,
    /// Whether self-play and training follow Hatchet1: PUCT with Dirichlet noise in the first 30 plies, moves sampled
    /// in the first 40, every search a full one, draws that need no claim worth -0.5, results as targets, Adam 0.0001.
    #[serde(default)]
    pub as_in_hatchet1: bool,
    /// Anchor players of the rating; the first has rating 0.
    pub anchors: Vec<String>,
    /// Games per anchor.
    pub anchor_games: Size,
}

/// Evolutions, and a crosstable of their champions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionPlan {
    /// Prefix of its metrics.
    pub id: String,
    /// Title in the report.
    pub title: String,
    /// Kind of genome.
    pub genome: String,
    /// Evolution scheme.
    pub scheme: String,
    /// Player line of genomes, in the evolutions and in the crosstable.
    pub player: String,
    /// Evolutions by increasing number of generations.
    pub runs: Vec<EvolutionRun>,
    /// Whether empty squares count for the winner in the crosstable, so that cells sum to 64; otherwise they
    /// show the discs on the board, as the work's do.
    #[serde(default)]
    pub full_board: bool,
    /// Published crosstable: rows of cells separated by spaces.
    #[serde(default)]
    pub reference_table: Vec<String>,
}

/// An evolution in stages, against one opponent after another: its best genome is `{ID}` in player lines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StagedEvolutionPlan {
    /// Prefix of its metrics.
    pub id: String,
    /// Title in the report.
    pub title: String,
    /// Kind of genome.
    pub genome: String,
    /// Evolution scheme.
    pub scheme: String,
    /// Player line of genomes.
    pub player: String,
    /// The stages.
    pub stages: Vec<EvolutionStage>,
}

/// A stage of an evolution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionStage {
    /// Player line of the opponent.
    pub against: String,
    /// Openings of the games.
    pub openings: String,
    /// Number of generations.
    pub generations: Size,
}

/// One evolution, with the published values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionRun {
    /// Name in tables and plots.
    pub name: String,
    /// Number of generations.
    pub generations: Size,
    /// Published best fitness.
    pub reference_fitness: f64,
    /// Published run time.
    pub reference_seconds: f64,
}

/// Estimated node count of a search to depth `N`: `branching_factor^(exponent * N)`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Name in tables and plots.
    pub name: String,
    /// Moves per position.
    pub branching_factor: f64,
    /// Exponent per ply: 1 for minimax, 1/2 for alpha-beta with perfect move ordering.
    pub exponent: f64,
}

/// A published value, and the metric to compare with it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// What is compared.
    pub description: String,
    /// Published value.
    pub reference: String,
    /// Name of our metric.
    pub metric: String,
    /// Expected range of our metric.
    #[serde(default)]
    pub expected: Option<[f64; 2]>,
    /// What the documented run measured, for the table in `docs/works.md`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// Our better variant, with its figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
}

/// A claim of the work that the experiment itself does not measure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// What the work says.
    pub description: String,
    /// Its figure.
    pub reference: String,
    /// The command that reproduces it.
    pub command: String,
    /// What the command gave.
    pub measured: String,
    /// Our better variant, with its figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
}

/// Names of the experiments.
pub fn names() -> impl Iterator<Item = &'static str> {
    PLANS.iter().map(|(name, _)| *name)
}

/// The plan of an experiment.
///
/// ```
/// let plan = tablero_experiments::find("shobu-minimax")?;
/// assert_eq!(plan.matches[0].games.of(false), 60);
/// # Ok::<(), tablero_experiments::ExperimentError>(())
/// ```
pub fn find(name: &str) -> Result<Experiment, ExperimentError> {
    let file = PLANS.iter().find(|(known, _)| *known == name);
    let (_, text) = file.ok_or_else(|| ExperimentError::Unknown {
        name: name.into(),
        known: names().collect::<Vec<_>>().join(", "),
    })?;
    Experiment::parse(text).map_err(|error| ExperimentError::Plan(format!("{name}: {error}")))
}

impl Size {
    /// The number for a quick or full run.
    pub const fn of(self, quick: bool) -> usize {
        if quick { self.quick } else { self.full }
    }
}

impl Entrant {
    /// Player line at a depth.
    pub fn at_depth(&self, depth: usize) -> String {
        self.line.replace("{depth}", &depth.to_string())
    }
}

impl SupervisedPlan {
    /// Player line.
    pub fn line(&self, quick: bool) -> String {
        self.player.replace("{iterations}", &self.iterations.of(quick).to_string())
    }
}

impl NetworkPlan {
    /// Progress steps: games or generations.
    pub fn steps(&self, quick: bool) -> usize {
        let learning = self.learning.as_ref().map(|learning| learning.generations.of(quick));
        let supervised = self.supervised.as_ref().map(|supervised| supervised.games.of(quick));
        supervised.or(learning).unwrap_or(0)
    }
}

impl MatchPlan {
    /// Player line of an entrant.
    pub fn line(&self, player: usize, quick: bool) -> String {
        let entrant = &self.players[player];
        self.depth.map_or_else(|| entrant.line.clone(), |depth| entrant.at_depth(depth.of(quick)))
    }

    /// Pairs of players, by index.
    pub fn pairings(&self) -> Vec<[usize; 2]> {
        let players = self.players.len();
        if self.track_rating {
            return (0..players.saturating_sub(1)).map(|second| [players - 1, second]).collect();
        }
        // The stronger player first.
        (0..players)
            .flat_map(|second| (second + 1..players).map(move |first| [first, second]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tablero_arena::Openings;
    use tablero_core::PlayerSetup;
    use tablero_evolve::{EvolutionConfig, write_genomes};
    use tablero_genomes::{Genomes, Individual, Provenance};
    use tablero_registry::GameEntry;

    use super::*;
    use crate::{networks, staged};

    fn check(entry: &dyn GameEntry, experiment: &Experiment) {
        let spec = entry.learning().spec();
        let folder = std::env::temp_dir();
        for plan in &experiment.networks {
            let kind = plan.net.parse().expect("a kind");
            let weights = tablero_nets::Weights::random(kind, &spec.encoding, 1);
            let file = networks::file(&folder, &plan.id);
            weights.expect("a network").write(&file).expect("written");
            if plan.learning.is_some() {
                for quick in [true, false] {
                    let config = networks::learn_config(entry.game(), plan, quick);
                    config.check(&spec).expect("a valid run");
                }
            }
        }
        for plan in &experiment.staged_evolutions {
            let kind = entry.evolution().genome_kind(&plan.genome).expect("a kind");
            let genome = kind.random(&mut tablero_core::Rng::seeded(1));
            let best = Individual { fitness: 0.0, genome };
            let (provenance, game) = (Provenance::default(), entry.game().name());
            let genomes = Genomes::new(game, &*kind, provenance, best, Vec::new());
            write_genomes(&staged::file(&folder, &plan.id), &genomes).expect("written");
            for stage in &plan.stages {
                let mut config =
                    EvolutionConfig::default_for(entry.game(), &plan.genome, &plan.scheme);
                config.player.clone_from(&plan.player);
                config.opponents = vec![stage.against.clone()];
                config.openings.clone_from(&stage.openings);
                config.check(entry.evolution()).expect("a valid evolution");
            }
        }
        let assert_builds = |line: &str| {
            let line = crate::job::replace_files(line, experiment, &folder);
            if crate::job::needs_missing_program(&line) {
                return;
            }
            let built = entry.build(&line, &PlayerSetup::LOCAL);
            assert!(built.is_ok(), "{line}: {}", built.err().expect("an error"));
        };
        for rules in experiment.rules.iter().chain(&experiment.first_moves) {
            assert!(entry.game().rules(rules).is_ok(), "{rules}");
        }
        for plan in &experiment.matches {
            assert!(plan.openings.parse::<Openings>().is_ok(), "{}", plan.openings);
            for player in 0..plan.players.len() {
                assert_builds(&plan.line(player, false));
                assert_builds(&plan.line(player, true));
            }
        }
        for plan in &experiment.networks {
            let file = networks::file(&folder, &plan.id);
            if let Some(supervised) = &plan.supervised {
                assert_builds(&supervised.line(true));
            }
            assert!(file.exists());
        }
        for plan in &experiment.searches {
            assert_builds(&plan.position_player);
            plan.players.iter().for_each(|player| assert_builds(&player.at_depth(1)));
            assert!(plan.plies[0] <= plan.plies[1] && plan.positions.quick > 0);
        }
        for plan in &experiment.evolutions {
            let mut config = EvolutionConfig::default_for(entry.game(), &plan.genome, &plan.scheme);
            config.player.clone_from(&plan.player);
            config.check(entry.evolution()).expect("a valid evolution");
            assert!(
                plan.reference_table.iter().all(|row| row.split(' ').count() == plan.runs.len())
            );
        }
    }

    #[test]
    fn every_plan_is_valid() {
        tablero_registry::install(tablero_catalog::games());
        for name in names() {
            let experiment = find(name).expect("a valid plan");
            check(tablero_registry::find(&experiment.game).expect("a game"), &experiment);
            let Translation { title, description, expected_result } = &experiment.es;
            for text in [title, description, expected_result] {
                assert!(!text.is_empty(), "{name} has no Spanish texts");
            }
            let (mut ids, mut metrics) = (HashSet::new(), HashSet::new());
            for plan in &experiment.networks {
                assert!(ids.insert(&plan.id), "{name}: {} comes twice", plan.id);
                metrics.insert(format!("{}.", plan.id));
            }
            for plan in &experiment.staged_evolutions {
                assert!(ids.insert(&plan.id), "{name}: {} comes twice", plan.id);
                metrics.insert(format!("{}.stage-", plan.id));
            }
            for plan in &experiment.matches {
                assert!(ids.insert(&plan.id), "{name}: {} comes twice", plan.id);
                metrics.insert(format!("{}.mobility.", plan.id));
                if let Some(last) = plan.players.last().filter(|_| plan.track_rating) {
                    metrics.insert(format!("{}.{}.rating", plan.id, last.name));
                }
                for pair in plan.pairings() {
                    let [first, second] = pair.map(|player| &plan.players[player].name);
                    metrics.insert(format!("{}.{first}.{second}.", plan.id));
                }
            }
            for plan in &experiment.searches {
                assert!(ids.insert(&plan.id), "{name}: {} comes twice", plan.id);
                let metric = |player: &Entrant| format!("{}.{}.", plan.id, player.name);
                metrics.extend(plan.players.iter().map(metric));
            }
            for plan in &experiment.evolutions {
                assert!(ids.insert(&plan.id), "{name}: {} comes twice", plan.id);
                metrics.insert(format!("{}.later-against-earlier", plan.id));
                metrics.insert(format!("{}.games-per-second", plan.id));
                let metric = |run: &EvolutionRun| format!("{}.{}.", plan.id, run.name);
                metrics.extend(plan.runs.iter().map(metric));
            }
            metrics
                .extend(experiment.first_moves.iter().map(|rules| format!("first-moves.{rules}")));
            for comparison in &experiment.comparisons {
                let known = metrics.iter().any(|metric| comparison.metric.starts_with(metric));
                assert!(known, "{name}: {}", comparison.metric);
            }
        }
    }

    #[test]
    fn the_error_for_an_unknown_name_lists_the_known_ones() {
        let error = find("chess").expect_err("no such experiment").to_string();
        assert!(error.contains("othello7, moriarty, unicen, shobu-minimax"), "{error}");
    }
}
