//! Alpha-beta: principal variation search with iterative deepening, a shared transposition table
//! (Lazy SMP) and quiescence search.
//!
//! - `root`: iterative deepening, aspiration windows, MultiPV; `node`: one interior node, with `pruning` before
//!   its moves, `singular` extensions, `moves` (PVS, pruning of moves), late move `reductions`;
//!   `quiescence`: the horizon; `worker`: one thread, its stack and limits;
//! - `tt`: transposition table entries; `ordering`: the order of moves; `history`: what cutoffs elsewhere say about
//!   moves; `correction`: what searches say about the evaluation; `window`: alpha and beta;
//! - [`signature`]: node counts of a fixed set of searches, like Stockfish's `bench`.
//!
//! Which pruning and reductions apply is the game's choice
//! ([`Selectivity`](tablero_core::Selectivity)); without them the search finds exactly the values
//! of [minimax](crate::minimax).

mod correction;
mod history;
mod moves;
mod node;
mod options;
mod ordering;
mod pruning;
mod quiescence;
mod reductions;
mod root;
mod signature;
mod singular;
#[cfg(test)]
mod tests;
mod tt;
mod window;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use tablero_core::{
    ChoiceReason, Control, Evaluation, GameHistory, Info, LazyTable, Limits, Player, PlayerError,
    Rng, SearchResult, Tactics, spawn_helper,
};

pub use options::{AlphaBetaOptions, MoveSampling};
pub use signature::signature;

use crate::budget::Budget;
use crate::recorder::{self, Recorder};
use crate::root_moves;
use tt::{TransTable, TtEntry};
use worker::{MAX_DEPTH, SharedState, ThreadData, Worker};

/// The alpha-beta player.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tablero_core::{Control, Game, GameHistory, Limits, Player, StandardRules, Tactics, Value};
/// use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
/// use tablero_tictactoe::TicTacToe;
///
/// let evaluation = TicTacToe::evaluations()[0].hand_tuned();
/// let mut player = AlphaBeta::new(AlphaBetaOptions::for_game::<TicTacToe>(), evaluation);
/// let game = GameHistory::new(TicTacToe::start(StandardRules));
/// let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
/// let result = player
///     .choose(&game, &Limits::default(), &mut Control::new(&stop, &mut ignore))
///     .expect("the game is not over");
/// assert_eq!(result.info.lines[0].value.0, Value::Centi(0), "a draw");
/// ```
pub struct AlphaBeta<G: Tactics> {
    options: AlphaBetaOptions,
    evaluation: Box<dyn Evaluation<G>>,
    tt: LazyTable<TtEntry>,
    /// The main thread first.
    threads: Vec<ThreadData<G>>,
    rng: Rng,
}

/// The result of a search.
struct RootResult<G: Tactics> {
    best_move: G::Move,
    /// Moves with exact values, the best first.
    exact: Vec<(G::Move, i32)>,
    info: Info<G>,
    recorder: Option<Recorder<G::Move>>,
}

impl<G: Tactics> AlphaBeta<G> {
    /// A player that evaluates leaves by `evaluation`.
    pub fn new(options: AlphaBetaOptions, evaluation: Box<dyn Evaluation<G>>) -> Self {
        Self {
            options,
            tt: LazyTable::new(options.hash_mb << 20),
            threads: (0..options.threads.max(1))
                .map(|_| ThreadData::new(&options, &*evaluation))
                .collect(),
            evaluation,
            rng: Rng::seeded(0),
        }
    }

    fn search(
        &mut self,
        game: &GameHistory<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Option<RootResult<G>> {
        let budget = Budget::new(&self.options.limits.and(*limits), MAX_DEPTH);
        let tiny;
        let tt = if self.tt.is_allocated() || self.options.uses_tt(budget.depth) {
            self.tt.new_search()
        } else {
            tiny = TransTable::new(0);
            &tiny
        };
        let shared = SharedState {
            options: &self.options,
            evaluation: &*self.evaluation,
            tt,
            budget,
            stop: control.stop_flag(),
            done: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
        };
        let searchmoves = control.searchmoves();
        let (main, helpers) = self.threads.split_first_mut()?;
        let mut recorder = control.max_tree_nodes().map(Recorder::new::<G>);
        let recorder_ref = recorder.as_mut();
        let mut report = |info: &Info<G>| control.report(info);
        thread::scope(|scope| {
            for (index, thread) in helpers.iter_mut().enumerate() {
                let shared = &shared;
                // Every other helper starts a ply deeper, so that the threads diverge.
                let first = 1 + index as u32 % 2;
                let is_started = spawn_helper(scope, move || {
                    Worker::new(shared, thread, game, searchmoves, None).iterative_deepening(first);
                });
                if !is_started {
                    break;
                }
            }
            let mut worker = Worker::new(&shared, main, game, searchmoves, Some(&mut report));
            worker.recorder = recorder_ref;
            worker.iterative_deepening(1);
            shared.done.store(true, Ordering::Relaxed);
            let best_move = worker.root.best_move()?;
            let info = worker.info();
            Some(RootResult { best_move, info, exact: worker.root.exact, recorder: None })
        })
        .map(|result| RootResult { recorder, ..result })
    }
}

impl<G: Tactics> Player<G> for AlphaBeta<G> {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        if game.end().is_some() {
            return Err(PlayerError::GameOver);
        }
        let result = self.search(game, limits, control).ok_or(PlayerError::GameOver)?;
        let sampling = self.options.move_sampling;
        let sampled = sampling.and_then(|sampling| sampling.sample(&result.exact, &mut self.rng));
        let m = sampled.unwrap_or(result.best_move);
        let info = result.info;
        if let Some(recorder) = result.recorder {
            let reason = match sampled {
                _ if root_moves(game, control).len() == 1 => ChoiceReason::OnlyMove,
                Some(_) => ChoiceReason::SampledByValue,
                None => ChoiceReason::LargestValue,
            };
            let value = info.lines.first().map(|line| line.value.0);
            let is_stopped = || control.is_stopped();
            let full_width =
                recorder::full_width(game, control.searchmoves(), info.depth, &is_stopped);
            control.record(recorder.finish(
                "alphabeta",
                (m, reason),
                value,
                info.nodes,
                full_width,
            ));
        }
        Ok(SearchResult { m, info })
    }

    fn records_tree(&self) -> bool {
        true
    }

    fn memory(&self) -> usize {
        self.tt.memory()
    }

    fn release_memory(&mut self) {
        self.tt.release();
    }

    fn new_game(&mut self, seed: u64) {
        self.tt.clear(self.threads.len());
        self.threads.iter_mut().for_each(ThreadData::clear);
        self.rng = Rng::seeded(seed);
    }
}
