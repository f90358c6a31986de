use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::object::{Playable, PositionObject};
use super::{AnyGame, AnyRules};
use crate::trace::{Canonical, Trace};
use crate::{Diagram, Draw, Game, GameInfo, MoveShape, Outcome, ReadError, Rng, Side};

/// A position of a game chosen at run time.
pub struct AnyPosition(Box<dyn PositionObject>);

/// A move of an [`AnyPosition`]: its index in the order of [`Game::each_move`], meaningful only together
/// with its position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AnyMove(u16);

impl AnyMove {
    /// Not a move of any position: the erased form of an illegal move.
    pub const ILLEGAL: Self = Self(u16::MAX);

    /// Erases move `m` of `position`; [`ILLEGAL`](Self::ILLEGAL) if it is not legal.
    pub fn new<G: Game>(position: &G, m: G::Move) -> Self {
        let (mut index, mut found) = (0, Self::ILLEGAL);
        position.each_move(|legal| {
            if legal == m {
                found = Self(index);
            }
            index += 1;
        });
        found
    }

    /// The move in the type of `position`; `None` if it is not legal there.
    pub fn resolve<G: Game>(self, position: &G) -> Option<G::Move> {
        let (mut index, mut found) = (0, None);
        position.each_move(|legal| {
            if index == self.0 {
                found = Some(legal);
            }
            index += 1;
        });
        found
    }
}

impl AnyPosition {
    /// Erases a position.
    pub fn new<G: Playable>(position: G) -> Self {
        Self(Box::new(position))
    }

    /// The position in the game's own type, if it is of that game.
    pub fn downcast_ref<G: Playable>(&self) -> Option<&G> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// Its game.
    pub fn game(&self) -> AnyGame {
        self.0.game()
    }

    /// See [`Game::info`].
    pub fn info(&self) -> &'static GameInfo {
        self.game().info()
    }

    /// See [`Game::rules`].
    pub fn rules(&self) -> AnyRules {
        self.0.rules()
    }

    /// See [`Game::side`].
    pub fn side(&self) -> Side {
        self.0.side()
    }

    /// See [`Game::moves`].
    pub fn moves(&self) -> Vec<AnyMove> {
        (0..self.count_moves()).map(|index| AnyMove(index as u16)).collect()
    }

    /// See [`Game::count_moves`].
    pub fn count_moves(&self) -> u64 {
        self.0.count_moves()
    }

    /// See [`Game::is_legal`].
    pub fn is_legal(&self, m: AnyMove) -> bool {
        u64::from(m.0) < self.count_moves()
    }

    /// See [`Game::play`]; an illegal move has no effect.
    pub fn play(&mut self, m: AnyMove) {
        self.0.play(m);
    }

    /// See [`Game::after`].
    #[must_use]
    pub fn after(&self, m: AnyMove) -> Self {
        let mut next = self.clone();
        next.play(m);
        next
    }

    /// See [`Game::outcome`].
    pub fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    /// See [`Game::key`].
    pub fn key(&self) -> u64 {
        self.0.key()
    }

    /// See [`Game::draw`].
    pub fn draw(&self) -> Option<Draw> {
        self.0.draw()
    }

    /// See [`Tactics::null_move`](crate::Tactics::null_move).
    pub fn null_move(&self) -> Option<Self> {
        self.0.null_move().map(Self)
    }

    /// See [`Game::transform`].
    #[must_use]
    pub fn transform(&self, symmetry: usize) -> Self {
        Self(self.0.transform(symmetry))
    }

    /// The position up to board symmetry.
    pub fn canonical(&self) -> Canonical {
        self.0.canonical()
    }

    /// The [code](crate::Trace) of a move up to board symmetry; `None` if it is not legal.
    pub fn canonical_code(&self, m: AnyMove) -> Option<u16> {
        self.0.canonical_code(m)
    }

    /// A line of moves from here as a [`Trace`], with keys of the first `indexed` positions; `None` if a move
    /// is not legal.
    pub fn trace(&self, mut moves: impl Iterator<Item = AnyMove>, indexed: usize) -> Option<Trace> {
        self.0.trace(&mut moves, indexed)
    }

    /// The moves of a [`Trace`] from here; `None` if a code is not that of a legal move.
    pub fn decode(&self, codes: &[u16]) -> Option<Vec<AnyMove>> {
        self.0.decode(codes)
    }

    /// See [`Notation::move_number`](crate::Notation::move_number).
    pub fn move_number(&self) -> u32 {
        self.0.move_number()
    }

    /// See [`Notation::move_text`](crate::Notation::move_text).
    pub fn move_text(&self, m: AnyMove) -> String {
        self.0.move_text(m)
    }

    /// See [`Notation::parse_move`](crate::Notation::parse_move).
    pub fn parse_move(&self, text: &str) -> Result<AnyMove, ReadError> {
        self.0.parse_move(text)
    }

    /// See [`Notation::position_text`](crate::Notation::position_text).
    pub fn position_text(&self) -> String {
        self.0.position_text()
    }

    /// See [`Notation::diagram`](crate::Notation::diagram).
    pub fn diagram(&self) -> Diagram {
        self.0.diagram()
    }

    /// See [`Notation::touched`](crate::Notation::touched).
    pub fn touched(&self, m: AnyMove) -> Vec<usize> {
        self.0.touched(m)
    }

    /// See [`UciDialect::uci_move`](crate::UciDialect::uci_move).
    pub fn uci_move(&self, m: AnyMove) -> String {
        self.0.uci_move(m)
    }

    /// See [`UciDialect::parse_uci_move`](crate::UciDialect::parse_uci_move).
    pub fn parse_uci_move(&self, text: &str) -> Result<AnyMove, ReadError> {
        self.0.parse_uci_move(text)
    }

    /// See [`Presentable::move_name`](crate::Presentable::move_name).
    pub fn move_name(&self, m: AnyMove) -> String {
        self.0.move_name(m)
    }

    /// See [`Presentable::move_number_at`](crate::Presentable::move_number_at).
    pub fn move_number_at(&self, ply: u32) -> u32 {
        self.0.number_of(ply)
    }

    /// See [`Presentable::shape`](crate::Presentable::shape).
    pub fn shape(&self, m: AnyMove) -> MoveShape {
        self.0.shape(m)
    }

    /// See [`Presentable::boards`](crate::Presentable::boards).
    pub fn boards(&self) -> Vec<[u32; 2]> {
        self.0.boards()
    }

    /// See [`Presentable::captured`](crate::Presentable::captured).
    pub fn captured(&self, m: AnyMove) -> Option<char> {
        self.0.captured(m)
    }

    /// See [`Presentable::check`](crate::Presentable::check).
    pub fn check(&self) -> Option<usize> {
        self.0.check()
    }

    /// The [letter](crate::PiecePresentation::letter) on each cell, `.` for an empty one.
    pub fn cells_text(&self) -> String {
        let game = self.game();
        let cells = self.diagram().cells.into_iter();
        cells.map(|cell| cell.piece.map_or('.', |piece| game.letter(piece))).collect()
    }

    /// A line of moves from here, in the game's standard notation.
    pub fn line_text(&self, moves: &[AnyMove]) -> Vec<String> {
        let mut position = self.clone();
        let mut names = Vec::with_capacity(moves.len());
        for &m in moves {
            names.push(position.move_text(m));
            position.play(m);
        }
        names
    }
}

