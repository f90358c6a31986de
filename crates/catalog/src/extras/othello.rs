//! Extras of Othello: the champion engine as player and solver, pattern learning, and BILL.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tablero_champion::engine::{Engine, Iteration, Request};
use tablero_champion::eval::{self, GenerationStats, Parameters, Weights};
use tablero_champion::{Board, Selectivity};
use tablero_core::{
    AnyMove, AnyPosition, Evaluation, ForMover, Game, Localized, Notation, PlayerKind, PlayerLine,
    PlayerLineError, PlayerSetup, StandardRules,
};
use tablero_jobs::{Job, Progress, TaskKind};
use tablero_learn::LearnError;
use tablero_learn::generations::RunContext;
use tablero_othello::{Othello, Square};
use tablero_pattern_learning::{
    BEST_WEIGHTS, BILL_GENES, BillConfig, BillGeneration, BillSelfPlay, Gate, LearnConfig,
    LearningHistory, ProbCutMeasurement, SelfPlay, learn_bill, open_bill_run,
};
use tablero_registry::{
    BenchmarkGroup, CustomBenchmark, CustomLearned, CustomLearner, CustomWeights, Explainable,
    Solution, SolveLimits, Solver,
};

use super::Extras;
use super::champion_tasks::WeightsTask;
use crate::players::champion;

/// Extras of Othello: the champion engine as player and solver, pattern learning, and BILL.
pub struct OthelloExtras;

impl Extras<Othello> for OthelloExtras {
    fn player_kinds() -> Vec<PlayerKind> {
        vec![champion::kind()]
    }

    fn evaluation(
        line: &PlayerLine,
        setup: &PlayerSetup,
    ) -> Option<Result<Box<dyn Evaluation<Othello>>, PlayerLineError>> {
        (line.kind == champion::KIND).then(|| champion::evaluation(line, setup))
    }

    fn explainable() -> Vec<Explainable> {
        let about = Localized::new(
            "the champion's patterns, learned by self-play",
            "los patrones del campeón, aprendidos en autojuego",
        );
        vec![Explainable {
            name: "patterns".into(),
            player: champion::KIND.into(),
            about: about.into(),
        }]
    }

    fn solver(hash_mb: usize, threads: usize) -> Option<Box<dyn Solver>> {
        let engine = Engine::new(Weights::embedded(), hash_mb << 20, threads);
        Some(Box::new(ChampionSolver { engine }))
    }

    const IS_ENDGAME: Option<fn(&Othello) -> bool> =
        Some(|position| Board::from(position).empties().count_ones() <= ENDGAME_EMPTIES);

    fn learners() -> Vec<&'static dyn CustomLearner> {
        vec![&Patterns, &Bill]
    }

    fn weights() -> Vec<CustomWeights> {
        vec![patterns()]
    }

    fn benchmarks() -> Vec<CustomBenchmark> {
        vec![
            CustomBenchmark {
                group: BenchmarkGroup::Endgame,
                name: "endgame othello, champion",
                unit: "nodes/s",
                prepare: endgame,
            },
            CustomBenchmark {
                group: BenchmarkGroup::Signature,
                name: "signature othello, champion",
                unit: "nodes",
                prepare: || Box::new(|| tablero_champion::signature().iter().sum()),
            },
        ]
    }

    fn task_kinds() -> Vec<Box<dyn TaskKind>> {
        vec![
            Box::new(WeightsTask(SelfPlay::default())),
            Box::new(WeightsTask(ProbCutMeasurement::default())),
            Box::new(WeightsTask(Gate::default())),
            Box::new(WeightsTask(BillSelfPlay)),
        ]
    }
}

/// Empty squares of endgames that the solver solves at once.
const ENDGAME_EMPTIES: u32 = 12;

struct ChampionSolver {
    engine: Engine<&'static Weights>,
}

impl Solver for ChampionSolver {
    fn solve(
        &mut self,
        position: &AnyPosition,
        limits: SolveLimits,
        stop: &AtomicBool,
    ) -> Option<Solution> {
        let position = position.downcast_ref::<Othello>()?;
        let board = Board::from(position);
        let empties = board.empties().count_ones();
        self.engine.clear();
        let goal = Iteration { depth: empties, selectivity: Selectivity::NONE };
        let request = Request { wld: limits.wld, ..Request::new(board, goal, stop) };
        let found = self.engine.search(&request, &mut |_| {});
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let score = if limits.wld { found.value().signum() } else { found.value() };
        let best = Square::new(found.best_move()).unwrap_or(Square::PASS);
        let best = position.outcome().is_none().then(|| AnyMove::new(position, best));
        Some(Solution { score: ForMover(score), best, nodes: found.nodes, empties })
    }
}

