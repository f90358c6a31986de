use tablero_core::{AnyMove, AnyPly, AnyPosition, AnyRecord};

use crate::{Review, Verdict};

/// The length of a variation, in plies.
const MAX_VARIATION_PLIES: usize = 8;

impl Review {
    /// Annotates the reviewed record: the score after every move, and for every inaccuracy, mistake and
    /// blunder its glyph and the best line as a variation. Existing comments and variations are kept.
    pub fn annotate(&self, record: &mut AnyRecord) {
        let mut position = record.start.clone();
        for (ply, reviewed) in record.plies.iter_mut().zip(&self.moves) {
            ply.value = Some(reviewed.after);
            let glyphs = Verdict::ALL.map(Verdict::glyph);
            ply.glyphs.retain(|glyph| !glyphs.contains(&Some(*glyph)));
            if let Some(glyph) = reviewed.verdict.glyph() {
                ply.glyphs.push(glyph);
                add_variation(ply, legal_prefix(&position, &reviewed.best));
            }
            position.play(ply.m);
        }
    }
}

/// The legal prefix of a line: external engines may report illegal moves, which must not get into a file.
fn legal_prefix(position: &AnyPosition, line: &[AnyMove]) -> Vec<AnyPly> {
    let mut position = position.clone();
    let mut plies = Vec::new();
    for &m in line.iter().take(MAX_VARIATION_PLIES) {
        if !position.is_legal(m) {
            break;
        }
        position.play(m);
        plies.push(AnyPly::new(m));
    }
    plies
}

/// Adds a variation, unless there is one with the same first move.
fn add_variation(ply: &mut AnyPly, line: Vec<AnyPly>) {
    let Some(first) = line.first().map(|first| first.m) else { return };
    let known = ply.variations.iter().any(|v| v.first().is_some_and(|p| p.m == first));
    if first != ply.m && !known {
        ply.variations.push(line);
    }
}
