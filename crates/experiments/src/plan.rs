//! What an experiment's file says.

use serde::{Deserialize, Serialize};
use tablero_learn::Schedule;

use crate::ExperimentError;

/// The experiments, embedded so that they run anywhere.
const FILES: &[(&str, &str)] = &[
    ("othello7", include_str!("../../../experiments/othello7.toml")),
    ("unicen", include_str!("../../../experiments/unicen.toml")),
    ("shobu-minimax", include_str!("../../../experiments/shobu-minimax.toml")),
    ("otelo", include_str!("../../../experiments/otelo.toml")),
    ("hatchet1", include_str!("../../../experiments/hatchet1.toml")),
];

/// An experiment, as its file describes it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// What it is about, in a line.
    pub title: String,
    /// The work that it comes from.
    pub work: String,
    /// What the work did, and what is measured here.
    pub about: String,
    /// The result to expect.
    pub expect: String,
    /// Which game is played.
    pub game: String,
    /// By which rules; the usual ones if not said.
    #[serde(default)]
    pub rules: Option<String>,
    /// Where all randomness comes from, unless asked otherwise.
    pub seed: u64,
    /// Rules whose moves at the start are counted.
    #[serde(default)]
    pub first_moves: Vec<String>,
    /// Which networks are trained, before anything else.
    #[serde(default)]
    pub networks: Vec<NetworkPlan>,
    /// Who plays whom.
    #[serde(default)]
    pub matches: Vec<MatchPlan>,
    /// Which searches are measured.
    #[serde(default)]
    pub searches: Vec<SearchPlan>,
    /// Which evolutions are run.
    #[serde(default)]
    pub evolutions: Vec<EvolutionPlan>,
    /// The work's figures, to be printed beside ours.
    #[serde(default)]
    pub compare: Vec<Comparison>,
}

/// A number for the whole experiment and one for a quick look at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// For the whole experiment.
    pub full: usize,
    /// For a quick look.
    pub quick: usize,
}

/// A player with a short name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// The name in tables and plots.
    pub name: String,
    /// The player line; `{depth}` in it stands for the depth of the measurement, `{ID}` for the file of
    /// the network ID.
    pub line: String,
}

/// Players, each of whom plays a match against each other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchPlan {
    /// The name of its figures.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// Who plays.
    pub players: Vec<Entrant>,
    /// Games of each match.
    pub games: Size,
    /// Where the games start from: `random=PLIES` and so on.
    pub openings: String,
    /// What `{depth}` stands for in the player lines.
    #[serde(default)]
    pub depth: Option<Size>,
    /// Whether the report shows how many moves there were to choose from in the games.
    #[serde(default)]
    pub show_mobility: bool,
    /// Only the last player meets the others, one after the other, and its rating follows from game to
    /// game as Hatchet1 keeps it.
    #[serde(default)]
    pub rating: bool,
}

/// Searches that look at the same positions at every depth.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchPlan {
    /// The name of its figures.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// Who plays the games that the positions are taken from.
    pub by: String,
    /// The first and the last ply at which positions are taken, and evenly in between.
    pub plies: [usize; 2],
    /// How many positions.
    pub positions: Size,
    /// From depth 1 to this.
    pub depth: Size,
    /// The searches.
    pub players: Vec<Entrant>,
    /// What the work estimates that they need.
    #[serde(default)]
    pub estimates: Vec<Estimate>,
}

/// A network: trained on games of a player, by a learning run, or left with random weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkPlan {
    /// The name of its figures.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// The kind of network.
    pub net: String,
    /// Games of a player that it is trained on.
    #[serde(default)]
    pub recorded: Option<RecordedPlan>,
    /// A learning run.
    #[serde(default)]
    pub learning: Option<LearningPlan>,
}

/// Games of a player, and training on them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedPlan {
    /// Who plays; `{iterations}` stands for a number.
    pub player: String,
    /// What `{iterations}` stands for.
    pub iterations: Size,
    /// How many games.
    pub games: Size,
    /// At most so many random moves begin a game.
    pub random_plies: usize,
    /// How often every position comes.
    pub epochs: Size,
    /// Positions a step.
    pub batch: usize,
    /// The learning rate.
    pub rate: f64,
    /// How it changes.
    #[serde(default = "constant")]
    pub schedule: Schedule,
    /// Straight down instead of Adam.
    pub sgd: bool,
    /// Which share of a position's value is the player's word, not the game's result. Above 0 the moves that
    /// were not played are learned from too, if the player says what they are worth.
    #[serde(default)]
    pub trust: f64,
    /// Turn and mirror positions.
    pub symmetries: bool,
    /// The share of games to test with.
    pub held_out: f64,
}

