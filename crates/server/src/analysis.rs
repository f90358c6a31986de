//! Analyses and reviews: searches that a client follows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tablero_core::Limits;

use crate::api::{DoneReason, ServerMessage, Target};
use crate::app::App;
use crate::error::{ApiError, ApiResult};
use crate::file::Line;
use crate::kind::{AnyGame, ThinkError, game_called};
use crate::pool::{Stopper, Task};

/// An analysis may be stopped after this if others wait.
const PATIENCE: Duration = Duration::from_secs(10);
/// No review takes longer.
const LONGEST_REVIEW: Duration = Duration::from_secs(3600);
/// Time for every move of a review if nothing else is asked for.
const REVIEW_MOVE_MS: u64 = 300;
const REVIEW_HASH_MB: usize = 64;

/// Who gets the messages of a search.
pub(crate) type Tell = Arc<dyn Fn(ServerMessage) + Send + Sync>;

/// What an analysis is to do.
pub(crate) struct Analysis {
    pub(crate) request: u32,
    pub(crate) target: Target,
    pub(crate) lines: usize,
    pub(crate) threads: usize,
    pub(crate) hash_mb: Option<usize>,
    pub(crate) player: Option<String>,
}

/// What a review is to do.
pub(crate) struct ReviewOrder {
    pub(crate) request: u32,
    pub(crate) game: String,
    pub(crate) move_ms: Option<u64>,
    pub(crate) nodes: Option<u64>,
    pub(crate) player: Option<String>,
}

impl App {
    /// Starts an analysis for a client.
    pub(crate) fn analyse(&self, owner: &str, order: Analysis, tell: Tell) -> ApiResult<Stopper> {
        let limits = self.config.limits;
        within("lines", order.lines, limits.lines)?;
        within("threads", order.threads, limits.threads)?;
        within("hash_mb", order.hash_mb.unwrap_or(1), limits.hash_mb)?;
        let (kind, line) = self.target(&order.target)?;
        if kind.choices(&line)?.0.is_empty() {
            return Err(ApiError::conflict("the game is over in this position"));
        }
        let player = order.player.unwrap_or_else(|| kind.about().analyst);
        self.config.check_machine(kind, &player)?;
        let maker = self.maker().with(|setup| {
            (setup.threads, setup.lines) = (order.threads, order.lines);
            setup.hash_mb = order.hash_mb.or(Some(REVIEW_HASH_MB));
            setup.bounded_by_caller = true;
        });
        let thinking = kind.think(&line, &player, &maker, &self.no_idle)?;
        let longest = Duration::from_millis(limits.analysis_ms);
        let (stopper, request, teller) = (Stopper::default(), order.request, Arc::clone(&tell));
        let stop = stopper.clone();
        let run = move || {
            if let Some(reason) = stop.reason() {
                stop.finish();
                return tell(ServerMessage::Done { request, reason });
            }
            let begin = Instant::now();
            let bounds = Limits { time: Some(longest), ..Limits::default() };
            let result = tablero_jobs::catch_panic(|| {
                thinking(&bounds, stop.flag(), 0, &mut |report| {
                    tell(ServerMessage::Analysis { request, report });
                })
            });
            stop.finish();
            match result.unwrap_or_else(|panic| Err(ThinkError::Failed(panic))) {
                Ok(_) | Err(ThinkError::Resigned) => {
                    let is_late = begin.elapsed() >= longest;
                    let by_itself =
                        if is_late { DoneReason::TimeLimit } else { DoneReason::Complete };
                    let reason = stop.reason().unwrap_or(by_itself);
                    tell(ServerMessage::Done { request, reason });
                }
                Err(ThinkError::Failed(error)) => {
                    tell(ServerMessage::Error { request: Some(request), error });
                }
            }
        };
        let waits = self.analyses.submit(Task {
            owner: owner.into(),
            stopper: stopper.clone(),
            longest,
            patience: Some(PATIENCE),
            run: Box::new(run),
        });
        if waits {
            teller(ServerMessage::Queued { request });
        }
        Ok(stopper)
    }

    /// The position that a target names.
    fn target(&self, target: &Target) -> ApiResult<(&'static dyn AnyGame, Line)> {
        match target {
            Target::Node { game, node } => {
                let handle = self.library.get(game)?;
                let game = handle.lock();
                Ok((game.kind, game.line_to(*node)?))
            }
            Target::Position { game, rules, position, moves } => {
                let kind = game_called(game)?;
                let file = kind.begin(rules.as_deref(), position.as_deref(), None)?;
                let mut line = file.line_to(file.current).unwrap_or_else(|| Line {
                    rules: file.rules.clone(),
                    start: file.start.clone(),
                    moves: Vec::new(),
                });
                line.moves.extend(moves.iter().cloned());
                Ok((kind, line))
            }
        }
    }

    /// Starts a review for a client; what it finds goes into the game.
    pub(crate) fn review(&self, owner: &str, order: ReviewOrder, tell: Tell) -> ApiResult<Stopper> {
        let most = self.config.limits.move_ms;
        within("move_ms", order.move_ms.unwrap_or(1) as usize, most as usize)?;
        let handle = self.library.get(&order.game)?;
        let game = handle.lock();
        if let Some(player) = &order.player {
            self.config.check_machine(game.kind, player)?;
        }
        let by_time = order.nodes.is_none().then(|| order.move_ms.unwrap_or(REVIEW_MOVE_MS));
        let limits = Limits {
            // Who counts nodes gets the same review every time, within reason.
            time: Some(Duration::from_millis(by_time.unwrap_or(most))),
            nodes: order.nodes,
            ..Limits::default()
        };
        let maker = self.maker().with(|setup| {
            (setup.hash_mb, setup.bounded_by_caller) = (Some(REVIEW_HASH_MB), true);
        });
        let reviewing = game.kind.review(&game.file(), order.player.as_deref(), &maker, limits)?;
        drop(game);
        let (stopper, request, id) = (Stopper::default(), order.request, order.game);
        let (app, stop, teller) = (self.clone(), stopper.clone(), Arc::clone(&tell));
        let run = move || {
            let mut told = None;
            let mut progress = |done, total| {
                if told != Some(done) {
                    told = Some(done);
                    tell(ServerMessage::ReviewProgress { request, done, total });
                }
            };
            let result = tablero_jobs::catch_panic(|| reviewing(stop.flag(), &mut progress));
            let kept = match result.unwrap_or_else(Err) {
                Ok(Some(review)) => {
                    let kept = app.act(&id, |game| Ok(game.take_review(review)));
                    kept.map(|_| DoneReason::Complete).map_err(|error| error.to_string())
                }
                Ok(None) => Ok(stop.reason().unwrap_or(DoneReason::Stopped)),
                Err(error) => Err(error),
            };
            stop.finish();
            tell(match kept {
                Ok(reason) => ServerMessage::Done { request, reason },
                Err(error) => ServerMessage::Error { request: Some(request), error },
            });
        };
        let waits = self.reviews.submit(Task {
            owner: owner.into(),
            stopper: stopper.clone(),
            longest: LONGEST_REVIEW,
            patience: None,
            run: Box::new(run),
        });
        if waits {
            teller(ServerMessage::Queued { request });
        }
        Ok(stopper)
    }
}

/// Fails if `asked` is 0 or more than the server gives.
fn within(what: &str, asked: usize, most: usize) -> ApiResult<()> {
    if (1..=most).contains(&asked) {
        return Ok(());
    }
    Err(ApiError::bad(format!("{what} is {asked}; this server allows 1 to {most}")))
}
