//! The names of openings, found by position, so that transpositions and board symmetries do not matter.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::{AnyGame, AnyGameHistory, AnyMove, AnyPosition, BookLine, TracedPosition};

/// A named opening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// Its name.
    pub name: &'static str,
    /// Its moves from the start.
    pub moves: Vec<AnyMove>,
}

/// The named openings of a game.
#[derive(Debug)]
pub struct Openings {
    all: Vec<Opening>,
    /// Indices in `all`, by the canonical key of the position.
    by_key: HashMap<u64, usize>,
    /// The plies of the longest line.
    longest: usize,
}

impl Openings {
    /// The openings of a game. The table is built once.
    pub fn of(game: AnyGame) -> &'static Self {
        static TABLES: Mutex<Vec<(&str, &Openings)>> = Mutex::new(Vec::new());
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = tables.iter().find(|(name, _)| *name == game.name()) {
            return table;
        }
        let table: &'static Self = Box::leak(Box::new(Self::build(game)));
        tables.push((game.name(), table));
        table
    }

    fn build(game: AnyGame) -> Self {
        let all: Vec<Opening> =
            game.openings().iter().filter_map(|line| parse(game, line)).collect();
        let mut by_key = HashMap::new();
        for (index, opening) in all.iter().enumerate() {
            let mut position = game.start();
            opening.moves.iter().for_each(|m| position.play(*m));
            by_key.entry(position.canonical().key).or_insert(index);
        }
        let longest = all.iter().map(|opening| opening.moves.len()).max().unwrap_or(0);
        Self { all, by_key, longest }
    }

    /// All openings.
    pub fn all(&self) -> &[Opening] {
        &self.all
    }

    /// The opening that this position names.
    pub fn at(&self, position: &AnyPosition) -> Option<&Opening> {
        self.by_canonical_key(position.canonical().key)
    }

    /// The opening of a game in progress: the last named position.
    pub fn of_history(&self, history: &AnyGameHistory) -> Option<&Opening> {
        let positions: Vec<&AnyPosition> = history.positions().take(self.reach()).collect();
        positions.into_iter().rev().find_map(|position| self.at(position))
    }

    /// The positions of a game that may have a name: one more than moves, and some for transpositions.
    const fn reach(&self) -> usize {
        self.longest + 5
    }

    /// The opening of a traced game: the last named position.
    pub fn of_positions(&self, positions: &[TracedPosition]) -> Option<&Opening> {
        let reach = positions.len().min(self.reach());
        positions[..reach].iter().rev().find_map(|position| self.by_canonical_key(position.key))
    }

    fn by_canonical_key(&self, key: u64) -> Option<&Opening> {
        self.by_key.get(&key).map(|&index| &self.all[index])
    }
}

/// The line as moves; `None` if it is not legal, which the conformance suite refuses.
fn parse(game: AnyGame, line: &BookLine) -> Option<Opening> {
    let mut position = game.start();
    let mut moves = Vec::new();
    for word in line.moves.split_whitespace() {
        let m = position.parse_move(word).ok()?;
        position.play(m);
        moves.push(m);
    }
    Some(Opening { name: line.name, moves })
}
