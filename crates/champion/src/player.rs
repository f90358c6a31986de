//! The champion as a [`Player`].

use std::borrow::Borrow;
use std::sync::atomic::AtomicBool;

use tablero_core::{
    Control, ForMover, Game, GameHistory, Info, Limits, Player, PlayerError, Pv, SearchResult,
    TimeManager, Value,
};
use tablero_othello::{Othello, Square};

use crate::clock::time_policy;
use crate::engine::{Engine, Iteration, Progress, Request};
use crate::eval::Weights;
use crate::{Board, Selectivity, levels};

/// Options of a [`Champion`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChampionOptions {
    /// Limits of every search.
    pub limits: Limits,
    /// Search depth by [level](crate::levels), 1 to 60.
    pub level: Option<u32>,
    /// Selectivity of searches limited only by depth.
    pub selectivity: Selectivity,
    /// Size of the transposition table in MiB; 0 is a handful of entries.
    pub hash_mb: usize,
    /// Search threads (YBWC). With one, the result is deterministic unless time limits it.
    pub threads: usize,
    /// Number of principal variations to report.
    pub multi_pv: usize,
}

impl Default for ChampionOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            level: None,
            selectivity: Selectivity::LOWEST_CONFIDENCE,
            hash_mb: 64,
            threads: 1,
            multi_pv: 1,
        }
    }
}

/// The Othello champion.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tablero_champion::{Champion, ChampionOptions};
/// use tablero_core::{Control, Game, Limits, GameHistory, Player, StandardRules};
/// use tablero_othello::Othello;
///
/// let mut player = Champion::new(ChampionOptions { level: Some(4), ..Default::default() });
/// let game = GameHistory::new(Othello::start(StandardRules));
/// let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
/// let result = player
///     .choose(&game, &Limits::default(), &mut Control::new(&stop, &mut ignore))
///     .expect("the game is not over");
/// assert!(game.position().is_legal(result.m));
/// ```
pub struct Champion {
    options: ChampionOptions,
    engine: Engine<WeightsSource>,
}

/// The weights of a player.
enum WeightsSource {
    /// The weights that ship with the program.
    Embedded,
    /// Weights from a file.
    Custom(Box<Weights>),
}

impl Borrow<Weights> for WeightsSource {
    fn borrow(&self) -> &Weights {
        match self {
            Self::Embedded => Weights::embedded(),
            Self::Custom(weights) => weights,
        }
    }
}

/// With a clock, a forced move is searched no deeper than this, only for its value.
const FORCED_MOVE_DEPTH: u32 = 8;

impl Champion {
    /// A player with the weights that ship with the program.
    pub fn new(options: ChampionOptions) -> Self {
        Self::with_source(options, WeightsSource::Embedded)
    }

    /// A player with other weights.
    pub fn with_weights(options: ChampionOptions, weights: Weights) -> Self {
        Self::with_source(options, WeightsSource::Custom(Box::new(weights)))
    }

    fn with_source(options: ChampionOptions, source: WeightsSource) -> Self {
        let engine = Engine::new(source, options.hash_mb << 20, options.threads);
        Self { options, engine }
    }

    fn goal(&self, limits: &Limits, empties: u32) -> Iteration {
        let by_level = self.options.level.map(|level| levels::goal(level, empties));
        match (limits.depth, by_level) {
            (Some(depth), Some(level)) if depth < level.depth => Iteration { depth, ..level },
            (_, Some(level)) => level,
            (Some(depth), None) if depth < empties => {
                Iteration { depth, selectivity: self.options.selectivity }
            }
            _ => Iteration { depth: empties, selectivity: Selectivity::NONE },
        }
    }

