//! Matches: round robins and gauntlets.

use tablero_arena::stats::{RunningElo, Sprt};
use tablero_arena::{
    ArenaError, Conditions, Factory, FinishedGame, MatchConfig, MatchEnd, MatchSettings, Openings,
    Watcher, run_match,
};
use tablero_core::{Side, Wdl};
use tablero_jobs::Progress;

use crate::job::{Harness, make_player};
use crate::{ExperimentError, MatchMetrics, MatchPlan, Mobility, PairMetrics};

/// Runs or resumes the matches of a plan; `None` if cancelled.
pub(crate) fn run(
    plan: &MatchPlan,
    harness: &mut Harness<'_>,
) -> Result<Option<MatchMetrics>, ExperimentError> {
    let (quick, experiment) = (harness.config.quick, &harness.config.experiment);
    let entry = harness.entry;
    let make = |line: &str| make_player(entry, line);
    let factory = Factory { game: entry.game(), make: &make };
    let openings: Openings = plan.openings.parse().map_err(ArenaError::from)?;
    let settings = MatchSettings {
        game: harness.game().name().into(),
        rules: experiment.rules.clone(),
        games: plan.games.of(quick),
        openings,
        conditions: Conditions::default(),
        seed: experiment.seed,
    };
    let mut metrics = MatchMetrics {
        id: plan.id.clone(),
        pairs: Vec::new(),
        mobility: Mobility::default(),
        ratings: Vec::new(),
    };
    let mut rating = RunningElo::default();
    for pair in plan.pairings() {
        let lines = pair.map(|player| harness.line(&plan.line(player, quick)));
        let players = pair.map(|player| plan.players[player].name.clone());
        if lines.iter().any(|line| harness.lacks_program(line)) {
            harness.finish_stage(settings.games.next_multiple_of(2));
            continue;
        }
        let sprt = plan.sprt.map(|[elo0, elo1]| Sprt::new(elo0, elo1));
        let config = MatchConfig { players: lines, settings: settings.clone(), sprt };
        let stage = format!("{}-{}-{}", plan.id, pair[0], pair[1]);
        let mut runner = harness.runner(&stage, harness.executor)?;
        let label = format!("{} against {}", players[0], players[1]);
        let mut watcher = GameCollector {
            label,
            harness,
            mobility: &mut metrics.mobility,
            by_player: Default::default(),
            scores: Vec::new(),
        };
        let result = run_match(&config, factory, &mut runner, &mut watcher)?;
        let (scores, mobility) = (watcher.scores, watcher.by_player);
        if result.end == MatchEnd::Cancelled {
            return Ok(None);
        }
        if plan.track_rating {
            update_rating(&mut rating, metrics.pairs.is_empty(), &scores, &mut metrics.ratings);
        }
        harness.finish_stage(settings.games.next_multiple_of(2));
        let lines = pair.map(|player| plan.line(player, quick));
        let (summary, end) = (result.summary, Some(result.end));
        metrics.pairs.push(PairMetrics { players, lines, summary, end, mobility });
    }
    Ok(Some(metrics))
}

/// Updates a rating game by game against one opponent. Opponents start at 400; the rating of the first is
/// fixed.
fn update_rating(rating: &mut RunningElo, is_first: bool, scores: &[f64], curve: &mut Vec<f64>) {
    let mut opponent = RunningElo::default();
    for &score in scores {
        let before = rating.rating;
        rating.update(opponent.rating, score);
        if !is_first {
            opponent.update(before, 1.0 - score);
        }
        curve.push(rating.rating);
    }
}

/// Collects mobility and scores of finished games.
struct GameCollector<'a, 'l> {
    label: String,
    harness: &'a mut Harness<'l>,
    mobility: &'a mut Mobility,
    /// Mobility of each player.
    by_player: [Mobility; 2],
    /// Score of the first player in each game.
    scores: Vec<f64>,
}

impl Watcher for GameCollector<'_, '_> {
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        let side = Side::BOTH[game.index % 2];
        if let Some(end) = game.record.end {
            self.scores.push(match end.outcome.wdl(side) {
                Wdl::Win => 1.0,
                Wdl::Draw => 0.5,
                Wdl::Loss => 0.0,
            });
        }
        let replayed = game.record.replay();
        let game = replayed.map_err(|(ply, error)| format!("ply {ply}: {error}"))?;
        self.mobility.add(&game, None);
        for (mobility, side) in self.by_player.iter_mut().zip([side, !side]) {
            mobility.add(&game, Some(side));
        }
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.harness.progress(progress.done as usize, &self.label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_updated_after_each_game() {
        let (mut rating, mut curve) = (RunningElo::default(), Vec::new());
        update_rating(&mut rating, true, &[1.0, 1.0], &mut curve);
        assert_eq!(curve[0], 410.0);
        assert!(curve[1] > 419.0 && curve[1] < 420.0, "{curve:?}");
        update_rating(&mut rating, false, &[0.0; 5], &mut curve);
        assert!(rating.rating < 400.0 && curve.len() == 7, "{curve:?}");
    }
}
