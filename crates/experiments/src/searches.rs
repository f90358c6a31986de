//! Node counts and times of searches, on the same positions at increasing depths.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tablero_core::{
    AnyControl, AnyGameHistory, AnyPlayer, AnyRecord, AnySearchResult, Game, Limits, PlayerError,
    Rng, pgn,
};
use tablero_jobs::{RunEnd, Threads, Work};
use tablero_registry::GameEntry;

use crate::job::{Harness, make_player};
use crate::{
    DepthMetrics, Estimate, EstimatedNodes, ExperimentError, SearchMetrics, SearchPlan,
    SearcherMetrics,
};

/// Random opening plies of the games from which positions are taken.
const RANDOM_PLIES: usize = 4;

/// Searches run one at a time: concurrent ones would distort the times.
static ONE_THREAD: Threads = Threads::new(NonZeroUsize::MIN);

/// Repetitions of a search. The minimum time counts, since it has the least noise.
const REPEATS: u32 = 5;
/// No further repetition after this time.
const MAX_REPEAT_TIME: Duration = Duration::from_millis(300);

/// Runs or resumes the searches of a plan; `None` if cancelled.
pub(crate) fn run(
    plan: &SearchPlan,
    harness: &mut Harness<'_>,
) -> Result<Option<SearchMetrics>, ExperimentError> {
    let (count, depths) =
        (plan.positions.of(harness.config.quick), plan.depth.of(harness.config.quick));
    let seed = harness.config.experiment.seed;
    let positions = positions(plan, harness, count, seed)?;
    let games: Vec<String> =
        positions.iter().map(|game| pgn::write(&AnyRecord::from_history(game))).collect();
    let mut tasks = Vec::new();
    for player in &plan.players {
        for depth in 1..=depths {
            let line = harness.line(&player.at_depth(depth));
            let task = |(game, index): (&String, u64)| SearchTask {
                player: line.clone(),
                game: game.clone(),
                seed: Rng::for_stream(seed, index).bits(),
            };
            tasks.extend(games.iter().zip(0..).map(task));
        }
    }
    let mut runner = harness.runner(&plan.id, &ONE_THREAD)?;
    let done_before = runner.logged();
    let mut outputs: Vec<SearchOutput> = Vec::new();
    let ended = runner.run(&SearchWork(harness.entry), &tasks, |index, output| {
        outputs.push(output);
        if index >= done_before {
            harness.progress(index + 1, &tasks[index].player);
        }
        ControlFlow::Continue(())
    })?;
    if ended == RunEnd::Cancelled {
        return Ok(None);
    }
    harness.finish_stage(tasks.len());
    let mut means = outputs.chunks(count).map(means);
    let mut searcher = |player: &crate::Entrant| SearcherMetrics {
        name: player.name.clone(),
        line: player.line.clone(),
        depths: (1..=depths)
            .zip(&mut means)
            .map(|(depth, (nodes, seconds))| DepthMetrics { depth, nodes, seconds })
            .collect(),
    };
    let moves: u64 = positions.iter().map(|game| game.moves().len() as u64).sum();
    Ok(Some(SearchMetrics {
        id: plan.id.clone(),
        positions: count,
        branching: moves as f64 / count as f64,
        players: plan.players.iter().map(&mut searcher).collect(),
        estimates: plan.estimates.iter().map(|estimate| estimate_nodes(estimate, depths)).collect(),
    }))
}

fn means(outputs: &[SearchOutput]) -> (f64, f64) {
    let count = outputs.len() as f64;
    let nodes: u64 = outputs.iter().map(|output| output.nodes).sum();
    let seconds: f64 = outputs.iter().map(|output| output.seconds).sum();
    (nodes as f64 / count, seconds / count)
}

fn estimate_nodes(estimate: &Estimate, depths: usize) -> EstimatedNodes {
    let nodes = |depth: usize| estimate.branching_factor.powf(estimate.exponent * depth as f64);
    EstimatedNodes { name: estimate.name.clone(), nodes: (1..=depths).map(nodes).collect() }
}

/// Positions from self-play of the plan's player, each from another game.
fn positions(
    plan: &SearchPlan,
    harness: &Harness<'_>,
    count: usize,
    seed: u64,
) -> Result<Vec<AnyGameHistory>, ExperimentError> {
    let failed =
        |problem: String| ExperimentError::Plan(format!("{}: {problem}", plan.position_player));
    let [first, last] = plan.plies;
    let start = harness.rules()?.start();
    let mut player = make_player(harness.entry, &plan.position_player)
        .map_err(|error| failed(error.to_string()))?;
    let mut position = |index: usize| {
        let plies = first + (last - first) * index / (count - 1).max(1);
        // The complement: the seed itself is for the searches.
        let mut rng = Rng::for_stream(!seed, index as u64);
        player.new_game(rng.bits());
        let mut game = AnyGameHistory::new(start.clone());
        while game.plies() < plies && game.end().is_none() {
            let random = game.position().random_move(&mut rng);
            let m = match random.filter(|_| game.plies() < RANDOM_PLIES) {
                Some(m) => m,
                None => search(&mut *player, &game).map_err(|error| failed(error.to_string()))?.m,
            };
            game.play(m).map_err(|error| failed(error.to_string()))?;
        }
        while game.end().is_some() && game.undo().is_some() {}
        Ok(game)
    };
    (0..count).map(&mut position).collect()
}

fn search(player: &mut AnyPlayer, game: &AnyGameHistory) -> Result<AnySearchResult, PlayerError> {
    let (never, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    player.choose(game, &Limits::default(), &mut AnyControl::new(&never, &mut ignore))
}

/// Search of one position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct SearchTask {
    player: String,
    /// PGN of the game that ends in the position.
    game: String,
    seed: u64,
}

/// Cost of a search.
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
        let mut player = make_player(self.0, &task.player).map_err(|error| error.to_string())?;
        let (first_start, mut best) = (Instant::now(), f64::INFINITY);
        for run in 1.. {
            player.new_game(task.seed);
            let start = Instant::now();
            let result = search(&mut *player, &game).map_err(|error| error.to_string())?;
            best = best.min(start.elapsed().as_secs_f64());
            if run == REPEATS || first_start.elapsed() > MAX_REPEAT_TIME {
                return Ok(SearchOutput { nodes: result.info.nodes, seconds: best });
            }
        }
        unreachable!("the last repetition returns")
    }
}
