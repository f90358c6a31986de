//! Reviews of games.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tablero_core::{AnyRecord, Limits};
use tablero_registry::GameEntry;
use tablero_review::{Reviewer, Verdict};

use crate::api::{Judgement, Problem, Review, ReviewedMove};
use crate::error::ApiResult;
use crate::file::GameFile;
use crate::games::{record_of, score};
use crate::players::{PlayerFactory, PlayerPool, line_names};

/// A review of a game's main line that is ready to run.
pub(crate) struct Reviewing {
    entry: &'static dyn GameEntry,
    record: AnyRecord,
    nodes: Vec<u32>,
    player: String,
    factory: PlayerFactory,
    pool: Arc<PlayerPool>,
    limits: Limits,
}

/// What came of a review; none if it was stopped.
pub(crate) type Reviewed = Result<Option<Review>, Problem>;

impl Reviewing {
    /// A review of that game by a player, or by the game's analyst.
    pub(crate) fn new(
        entry: &'static dyn GameEntry,
        file: &GameFile,
        player: Option<String>,
        factory: PlayerFactory,
        pool: Arc<PlayerPool>,
        limits: Limits,
    ) -> ApiResult<Self> {
        let record = record_of(entry.game(), file)?;
        if record.plies.is_empty() {
            return Err(Problem::NoMovesToReview.into());
        }
        let player = player.unwrap_or_else(|| entry.game().analyst().into());
        Ok(Self { entry, record, nodes: main_line(file), player, factory, pool, limits })
    }

    /// Reviews until `stop` is set; tells how many moves are done, and of how many.
    pub(crate) fn run(&self, stop: &AtomicBool, tell: &mut dyn FnMut(usize, usize)) -> Reviewed {
        let spec = self.factory.resolve(self.entry, &self.player);
        let taken = spec.and_then(|spec| self.pool.take(None, spec));
        let mut player = taken.map_err(|error| Problem::player(&self.player, error))?;
        let progress = |progress: tablero_review::Progress| {
            tell(progress.done, progress.of);
            !stop.load(Ordering::Relaxed)
        };
        let review = Reviewer::new(player.player(), self.limits).review(&self.record, progress);
        let review = review.map_err(|error| Problem::PlayerFailed {
            player: self.player.clone(),
            reason: error.to_string(),
        })?;
        Ok(review.map(|review| self.to_api(review)))
    }

    fn to_api(&self, review: tablero_review::Review) -> Review {
        let game = self.entry.game();
        let mut position = self.record.start.clone();
        let mut moves = Vec::with_capacity(self.nodes.len());
        for (&node, judged) in self.nodes.iter().zip(&review.moves) {
            let [best, best_labels] = line_names(&position, &judged.best);
            moves.push(ReviewedMove {
                node,
                value: score(game, judged.after),
                best_value: score(game, judged.before),
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
            player: self.player.clone(),
            start: score(game, review.start),
            accuracy: review.accuracy,
            moves,
        }
    }
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
