use thiserror::Error;

use crate::{Draw, DrawReason, Ending, Game, GameEnd, Outcome};

/// A game under way: all positions since its start, so that moves can be taken back and draws by
/// repetition or length are seen.
///
/// ```
/// # use tablero_core::{GameType, Match};
/// # fn example<G: GameType>() {
/// let mut game: Match<G> = Match::new(G::start(Default::default()));
/// let m = game.moves()[0];
/// game.play(m).unwrap();
/// assert_eq!(game.undo(), Some(m));
/// assert_eq!(game.redo(), Some(m));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Match<G: Game> {
    start: G,
    /// Each move with the position it led to.
    line: Vec<(G::Move, G)>,
    /// Moves taken back, the next to redo last.
    undone: Vec<G::Move>,
}

/// A move that cannot be played: the rules forbid it, or the game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum IllegalMove {
    /// Not a legal move of this position.
    #[error("that move is not legal here")]
    NotLegal,
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
}

impl<G: Game> Match<G> {
    /// A match that starts from `start`.
    pub const fn new(start: G) -> Self {
        Self { start, line: Vec::new(), undone: Vec::new() }
    }

    /// The position from which the match started.
    pub const fn start(&self) -> &G {
        &self.start
    }

    /// The position on the board.
    pub fn position(&self) -> &G {
        self.line.last().map_or(&self.start, |(_, position)| position)
    }

    /// The moves played, in order.
    pub fn played(&self) -> impl DoubleEndedIterator<Item = G::Move> + ExactSizeIterator + '_ {
        self.line.iter().map(|(m, _)| *m)
    }

    /// The positions on the board so far, the start first and the present one last.
    pub fn positions(&self) -> impl DoubleEndedIterator<Item = &G> + '_ {
        std::iter::once(&self.start).chain(self.line.iter().map(|(_, position)| position))
    }

    /// How many moves have been played.
    pub fn plies(&self) -> usize {
        self.line.len()
    }

    /// The moves that may be played now; none if the match is over.
    pub fn moves(&self) -> Vec<G::Move> {
        if self.end().is_some() { Vec::new() } else { self.position().moves() }
    }

    /// Plays `m`; what was taken back can then no longer be redone.
    pub fn play(&mut self, m: G::Move) -> Result<(), IllegalMove> {
        if self.end().is_some() {
            return Err(IllegalMove::GameOver);
        }
        self.play_on(m)
    }

    /// Plays `m` even if the rules have declared a draw, as the players of some recorded games did.
    pub fn play_on(&mut self, m: G::Move) -> Result<(), IllegalMove> {
        if !self.position().is_legal(m) {
            return Err(IllegalMove::NotLegal);
        }
        self.push(m);
        self.undone.clear();
        Ok(())
    }

    /// Takes the last move back.
    pub fn undo(&mut self) -> Option<G::Move> {
        let (m, _) = self.line.pop()?;
        self.undone.push(m);
        Some(m)
    }

    /// Plays the last move that was taken back again.
    pub fn redo(&mut self) -> Option<G::Move> {
        let m = self.undone.pop()?;
        self.push(m);
        Some(m)
    }

    /// How often the present position has been on the board, this time included.
    pub fn repetitions(&self) -> u32 {
        let key = self.position().key();
        self.positions().filter(|position| position.key() == key).count() as u32
    }

    /// How the match ended, if it is over by the rules.
    pub fn end(&self) -> Option<GameEnd> {
        if let Some(outcome) = self.position().outcome() {
            return Some(GameEnd { outcome, ending: Ending::Played });
        }
        let draw = self.draw().filter(|draw| draw.forced)?;
        Some(GameEnd { outcome: Outcome::DRAW, ending: Ending::Drawn(draw.reason) })
    }

    /// The draw that the rules declare or that the player to move may claim.
    pub fn draw(&self) -> Option<Draw> {
        let forced_by_position = self.position().draw().filter(|draw| draw.forced);
        forced_by_position.or_else(|| self.draw_by_history()).or_else(|| self.position().draw())
    }

    fn draw_by_history(&self) -> Option<Draw> {
        let rules = self.position().info().history;
        let reached = |limit: Option<u32>, count: u32| limit.is_some_and(|limit| count >= limit);
        if rules.draw_at_ply.is_some_and(|limit| self.plies() >= limit) {
            return Some(Draw { reason: DrawReason::MoveLimit, forced: true });
        }
        if rules.claim_at_repetition.is_none() && rules.draw_at_repetition.is_none() {
            return None;
        }
        let count = self.repetitions();
        let forced = reached(rules.draw_at_repetition, count);
        (forced || reached(rules.claim_at_repetition, count))
            .then_some(Draw { reason: DrawReason::Repetition, forced })
    }

    fn push(&mut self, m: G::Move) {
        let next = self.position().after(m);
        self.line.push((m, next));
    }
}
