//! What games say about positions.

use std::sync::Arc;

use tablero_core::{ForFirst, ForMover, GameType, Outcome, Wdl};

use crate::data::{PARTS, distinct_moves};
use crate::{GameData, Learnable, Lesson, Targets};

/// A position with all that a game says about it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Known<G> {
    pub(crate) position: G,
    /// How often it had been on the board before.
    pub(crate) seen: u32,
    /// What the search expected for the mover, in ten-thousandths.
    pub(crate) searched: i16,
    /// How the game came out for the mover, from -1 to 1, if it went through this position.
    pub(crate) result: Option<i8>,
    /// How much the search surprised the network, as a multiple of the game's mean.
    pub(crate) surprise: f32,
    /// As in [`Note::policy`](crate::Note::policy).
    pub(crate) policy: Vec<(u16, u16)>,
    /// The position with which the game ended, if it went through this one and to the end.
    pub(crate) last: Option<Arc<G>>,
}

impl<G: Learnable> Known<G> {
    /// All positions that a game says something about, or only those that were on the board.
    pub(crate) fn of_game(data: &GameData, with_others: bool) -> Result<Vec<Self>, String> {
        let game = data.replay_typed::<G>()?;
        let positions: Vec<&G> = game.positions().collect();
        let mut all = Vec::with_capacity(data.notes.len());
        noted(data, &positions, &mut all)?;
        if with_others {
            others(data, &positions, &mut all)?;
        }
        Ok(all)
    }

    /// What is learned from it, if anything.
    pub(crate) fn lesson(self, targets: &Targets, game: u32) -> Option<Lesson<G>> {
        let searched = f64::from(self.searched) / PARTS;
        let value = match self.result {
            Some(result) => targets.trust * searched + (1.0 - targets.trust) * f64::from(result),
            // Only the search's word is known.
            None if targets.trust > 0.0 => searched,
            None => return None,
        };
        let weight = (1.0 - targets.surprise) + targets.surprise * f64::from(self.surprise);
        Some(Lesson {
            position: self.position,
            seen: self.seen,
            value: ForMover(value as f32),
            policy: shares(&self.policy),
            weight: weight as f32,
            game,
            last: self.last,
        })
    }
}

/// Adds the positions that were on the board.
fn noted<G: Learnable>(
    data: &GameData,
    positions: &[&G],
    all: &mut Vec<Known<G>>,
) -> Result<(), String> {
    let outcome = Outcome::by_margin(ForFirst(data.margin));
    let total: f64 = data.notes.iter().map(|note| f64::from(note.surprise)).sum();
    let mean = total / data.notes.len().max(1) as f64;
    let last = positions.last().filter(|last| G::OWNED && last.outcome().is_some());
    let last = last.map(|&last| Arc::new(last.clone()));
    for note in &data.notes {
        let ply = usize::from(note.ply);
        let position = *positions.get(ply).ok_or("a note is about no position of the game")?;
        let key = position.key();
        let seen = positions[..ply].iter().filter(|earlier| earlier.key() == key).count();
        let result = match outcome.wdl(position.side()) {
            Wdl::Win => 1,
            Wdl::Draw => 0,
            Wdl::Loss => -1,
        };
        all.push(Known {
            position: position.clone(),
            seen: seen as u32,
            searched: note.value,
            result: Some(result),
            surprise: if mean > 0.0 { (f64::from(note.surprise) / mean) as f32 } else { 1.0 },
            policy: note.policy.clone(),
            last: last.clone(),
        });
    }
    Ok(())
}

/// Adds the positions behind moves that were not played, and behind replies.
fn others<G: Learnable>(
    data: &GameData,
    positions: &[&G],
    all: &mut Vec<Known<G>>,
) -> Result<(), String> {
    let position = |ply: u16| {
        let position = positions.get(usize::from(ply)).copied();
        position.ok_or("a value is of no position")
    };
    // The search says what a move is worth to whoever makes it.
    let mut push = |position: G, value: i16| {
        if position.outcome().is_none() {
            all.push(Known {
                position,
                seen: 0,
                searched: value.saturating_neg(),
                result: None,
                surprise: 1.0,
                policy: Vec::new(),
                last: None,
            });
        }
    };
    for &(ply, number, value) in &data.others {
        push(after(position(ply)?, number)?, value);
    }
    for &(ply, number, reply, value) in &data.replies {
        push(after(&after(position(ply)?, number)?, reply)?, value);
    }
    Ok(())
}

/// The position behind the move of this number.
fn after<G: GameType>(position: &G, number: u16) -> Result<G, String> {
    let m = distinct_moves(position).get(usize::from(number)).copied();
    Ok(position.after(m.ok_or("a value is of no move")?))
}

fn shares(policy: &[(u16, u16)]) -> Box<[(u16, f32)]> {
    let sum: f32 = policy.iter().map(|(_, share)| f32::from(*share)).sum();
    policy.iter().map(|&(number, share)| (number, f32::from(share) / sum.max(1.0))).collect()
}
