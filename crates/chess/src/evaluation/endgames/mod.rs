//! Endgame knowledge: scale factors for drawish material, an exact bitbase for king and pawn against king, and
//! the mop-up evaluation that drives a king to the edge or to the right corner.
//!
//! Rules for three and four pieces were chosen by how often they agree with tablebases; the figures are in
//! docs/measurements/search.md.

pub(super) mod kpk;
mod mop_up;
mod scale;

use cozy_chess::Piece;

pub(super) use mop_up::mop_up;
pub(super) use scale::{SCALE_NORMAL, scale_factor};

use super::view::SidePieces;
use crate::tactics::PIECE_VALUES;

/// Material value without pawns.
fn non_pawn_material(pieces: &SidePieces) -> i32 {
    let value = |&piece: &Piece| PIECE_VALUES[piece as usize] * pieces[piece].len() as i32;
    super::MATERIAL_PIECES[1..].iter().map(value).sum()
}