    fn search(
        &mut self,
        position: &Othello,
        limits: &Limits,
        control: &mut Control<'_, Othello>,
    ) -> Progress {
        let board = Board::from(position);
        let empties = board.empties().count_ones();
        let searchmoves =
            control.searchmoves().map_or(!0, |moves| moves.iter().fold(0, |set, m| set | m.bit()));
        let time = TimeManager::new(limits, &time_policy(empties));
        let is_forced = (board.moves() & searchmoves).count_ones() <= 1 && time.is_timed();
        let stop: &AtomicBool = control.stop_flag();
        let should_stop = |progress: &Progress| {
            time.is_enough(progress.time, progress.stability)
                || is_forced && progress.iteration.depth >= FORCED_MOVE_DEPTH
        };
        let request = Request {
            board,
            searchmoves,
            goal: self.goal(limits, empties),
            multi_pv: self.options.multi_pv,
            wld: false,
            stop,
            time_limit: time.hard_limit(),
            node_limit: limits.nodes,
            should_stop: &should_stop,
        };
        self.engine.search(&request, &mut |progress| control.report(&info(progress, position)))
    }
}

impl Player<Othello> for Champion {
    fn choose(
        &mut self,
        game: &GameHistory<Othello>,
        limits: &Limits,
        control: &mut Control<'_, Othello>,
    ) -> Result<SearchResult<Othello>, PlayerError> {
        if game.end().is_some() {
            return Err(PlayerError::GameOver);
        }
        let limits = self.options.limits.and(*limits);
        let progress = self.search(game.position(), &limits, control);
        let m = square(progress.best_move());
        debug_assert!(game.position().is_legal(m));
        Ok(SearchResult { m, info: info(&progress, game.position()) })
    }

    fn memory(&self) -> usize {
        self.engine.memory()
    }

    fn release_memory(&mut self) {
        self.engine.release_memory();
    }

    fn new_game(&mut self, _seed: u64) {
        self.engine.clear();
    }
}

fn square(index: u8) -> Square {
    Square::new(index).unwrap_or(Square::PASS)
}

/// The search report of an engine's progress.
fn info(progress: &Progress, position: &Othello) -> Info<Othello> {
    let Iteration { depth, selectivity } = progress.iteration;
    let line = |line: &crate::engine::Variation| Pv {
        value: ForMover(Value::Centi(line.value * 100)),
        moves: line.squares.iter().map(|&index| square(index)).collect(),
    };
    Info {
        depth,
        seldepth: depth,
        nodes: progress.nodes,
        time: progress.time,
        hashfull: Some(progress.hashfull),
        exact: depth >= position.empties().count_ones() && selectivity == Selectivity::NONE,
        lines: progress.pvs.iter().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Notation, StandardRules};

    use super::*;

    fn search(position: &str, options: ChampionOptions) -> Info<Othello> {
        let game =
            GameHistory::new(Othello::parse_position(position, StandardRules).expect("a position"));
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = Control::new(&stop, &mut ignore);
        let result = Champion::new(options).choose(&game, &Limits::default(), &mut control);
        result.expect("the game is not over").info
    }

    #[test]
    fn tables_are_allocated_by_the_first_search() {
        let options =
            ChampionOptions { level: Some(2), hash_mb: 1, threads: 2, ..Default::default() };
        let mut player = Champion::new(options);
        player.new_game(1);
        assert_eq!(player.memory(), 0);
        let game = GameHistory::new(Othello::start(StandardRules));
        let choose = |player: &mut Champion| {
            let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
            let mut control = Control::new(&stop, &mut ignore);
            player.choose(&game, &Limits::default(), &mut control).expect("a move").m
        };
        let m = choose(&mut player);
        assert!(player.memory() > 1 << 20);
        player.release_memory();
        assert_eq!(player.memory(), 0);
        assert_eq!(choose(&mut player), m);
    }

    #[test]
    fn reports_exact_values() {
        // FFO 40: 20 empties, +38.
        let ffo40 = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
        let level = |level| ChampionOptions { level: Some(level), ..Default::default() };
        let solved = search(ffo40, level(10));
        assert_eq!(solved.lines[0].value, ForMover(Value::Centi(3800)));
        assert!(solved.exact);
        assert!(!search(ffo40, level(4)).exact);
        let depth = Limits { depth: Some(12), ..Default::default() };
        assert!(!search(ffo40, ChampionOptions { limits: depth, ..Default::default() }).exact);
    }
}
