//! Analyses and reviews: searches whose progress is streamed to a client.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tablero_core::{AnyGameHistory, Limits};
use tablero_registry::GameEntry;

use crate::api::{AnalysisTarget, DoneReason, Problem, ServerMessage};
use crate::app::App;
use crate::error::{ApiError, ApiResult, find_game};
use crate::games::history_after;
use crate::players::{Search, SearchError};
use crate::review::ReviewTask;
use crate::search_pool::{StopHandle, Task};

/// How long an analysis runs before it may be preempted by queued ones.
const PREEMPT_AFTER: Duration = Duration::from_secs(10);
const REVIEW_TIME_LIMIT: Duration = Duration::from_secs(3600);
/// Default time per move of a review.
const REVIEW_MOVE_MS: u64 = 300;
pub(crate) const REVIEW_HASH_MB: usize = 64;

/// Sends the messages of a search to its client.
pub(crate) type Reporter = Arc<dyn Fn(ServerMessage) + Send + Sync>;

/// [`ClientMessage::Analyse`](crate::api::ClientMessage::Analyse).
pub(crate) struct AnalysisRequest {
    pub(crate) request: u32,
    pub(crate) target: AnalysisTarget,
    pub(crate) multipv: usize,
    pub(crate) threads: usize,
    pub(crate) hash_mb: Option<usize>,
    pub(crate) player: Option<String>,
}

/// [`ClientMessage::Review`](crate::api::ClientMessage::Review).
pub(crate) struct ReviewRequest {
    pub(crate) request: u32,
    pub(crate) game: String,
    pub(crate) move_ms: Option<u64>,
    pub(crate) nodes: Option<u64>,
    pub(crate) player: Option<String>,
}

impl App {
    /// Starts an analysis for a client.
    pub(crate) fn analyse(
        &self,
        owner: &str,
        order: AnalysisRequest,
        report: Reporter,
    ) -> ApiResult<StopHandle> {
        let limits = self.config.limits;
        check_limit("multipv", order.multipv, limits.multipv)?;
        check_limit("threads", order.threads, limits.threads)?;
        check_limit("hash_mb", order.hash_mb.unwrap_or(1), limits.hash_mb)?;
        let (entry, game) = self.resolve_target(&order.target)?;
        if game.moves().is_empty() {
            return Err(Problem::GameOver.into());
        }
        let player = order.player.unwrap_or_else(|| entry.game().analyst().into());
        self.config.check_engine(entry, &player)?;
        let factory = self.player_factory().with(|setup| {
            (setup.threads, setup.multi_pv) = (order.threads, order.multipv);
            setup.hash_mb = order.hash_mb.or(Some(REVIEW_HASH_MB.min(limits.hash_mb)));
            setup.limited_by_caller = true;
        });
        // No seat: its hash table is large and the next analysis may be of another game.
        let pool = Arc::clone(&self.players);
        let search = Search { entry, game, player, factory, pool, seat: None };
        let time_limit = Duration::from_millis(limits.analysis_ms);
        let (stop_handle, request) = (StopHandle::default(), order.request);
        let (stop, send) = (stop_handle.clone(), Arc::clone(&report));
        let run = move || {
            if let Some(reason) = stop.reason() {
                stop.finish();
                return send(ServerMessage::Done { request, reason });
            }
            let start = Instant::now();
            let limits = Limits { time: Some(time_limit), ..Limits::default() };
            let result = tablero_jobs::catch_panic(|| {
                search.run(&limits, stop.flag(), 0, &mut |report| {
                    send(ServerMessage::Analysis { request, report });
                })
            });
            stop.finish();
            match result.unwrap_or_else(|panic| Err(SearchError::panicked(panic))) {
                Ok(_) | Err(SearchError::Resigned) => {
                    let is_timeout = start.elapsed() >= time_limit;
                    let own_reason =
                        if is_timeout { DoneReason::TimeLimit } else { DoneReason::Complete };
                    let reason = stop.reason().unwrap_or(own_reason);
                    send(ServerMessage::Done { request, reason });
                }
                Err(SearchError::Failed(problem)) => {
                    send(ServerMessage::Error { request: Some(request), error: problem.into() });
                }
            }
        };
        let is_queued = self.analyses.submit(Task {
            owner: owner.into(),
            is_slow: false,
            stop_handle: stop_handle.clone(),
            time_limit,
            preempt_after: Some(PREEMPT_AFTER),
            run: Box::new(run),
        });
        if is_queued {
            report(ServerMessage::Queued { request });
        }
        Ok(stop_handle)
    }

