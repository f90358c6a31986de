//! Erases the type of records and restores it, for readers and writers of a game's own file formats.

use super::{AnyMove, AnyPly, AnyPosition, AnyRecord, Playable};
use crate::{Game, Ply, Record};

impl<G: Playable> Record<G> {
    /// The type-erased record.
    pub fn erase(self) -> AnyRecord {
        let plies = erase_plies(&self.start, self.plies);
        Record {
            players: self.players,
            start: AnyPosition::new(self.start),
            plies,
            end: self.end,
            comment: self.comment,
            tags: self.tags,
        }
    }
}

impl AnyRecord {
    /// The record in the game's own type, if it is of that game.
    pub fn downcast<G: Playable>(&self) -> Option<Record<G>> {
        let start = self.start.downcast_ref::<G>()?.clone();
        Some(Record {
            players: self.players.clone(),
            plies: typed_plies(&start, &self.plies),
            start,
            end: self.end,
            comment: self.comment.clone(),
            tags: self.tags.clone(),
        })
    }
}

/// A line of plies from `position`.
fn erase_plies<G: Playable>(position: &G, plies: Vec<Ply<G>>) -> Vec<AnyPly> {
    let mut position = position.clone();
    let mut erased = Vec::with_capacity(plies.len());
    for ply in plies {
        let variations =
            ply.variations.into_iter().map(|line| erase_plies(&position, line)).collect();
        erased.push(Ply {
            m: AnyMove::new(&position, ply.m),
            time: ply.time,
            value: ply.value,
            comment: ply.comment,
            glyphs: ply.glyphs,
            variations,
        });
        Game::play(&mut position, ply.m);
    }
    erased
}

/// A line of plies in the game's own type, truncated before the first illegal move.
fn typed_plies<G: Playable>(position: &G, plies: &[AnyPly]) -> Vec<Ply<G>> {
    let mut position = position.clone();
    let mut typed = Vec::with_capacity(plies.len());
    for ply in plies {
        let Some(m) = ply.m.resolve(&position) else { break };
        let variations = ply.variations.iter().map(|line| typed_plies(&position, line)).collect();
        typed.push(Ply {
            m,
            time: ply.time,
            value: ply.value,
            comment: ply.comment.clone(),
            glyphs: ply.glyphs.clone(),
            variations,
        });
        Game::play(&mut position, m);
    }
    typed
}