impl Clone for AnyPosition {
    fn clone(&self) -> Self {
        Self(self.0.clone_box())
    }
}

impl PartialEq for AnyPosition {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(&*other.0)
    }
}

impl Eq for AnyPosition {}

impl Hash for AnyPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for AnyPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Game for AnyPosition {
    type Move = AnyMove;
    type Rules = AnyRules;

    fn start(rules: AnyRules) -> Self {
        rules.start()
    }

    fn info(&self) -> &'static GameInfo {
        self.info()
    }

    fn rules(&self) -> AnyRules {
        self.rules()
    }

    fn side(&self) -> Side {
        self.side()
    }

    fn each_move(&self, visit: impl FnMut(AnyMove)) {
        self.moves().into_iter().for_each(visit);
    }

    fn play(&mut self, m: AnyMove) {
        self.play(m);
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome()
    }

    fn key(&self) -> u64 {
        self.key()
    }

    fn draw(&self) -> Option<Draw> {
        self.draw()
    }

    fn count_moves(&self) -> u64 {
        self.count_moves()
    }

    fn each_distinct_move(&self, visit: impl FnMut(AnyMove)) {
        self.0.distinct_moves().into_iter().for_each(visit);
    }

    fn random_move(&self, rng: &mut Rng) -> Option<AnyMove> {
        // Delegated, so that a seed gives the same move as in the game's own type.
        self.0.random_move(rng)
    }

    fn is_legal(&self, m: AnyMove) -> bool {
        self.is_legal(m)
    }

    fn transform(&self, symmetry: usize) -> Self {
        self.transform(symmetry)
    }

    fn transform_move(&self, m: AnyMove, symmetry: usize) -> AnyMove {
        self.0.transform_move(m, symmetry)
    }
}
