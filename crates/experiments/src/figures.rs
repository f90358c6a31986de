//! What an experiment found out.

use serde::{Deserialize, Serialize};
use tablero_arena::MatchSummary;

use crate::{Comparison, EvolutionFigures, Mobility, NetworkFigures};

/// All figures of an experiment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Which experiment.
    pub experiment: String,
    /// Whether this was only a quick look.
    pub quick: bool,
    /// Where all randomness came from.
    pub seed: u64,
    /// Moves at the start.
    pub first_moves: Vec<FirstMoves>,
    /// Which networks were trained.
    #[serde(default)]
    pub networks: Vec<NetworkFigures>,
    /// Who played whom.
    pub matches: Vec<MatchFigures>,
    /// Which searches were measured.
    pub searches: Vec<SearchFigures>,
    /// Which evolutions were run.
    #[serde(default)]
    pub evolutions: Vec<EvolutionFigures>,
    /// The work's figures and ours.
    pub compare: Vec<Compared>,
}

/// Moves at the start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FirstMoves {
    /// By these rules.
    pub rules: String,
    /// So many.
    pub moves: u64,
}

/// Players, each of whom played a match against each other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchFigures {
    /// As the plan calls it.
    pub id: String,
    /// The matches.
    pub pairs: Vec<PairFigures>,
    /// How many moves there were to choose from.
    pub mobility: Mobility,
    /// The rating of whom the plan follows, from game to game.
    #[serde(default)]
    pub ratings: Vec<f64>,
}

/// A match of two players.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PairFigures {
    /// Their names.
    pub players: [String; 2],
    /// Their player lines.
    pub lines: [String; 2],
    /// The first one's result.
    pub summary: MatchSummary,
}

/// Searches that looked at the same positions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchFigures {
    /// As the plan calls it.
    pub id: String,
    /// How many positions.
    pub positions: usize,
    /// The mean number of moves in them.
    pub branching: f64,
    /// The searches.
    pub players: Vec<SearcherFigures>,
    /// What the work estimates.
    pub estimates: Vec<EstimateFigures>,
}

/// One search at several depths.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearcherFigures {
    /// Its name.
    pub name: String,
    /// Its player line, with `{depth}` for the depth.
    pub line: String,
    /// From depth 1 on.
    pub depths: Vec<DepthFigures>,
}

/// One search at one depth, the mean of all positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct DepthFigures {
    /// Plies looked ahead.
    pub depth: usize,
    /// Positions looked at.
    pub nodes: f64,
    /// Time for a move.
    pub seconds: f64,
}

/// What the work estimates that a search needs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EstimateFigures {
    /// Its name.
    pub name: String,
    /// Positions, from depth 1 on.
    pub nodes: Vec<f64>,
}

/// A figure of the work beside ours.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Compared {
    /// What it measures.
    pub what: String,
    /// What the work says.
    pub work: String,
    /// Ours; none if a quick look did not measure it.
    pub ours: Option<f64>,
    /// Where we expected ours.
    pub between: Option<[f64; 2]>,
    /// Whether it is there; none if nothing was expected, or of a quick look, which proves nothing.
    pub as_expected: Option<bool>,
}

impl Figures {
    /// Puts our figures beside the work's.
    pub(crate) fn compare(&mut self, comparisons: &[Comparison]) {
        let named = self.named();
        let compared = |comparison: &Comparison| {
            let ours = named.iter().find(|(name, _)| *name == comparison.ours);
            let ours = ours.map(|(_, value)| *value);
            let is_inside = |[low, high]: [f64; 2]| ours.map(|ours| (low..=high).contains(&ours));
            Compared {
                what: comparison.what.clone(),
                work: comparison.work.clone(),
                ours,
                between: comparison.between,
                as_expected: comparison.between.filter(|_| !self.quick).and_then(is_inside),
            }
        };
        self.compare = comparisons.iter().map(compared).collect();
    }

    /// The figures by the names that comparisons use.
    fn named(&self) -> Vec<(String, f64)> {
        let mut named = Vec::new();
        for first in &self.first_moves {
            named.push((format!("first-moves.{}", first.rules), first.moves as f64));
        }
        for figures in &self.matches {
            let id = &figures.id;
            named.push((format!("{id}.mobility.mean"), figures.mobility.mean()));
            if let Some((turn, moves)) = figures.mobility.peak() {
                named.push((format!("{id}.mobility.peak"), moves));
                named.push((format!("{id}.mobility.peak-turn"), turn));
            }
            if let (Some(rating), Some(pair)) = (figures.ratings.last(), figures.pairs.first()) {
                named.push((format!("{id}.{}.rating", pair.players[0]), *rating));
            }
            for PairFigures { players: [first, second], summary, .. } in &figures.pairs {
                if let Some(score) = summary.score {
                    named.push((format!("{id}.{first}.{second}.score"), score));
                }
            }
        }
        for figures in &self.searches {
            for player in &figures.players {
                for at in &player.depths {
                    let name = format!("{}.{}.{}", figures.id, player.name, at.depth);
                    named.push((format!("{name}.nodes"), at.nodes));
                    named.push((format!("{name}.seconds"), at.seconds));
                }
            }
        }
        self.networks.iter().for_each(|figures| named.extend(figures.named()));
        self.evolutions.iter().for_each(|figures| named.extend(figures.named()));
        named
    }
}