/// Solves FFO test position 40, with 20 empties.
fn endgame() -> Box<dyn FnMut() -> u64> {
    const POSITION: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
    let position = Othello::parse_position(POSITION, StandardRules).expect("a position");
    let mut engine = Engine::new(Weights::embedded(), 64 << 20, 1);
    Box::new(move || {
        engine.clear();
        let stop = AtomicBool::new(false);
        let goal = Iteration { depth: 60, selectivity: Selectivity::NONE };
        let request = Request::new(Board::from(&position), goal, &stop);
        engine.search(&request, &mut |_| {}).nodes
    })
}

fn patterns() -> CustomWeights {
    let provenance = &Weights::embedded().header().provenance;
    let eval::Provenance { generation, games, command, generations, .. } = provenance;
    let mut lines = vec![format!("{generation} generations, {games} games")];
    if let Some(GenerationStats { elo: Some(elo), elo_error: Some(error), gate_games, .. }) =
        generations.last()
    {
        lines.push(format!(
            "{elo:+.0} ± {error:.0} Elo against the previous generation ({gate_games} games)"
        ));
    }
    lines.push(command.clone());
    CustomWeights {
        name: "othello-patterns",
        kind: "patterns",
        about: "the champion's pattern evaluation, learned by self-play",
        numbers: eval::PHASES * Parameters::per_phase(),
        provenance: serde_json::to_value(provenance).unwrap_or(Value::Null),
        lines,
    }
}

/// Learns the champion's pattern weights.
struct Patterns;

impl CustomLearner for Patterns {
    fn name(&self) -> &'static str {
        "patterns"
    }

    fn open(&self, folder: &Path, quick: bool, seed: Option<u64>) -> Result<Job, LearnError> {
        let command = "tablero learn othello --net patterns";
        let config = match quick {
            true => LearnConfig::quick(&format!("{command} --quick")),
            false => LearnConfig::standard(command),
        };
        tablero_pattern_learning::open_run(folder, &config, seed)
    }

    fn run(
        &self,
        job: Job,
        context: RunContext<'_>,
        report: &mut dyn FnMut(&Progress),
    ) -> Result<CustomLearned, LearnError> {
        let RunContext { executor, cancel, .. } = context;
        let learned = tablero_pattern_learning::run_learning(job, executor, cancel, report)?;
        Ok(CustomLearned {
            lines: lines(&learned),
            best: learned.best.is_some().then_some(BEST_WEIGHTS),
            history: serde_json::to_value(&learned).unwrap_or(Value::Null),
        })
    }
}

/// Learns the discriminant of BILL.
struct Bill;

impl CustomLearner for Bill {
    fn name(&self) -> &'static str {
        "bill"
    }

    fn open(&self, folder: &Path, quick: bool, seed: Option<u64>) -> Result<Job, LearnError> {
        let command = "tablero learn othello --net bill";
        let config = match quick {
            true => BillConfig::quick(&format!("{command} --quick")),
            false => BillConfig::standard(command),
        };
        open_bill_run(folder, &config, seed)
    }

    fn run(
        &self,
        job: Job,
        context: RunContext<'_>,
        report: &mut dyn FnMut(&Progress),
    ) -> Result<CustomLearned, LearnError> {
        let learned = learn_bill(job, context.executor, context.cancel, report)?;
        let line = |one: &BillGeneration| {
            format!(
                "generation {}: {} games, {:.1} % of the winners predicted, Brier score {:.3}",
                one.generation,
                one.games,
                100.0 * one.accuracy,
                one.brier_score,
            )
        };
        Ok(CustomLearned {
            lines: learned.generations.iter().map(line).collect(),
            best: learned.numbers.is_some().then_some(BILL_GENES),
            history: serde_json::to_value(&learned).unwrap_or(Value::Null),
        })
    }
}

fn lines(learned: &LearningHistory) -> Vec<String> {
    let line = |stats: &GenerationStats| {
        let elo = stats.elo.map_or_else(String::new, |elo| format!(", {elo:+.0} Elo"));
        let accepted = if stats.accepted { "" } else { ", not accepted" };
        format!(
            "generation {}: {} games, error {:.2} discs, {:.1} % against the previous best{elo}{accepted}",
            stats.generation,
            stats.games,
            stats.held_out,
            100.0 * stats.score,
        )
    };
    learned.generations.iter().map(line).collect()
}