const fn constant() -> Schedule {
    Schedule::Constant
}

/// A learning run; what is not said is as usual.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningPlan {
    /// Who plays the games of the first generations.
    #[serde(default)]
    pub teacher: Option<String>,
    /// So many generations.
    pub teacher_generations: Size,
    /// Games of each.
    pub teacher_games: Size,
    /// Training positions for each of the teacher's.
    #[serde(default)]
    pub teacher_ratio: Option<f64>,
    /// The learning rate.
    #[serde(default)]
    pub rate: Option<f64>,
    /// Positions of a training step.
    #[serde(default)]
    pub batch: Option<usize>,
    /// Generations in all.
    pub generations: Size,
    /// Games of the network in each of the others.
    pub games: Size,
    /// Simulations for a move.
    pub sims: u64,
    /// A longer game is drawn.
    pub longest: usize,
    /// Who it is measured against; the first has the rating 0.
    pub anchors: Vec<String>,
    /// Games against each.
    pub anchor_games: Size,
}

/// Evolutions, and a crosstable of the best of each.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionPlan {
    /// The name of its figures.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// The kind of genome.
    pub genome: String,
    /// How to breed.
    pub scheme: String,
    /// How genomes play, in the evolutions and in the crosstable.
    pub player: String,
    /// The evolutions, those with fewer generations first.
    pub runs: Vec<EvolutionRun>,
    /// The work's crosstable, a row a text with cells between blanks.
    #[serde(default)]
    pub work_table: Vec<String>,
}

/// One evolution, with the work's figures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionRun {
    /// The name in tables and plots.
    pub name: String,
    /// How many generations.
    pub generations: Size,
    /// The work's best fitness.
    pub work_fitness: f64,
    /// How long the work needed.
    pub work_seconds: f64,
}

/// An estimate of the positions that a search to depth N needs: `base^(share N)`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// The name in tables and plots.
    pub name: String,
    /// Moves in a position.
    pub base: f64,
    /// The share of the depth that counts.
    pub share: f64,
}

/// A figure of the work, and the figure of ours to print beside it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// What it measures.
    pub what: String,
    /// What the work says.
    pub work: String,
    /// The name of our figure.
    pub ours: String,
    /// Where we expect ours.
    #[serde(default)]
    pub between: Option<[f64; 2]>,
}

/// The names of the experiments.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The experiment of this name.
pub fn find(name: &str) -> Result<Experiment, ExperimentError> {
    let file = FILES.iter().find(|(known, _)| *known == name);
    let (_, text) = file.ok_or_else(|| ExperimentError::Unknown {
        name: name.into(),
        known: names().collect::<Vec<_>>().join(", "),
    })?;
    toml::from_str(text).map_err(|error| ExperimentError::Plan(format!("{name}: {error}")))
}

impl Size {
    /// The one that is asked for.
    pub const fn of(self, quick: bool) -> usize {
        if quick { self.quick } else { self.full }
    }
}

impl Entrant {
    /// The player line at a depth.
    pub fn at_depth(&self, depth: usize) -> String {
        self.line.replace("{depth}", &depth.to_string())
    }
}

impl RecordedPlan {
    /// The player line.
    pub fn line(&self, quick: bool) -> String {
        self.player.replace("{iterations}", &self.iterations.of(quick).to_string())
    }
}

impl NetworkPlan {
    /// Games or generations.
    pub fn steps(&self, quick: bool) -> usize {
        let learning = self.learning.as_ref().map(|learning| learning.generations.of(quick));
        let recorded = self.recorded.as_ref().map(|recorded| recorded.games.of(quick));
        recorded.or(learning).unwrap_or(0)
    }
}

impl MatchPlan {
    /// The player line of an entrant.
    pub fn line(&self, player: usize, quick: bool) -> String {
        let entrant = &self.players[player];
        self.depth.map_or_else(|| entrant.line.clone(), |depth| entrant.at_depth(depth.of(quick)))
    }

