//! The player `champion`.

use std::borrow::Borrow;
use std::sync::atomic::AtomicBool;

use tablero_core::{
    Choice, Control, ForMover, Game, Info, Limits, Line, Match, Player, PlayerError, TimeManager,
    Value,
};
use tablero_othello::{Othello, Square};

use crate::clock::time_policy;
use crate::engine::{Engine, Progress, Request, Stage};
use crate::eval::Weights;
use crate::{Board, Selectivity, levels};

/// What a [`Champion`] is made with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChampionOptions {
    /// Bounds of every decision.
    pub limits: Limits,
    /// Look as far as this level does, 1 to 60.
    pub level: Option<u32>,
    /// How sure to be where depth is all that is asked for.
    pub selectivity: Selectivity,
    /// Megabytes for the table of seen positions; with 0 it has a handful of entries.
    pub hash_mb: usize,
    /// Threads; with one, the same request always gets the same answer (unless time bounds it).
    pub threads: usize,
    /// Best lines to report.
    pub lines: usize,
}

impl Default for ChampionOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            level: None,
            selectivity: Selectivity::BOLDEST,
            hash_mb: 64,
            threads: 1,
            lines: 1,
        }
    }
}

/// The strongest Othello player here.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tablero_champion::{Champion, ChampionOptions};
/// use tablero_core::{Control, Game, Limits, Match, Player, StandardRules};
/// use tablero_othello::Othello;
///
/// let mut player = Champion::new(ChampionOptions { level: Some(4), ..Default::default() });
/// let game = Match::new(Othello::start(StandardRules));
/// let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
/// let choice = player
///     .choose(&game, &Limits::default(), &mut Control::new(&stop, &mut ignore))
///     .expect("the game is not over");
/// assert!(game.position().is_legal(choice.m));
/// ```
pub struct Champion {
    options: ChampionOptions,
    engine: Engine<Known>,
}

/// What it has learned.
enum Known {
    /// The weights that come with the program.
    Shipped,
    /// Weights of its own.
    Own(Box<Weights>),
}

impl Borrow<Weights> for Known {
    fn borrow(&self) -> &Weights {
        match self {
            Self::Shipped => Weights::embedded(),
            Self::Own(weights) => weights,
        }
    }
}

/// A move that is the only one is not thought about more deeply on the clock: this is for the value.
const FORCED_DEPTH: u32 = 8;

impl Champion {
    /// A player with the weights that come with the program.
    pub fn new(options: ChampionOptions) -> Self {
        Self::knowing(options, Known::Shipped)
    }

    /// A player with other weights.
    pub fn with_weights(options: ChampionOptions, weights: Weights) -> Self {
        Self::knowing(options, Known::Own(Box::new(weights)))
    }

    fn knowing(options: ChampionOptions, known: Known) -> Self {
        let engine = Engine::new(known, options.hash_mb << 20, options.threads);
        Self { options, engine }
    }

    fn goal(&self, limits: &Limits, empties: u32) -> Stage {
        let by_level = self.options.level.map(|level| levels::goal(level, empties));
        match (limits.depth, by_level) {
            (Some(depth), Some(level)) if depth < level.depth => Stage { depth, ..level },
            (_, Some(level)) => level,
            (Some(depth), None) if depth < empties => {
                Stage { depth, selectivity: self.options.selectivity }
            }
            _ => Stage { depth: empties, selectivity: Selectivity::NONE },
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
        let only = control.only().map_or(!0, |moves| moves.iter().fold(0, |set, m| set | m.bit()));
        let time = TimeManager::new(limits, &time_policy(empties));
        let is_forced = (board.moves() & only).count_ones() <= 1 && time.is_timed();
        let stop: &AtomicBool = control.stop_flag();
        let enough = |progress: &Progress| {
            time.is_enough(progress.time, progress.stable)
                || is_forced && progress.stage.depth >= FORCED_DEPTH
        };
        let request = Request {
            board,
            only,
            goal: self.goal(limits, empties),
            lines: self.options.lines,
            outcome_only: false,
            stop,
            time: time.hard_limit(),
            nodes: limits.nodes,
            enough: &enough,
        };
        self.engine.search(&request, &mut |progress| control.report(&info(progress, position)))
    }
}

impl Player<Othello> for Champion {
    fn choose(
        &mut self,
        game: &Match<Othello>,
        limits: &Limits,
        control: &mut Control<'_, Othello>,
    ) -> Result<Choice<Othello>, PlayerError> {
        if game.end().is_some() {
            return Err(PlayerError::GameOver);
        }
        let limits = self.options.limits.and(*limits);
        let progress = self.search(game.position(), &limits, control);
        let m = square(progress.best());
        debug_assert!(game.position().is_legal(m));
        Ok(Choice { m, info: info(&progress, game.position()) })
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

/// What is known of a position.
fn info(progress: &Progress, position: &Othello) -> Info<Othello> {
    let Stage { depth, selectivity } = progress.stage;
    let line = |line: &crate::engine::FoundLine| Line {
        value: ForMover(Value::Hundredths(line.value * 100)),
        moves: line.squares.iter().map(|&index| square(index)).collect(),
    };
    Info {
        depth,
        deepest: depth,
        nodes: progress.nodes,
        time: progress.time,
        table_full: Some(progress.table_full),
        exact: depth >= position.empties().count_ones() && selectivity == Selectivity::NONE,
        lines: progress.lines.iter().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Notation, StandardRules};

    use super::*;

    fn think(position: &str, options: ChampionOptions) -> Info<Othello> {
        let game =
            Match::new(Othello::parse_position(position, StandardRules).expect("a position"));
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = Control::new(&stop, &mut ignore);
        let choice = Champion::new(options).choose(&game, &Limits::default(), &mut control);
        choice.expect("the game is not over").info
    }

    #[test]
    fn tables_take_memory_from_the_first_search_on() {
        let options =
            ChampionOptions { level: Some(2), hash_mb: 1, threads: 2, ..Default::default() };
        let mut player = Champion::new(options);
        player.new_game(1);
        assert_eq!(player.memory(), 0);
        let game = Match::new(Othello::start(StandardRules));
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
    fn says_when_values_are_exact() {
        // FFO 40: 20 empty squares, +38.
        let ffo40 = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
        let level = |level| ChampionOptions { level: Some(level), ..Default::default() };
        let solved = think(ffo40, level(10));
        assert_eq!(solved.lines[0].value, ForMover(Value::Hundredths(3800)));
        assert!(solved.exact);
        assert!(!think(ffo40, level(4)).exact);
        let depth = Limits { depth: Some(12), ..Default::default() };
        assert!(!think(ffo40, ChampionOptions { limits: depth, ..Default::default() }).exact);
    }
}
