//! BILL: its discriminant learned from games, as a run of the [generation loop](tablero_learn::generations).
//!
//! As in the work, the games of the first generation are those of an earlier program: `iago` at a fixed depth after
//! random moves, solved near the end. Those of the second are played by the first. A generation is fitted to
//! its own games; the last one is the best.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tablero_champion::eval::Weights;
use tablero_core::{
    Control, Evaluation, Game, GameHistory, Limits, Player, Rng, Side, StandardRules, Tactics,
};
use tablero_genomes::{GenomeError, Genomes, Individual, Provenance, find_kind};
use tablero_jobs::{CancellationToken, Executor, Header, Job, Progress, Work};
use tablero_learn::LearnError;
use tablero_learn::generations::{
    NewGeneration, RunContext, Session, TaskStep, Trainee, WeightsFiles, open_or_create,
    run_generations,
};
use tablero_othello::evaluations::{Bill, BillFit};
use tablero_othello::{Othello, Square};
use tablero_report::{Report, Table, number};
use tablero_search::fixed_depth::FixedDepthAlphaBeta;

use crate::UsesWeights;
use crate::games::{pass_if_needed, random_opening};
use crate::searcher::Searcher;

/// The job kind of a learning run.
pub const BILL_JOB_KIND: &str = "learn-othello-bill";
/// File name of the result in a run's folder.
pub const BILL_GENES: &str = "best.genes";
const FILES: WeightsFiles = WeightsFiles("genes");
/// Games per task: some seconds of work.
const BATCH: u64 = 25;

/// The configuration of a run, without its seed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BillConfig {
    /// The command that started the run.
    pub command: String,
    /// Games of each generation.
    pub games: Vec<u64>,
    /// How they are played.
    pub self_play: BillSelfPlayConfig,
    /// Every n-th game is held out to measure predictions.
    pub holdout_every: u64,
}

/// How games are played.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BillSelfPlayConfig {
    /// Random plies at the start, at least and at most.
    pub random_plies: [u64; 2],
    /// Search depth.
    pub depth: u32,
    /// Positions with at most so many empties are solved.
    pub exact_empties: u32,
}

impl BillConfig {
    /// The 3000 games of the work, then 12,000 of what was learned from them.
    pub fn standard(command: &str) -> Self {
        let self_play = BillSelfPlayConfig { random_plies: [8, 24], depth: 4, exact_empties: 12 };
        Self { command: command.into(), games: vec![3_000, 12_000], self_play, holdout_every: 10 }
    }

    /// A run of seconds.
    pub fn quick(command: &str) -> Self {
        let self_play = BillSelfPlayConfig { random_plies: [8, 24], depth: 2, exact_empties: 8 };
        Self { games: vec![100, 100], self_play, ..Self::standard(command) }
    }
}

/// A game: all moves without passes, like `f5d6c3`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BillGame {
    /// The moves.
    pub moves: String,
    /// The number of random ones at the start.
    pub random_plies: usize,
}

/// Plays games.
pub struct BillSelfPlay;

/// A batch of games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BillTask {
    /// The numbers of the player's evaluation; `iago` if none.
    pub numbers: Option<Vec<f64>>,
    /// How the games are played.
    pub config: BillSelfPlayConfig,
    /// Seed of the generation's games.
    pub seed: u64,
    /// Number of the first game.
    pub first: u64,
    /// Number of games.
    pub count: u64,
}

impl UsesWeights for BillTask {
    fn files(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    fn games(&self) -> u64 {
        self.count
    }
}

impl Work for BillSelfPlay {
    const KIND: &'static str = "othello-bill-games";
    type Task = BillTask;
    type Output = Vec<BillGame>;

