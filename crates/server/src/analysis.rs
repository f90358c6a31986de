//! Analyses and reviews: searches that a client follows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tablero_core::{AnyMatch, Limits};
use tablero_registry::GameEntry;

use crate::api::{DoneReason, Problem, ServerMessage, Target};
use crate::app::App;
use crate::error::{ApiError, ApiResult, find_game};
use crate::games::{new_match, play_on};
use crate::players::{ThinkError, Thinking};
use crate::pool::{Stopper, Task};
use crate::review::Reviewing;

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
        let (entry, game) = self.target(&order.target)?;
        if game.moves().is_empty() {
            return Err(Problem::GameOver.into());
        }
        let player = order.player.unwrap_or_else(|| entry.game().analyst().into());
        self.config.check_machine(entry, &player)?;
        let factory = self.player_factory().with(|setup| {
            (setup.threads, setup.lines) = (order.threads, order.lines);
            setup.hash_mb = order.hash_mb.or(Some(REVIEW_HASH_MB));
            setup.bounded_by_caller = true;
        });
        // Its table is large, and the next analysis may be about something else: nothing is kept.
        let pool = Arc::clone(&self.players);
        let search = Thinking { entry, game, player, factory, pool, seat: None };
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
                search.run(&bounds, stop.flag(), 0, &mut |report| {
                    tell(ServerMessage::Analysis { request, report });
                })
            });
            stop.finish();
            match result.unwrap_or_else(|panic| Err(ThinkError::panicked(panic))) {
                Ok(_) | Err(ThinkError::Resigned) => {
                    let is_late = begin.elapsed() >= longest;
                    let by_itself =
                        if is_late { DoneReason::TimeLimit } else { DoneReason::Complete };
                    let reason = stop.reason().unwrap_or(by_itself);
                    tell(ServerMessage::Done { request, reason });
                }
                Err(ThinkError::Failed(problem)) => {
                    tell(ServerMessage::Error { request: Some(request), error: problem.into() });
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
    fn target(&self, target: &Target) -> ApiResult<(&'static dyn GameEntry, AnyMatch)> {
        match target {
            Target::Node { game, node } => {
                let handle = self.library.get(game)?;
                let game = handle.lock();
                Ok((game.entry, game.history_to(*node)?))
            }
            Target::Position { game, rules, position, moves } => {
                let entry = find_game(game)?;
                let (rules, position) = (rules.as_deref(), position.as_deref());
                let mut game = new_match(entry.game(), rules, position, None)?;
                play_on(&mut game, moves.iter().map(String::as_str))?;
                Ok((entry, game))
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
            self.config.check_machine(game.entry, player)?;
        }
        let by_time = order.nodes.is_none().then(|| order.move_ms.unwrap_or(REVIEW_MOVE_MS));
        let limits = Limits {
            // Who counts nodes gets the same review every time, within reason.
            time: Some(Duration::from_millis(by_time.unwrap_or(most))),
            nodes: order.nodes,
            ..Limits::default()
        };
        let factory = self.player_factory().with(|setup| {
            (setup.hash_mb, setup.bounded_by_caller) = (Some(REVIEW_HASH_MB), true);
        });
        let pool = Arc::clone(&self.players);
        let reviewing =
            Reviewing::new(game.entry, &game.file(), order.player, factory, pool, limits)?;
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
            let result = tablero_jobs::catch_panic(|| reviewing.run(stop.flag(), &mut progress));
            let kept = match result.unwrap_or_else(|reason| Err(Problem::Internal { reason })) {
                Ok(Some(review)) => {
                    let kept = app.act(&id, |game| Ok(game.take_review(review)));
                    kept.map(|_| DoneReason::Complete).map_err(ApiError::into_problem)
                }
                Ok(None) => Ok(stop.reason().unwrap_or(DoneReason::Stopped)),
                Err(error) => Err(error),
            };
            stop.finish();
            tell(match kept {
                Ok(reason) => ServerMessage::Done { request, reason },
                Err(problem) => {
                    ServerMessage::Error { request: Some(request), error: problem.into() }
                }
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
    Ok(Problem::check_range(what, asked as u64, 1, most as u64)?)
}
