//! Players against each other.

use tablero_arena::stats::RunningElo;
use tablero_arena::{
    Conditions, Factory, FinishedGame, MatchConfig, MatchEnd, Openings, Series, Watcher, run_match,
};
use tablero_core::{Side, Wdl};
use tablero_jobs::Progress;

use crate::job::{Lab, is_missing, make_player};
use crate::{ExperimentError, MatchFigures, MatchPlan, Mobility, PairFigures};

/// Plays the matches of a plan, or goes on with them; none if stopped.
pub(crate) fn run(
    plan: &MatchPlan,
    lab: &mut Lab<'_>,
) -> Result<Option<MatchFigures>, ExperimentError> {
    let (quick, experiment) = (lab.config.quick, &lab.config.experiment);
    let entry = lab.entry;
    let make = |line: &str| make_player(entry, line);
    let factory = Factory { game: entry.game(), make: &make };
    let openings: Openings = plan.openings.parse().map_err(ExperimentError::Plan)?;
    let series = Series {
        game: lab.game().name().into(),
        rules: experiment.rules.clone(),
        games: plan.games.of(quick),
        openings,
        conditions: Conditions::default(),
        seed: experiment.seed,
    };
    let mut figures = MatchFigures {
        id: plan.id.clone(),
        pairs: Vec::new(),
        mobility: Mobility::default(),
        ratings: Vec::new(),
    };
    let mut rating = RunningElo::default();
    for seats in plan.meetings() {
        let lines = seats.map(|seat| lab.line(&plan.line(seat, quick)));
        let players = seats.map(|seat| plan.players[seat].name.clone());
        if lines.iter().any(|line| is_missing(line)) {
            lab.part_done(series.games.next_multiple_of(2));
            continue;
        }
        let config = MatchConfig { players: lines, series: series.clone(), sprt: None };
        let part = format!("{}-{}-{}", plan.id, seats[0], seats[1]);
        let mut runner = lab.runner(&part, lab.executor)?;
        let what = format!("{} against {}", players[0], players[1]);
        let mut watcher =
            Spectator { what, lab, mobility: &mut figures.mobility, scores: Vec::new() };
        let result = run_match(&config, factory, &mut runner, &mut watcher)?;
        let scores = watcher.scores;
        if result.end == MatchEnd::Stopped {
            return Ok(None);
        }
        if plan.rating {
            follow(&mut rating, figures.pairs.is_empty(), &scores, &mut figures.ratings);
        }
        lab.part_done(series.games.next_multiple_of(2));
        let lines = seats.map(|seat| plan.line(seat, quick));
        figures.pairs.push(PairFigures { players, lines, summary: result.summary });
    }
    Ok(Some(figures))
}

/// Follows a rating through the games against an opponent: the first one has 400 and keeps it, others begin
/// with it.
fn follow(rating: &mut RunningElo, is_first: bool, scores: &[f64], curve: &mut Vec<f64>) {
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

/// Counts the moves and results of the games and tells how far it is.
struct Spectator<'a, 'l> {
    what: String,
    lab: &'a mut Lab<'l>,
    mobility: &'a mut Mobility,
    /// Points of the first named player, game by game.
    scores: Vec<f64>,
}

impl Watcher for Spectator<'_, '_> {
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
        self.mobility.add(&replayed.map_err(|(ply, error)| format!("ply {ply}: {error}"))?);
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.lab.progress(progress.done as usize, &self.what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_follow_the_games() {
        let (mut rating, mut curve) = (RunningElo::default(), Vec::new());
        follow(&mut rating, true, &[1.0, 1.0], &mut curve);
        assert_eq!(curve[0], 410.0);
        assert!(curve[1] > 419.0 && curve[1] < 420.0, "{curve:?}");
        follow(&mut rating, false, &[0.0; 5], &mut curve);
        assert!(rating.rating < 400.0 && curve.len() == 7, "{curve:?}");
    }
}
