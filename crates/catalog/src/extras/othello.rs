//! Othello's champion: a player, a solver, pattern tables that learn.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tablero_champion::engine::{Engine, Request, Stage};
use tablero_champion::eval::{self, GenerationPast, Parameters, Weights};
use tablero_champion::{Board, Selectivity};
use tablero_core::{AnyMove, AnyPosition, ForMover, Game, Notation, PlayerKind, StandardRules};
use tablero_jobs::{Job, Progress, TaskKind};
use tablero_learn::LearnError;
use tablero_learn::generations::Place;
use tablero_othello::{Othello, Square};
use tablero_pattern_learning::{BEST, Gate, LearnConfig, Learned, Measure, SelfPlay};
use tablero_registry::{
    BenchmarkGroup, OwnBenchmark, OwnLearned, OwnLearner, OwnWeights, Solution, SolveLimits, Solver,
};

use super::Extras;
use super::champion_tasks::ByWeights;
use crate::players::champion;

/// Othello's champion: a player, a solver, pattern tables that learn.
pub struct OthelloExtras;

impl Extras<Othello> for OthelloExtras {
    fn player_kinds() -> Vec<PlayerKind> {
        vec![champion::kind()]
    }

    fn solver(hash_mb: usize, threads: usize) -> Option<Box<dyn Solver>> {
        let engine = Engine::new(Weights::embedded(), hash_mb << 20, threads);
        Some(Box::new(ChampionSolver { engine }))
    }

    fn learners() -> Vec<&'static dyn OwnLearner> {
        vec![&Patterns]
    }

    fn weights() -> Vec<OwnWeights> {
        vec![patterns()]
    }

    fn benchmarks() -> Vec<OwnBenchmark> {
        vec![
            OwnBenchmark {
                group: BenchmarkGroup::Endgame,
                name: "endgame othello, champion",
                unit: "nodes/s",
                prepare: endgame,
            },
            OwnBenchmark {
                group: BenchmarkGroup::Signature,
                name: "signature othello, champion",
                unit: "nodes",
                prepare: || Box::new(|| tablero_champion::signature().iter().sum()),
            },
        ]
    }

    fn task_kinds() -> Vec<Box<dyn TaskKind>> {
        vec![
            Box::new(ByWeights(SelfPlay::default())),
            Box::new(ByWeights(Measure::default())),
            Box::new(ByWeights(Gate::default())),
        ]
    }
}

struct ChampionSolver {
    engine: Engine<&'static Weights>,
}

impl Solver for ChampionSolver {
    fn solve(&mut self, position: &AnyPosition, limits: SolveLimits) -> Solution {
        let Some(position) = position.downcast_ref::<Othello>() else {
            return Solution { score: ForMover(0), best: None, nodes: 0, empties: 0 };
        };
        let board = Board::from(position);
        let empties = board.empties().count_ones();
        let stop = AtomicBool::new(false);
        self.engine.clear();
        let goal = Stage { depth: empties, selectivity: Selectivity::NONE };
        let request = Request { outcome_only: limits.wld, ..Request::new(board, goal, &stop) };
        let found = self.engine.search(&request, &mut |_| {});
        let score = if limits.wld { found.value().signum() } else { found.value() };
        let best = Square::new(found.best()).unwrap_or(Square::PASS);
        let best = position.outcome().is_none().then(|| AnyMove::new(position, best));
        Solution { score: ForMover(score), best, nodes: found.nodes, empties }
    }
}

/// Solves the first of the French federation's tests with twenty empty squares.
fn endgame() -> Box<dyn FnMut() -> u64> {
    const POSITION: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
    let position = Othello::parse_position(POSITION, StandardRules).expect("a position");
    let mut engine = Engine::new(Weights::embedded(), 64 << 20, 1);
    Box::new(move || {
        engine.clear();
        let stop = AtomicBool::new(false);
        let goal = Stage { depth: 60, selectivity: Selectivity::NONE };
        let request = Request::new(Board::from(&position), goal, &stop);
        engine.search(&request, &mut |_| {}).nodes
    })
}

fn patterns() -> OwnWeights {
    let past = &Weights::embedded().header().past;
    let eval::Past { generation, games, command, generations, .. } = past;
    let mut lines = vec![format!("{generation} generations, {games} games")];
    if let Some(GenerationPast { elo: Some(elo), elo_error: Some(error), gate_games, .. }) =
        generations.last()
    {
        lines.push(format!(
            "{elo:+.0} ± {error:.0} Elo against the generation before ({gate_games} games)"
        ));
    }
    lines.push(command.clone());
    OwnWeights {
        name: "othello-patterns",
        kind: "patterns",
        about: "the champion's evaluation, learned from its own games",
        numbers: eval::PHASES * Parameters::per_phase(),
        provenance: serde_json::to_value(past).unwrap_or(Value::Null),
        lines,
    }
}

/// The champion's pattern tables.
struct Patterns;

impl OwnLearner for Patterns {
    fn name(&self) -> &'static str {
        "patterns"
    }

    fn open(&self, folder: &Path, quick: bool, seed: Option<u64>) -> Result<Job, LearnError> {
        let command = "tablero learn othello --net patterns";
        let config = match quick {
            true => LearnConfig::quick(&format!("{command} --quick")),
            false => LearnConfig::usual(command),
        };
        tablero_pattern_learning::open_run(folder, &config, seed)
    }

    fn run(
        &self,
        job: Job,
        place: Place<'_>,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<OwnLearned, LearnError> {
        let Place { executor, stop, .. } = place;
        let learned = tablero_pattern_learning::run_learning(job, executor, stop, tell)?;
        Ok(OwnLearned {
            lines: lines(&learned),
            best: learned.best.is_some().then_some(BEST),
            history: serde_json::to_value(&learned).unwrap_or(Value::Null),
        })
    }
}

fn lines(learned: &Learned) -> Vec<String> {
    let line = |past: &GenerationPast| {
        let elo = past.elo.map_or_else(String::new, |elo| format!(", {elo:+.0} Elo"));
        let accepted = if past.accepted { "" } else { ", not accepted" };
        format!(
            "generation {}: {} games, error {:.2} discs, {:.1} % against the best before{elo}{accepted}",
            past.generation,
            past.games,
            past.held_out,
            100.0 * past.score,
        )
    };
    learned.generations.iter().map(line).collect()
}
