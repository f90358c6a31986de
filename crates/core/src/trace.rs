//! Games and positions in a form for databases: stable codes of moves, and keys up to board symmetry.
//!
//! [`AnyMove`] is an index in the order of move generation, which a faster generator may change. A *code* is the
//! rank of a move among the legal ones by [`Encoding::policy_indices`], which trained networks rely on; it is
//! stable, and fits one byte in nearly every position.

use crate::{AnyMove, Encoding, Game};

/// A position up to board symmetry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Canonical {
    /// The smallest [`Game::key`] of all images.
    pub key: u64,
    /// The symmetries whose image has that key, as bits.
    symmetries: u32,
}

/// A line of moves: codes of all moves, and the first positions up to symmetry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The code of each move.
    pub codes: Vec<u16>,
    /// The first positions, the start included.
    pub positions: Vec<TracedPosition>,
}

/// A position of a [`Trace`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TracedPosition {
    /// [`Canonical::key`].
    pub key: u64,
    /// The code of the move played here, in the canonical image; `None` in the last position.
    pub code: Option<u16>,
}

impl Canonical {
    pub(crate) fn of<G: Game>(position: &G) -> Self {
        let mut canonical = Self { key: position.key(), symmetries: 1 };
        for symmetry in 1..position.info().symmetries {
            let key = position.transform(symmetry).key();
            if key < canonical.key {
                canonical = Self { key, symmetries: 1 << symmetry };
            } else if key == canonical.key {
                canonical.symmetries |= 1 << symmetry;
            }
        }
        canonical
    }

    /// The code of `m` in the canonical image: the smallest one where the position is symmetric itself.
    pub(crate) fn code<G: Encoding>(self, position: &G, m: G::Move) -> Option<u16> {
        let image = |symmetry: usize| {
            let to = position.transform_move(m, symmetry);
            code(&position.transform(symmetry), to)
        };
        let all = 0..position.info().symmetries;
        all.filter(|symmetry| self.symmetries >> symmetry & 1 == 1).filter_map(image).min()
    }
}

impl Trace {
    pub(crate) fn of<G: Encoding>(
        start: &G,
        moves: &mut dyn Iterator<Item = AnyMove>,
        indexed: usize,
    ) -> Option<Self> {
        let mut trace = Self::default();
        let mut position = start.clone();
        for m in moves {
            let m = m.resolve(&position)?;
            trace.codes.push(code(&position, m)?);
            if trace.positions.len() < indexed {
                let canonical = Canonical::of(&position);
                let code = canonical.code(&position, m);
                trace.positions.push(TracedPosition { key: canonical.key, code });
            }
            position.play(m);
        }
        if trace.positions.len() < indexed {
            trace.positions.push(TracedPosition { key: Canonical::of(&position).key, code: None });
        }
        Some(trace)
    }
}

/// The moves of codes from `start`; `None` if one is out of range.
pub(crate) fn decode<G: Encoding>(start: &G, codes: &[u16]) -> Option<Vec<AnyMove>> {
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(codes.len());
    let mut ranked = Vec::new();
    for &code in codes {
        ranked.clear();
        position.each_move(|m| ranked.push((position.policy_indices(m), m)));
        ranked.sort_unstable_by_key(|(indices, _)| *indices);
        let (_, m) = *ranked.get(usize::from(code))?;
        moves.push(AnyMove::new(&position, m));
        position.play(m);
    }
    Some(moves)
}

/// The number of legal moves before `m` by policy indices; `None` if it is not legal.
fn code<G: Encoding>(position: &G, m: G::Move) -> Option<u16> {
    let indices = position.policy_indices(m);
    let (mut rank, mut is_legal) = (0, false);
    position.each_move(|other| {
        is_legal |= other == m;
        rank += u16::from(position.policy_indices(other) < indices);
    });
    is_legal.then_some(rank)
}