    /// The game and history of an analysis target.
    fn resolve_target(
        &self,
        target: &AnalysisTarget,
    ) -> ApiResult<(&'static dyn GameEntry, AnyGameHistory)> {
        match target {
            AnalysisTarget::Node { game, node } => {
                let handle = self.library.get(game)?;
                let game = handle.lock();
                game.check_local()?;
                Ok((game.entry, game.history_to(*node)?))
            }
            AnalysisTarget::Position { game, rules, position, moves } => {
                let entry = find_game(game)?;
                let (rules, position) = (rules.as_deref(), position.as_deref());
                Ok((entry, history_after(entry.game(), rules, position, moves)?))
            }
        }
    }

    /// Starts a review for a client; the result is stored in the game.
    pub(crate) fn review(
        &self,
        owner: &str,
        order: ReviewRequest,
        report: Reporter,
    ) -> ApiResult<StopHandle> {
        let max_ms = self.config.limits.move_ms;
        check_limit("move_ms", order.move_ms.unwrap_or(1) as usize, max_ms as usize)?;
        let handle = self.library.get(&order.game)?;
        let game = handle.lock();
        game.check_local()?;
        if let Some(player) = &order.player {
            self.config.check_engine(game.entry, player)?;
        }
        let move_ms = order.nodes.is_none().then(|| order.move_ms.unwrap_or(REVIEW_MOVE_MS));
        let limits = Limits {
            // A review by nodes is deterministic; the time limit is only a safety net.
            time: Some(Duration::from_millis(move_ms.unwrap_or(max_ms))),
            nodes: order.nodes,
            ..Limits::default()
        };
        let factory = self.player_factory().with(|setup| {
            setup.hash_mb = Some(REVIEW_HASH_MB.min(self.config.limits.hash_mb));
            setup.limited_by_caller = true;
        });
        let pool = Arc::clone(&self.players);
        let task = ReviewTask::new(game.entry, &game.file(), order.player, factory, pool, limits)?;
        drop(game);
        let (app, id) = (self.clone(), order.game);
        Ok(self.submit_review(owner, order.request, report, move |stop, progress| {
            let review = task.run(stop, progress)?;
            let is_complete = review.is_some();
            if let Some(review) = review {
                app.update_game(&id, |game| Ok(game.apply_review(review)))
                    .map_err(ApiError::into_problem)?;
            }
            Ok(is_complete)
        }))
    }

    /// Queues work along a whole game. `work` takes the stop flag and a report of positions done
    /// and in all, and returns whether it came to its end.
    pub(crate) fn submit_review(
        &self,
        owner: &str,
        request: u32,
        report: Reporter,
        work: impl FnOnce(&AtomicBool, &mut dyn FnMut(usize, usize)) -> Result<bool, Problem>
        + Send
        + 'static,
    ) -> StopHandle {
        let stop_handle = StopHandle::default();
        let (stop, send) = (stop_handle.clone(), Arc::clone(&report));
        let run = move || {
            let mut reported = None;
            let mut progress = |done, total| {
                if reported != Some(done) {
                    reported = Some(done);
                    send(ServerMessage::ReviewProgress { request, done, total });
                }
            };
            let result = tablero_jobs::catch_panic(|| work(stop.flag(), &mut progress));
            stop.finish();
            send(match result.unwrap_or_else(|reason| Err(Problem::Internal { reason })) {
                Ok(true) => ServerMessage::Done { request, reason: DoneReason::Complete },
                Ok(false) => {
                    let reason = stop.reason().unwrap_or(DoneReason::Stopped);
                    ServerMessage::Done { request, reason }
                }
                Err(problem) => {
                    ServerMessage::Error { request: Some(request), error: problem.into() }
                }
            });
        };
        let is_queued = self.reviews.submit(Task {
            owner: owner.into(),
            is_slow: false,
            stop_handle: stop_handle.clone(),
            time_limit: REVIEW_TIME_LIMIT,
            preempt_after: None,
            run: Box::new(run),
        });
        if is_queued {
            report(ServerMessage::Queued { request });
        }
        stop_handle
    }
}

/// Checks that `value` is from 1 to the server's limit.
pub(crate) fn check_limit(name: &str, value: usize, max: usize) -> ApiResult<()> {
    Ok(Problem::check_range(name, value as u64, 1, max as u64)?)
}
