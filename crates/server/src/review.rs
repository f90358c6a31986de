//! Reviews of whole games.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tablero_core::{AnyRecord, Limits};
use tablero_registry::GameEntry;
use tablero_review::{Reviewer, Verdict};

use crate::api::{Judgement, Problem, Review, ReviewedMove};
use crate::error::ApiResult;
use crate::game_file::GameFile;
use crate::games::{record_of, score};
use crate::players::{PlayerFactory, PlayerPool, move_names};

/// A review of a game's main line, ready to run.
pub(crate) struct ReviewTask {
    entry: &'static dyn GameEntry,
    record: AnyRecord,
    nodes: Vec<u32>,
    player: String,
    factory: PlayerFactory,
    pool: Arc<PlayerPool>,
    limits: Limits,
}

impl ReviewTask {
    /// A review by `player`, or by the game's default analyst.
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

    /// Runs the review, reporting moves done and in total; `None` if `stop` was set.
    pub(crate) fn run(
        &self,
        stop: &AtomicBool,
        report: &mut dyn FnMut(usize, usize),
    ) -> Result<Option<Review>, Problem> {
        let spec = self.factory.resolve(self.entry, &self.player)?;
        let mut player = self.pool.acquire(None, spec)?;
        let progress = |progress: tablero_review::Progress| {
            report(progress.done, progress.total);
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
        for (&node, reviewed) in self.nodes.iter().zip(&review.moves) {
            let [best, best_labels] = move_names(&position, &reviewed.best);
            moves.push(ReviewedMove {
                node,
                score: score(game, reviewed.after),
                best_score: score(game, reviewed.before),
                best,
                best_labels,
                loss: reviewed.loss.expected_score,
                points_lost: reviewed.loss.units,
                exact: reviewed.exact,
                judgement: if reviewed.forced {
                    Judgement::Forced
                } else {
                    judgement_of(reviewed.verdict)
                },
            });
            position.play(reviewed.played);
        }
        Review {
            player: self.player.clone(),
            start: score(game, review.start),
            accuracy: review.accuracy,
            moves,
        }
    }
}

/// The nodes of the main line, without the root.
pub(crate) fn main_line(file: &GameFile) -> Vec<u32> {
    let mut line = Vec::new();
    let mut at = 0;
    while let Some(next) = file.nodes.iter().find(|node| node.parent == Some(at)) {
        line.push(next.id);
        at = next.id;
    }
    line
}

const fn judgement_of(verdict: Verdict) -> Judgement {
    match verdict {
        Verdict::Best => Judgement::Best,
        Verdict::Good => Judgement::Good,
        Verdict::Inaccuracy => Judgement::Inaccuracy,
        Verdict::Mistake => Judgement::Mistake,
        Verdict::Blunder => Judgement::Blunder,
    }
}

impl Judgement {
    /// Its numeric annotation glyph (NAG), if it has one.
    pub(crate) const fn glyph(self) -> Option<u8> {
        match self {
            Self::Best | Self::Good | Self::Forced => None,
            Self::Inaccuracy => Verdict::Inaccuracy.glyph(),
            Self::Mistake => Verdict::Mistake.glyph(),
            Self::Blunder => Verdict::Blunder.glyph(),
        }
    }
}
