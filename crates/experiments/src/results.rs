//! Results of an experiment: metrics per section, and their comparison with the published values.

use serde::{Deserialize, Serialize};
use tablero_arena::{MatchEnd, MatchSummary};

use crate::{Comparison, EvolutionMetrics, Mobility, NetworkMetrics, StagedEvolutionMetrics};

/// All results of an experiment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Name of the experiment.
    pub experiment: String,
    /// Whether this was a quick run.
    pub quick: bool,
    /// Random seed.
    pub seed: u64,
    /// Moves of the start position, by rules.
    pub first_moves: Vec<FirstMoves>,
    /// Trained networks.
    #[serde(default)]
    pub networks: Vec<NetworkMetrics>,
    /// Evolutions whose best genomes play in the matches.
    #[serde(default)]
    pub staged_evolutions: Vec<StagedEvolutionMetrics>,
    /// Matches.
    pub matches: Vec<MatchMetrics>,
    /// Measured searches.
    pub searches: Vec<SearchMetrics>,
    /// Evolutions.
    #[serde(default)]
    pub evolutions: Vec<EvolutionMetrics>,
    /// Comparisons with the published values.
    pub comparisons: Vec<ComparisonResult>,
}

/// Number of moves of the start position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FirstMoves {
    /// Rules.
    pub rules: String,
    /// Legal moves.
    pub moves: u64,
}

/// Matches of a [`MatchPlan`](crate::MatchPlan).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchMetrics {
    /// Id of the plan.
    pub id: String,
    /// One entry per match.
    pub pairs: Vec<PairMetrics>,
    /// Mobility over all games.
    pub mobility: Mobility,
    /// Elo rating of the gauntlet's player after each game.
    #[serde(default)]
    pub ratings: Vec<f64>,
}

/// One match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PairMetrics {
    /// Names of the players.
    pub players: [String; 2],
    /// Player lines.
    pub lines: [String; 2],
    /// Result from the first player's point of view.
    pub summary: MatchSummary,
    /// Why the match ended.
    #[serde(default)]
    pub end: Option<MatchEnd>,
    /// Mobility of each player.
    #[serde(default)]
    pub mobility: [Mobility; 2],
}

/// Searches of a [`SearchPlan`](crate::SearchPlan).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchMetrics {
    /// Id of the plan.
    pub id: String,
    /// Number of positions.
    pub positions: usize,
    /// Mean branching factor.
    pub branching: f64,
    /// Measured players.
    pub players: Vec<SearcherMetrics>,
    /// Published estimates.
    pub estimates: Vec<EstimatedNodes>,
}

/// One player at several depths.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearcherMetrics {
    /// Name.
    pub name: String,
    /// Player line, with `{depth}`.
    pub line: String,
    /// From depth 1 on.
    pub depths: Vec<DepthMetrics>,
}

/// Means over all positions at one depth.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct DepthMetrics {
    /// Depth in plies.
    pub depth: usize,
    /// Nodes per move.
    pub nodes: f64,
    /// Seconds per move.
    pub seconds: f64,
}

/// A published estimate of node counts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EstimatedNodes {
    /// Name.
    pub name: String,
    /// Nodes, from depth 1 on.
    pub nodes: Vec<f64>,
}

/// A metric beside its published value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ComparisonResult {
    /// What is compared.
    pub description: String,
    /// Published value.
    pub reference: String,
    /// Measured value; `None` if a quick run did not measure it.
    pub measured: Option<f64>,
    /// Expected range.
    pub expected: Option<[f64; 2]>,
    /// Whether the value is in that range; `None` without one, and for quick runs, which prove nothing.
    pub is_expected: Option<bool>,
}

impl Results {
    /// Compares the metrics with the published values.
    pub(crate) fn compare(&mut self, comparisons: &[Comparison]) {
        let metrics = self.metrics();
        let compare = |comparison: &Comparison| {
            let measured = metrics.iter().find(|(name, _)| *name == comparison.metric);
            let measured = measured.map(|(_, value)| *value);
            let is_inside =
                |[low, high]: [f64; 2]| measured.map(|measured| (low..=high).contains(&measured));
            ComparisonResult {
                description: comparison.description.clone(),
                reference: comparison.reference.clone(),
                measured,
                expected: comparison.expected,
                is_expected: comparison.expected.filter(|_| !self.quick).and_then(is_inside),
            }
        };
        self.comparisons = comparisons.iter().map(compare).collect();
    }

    /// All metrics by the names that plans use.
    fn metrics(&self) -> Vec<(String, f64)> {
        let mut metrics = Vec::new();
        for first in &self.first_moves {
            metrics.push((format!("first-moves.{}", first.rules), first.moves as f64));
        }
        for section in &self.matches {
            let id = &section.id;
            metrics.push((format!("{id}.mobility.mean"), section.mobility.mean()));
            if let Some((turn, moves)) = section.mobility.peak() {
                metrics.push((format!("{id}.mobility.peak"), moves));
                metrics.push((format!("{id}.mobility.peak-turn"), turn));
            }
            if let (Some(rating), Some(pair)) = (section.ratings.last(), section.pairs.first()) {
                metrics.push((format!("{id}.{}.rating", pair.players[0]), *rating));
            }
            for pair in &section.pairs {
                let PairMetrics { players: [first, second], summary, mobility, .. } = pair;
                let [own, other] = mobility.each_ref().map(Mobility::mean);
                metrics.push((format!("{id}.{first}.{second}.mobility"), own));
                metrics.push((format!("{id}.{first}.{second}.opponent-mobility"), other));
                if let Some(score) = summary.score {
                    metrics.push((format!("{id}.{first}.{second}.score"), score));
                }
                let names = ["first-side", "drawn", "second-side"];
                for (name, games) in names.into_iter().zip(summary.by_side) {
                    let share = games as f64 / summary.games.max(1) as f64;
                    metrics.push((format!("{id}.{first}.{second}.{name}"), share));
                }
                let as_second = summary.as_second;
                let games = as_second.iter().sum::<u64>().max(1) as f64;
                let score = (as_second[0] as f64 + 0.5 * as_second[1] as f64) / games;
                metrics.push((format!("{id}.{first}.{second}.score-as-second"), score));
            }
        }
        for section in &self.searches {
            for player in &section.players {
                for at in &player.depths {
                    let name = format!("{}.{}.{}", section.id, player.name, at.depth);
                    metrics.push((format!("{name}.nodes"), at.nodes));
                    metrics.push((format!("{name}.seconds"), at.seconds));
                }
            }
        }
        self.networks.iter().for_each(|section| metrics.extend(section.metrics()));
        self.staged_evolutions.iter().for_each(|section| metrics.extend(section.metrics()));
        self.evolutions.iter().for_each(|section| metrics.extend(section.metrics()));
        metrics
    }
}