    fn run(&self, task: &BillTask) -> Result<Vec<BillGame>, String> {
        let evaluation: Box<dyn Evaluation<Othello>> = match &task.numbers {
            Some(numbers) => Box::new(Bill::new(numbers)),
            None => Othello::evaluations()[0].hand_tuned(),
        };
        let mut player = FixedDepthAlphaBeta::new(task.config.depth, evaluation);
        let mut solver = Searcher::new(Weights::embedded());
        let games = task.first..task.first + task.count;
        games
            .map(|game| {
                let mut rng = Rng::for_stream(task.seed, game);
                player.new_game(0);
                solver.clear();
                task.config.play(&mut player, &mut solver, &mut rng)
            })
            .collect()
    }
}

impl BillSelfPlayConfig {
    fn play(
        &self,
        player: &mut dyn Player<Othello>,
        solver: &mut Searcher<'_>,
        rng: &mut Rng,
    ) -> Result<BillGame, String> {
        let [min, max] = self.random_plies;
        let plies = min + rng.below(max.saturating_sub(min) + 1);
        let (mut position, mut moves) = random_opening(plies as usize, rng);
        let random_plies = moves.len();
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        while pass_if_needed(&mut position) {
            let m = if position.empties().count_ones() <= self.exact_empties {
                solver.best_move(&position, 1, self.exact_empties).best_move
            } else {
                let game = GameHistory::new(position);
                let mut control = Control::new(&stop, &mut ignore);
                let found = player.choose(&game, &Limits::default(), &mut control);
                found.map_err(|error| error.to_string())?.m
            };
            moves.push(m);
            position.play(m);
        }
        Ok(BillGame { moves: moves.iter().map(Square::to_string).collect(), random_plies })
    }
}

impl BillGame {
    /// The positions after the random moves, and the result of the game for the first side: 1, 1/2 or 0.
    fn positions(&self) -> Result<(Vec<Othello>, f64), String> {
        let (mut position, mut positions) = (Othello::start(StandardRules), Vec::new());
        for (index, name) in self.moves.as_bytes().chunks(2).enumerate() {
            pass_if_needed(&mut position);
            let square = std::str::from_utf8(name).ok().and_then(Square::from_name);
            let square = square.filter(|&square| position.is_legal(square));
            let square = square.ok_or_else(|| format!("move {} is illegal", index + 1))?;
            position.play(square);
            // The position after a move is what a search evaluates.
            if index >= self.random_plies {
                positions.push(position);
            }
        }
        let outcome = position.outcome().ok_or("the game is not over")?;
        Ok((positions, f64::midpoint(1.0, f64::from(outcome.margin().0.signum()))))
    }
}

/// A generation of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BillGeneration {
    /// Its number.
    pub generation: usize,
    /// Its games.
    pub games: u64,
    /// Positions that it was fitted to.
    pub positions: u64,
    /// The share of held-out positions whose winner is predicted; draws do not count.
    pub accuracy: f64,
    /// The mean squared error of the predicted result (0 to 1) of held-out positions.
    pub brier_score: f64,
    /// Run time.
    pub seconds: f64,
}

/// The history of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BillHistory {
    /// The generations.
    pub generations: Vec<BillGeneration>,
    /// The numbers of the last one.
    pub numbers: Option<Vec<f64>>,
    /// Seconds spent on the unfinished generation of a stopped run.
    #[serde(default)]
    pub unfinished: f64,
}

/// Opens the run in a folder, or creates it; a resumed run keeps its configuration and seed.
pub fn open_bill_run(
    folder: &Path,
    config: &BillConfig,
    seed: Option<u64>,
) -> Result<Job, LearnError> {
    Ok(open_or_create(folder, BILL_JOB_KIND, config, seed)?)
}

/// Runs or resumes a run until it is finished or stopped.
pub fn learn_bill(
    job: Job,
    executor: &dyn Executor,
    stop: &CancellationToken,
    report: &mut dyn FnMut(&Progress),
) -> Result<BillHistory, LearnError> {
    let config: BillConfig = job.config()?;
    let mut trainee = BillTrainee { config, history: BillHistory::default() };
    run_generations(
        job,
        &mut trainee,
        RunContext { executor, threads: 1, device: None, cancel: stop },
        report,
    )?;
    Ok(trainee.history)
}

struct BillTrainee {
    config: BillConfig,
    history: BillHistory,
}

impl Trainee for BillTrainee {
    fn files(&self) -> WeightsFiles {
        FILES
    }

    fn last_generation(&self) -> Option<usize> {
        Some(self.config.games.len())
    }

    fn resume(&mut self, session: &Session<'_>) -> Result<(), LearnError> {
        self.history = session.history()?;
        Ok(())
    }

    fn finished(&self) -> usize {
        self.history.generations.len()
    }

    fn unfinished_seconds(&mut self) -> &mut f64 {
        &mut self.history.unfinished
    }

