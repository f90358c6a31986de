//! Alpha-beta: principal variation search with iterative deepening, a transposition table shared by
//! threads, quiescence and the short cuts that a game allows.
//!
//! - `root` deepens and keeps the lines, `node` searches one position, `quiescence` one at the
//!   horizon, `worker` is one thread;
//! - `table` remembers positions, `ordering` says which move comes first, `window` is alpha and beta;
//! - [`signature`] counts positions, to notice when a change changes the search.

mod node;
mod options;
mod ordering;
mod quiescence;
mod root;
mod signature;
mod table;
#[cfg(test)]
mod tests;
mod window;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use tablero_core::{
    Choice, Control, Evaluation, Info, LazyTable, Limits, Match, Player, PlayerError, Rng, Tactics,
};

pub use options::{AlphaBetaOptions, Temper};
pub use signature::signature;

use crate::budget::Budget;
use table::{Entry, Table};
use worker::{MAX_DEPTH, Memory, Team, Worker};

/// The alpha-beta player.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tablero_core::{Control, Game, Limits, Match, Player, StandardRules, Tactics, Value};
/// use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions};
/// use tablero_tictactoe::TicTacToe;
///
/// let evaluation = TicTacToe::evaluations()[0].by_hand();
/// let mut player = AlphaBeta::new(AlphaBetaOptions::of::<TicTacToe>(), evaluation);
/// let game = Match::new(TicTacToe::start(StandardRules));
/// let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
/// let choice = player
///     .choose(&game, &Limits::default(), &mut Control::new(&stop, &mut ignore))
///     .expect("the game is not over");
/// assert_eq!(choice.info.lines[0].value.0, Value::Hundredths(0), "a draw");
/// ```
pub struct AlphaBeta<G: Tactics> {
    options: AlphaBetaOptions,
    evaluation: Box<dyn Evaluation<G>>,
    table: LazyTable<Entry>,
    /// One for each thread.
    memories: Vec<Memory<G>>,
    rng: Rng,
}

/// What a search found.
struct Found<G: Tactics> {
    best: G::Move,
    /// The moves whose values are exact, the best first.
    exact: Vec<(G::Move, i32)>,
    info: Info<G>,
}

impl<G: Tactics> AlphaBeta<G> {
    /// A player that judges positions by `evaluation`.
    pub fn new(options: AlphaBetaOptions, evaluation: Box<dyn Evaluation<G>>) -> Self {
        Self {
            options,
            evaluation,
            table: LazyTable::new(options.hash_mb << 20),
            memories: (0..options.threads.max(1)).map(|_| Memory::new()).collect(),
            rng: Rng::seeded(0),
        }
    }

    fn search(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Option<Found<G>> {
        let budget = Budget::new(&self.options.limits.and(*limits), MAX_DEPTH);
        let smallest;
        let table = if self.table.is_allocated() || self.options.asks_table(budget.depth) {
            self.table.new_search()
        } else {
            smallest = Table::new(0);
            &smallest
        };
        let team = Team {
            options: &self.options,
            evaluation: &*self.evaluation,
            table,
            budget,
            stop: control.stop_flag(),
            halt: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
        };
        let only = control.only();
        let (memory, helpers) = self.memories.split_first_mut()?;
        let mut report = |info: &Info<G>| control.report(info);
        thread::scope(|scope| {
            for (number, memory) in helpers.iter_mut().enumerate() {
                let team = &team;
                // Half of the helpers work ahead, so that the threads do not all do the same.
                let from = 1 + number as u32 % 2;
                scope.spawn(move || Worker::new(team, memory, game, only, None).deepen(from));
            }
            let mut worker = Worker::new(&team, memory, game, only, Some(&mut report));
            worker.deepen(1);
            team.halt.store(true, Ordering::Relaxed);
            Some(Found { best: worker.root.best()?, info: worker.info(), exact: worker.root.exact })
        })
    }
}

impl<G: Tactics> Player<G> for AlphaBeta<G> {
    fn choose(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<Choice<G>, PlayerError> {
        if game.end().is_some() {
            return Err(PlayerError::GameOver);
        }
        let found = self.search(game, limits, control).ok_or(PlayerError::GameOver)?;
        let temper = self.options.temper;
        let chance = temper.and_then(|temper| temper.pick(&found.exact, &mut self.rng));
        Ok(Choice { m: chance.unwrap_or(found.best), info: found.info })
    }

    fn memory(&self) -> usize {
        self.table.memory()
    }

    fn release_memory(&mut self) {
        self.table.release();
    }

    fn new_game(&mut self, seed: u64) {
        self.table.clear(self.memories.len());
        self.memories.iter_mut().for_each(Memory::clear);
        self.rng = Rng::seeded(seed);
    }
}
