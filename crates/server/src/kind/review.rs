//! Reviews of games.

use std::sync::atomic::{AtomicBool, Ordering};

use tablero_core::{Limits, Record};
use tablero_review::{Reviewer, Verdict};

use super::facts::value;
use super::records::record_of;
use super::think::names;
use super::{Describe, Maker};
use crate::api::{Judgement, Review, ReviewedMove};
use crate::error::{ApiError, ApiResult};
use crate::file::GameFile;

/// A review that is ready to run: a flag that stops it, and who is told how far it is.
pub(crate) type Reviewing =
    Box<dyn FnOnce(&AtomicBool, &mut dyn FnMut(usize, usize)) -> Reviewed + Send>;

/// What came of a review; none if it was stopped.
pub(crate) type Reviewed = Result<Option<Review>, String>;

pub(super) fn review<G: Describe>(
    file: &GameFile,
    player: Option<&str>,
    maker: &Maker,
    limits: Limits,
) -> ApiResult<Reviewing> {
    let record = record_of::<G>(file)?;
    let nodes = main_line(file);
    if record.plies.is_empty() {
        return Err(ApiError::conflict("the game has no moves to review"));
    }
    let (line, maker) = (player.unwrap_or(G::ANALYST).to_owned(), maker.clone());
    Ok(Box::new(move |stop, tell| {
        let mut player = maker.build::<G>(&line).map_err(|error| error.to_string())?;
        let progress = |progress: tablero_review::Progress| {
            tell(progress.done, progress.of);
            !stop.load(Ordering::Relaxed)
        };
        let review = Reviewer::new(player.as_mut(), limits).review(&record, progress);
        let review = review.map_err(|error| error.to_string())?;
        Ok(review.map(|review| to_api(&record, &nodes, &line, review)))
    }))
}

/// The nodes of the main line, without the start.
fn main_line(file: &GameFile) -> Vec<u32> {
    let mut line = Vec::new();
    let mut at = 0;
    while let Some(next) = file.nodes.iter().find(|node| node.parent == Some(at)) {
        line.push(next.id);
        at = next.id;
    }
    line
}

fn to_api<G: Describe>(
    record: &Record<G>,
    nodes: &[u32],
    player: &str,
    review: tablero_review::Review<G>,
) -> Review {
    let mut position = record.start.clone();
    let mut moves = Vec::with_capacity(nodes.len());
    for (&node, judged) in nodes.iter().zip(&review.moves) {
        let [best, best_labels] = names(&position, &judged.best);
        moves.push(ReviewedMove {
            node,
            value: value::<G>(judged.after),
            best_value: value::<G>(judged.before),
            best,
            best_labels,
            loss: judged.loss.chance,
            points_lost: judged.loss.units,
            exact: judged.exact,
            judgement: if judged.forced { Judgement::Forced } else { verdict(judged.verdict) },
        });
        position.play(judged.played);
    }
    Review {
        player: player.into(),
        start: value::<G>(review.start),
        accuracy: review.accuracy,
        moves,
    }
}

const fn verdict(verdict: Verdict) -> Judgement {
    match verdict {
        Verdict::Best => Judgement::Best,
        Verdict::Good => Judgement::Good,
        Verdict::Inaccuracy => Judgement::Inaccuracy,
        Verdict::Mistake => Judgement::Mistake,
        Verdict::Blunder => Judgement::Blunder,
    }
}

impl Judgement {
    /// The numeric annotation glyph that files use for it, if any.
    pub(crate) const fn glyph(self) -> Option<u8> {
        match self {
            Self::Best | Self::Good | Self::Forced => None,
            Self::Inaccuracy => Verdict::Inaccuracy.glyph(),
            Self::Mistake => Verdict::Mistake.glyph(),
            Self::Blunder => Verdict::Blunder.glyph(),
        }
    }
}
