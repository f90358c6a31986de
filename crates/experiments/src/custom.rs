//! Plans of users: read from TOML, and checked before they run.

use std::collections::HashSet;

use tablero_arena::Openings;
use tablero_arena::stats::Sprt;
use tablero_evolve::EvolutionConfig;
use tablero_registry::GameEntry;

use crate::{Entrant, Experiment, ExperimentError, Size, grid, networks};

/// Limits of a plan.
const MAX_BYTES: usize = 1 << 20;
const MAX_STAGES: usize = 64;
const MAX_PLAYERS: usize = 32;
const MAX_GAMES: usize = 100_000;
const MAX_POSITIONS: usize = 10_000;
const MAX_DEPTH: usize = 64;

impl Experiment {
    /// Reads a plan and expands its grids. [`check`](Self::check) checks its content.
    ///
    /// ```
    /// tablero_registry::install(tablero_catalog::games());
    /// let tictactoe = tablero_registry::find("tictactoe")?;
    /// let plan = tablero_experiments::template("match", tictactoe)?;
    /// let experiment = tablero_experiments::Experiment::parse(&plan)?;
    /// assert_eq!(experiment.matches[0].players.len(), 2);
    /// # Ok::<(), tablero_experiments::ExperimentError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ExperimentError> {
        if text.len() > MAX_BYTES {
            return Err(ExperimentError::Plan("the plan is too long".into()));
        }
        let invalid = |error: toml::de::Error| ExperimentError::Plan(error.to_string());
        let mut value: toml::Value = toml::from_str(text).map_err(invalid)?;
        grid::expand(&mut value)?;
        value.try_into().map_err(invalid)
    }

    /// The ids of networks and genomes, which stand for their files in player lines: `{ID}`.
    pub fn file_ids(&self) -> impl Iterator<Item = String> {
        let networks = self.networks.iter().map(|plan| &plan.id);
        let staged = self.staged_evolutions.iter().map(|plan| &plan.id);
        networks.chain(staged).map(|id| format!("{{{id}}}"))
    }

    /// All player lines, in a quick run or a full one.
    pub fn lines(&self, quick: bool) -> Vec<String> {
        let mut lines = Vec::new();
        for plan in &self.networks {
            lines.extend(plan.supervised.as_ref().map(|supervised| supervised.line(quick)));
            if let Some(learning) = &plan.learning {
                lines.extend(learning.teacher.clone());
                lines.extend(learning.anchors.iter().cloned());
            }
        }
        for plan in &self.staged_evolutions {
            lines.push(plan.player.clone());
            lines.extend(plan.stages.iter().map(|stage| stage.against.clone()));
        }
        lines.extend(self.evolutions.iter().map(|plan| plan.player.clone()));
        for plan in &self.matches {
            lines.extend((0..plan.players.len()).map(|player| plan.line(player, quick)));
        }
        for plan in &self.searches {
            lines.push(plan.position_player.clone());
            let depth = plan.depth.of(quick);
            lines.extend(plan.players.iter().map(|player| player.at_depth(depth)));
        }
        lines
    }

    /// Checks everything that can be wrong in a plan but its player lines, which depend on permissions.
    pub fn check(&self, entry: &dyn GameEntry) -> Result<(), ExperimentError> {
        let rules = self.rules.iter().chain(&self.first_moves);
        rules.into_iter().try_for_each(|rules| entry.game().rules(rules).map(drop))?;
        self.check_ids()?;
        self.check_networks(entry)?;
        self.check_evolutions(entry)?;
        for plan in &self.matches {
            let at = |what: String| ExperimentError::Plan(format!("match `{}`: {what}", plan.id));
            check_players(&plan.players, 2).map_err(at)?;
            check_size("games", plan.games, MAX_GAMES).map_err(at)?;
            plan.openings.parse::<Openings>().map_err(|error| at(error.to_string()))?;
            if let Some(depth) = plan.depth {
                check_size("depth", depth, MAX_DEPTH).map_err(at)?;
            }
            if let Some([elo0, elo1]) = plan.sprt {
                Sprt::new(elo0, elo1).check().map_err(|error| at(error.to_string()))?;
            }
        }
        for plan in &self.searches {
            let at = |what: String| ExperimentError::Plan(format!("search `{}`: {what}", plan.id));
            check_players(&plan.players, 1).map_err(at)?;
            check_size("positions", plan.positions, MAX_POSITIONS).map_err(at)?;
            check_size("depth", plan.depth, MAX_DEPTH).map_err(at)?;
            if plan.plies[0] > plan.plies[1] || plan.plies[1] > 1000 {
                return Err(at("`plies` are the first and the last, at most 1000".into()));
            }
        }
        Ok(())
    }

    /// Ids name files and metrics.
    fn check_ids(&self) -> Result<(), ExperimentError> {
        let stages = self.networks.iter().map(|plan| &plan.id);
        let stages = stages.chain(self.staged_evolutions.iter().map(|plan| &plan.id));
        let stages = stages.chain(self.matches.iter().map(|plan| &plan.id));
        let stages = stages.chain(self.searches.iter().map(|plan| &plan.id));
        let stages: Vec<_> = stages.chain(self.evolutions.iter().map(|plan| &plan.id)).collect();
        let plan = |what: String| Err(ExperimentError::Plan(what));
        if !(1..=MAX_STAGES).contains(&stages.len()) {
            return plan(format!(
                "a plan has 1 to {MAX_STAGES} networks, evolutions, matches and searches, not {}",
                stages.len()
            ));
        }
        let mut known = HashSet::new();
        for id in stages {
            let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            let is_name =
                id.chars().all(is_word) && id.starts_with(|c: char| c.is_ascii_alphanumeric());
            if !is_name || id.len() > 60 {
                return plan(format!(
                    "id `{}`: expected letters, digits, `-`, `_` and `.`, at most 60",
                    id.chars().take(80).collect::<String>()
                ));
            }
            if !known.insert(id) {
                return plan(format!("id `{id}` occurs twice"));
            }
        }
        Ok(())
    }

    fn check_networks(&self, entry: &dyn GameEntry) -> Result<(), ExperimentError> {
        let spec = entry.learning().spec();
        for plan in &self.networks {
            let at = |what: String| ExperimentError::Plan(format!("network `{}`: {what}", plan.id));
            let kind: tablero_nets::NetKind = plan
                .net
                .parse()
                .map_err(|error: tablero_nets::NetKindError| at(error.to_string()))?;
            kind.check(&spec.encoding).map_err(|error| at(error.to_string()))?;
            if let Some(supervised) = &plan.supervised {
                check_size("games", supervised.games, MAX_GAMES).map_err(at)?;
                check_size("epochs", supervised.epochs, 10_000).map_err(at)?;
                let is_valid = supervised.lr.is_finite()
                    && supervised.lr > 0.0
                    && (0.0..1.0).contains(&supervised.held_out)
                    && (1..=1 << 16).contains(&supervised.batch_size);
                if !is_valid {
                    return Err(at("lr, batch_size or held_out is out of range".into()));
                }
            }
            if plan.learning.is_some() {
                let config = networks::learn_config(entry.game(), plan, false);
                config.check(&spec).map_err(|error| at(error.to_string()))?;
            }
        }
        Ok(())
    }

    fn check_evolutions(&self, entry: &dyn GameEntry) -> Result<(), ExperimentError> {
        let check =
            |genome: &str, scheme: &str, player: &str, opponents: Vec<String>, openings: &str| {
                let mut config = EvolutionConfig::default_for(entry.game(), genome, scheme);
                config.player = player.into();
                config.opponents = opponents;
                if !openings.is_empty() {
                    config.openings = openings.into();
                }
                config.check(entry.evolution()).map(drop)
            };
        for plan in &self.staged_evolutions {
            for stage in &plan.stages {
                check_size("generations", stage.generations, MAX_GAMES)
                    .map_err(|what| ExperimentError::Plan(format!("`{}`: {what}", plan.id)))?;
                let opponents = vec![stage.against.clone()];
                check(&plan.genome, &plan.scheme, &plan.player, opponents, &stage.openings)?;
            }
        }
        for plan in &self.evolutions {
            check(&plan.genome, &plan.scheme, &plan.player, Vec::new(), "")?;
        }
        Ok(())
    }
}

fn check_players(players: &[Entrant], least: usize) -> Result<(), String> {
    if !(least..=MAX_PLAYERS).contains(&players.len()) {
        return Err(format!("expected {least} to {MAX_PLAYERS} players, not {}", players.len()));
    }
    let mut known = HashSet::new();
    match players.iter().find(|player| !known.insert(&player.name)) {
        Some(player) => Err(format!("player `{}` occurs twice", player.name)),
        None => Ok(()),
    }
}

fn check_size(name: &str, size: Size, max: usize) -> Result<(), String> {
    let fits = |number: usize| (1..=max).contains(&number);
    match fits(size.full) && fits(size.quick) {
        true => Ok(()),
        false => Err(format!("`{name}` must be 1 to {max}")),
    }
}