    fn run_generation(
        &mut self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<NewGeneration>, LearnError> {
        let count = self.config.games[generation - 1];
        let (config, seed) = (self.config.self_play, session.seed(generation, 0));
        let task = |first| BillTask {
            numbers: self.history.numbers.clone(),
            config,
            seed,
            first,
            count: BATCH.min(count - first),
        };
        let tasks: Vec<BillTask> = (0..count).step_by(BATCH as usize).map(task).collect();
        let mut samples = Samples::default();
        let (step, every) = (TaskStep::games(generation, BATCH, count), self.config.holdout_every);
        let is_done = session.run_tasks(step, &BillSelfPlay, &tasks, |games| {
            games.iter().try_for_each(|game| samples.add(game, every)).map_err(LearnError::History)
        })?;
        if !is_done {
            return Ok(None);
        }
        let numbers = samples.fit.weights();
        let (accuracy, brier_score) = samples.errors(&Bill::new(&numbers));
        let stats = BillGeneration {
            generation,
            games: count,
            positions: samples.positions,
            accuracy,
            brier_score,
            seconds: session.seconds(),
        };
        self.history.generations.push(stats);
        self.history.numbers = Some(numbers);
        let weights = self.genes(session.header(), accuracy);
        let weights = weights.map_err(|error| LearnError::History(error.to_string()))?;
        Ok(Some(NewGeneration {
            weights: weights.into_bytes(),
            promoted: true,
            progress: Progress::default()
                .with_metric("accuracy", accuracy)
                .with_metric("brier score", brier_score),
            temporary_files: Vec::new(),
        }))
    }

    fn history(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(&self.history)
    }

    fn report(&self, header: &Header) -> Report {
        let mut report = Report::new("BILL: a discriminant learned from games");
        report.paragraph(&format!("Seed {}, version {}.", header.seed, header.version));
        let head = ["generation", "games", "positions", "winner predicted", "Brier score"];
        let mut table = Table::new("Generations", &head);
        for one in &self.history.generations {
            table.rows.push(vec![
                one.generation.to_string(),
                one.games.to_string(),
                one.positions.to_string(),
                format!("{:.1} %", 100.0 * one.accuracy),
                number(one.brier_score),
            ]);
        }
        report.table("##", table);
        report
    }
}

impl BillTrainee {
    /// The genome file: the numbers with their provenance; the fitness is the share of winners predicted.
    fn genes(&self, header: &Header, accuracy: f64) -> Result<String, GenomeError> {
        let kind = find_kind::<Othello>("bill")?;
        let provenance = Provenance {
            command: self.config.command.clone(),
            seed: Some(header.seed),
            version: header.version.clone(),
            generations: self.finished() as u64,
            seconds: self.history.generations.iter().map(|one| one.seconds).sum(),
            parents: vec![format!(
                "games of alphabeta depth={} eval=iago",
                self.config.self_play.depth
            )],
        };
        let genome = self.history.numbers.clone().unwrap_or_default();
        let best = Individual { fitness: accuracy, genome };
        Ok(Genomes::new("othello", &*kind, provenance, best, Vec::new()).text())
    }
}

/// The positions of a generation: those fitted to, and those held out with their results for the mover.
#[derive(Default)]
struct Samples {
    fit: BillFit,
    positions: u64,
    games: u64,
    held_out: Vec<(Othello, f64)>,
}

impl Samples {
    fn add(&mut self, game: &BillGame, holdout_every: u64) -> Result<(), String> {
        let is_held_out = self.games.is_multiple_of(holdout_every.max(1));
        self.games += 1;
        let (positions, first_side) = game.positions()?;
        for position in positions {
            let points = if position.side() == Side::First { first_side } else { 1.0 - first_side };
            if is_held_out {
                self.held_out.push((position, points));
            } else {
                self.fit.add(&position, points);
                self.positions += 1;
            }
        }
        Ok(())
    }

    /// The share of winners predicted, and the Brier score, on held-out positions.
    fn errors(&self, bill: &Bill) -> (f64, f64) {
        let (mut right, mut decided, mut error) = (0.0, 0.0, 0.0);
        for (position, points) in &self.held_out {
            let probability = bill.probability(position);
            error += (probability - points).powi(2);
            if (points - 0.5).abs() > 0.25 {
                decided += 1.0;
                right += f64::from(u8::from((probability > 0.5) == (*points > 0.5)));
            }
        }
        let count = self.held_out.len().max(1) as f64;
        (right / f64::max(decided, 1.0), error / count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: BillSelfPlayConfig =
        BillSelfPlayConfig { random_plies: [20, 30], depth: 1, exact_empties: 8 };

    #[test]
    fn games_are_independent_and_have_results() {
        let task = |first, count| BillTask { numbers: None, config: CONFIG, seed: 3, first, count };
        let games = BillSelfPlay.run(&task(0, 6)).expect("played");
        assert_eq!(BillSelfPlay.run(&task(5, 1)).expect("played")[0], games[5]);
        for game in &games {
            let (positions, points) = game.positions().expect("legal moves");
            assert_eq!(positions.len(), game.moves.len() / 2 - game.random_plies);
            assert!([0.0, 0.5, 1.0].contains(&points));
        }
        let wrong = BillGame { moves: "f5f5".into(), random_plies: 0 };
        assert_eq!(wrong.positions(), Err("move 2 is illegal".into()));
    }

    /// A run that is stopped and resumed learns the same numbers, which predict most winners and play.
    #[test]
    fn learns_and_resumes() {
        let folder = std::env::temp_dir().join(format!("tablero-bill-{}", std::process::id()));
        let config =
            BillConfig { games: vec![150, 100], self_play: CONFIG, ..BillConfig::quick("test") };
        let threads = tablero_jobs::Threads::all_cores();
        let learn = |name: &str, stop_after: u32| {
            let job = open_bill_run(&folder.join(name), &config, Some(2)).expect("a run");
            let (cancel, mut events) = (CancellationToken::default(), 0);
            let mut report = |_: &Progress| {
                events += 1;
                if events == stop_after {
                    cancel.cancel();
                }
            };
            learn_bill(job, &threads, &cancel, &mut report).expect("learned")
        };
        let whole = learn("whole", u32::MAX);
        assert_eq!(whole.generations.len(), 2);
        assert!(whole.generations[1].accuracy > 0.55, "{:?}", whole.generations);
        assert!(learn("parts", 2).generations.len() < 2);
        let resumed = learn("parts", u32::MAX);
        assert_eq!(resumed.numbers, whole.numbers);
        let file = folder.join("parts").join(BILL_GENES);
        let evaluation = tablero_genomes::evaluation::<Othello>(&file.display().to_string());
        let position = Othello::start(StandardRules);
        evaluation.expect("a genome file").evaluate(&position);
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
