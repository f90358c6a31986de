//! The search tree of a position, for a client that wants to see how an engine thinks.

use std::sync::Arc;
use std::time::Duration;

use tablero_core::{AnyControl, AnyGameHistory, AnyInfo, Limits, Recording};
use tablero_registry::GameEntry;
use tablero_think::{Tree, TreeFormat};
use tokio::sync::oneshot;

use crate::api::{Problem, ThinkRequest};
use crate::app::App;
use crate::error::ApiResult;
use crate::games::history_after;
use crate::players::{PlayerFactory, PlayerPool, SearchError};
use crate::search_pool::{StopHandle, Task};

/// The longest search whose tree is recorded.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// Nodes of a tree, unless the client wants more or fewer, and at most.
const DEFAULT_NODES: usize = 20_000;
const MAX_NODES: usize = 100_000;
const MIN_NODES: usize = 100;
/// Memory of a recorded node, its JSON included: about what the largest trees of chess take.
const NODE_BYTES: usize = 1200;

/// A search whose tree is wanted. Dropped, it stops.
pub(crate) struct Thinking {
    stop_handle: StopHandle,
    tree: oneshot::Receiver<Result<Vec<u8>, Problem>>,
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.stop_handle.stop();
    }
}

impl Thinking {
    /// The tree as JSON.
    pub(crate) async fn finish(mut self) -> ApiResult<Vec<u8>> {
        Ok((&mut self.tree).await.unwrap_or(Err(Problem::ShuttingDown))?)
    }
}

impl App {
    /// Starts the search of a position by an engine whose tree can be seen.
    pub(crate) fn think(
        &self,
        owner: &str,
        entry: &'static dyn GameEntry,
        request: &ThinkRequest,
    ) -> ApiResult<Thinking> {
        let max_nodes = request.max_nodes.unwrap_or(DEFAULT_NODES);
        let [min, max, nodes] = [MIN_NODES, MAX_NODES, max_nodes].map(|count| count as u64);
        Problem::check_range("max_nodes", nodes, min, max)?;
        let (rules, position) = (request.rules.as_deref(), request.position.as_deref());
        let game = history_after(entry.game(), rules, position, &request.moves)?;
        if game.moves().is_empty() {
            return Err(Problem::GameOver.into());
        }
        self.config.check_engine(entry, &request.player)?;
        let time_limit = TIME_LIMIT.min(Duration::from_millis(self.config.limits.analysis_ms));
        let task = ThinkTask {
            entry,
            game,
            player: request.player.clone(),
            seed: request.seed,
            factory: self.player_factory(),
            pool: Arc::clone(&self.players),
            max_nodes,
        };
        let (send, tree) = oneshot::channel();
        let stop_handle = StopHandle::default();
        let stop = stop_handle.clone();
        let run = move || {
            let limits = Limits { time: Some(time_limit), ..Limits::default() };
            let result = tablero_jobs::catch_panic(|| task.run(&limits, &stop));
            stop.finish();
            // Nobody waits any more if this fails.
            let _ = send.send(result.unwrap_or_else(|reason| Err(Problem::Internal { reason })));
        };
        self.analyses.submit(Task {
            owner: owner.into(),
            is_slow: false,
            stop_handle: stop_handle.clone(),
            time_limit,
            preempt_after: None,
            run: Box::new(run),
        });
        Ok(Thinking { stop_handle, tree })
    }
}

struct ThinkTask {
    entry: &'static dyn GameEntry,
    game: AnyGameHistory,
    player: String,
    seed: u64,
    factory: PlayerFactory,
    pool: Arc<PlayerPool>,
    max_nodes: usize,
}

impl ThinkTask {
    fn run(&self, limits: &Limits, stop: &StopHandle) -> Result<Vec<u8>, Problem> {
        if stop.reason().is_some() {
            return Err(Problem::ShuttingDown);
        }
        let no_tree = || Problem::NoSearchTree { player: self.player.clone() };
        let spec = self.factory.resolve(self.entry, &self.player)?;
        let mut lease = self.pool.acquire(None, spec)?;
        if !lease.player().records_tree() {
            return Err(no_tree());
        }
        let _reservation = self.pool.reserve_for_job(self.max_nodes * NODE_BYTES);
        let (mut recording, mut ignore) = (Recording::new(self.max_nodes), |_: &AnyInfo| {});
        let mut control = AnyControl::new(stop.flag(), &mut ignore).with_recording(&mut recording);
        let player = lease.prepare(&self.game, self.seed);
        player
            .choose(&self.game, limits, &mut control)
            .map_err(|error| SearchError::failed(&self.player, &error).into_problem())?;
        drop(lease);
        let tree = recording.tree.ok_or_else(no_tree)?;
        Ok(Tree::new(self.game.position(), &tree).write(TreeFormat::Json))
    }
}
