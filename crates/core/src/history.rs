use thiserror::Error;

use crate::{Draw, Ending, Game, GameEnd, Outcome};

/// A game in progress: the positions and moves since its start, for undo and for draws by repetition
/// or length.
///
/// ```
/// use tablero_core::{Game, GameHistory, IllegalMove, StandardRules};
/// use tablero_tictactoe::TicTacToe;
///
/// let mut game = GameHistory::new(TicTacToe::start(StandardRules));
/// let m = game.moves()[0];
/// game.play(m)?;
/// assert_eq!(game.play(m), Err(IllegalMove::NotLegal), "the square is taken");
/// assert_eq!(game.undo(), Some(m));
/// assert_eq!(game.redo(), Some(m));
/// assert_eq!((game.plies(), game.end()), (1, None));
/// # Ok::<(), IllegalMove>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameHistory<G: Game> {
    start: G,
    /// Each move with the resulting position.
    line: Vec<(G::Move, G)>,
    /// Undone moves, the next to redo last.
    undone: Vec<G::Move>,
}

/// Why a move cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum IllegalMove {
    /// Not legal in this position.
    #[error("that move is not legal here")]
    NotLegal,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

impl<G: Game> GameHistory<G> {
    /// A game that starts from `start`.
    pub const fn new(start: G) -> Self {
        Self { start, line: Vec::new(), undone: Vec::new() }
    }

    /// The starting position.
    pub const fn start(&self) -> &G {
        &self.start
    }

    /// The current position.
    pub fn position(&self) -> &G {
        self.line.last().map_or(&self.start, |(_, position)| position)
    }

    /// The moves played, in order.
    pub fn played(&self) -> impl DoubleEndedIterator<Item = G::Move> + ExactSizeIterator + '_ {
        self.line.iter().map(|(m, _)| *m)
    }

    /// All positions so far, the start first and the current one last.
    pub fn positions(&self) -> impl DoubleEndedIterator<Item = &G> + '_ {
        std::iter::once(&self.start).chain(self.line.iter().map(|(_, position)| position))
    }

    /// The number of moves played.
    pub fn plies(&self) -> usize {
        self.line.len()
    }

    /// The legal moves; none if the game is over.
    pub fn moves(&self) -> Vec<G::Move> {
        if self.end().is_some() { Vec::new() } else { self.position().moves() }
    }

    /// Plays `m` and clears the redo stack.
    pub fn play(&mut self, m: G::Move) -> Result<(), IllegalMove> {
        if self.end().is_some() {
            return Err(IllegalMove::GameOver);
        }
        self.play_on(m)
    }

    /// Like [`play`](Self::play), but allowed after a draw by rule: players of some recorded games
    /// played on.
    pub fn play_on(&mut self, m: G::Move) -> Result<(), IllegalMove> {
        if !self.position().is_legal(m) {
            return Err(IllegalMove::NotLegal);
        }
        self.push(m);
        self.undone.clear();
        Ok(())
    }

    /// Undoes the last move.
    pub fn undo(&mut self) -> Option<G::Move> {
        let (m, _) = self.line.pop()?;
        self.undone.push(m);
        Some(m)
    }

    /// Replays the last undone move.
    pub fn redo(&mut self) -> Option<G::Move> {
        let m = self.undone.pop()?;
        self.push(m);
        Some(m)
    }

    /// The number of occurrences of the current position, this one included.
    pub fn repetitions(&self) -> u32 {
        let key = self.position().key();
        self.positions().filter(|position| position.key() == key).count() as u32
    }

    /// The end of the game, if it is over by the rules.
    pub fn end(&self) -> Option<GameEnd> {
        if let Some(outcome) = self.position().outcome() {
            return Some(GameEnd { outcome, ending: Ending::Played });
        }
        let draw = self.draw().filter(|draw| draw.forced)?;
        Some(GameEnd { outcome: Outcome::DRAW, ending: Ending::Drawn(draw.reason) })
    }

    /// The draw that the rules declare, or that the side to move may claim.
    pub fn draw(&self) -> Option<Draw> {
        let forced_by_position = self.position().draw().filter(|draw| draw.forced);
        forced_by_position.or_else(|| self.draw_by_history()).or_else(|| self.position().draw())
    }

    fn draw_by_history(&self) -> Option<Draw> {
        self.position().info().history.draw(self.plies(), || self.repetitions())
    }

    fn push(&mut self, m: G::Move) {
        let next = self.position().after(m);
        self.line.push((m, next));
    }
}