    /// Who meets whom.
    pub fn meetings(&self) -> Vec<[usize; 2]> {
        let players = self.players.len();
        if self.rating {
            return (0..players.saturating_sub(1)).map(|second| [players - 1, second]).collect();
        }
        // The later named first: files name players from the weaker to the stronger.
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
    use tablero_evolve::EvolutionConfig;
    use tablero_registry::GameEntry;

    use super::*;
    use crate::networks;

    fn check(entry: &dyn GameEntry, experiment: &Experiment) {
        let spec = entry.learning().spec();
        let folder = std::env::temp_dir();
        for plan in &experiment.networks {
            let kind = plan.net.parse().expect("a kind");
            let weights = tablero_nets::Weights::random(kind, &spec.dims, 1);
            let file = networks::file(&folder, &plan.id);
            weights.expect("a network").write(&file).expect("written");
            if plan.learning.is_some() {
                for quick in [true, false] {
                    let config = networks::learn_config(entry.game(), plan, quick);
                    config.check(&spec).expect("a run that can be");
                }
            }
        }
        let buildable = |line: &str| {
            let line = crate::job::with_networks(line, experiment, &folder);
            if crate::job::is_missing(&line) {
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
                buildable(&plan.line(player, false));
                buildable(&plan.line(player, true));
            }
        }
        for plan in &experiment.networks {
            let file = networks::file(&folder, &plan.id);
            if let Some(recorded) = &plan.recorded {
                buildable(&recorded.line(true));
            }
            assert!(file.exists());
        }
        for plan in &experiment.searches {
            buildable(&plan.by);
            plan.players.iter().for_each(|player| buildable(&player.at_depth(1)));
            assert!(plan.plies[0] <= plan.plies[1] && plan.positions.quick > 0);
        }
        for plan in &experiment.evolutions {
            let mut config = EvolutionConfig::usual(entry.game(), &plan.genome, &plan.scheme);
            config.player.clone_from(&plan.player);
            config.check(entry.evolution()).expect("an evolution that can be");
            assert!(plan.work_table.iter().all(|row| row.split(' ').count() == plan.runs.len()));
        }
    }

    #[test]
    fn every_file_can_be_run() {
        tablero_registry::install(tablero_catalog::games());
        for name in names() {
            let experiment = find(name).expect("a readable file");
            check(tablero_registry::find(&experiment.game).expect("a game"), &experiment);
            let (mut ids, mut figures) = (HashSet::new(), HashSet::new());
            for plan in &experiment.networks {
                assert!(ids.insert(&plan.id), "{name}: {} comes twice", plan.id);
                figures.insert(format!("{}.", plan.id));
            }
            for plan in &experiment.matches {
                assert!(ids.insert(&plan.id), "{name}: {} comes twice", plan.id);
                figures.insert(format!("{}.mobility.", plan.id));
                if let Some(last) = plan.players.last().filter(|_| plan.rating) {
                    figures.insert(format!("{}.{}.rating", plan.id, last.name));
                }
                for seats in plan.meetings() {
                    let [first, second] = seats.map(|seat| &plan.players[seat].name);
                    figures.insert(format!("{}.{first}.{second}.", plan.id));
                }
            }
            for plan in &experiment.searches {
                assert!(ids.insert(&plan.id), "{name}: {} comes twice", plan.id);
                let figure = |player: &Entrant| format!("{}.{}.", plan.id, player.name);
                figures.extend(plan.players.iter().map(figure));
            }
            for plan in &experiment.evolutions {
                assert!(ids.insert(&plan.id), "{name}: {} comes twice", plan.id);
                figures.insert(format!("{}.later-against-earlier", plan.id));
                figures.insert(format!("{}.games-per-second", plan.id));
                let figure = |run: &EvolutionRun| format!("{}.{}.", plan.id, run.name);
                figures.extend(plan.runs.iter().map(figure));
            }
            figures
                .extend(experiment.first_moves.iter().map(|rules| format!("first-moves.{rules}")));
            for comparison in &experiment.compare {
                let known = figures.iter().any(|figure| comparison.ours.starts_with(figure));
                assert!(known, "{name}: {}", comparison.ours);
            }
        }
    }

    #[test]
    fn unknown_names_are_told_the_known_ones() {
        let error = find("chess").expect_err("no such experiment").to_string();
        assert!(error.contains("othello7, unicen, shobu-minimax"), "{error}");
    }
}
