//! Players against each other.

use tablero_arena::{
    Conditions, FinishedGame, MatchConfig, MatchEnd, Openings, Series, Watcher, run_match,
};
use tablero_catalog::Catalogued;
use tablero_jobs::Progress;

use crate::job::{Lab, make_player};
use crate::{ExperimentError, MatchFigures, MatchPlan, Mobility, PairFigures};

/// Plays the matches of a plan, or goes on with them; none if stopped.
pub(crate) fn run<G: Catalogued>(
    plan: &MatchPlan,
    lab: &mut Lab<'_>,
) -> Result<Option<MatchFigures>, ExperimentError> {
    let (quick, experiment) = (lab.config.quick, &lab.config.experiment);
    let openings: Openings = plan.openings.parse().map_err(ExperimentError::Plan)?;
    let series = Series {
        game: G::NAME.into(),
        rules: experiment.rules.clone(),
        games: plan.games.of(quick),
        openings,
        conditions: Conditions::default(),
        seed: experiment.seed,
    };
    let mut figures =
        MatchFigures { id: plan.id.clone(), pairs: Vec::new(), mobility: Mobility::default() };
    for seats in plan.meetings() {
        let lines = seats.map(|seat| plan.line(seat, quick));
        let players = seats.map(|seat| plan.players[seat].name.clone());
        let config = MatchConfig { players: lines.clone(), series: series.clone(), sprt: None };
        let part = format!("{}-{}-{}", plan.id, seats[0], seats[1]);
        let mut runner = lab.runner(&part, lab.executor)?;
        let what = format!("{} against {}", players[0], players[1]);
        let mut watcher = Spectator { what, lab, mobility: &mut figures.mobility };
        let result = run_match::<G>(&config, &make_player::<G>, &mut runner, &mut watcher)?;
        if result.end == MatchEnd::Stopped {
            return Ok(None);
        }
        lab.part_done(series.games.next_multiple_of(2));
        figures.pairs.push(PairFigures { players, lines, summary: result.summary });
    }
    Ok(Some(figures))
}

/// Counts the moves of the games and tells how far it is.
struct Spectator<'a, 'l> {
    what: String,
    lab: &'a mut Lab<'l>,
    mobility: &'a mut Mobility,
}

impl<G: Catalogued> Watcher<G> for Spectator<'_, '_> {
    fn game(&mut self, game: &FinishedGame<G>) -> Result<(), String> {
        let replayed = game.record.replay();
        self.mobility.add(&replayed.map_err(|(ply, error)| format!("ply {ply}: {error}"))?);
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.lab.progress(progress.done as usize, &self.what);
    }
}
