use tablero_core::{AnyMove, AnyPly, AnyPosition, AnyRecord};

use crate::{Review, Verdict};

/// Plies of the best line that a file gets: enough to see the point.
const SHOWN: usize = 8;

impl Review {
    /// Writes the review into the record of the game that was reviewed: the value after every move, a
    /// glyph at every doubtful one, and there the best line as a variation.
    ///
    /// Remarks and variations that people wrote stay as they are.
    pub fn annotate(&self, record: &mut AnyRecord) {
        let mut position = record.start.clone();
        for (ply, judged) in record.plies.iter_mut().zip(&self.moves) {
            ply.value = Some(judged.after);
            let glyphs = Verdict::ALL.map(Verdict::glyph);
            ply.glyphs.retain(|glyph| !glyphs.contains(&Some(*glyph)));
            if let Some(glyph) = judged.verdict.glyph() {
                ply.glyphs.push(glyph);
                add_line(ply, better_line(&position, &judged.best));
            }
            position.play(ply.m);
        }
    }
}

/// The beginning of a line, as far as it is legal: a search may have cut it short, never bent it, but a
/// file must be right whoever searched.
fn better_line(position: &AnyPosition, line: &[AnyMove]) -> Vec<AnyPly> {
    let mut position = position.clone();
    let mut plies = Vec::new();
    for &m in line.iter().take(SHOWN) {
        if !position.is_legal(m) {
            break;
        }
        position.play(m);
        plies.push(AnyPly::new(m));
    }
    plies
}

/// Adds a variation unless one with the same first move is there.
fn add_line(ply: &mut AnyPly, line: Vec<AnyPly>) {
    let Some(first) = line.first().map(|first| first.m) else { return };
    let known = ply.variations.iter().any(|v| v.first().is_some_and(|p| p.m == first));
    if first != ply.m && !known {
        ply.variations.push(line);
    }
}
