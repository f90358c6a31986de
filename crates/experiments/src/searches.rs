//! Searches that look at the same positions at every depth.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tablero_core::{
    AnyChoice, AnyControl, AnyMatch, AnyPlayer, AnyRecord, Game, Limits, PlayerError, Rng, pgn,
};
use tablero_jobs::{Ended, Threads, Work};
use tablero_registry::GameEntry;

use crate::job::{Lab, make_player};
use crate::{
    DepthFigures, Estimate, EstimateFigures, ExperimentError, SearchFigures, SearchPlan,
    SearcherFigures,
};

/// Games that positions are taken from begin with so many random plies.
const RANDOM_PLIES: usize = 4;

/// One search of one position at a time: what runs beside it would show in the times.
static ONE_AT_A_TIME: Threads = Threads::new(NonZeroUsize::MIN);

/// A search is run so often, and its best time counts: what else the machine does shows least there.
const RUNS: u32 = 5;
/// Nor is it run again when it has taken so long.
const LONG: Duration = Duration::from_millis(300);

/// Measures the searches of a plan, or goes on with that; none if stopped.
pub(crate) fn run(
    plan: &SearchPlan,
    lab: &mut Lab<'_>,
) -> Result<Option<SearchFigures>, ExperimentError> {
    let (count, depths) = (plan.positions.of(lab.config.quick), plan.depth.of(lab.config.quick));
    let seed = lab.config.experiment.seed;
    let positions = positions(plan, lab, count, seed)?;
    let games: Vec<String> =
        positions.iter().map(|game| pgn::write(&AnyRecord::of_match(game))).collect();
    let mut tasks = Vec::new();
    for player in &plan.players {
        for depth in 1..=depths {
            let line = lab.line(&player.at_depth(depth));
            let task = |(game, index): (&String, u64)| SearchTask {
                player: line.clone(),
                game: game.clone(),
                seed: Rng::for_part(seed, index).bits(),
            };
            tasks.extend(games.iter().zip(0..).map(task));
        }
    }
    let mut runner = lab.runner(&plan.id, &ONE_AT_A_TIME)?;
    let done_before = runner.done_before();
    let mut outputs: Vec<SearchOutput> = Vec::new();
    let ended = runner.run(&SearchWork(lab.entry), &tasks, |index, output| {
        outputs.push(output);
        if index >= done_before {
            lab.progress(index + 1, &tasks[index].player);
        }
        ControlFlow::Continue(())
    })?;
    if ended == Ended::Stopped {
        return Ok(None);
    }
    lab.part_done(tasks.len());
    let mut means = outputs.chunks(count).map(mean);
    let mut searcher = |player: &crate::Entrant| SearcherFigures {
        name: player.name.clone(),
        line: player.line.clone(),
        depths: (1..=depths)
            .zip(&mut means)
            .map(|(depth, (nodes, seconds))| DepthFigures { depth, nodes, seconds })
            .collect(),
    };
    let moves: u64 = positions.iter().map(|game| game.moves().len() as u64).sum();
    Ok(Some(SearchFigures {
        id: plan.id.clone(),
        positions: count,
        branching: moves as f64 / count as f64,
        players: plan.players.iter().map(&mut searcher).collect(),
        estimates: plan.estimates.iter().map(|estimate| estimated(estimate, depths)).collect(),
    }))
}

fn mean(outputs: &[SearchOutput]) -> (f64, f64) {
    let count = outputs.len() as f64;
    let nodes: u64 = outputs.iter().map(|output| output.nodes).sum();
    let seconds: f64 = outputs.iter().map(|output| output.seconds).sum();
    (nodes as f64 / count, seconds / count)
}

fn estimated(estimate: &Estimate, depths: usize) -> EstimateFigures {
    let nodes = |depth: usize| estimate.base.powf(estimate.share * depth as f64);
    EstimateFigures { name: estimate.name.clone(), nodes: (1..=depths).map(nodes).collect() }
}

/// Positions from games of the plan's player against itself, each from a game of its own.
fn positions(
    plan: &SearchPlan,
    lab: &Lab<'_>,
    count: usize,
    seed: u64,
) -> Result<Vec<AnyMatch>, ExperimentError> {
    let failed = |problem: String| ExperimentError::Plan(format!("{}: {problem}", plan.by));
    let [first, last] = plan.plies;
    let start = lab.rules()?.start();
    let mut player = make_player(lab.entry, &plan.by).map_err(failed)?;
    let mut position = |index: usize| {
        let plies = first + (last - first) * index / (count - 1).max(1);
        // The searches take their randomness from the seed itself.
        let mut rng = Rng::for_part(!seed, index as u64);
        player.new_game(rng.bits());
        let mut game = AnyMatch::new(start.clone());
        while game.plies() < plies && game.end().is_none() {
            let random = game.position().random_move(&mut rng);
            let m = match random.filter(|_| game.plies() < RANDOM_PLIES) {
                Some(m) => m,
                None => choose(&mut *player, &game).map_err(|error| failed(error.to_string()))?.m,
            };
            game.play(m).map_err(|error| failed(error.to_string()))?;
        }
        while game.end().is_some() && game.undo().is_some() {}
        Ok(game)
    };
    (0..count).map(&mut position).collect()
}

fn choose(player: &mut AnyPlayer, game: &AnyMatch) -> Result<AnyChoice, PlayerError> {
    let (never, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    player.choose(game, &Limits::default(), &mut AnyControl::new(&never, &mut ignore))
}

/// The task of searching one position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct SearchTask {
    player: String,
    /// The game whose last position it is, as text.
    game: String,
    seed: u64,
}

/// What it took.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct SearchOutput {
    nodes: u64,
    seconds: f64,
}

/// Searches positions of a game.
struct SearchWork(&'static dyn GameEntry);

impl Work for SearchWork {
    const KIND: &'static str = "search";
    type Task = SearchTask;
    type Output = SearchOutput;

    fn run(&self, task: &SearchTask) -> Result<SearchOutput, String> {
        let record = pgn::read_one(self.0.game(), &task.game).map_err(|error| error.to_string())?;
        let game = record.replay().map_err(|(ply, error)| format!("ply {ply}: {error}"))?;
        let mut player = make_player(self.0, &task.player)?;
        let (begin, mut best) = (Instant::now(), f64::INFINITY);
        for run in 1.. {
            player.new_game(task.seed);
            let start = Instant::now();
            let choice = choose(&mut *player, &game).map_err(|error| error.to_string())?;
            best = best.min(start.elapsed().as_secs_f64());
            if run == RUNS || begin.elapsed() > LONG {
                return Ok(SearchOutput { nodes: choice.info.nodes, seconds: best });
            }
        }
        unreachable!("some run is the last")
    }
}
