//! Live games: every change of a game goes through here. It is applied under the game's lock, saved,
//! broadcast to subscribers, and followed by the engine's move if it is an engine's turn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tablero_core::{Clock, Limits, Rng, checksum};
use tokio::sync::broadcast::Receiver;

use crate::api::{ClockSetting, GameChange, GameView, Problem, Seat, Side};
use crate::app::App;
use crate::caller::Caller;
use crate::error::ApiResult;
use crate::game_file::GameFile;
use crate::games::{Change, Game, GameEvent, Handle, MoveMeta, PendingMove};
use crate::players::{self, EngineMove, Search, SearchError};
use crate::search_pool::{StopHandle, TIME_SLICE, Task};

/// Moves for a human on request where no engine is named.
const DEFAULT_ENGINE: &str = "level intermediate";
/// Subtracted from an engine's time for the overhead around its search.
const MOVE_OVERHEAD: Duration = Duration::from_millis(50);
const MAX_FOLDER: usize = 200;
/// How long an engine thinks before it may have to move for others.
const PREEMPT_AFTER: Duration = Duration::from_secs(2);
/// How long past its limit a search may run before the watchdog stops it.
const STOP_GRACE: Duration = Duration::from_secs(1);

impl App {
    /// Adds a game to the library, and schedules the engine's move if an engine starts.
    pub(crate) fn create_game(&self, file: GameFile) -> ApiResult<GameView> {
        let handle = self.library.create(file)?;
        let mut game = handle.lock();
        self.schedule_engine_move(&handle, &mut game);
        Ok(game.view())
    }

    /// Opens the game that was copied from `origin`, or copies it now.
    pub(crate) fn open_copy(
        &self,
        origin: &str,
        copy: impl FnOnce() -> ApiResult<GameFile>,
    ) -> ApiResult<GameView> {
        if let Some(id) = self.library.find_copy(origin) {
            return Ok(self.library.get(&id)?.lock().view());
        }
        self.create_game(GameFile { origin: Some(origin.into()), ..copy()? })
    }

    /// Applies an operation to a game and commits it. A remote game that is going on belongs to its players.
    pub(crate) fn update_game(
        &self,
        id: &str,
        operation: impl FnOnce(&mut Game) -> ApiResult<Change>,
    ) -> ApiResult<GameView> {
        self.update_any_game(id, |game| {
            game.check_local()?;
            operation(game)
        })
    }

    /// Like [`update_game`](Self::update_game), remote games included.
    pub(crate) fn update_any_game(
        &self,
        id: &str,
        operation: impl FnOnce(&mut Game) -> ApiResult<Change>,
    ) -> ApiResult<GameView> {
        let handle = self.library.get(id)?;
        let mut game = handle.lock();
        let change = operation(&mut game)?;
        let committed = self.commit(&handle, &mut game, &change);
        if committed.is_err() {
            // The change may have cancelled a search.
            self.schedule_engine_move(&handle, &mut game);
        }
        committed
    }

    /// Saves a change, schedules the engine's move and broadcasts both. A change that cannot be saved is
    /// taken back.
    fn commit(
        &self,
        handle: &Arc<Handle>,
        game: &mut Game,
        change: &Change,
    ) -> ApiResult<GameView> {
        if !change.is_transient {
            game.touch();
            self.library.save(game).inspect_err(|_| self.library.restore(game))?;
        }
        self.schedule_engine_move(handle, game);
        let view = game.commit(change);
        // Fails if there are no subscribers.
        let _ = handle.events.send(GameEvent::Changed(Arc::new(view.clone())));
        self.arm_flag_timer(handle, game);
        Ok(view)
    }

    /// Changes players, pause, speed and folder.
    pub(crate) fn change_game(&self, id: &str, change: GameChange) -> ApiResult<GameView> {
        let mut players_change = false;
        if change.folder.as_ref().is_some_and(|name| name.len() > MAX_FOLDER) {
            return Err(Problem::NameTooLong { max: MAX_FOLDER }.into());
        }
        let view = self.update_game(id, |game| {
            for seat in change.players.iter().flatten() {
                self.check_player(game.entry, &seat.player)?;
            }
            let lines = |seats: &[Seat; 2]| seats.each_ref().map(|seat| seat.player.clone());
            players_change =
                change.players.as_ref().is_some_and(|seats| lines(seats) != lines(game.players()));
            Ok(game.change(change))
        })?;
        if players_change {
            self.players.evict_game(id);
        }
        Ok(view)
    }

    /// Deletes a game.
    pub(crate) fn delete_game(&self, id: &str) -> ApiResult<()> {
        self.library.delete(id)?;
        self.players.evict_game(id);
        Ok(())
    }

    /// Plays a human's move.
    pub(crate) fn play_move(&self, id: &str, at: Option<u32>, name: &str) -> ApiResult<GameView> {
        self.update_game(id, |game| {
            let at = at.unwrap_or_else(|| game.current());
            if at == game.current() && game.is_engine_turn() {
                return Err(Problem::EngineTurn.into());
            }
            game.play(at, name, MoveMeta::default())
        })
    }

    /// Starts an engine's search for the next move.
    pub(crate) fn step(&self, id: &str, player: Option<&str>) -> ApiResult<GameView> {
        let handle = self.library.get(id)?;
        let mut game = handle.lock();
        game.check_local()?;
        if game.is_over_here() {
            return Err(Problem::GameOver.into());
        }
        if game.pending.is_none() {
            let line = player.map_or_else(|| default_engine(&game), str::to_owned);
            self.config.check_engine(game.entry, &line)?;
            game.clear_engine_error();
            self.start_search(&handle, &mut game, &line);
        }
        self.commit(&handle, &mut game, &Change::transient())
    }

    /// Starts the search of the engine to move, if it is an engine's turn.
    fn schedule_engine_move(&self, handle: &Arc<Handle>, game: &mut Game) {
        if let Some(side) = game.engine_to_move() {
            let line = game.seat(side).player.clone();
            self.start_search(handle, game, &line);
        }
    }

    fn start_search(&self, handle: &Arc<Handle>, game: &mut Game, player: &str) {
        let has_clock = game.clock() != ClockSetting::None;
        let factory = self.player_factory().with(|setup| setup.limited_by_caller = has_clock);
        let search = Search {
            entry: game.entry,
            game: game.history().clone(),
            player: player.into(),
            factory,
            pool: Arc::clone(&self.players),
            seat: Some(players::Seat { game: game.id.clone(), side: game.turn() }),
        };
        let (search_id, stop_handle) = (self.next_id(), StopHandle::default());
        game.pending =
            Some(PendingMove { side: game.turn(), search_id, stop_handle: stop_handle.clone() });
        let limits = self.move_limits(game);
        let seed = Rng::for_stream(checksum(game.id.as_bytes()), search_id).bits();
        let (app, handle, stop) = (self.clone(), Arc::clone(handle), stop_handle.clone());
        let run = move || {
            let start = Instant::now();
            let result =
                tablero_jobs::catch_panic(|| search.run(&limits, stop.flag(), seed, &mut |_| {}));
            let result = result.unwrap_or_else(|panic| Err(SearchError::panicked(panic)));
            app.on_search_done(handle, search_id, start.elapsed(), result);
        };
        self.moves.submit(Task {
            owner: game.id.clone(),
            is_slow: game.is_slow,
            stop_handle,
            time_limit: Duration::from_millis(self.config.limits.move_ms) + STOP_GRACE,
            preempt_after: Some(PREEMPT_AFTER),
            run: Box::new(run),
        });
    }

    /// The limits of an engine's search for the next move.
    fn move_limits(&self, game: &Game) -> Limits {
        let max = Duration::from_millis(self.config.limits.move_ms);
        let (mut time, mut clock) = (max, None);
        match game.clock() {
            ClockSetting::None => {}
            ClockSetting::PerMove { ms } => {
                let ms = Duration::from_millis(ms);
                time = max.min(ms.saturating_sub(MOVE_OVERHEAD).max(ms / 2));
            }
            ClockSetting::Fischer { increment_ms, .. } => {
                let left = game.clocks().map_or(0, |left| left[game.turn().index()]);
                clock = Some(Clock {
                    left: Duration::from_millis(left).saturating_sub(MOVE_OVERHEAD),
                    increment: Duration::from_millis(increment_ms),
                    moves_to_go: None,
                });
            }
        }
        Limits { time: Some(time), clock, ..Limits::default() }
    }

    /// Applies the result of a search after the game's minimum delay, off the search's worker thread.
    fn on_search_done(
        &self,
        handle: Arc<Handle>,
        search_id: u64,
        elapsed: Duration,
        result: Result<EngineMove, SearchError>,
    ) {
        let mut game = handle.lock();
        game.is_slow = elapsed >= TIME_SLICE;
        let delay = Duration::from_millis(game.delay_ms());
        drop(game);
        let (app, runtime) = (self.clone(), self.runtime.clone());
        self.runtime.spawn(async move {
            tokio::time::sleep(delay.saturating_sub(elapsed)).await;
            runtime
                .spawn_blocking(move || app.apply_engine_move(&handle, search_id, elapsed, result));
        });
    }

    fn apply_engine_move(
        &self,
        handle: &Arc<Handle>,
        search_id: u64,
        elapsed: Duration,
        result: Result<EngineMove, SearchError>,
    ) {
        let mut game = handle.lock();
        // The search may be stale: a move was taken back, the game deleted, ...
        let Some(pending) = game.pending.take_if(|pending| pending.search_id == search_id) else {
            return;
        };
        let change = match result {
            Ok(EngineMove { name, score }) => {
                let at = game.current();
                let meta = MoveMeta { score, time: Some(elapsed) };
                game.play(at, &name, meta)
                    .unwrap_or_else(|error| game.set_engine_error(error.into_problem()))
            }
            Err(SearchError::Resigned) => game.resign(pending.side),
            Err(SearchError::Failed(problem)) => game.set_engine_error(problem),
        };
        if let Err(error) = self.commit(handle, &mut game, &change) {
            let change = game.set_engine_error(error.into_problem());
            // The disk may be full; subscribers see the error, and may ask for the move again.
            let _ = self.commit(handle, &mut game, &change);
        }
    }

    /// Checks the clock again when the time of the human to move runs out.
    fn arm_flag_timer(&self, handle: &Arc<Handle>, game: &Game) {
        let Some(left) = game.time_left() else { return };
        let (app, handle, version) = (self.clone(), Arc::downgrade(handle), game.version());
        let runtime = self.runtime.clone();
        runtime.clone().spawn(async move {
            tokio::time::sleep(left + Duration::from_millis(1)).await;
            runtime.spawn_blocking(move || {
                let Some(handle) = handle.upgrade() else { return };
                let mut game = handle.lock();
                if game.version() == version
                    && let Some(change) = game.flag()
                {
                    // If it cannot be saved, the next change tries again.
                    let _ = app.commit(&handle, &mut game, &change);
                }
            });
        });
    }

    /// Subscribes to a game. While a game has subscribers its clock runs, and engines play each other.
    pub(crate) fn subscribe(&self, id: &str, caller: &Caller) -> ApiResult<Subscription> {
        let handle = self.library.get(id)?;
        let mut game = handle.lock();
        if !caller.is_owner && caller.role_in(&game).is_none() {
            return Err(Problem::GuestNotPermitted.into());
        }
        let subscribers = game.subscribers() + 1;
        game.set_subscribers(subscribers);
        let side = caller.side_in(&game);
        if let Some(side) = side {
            let change = game.enter(side);
            // If it cannot be saved, the player joins again with the next connection.
            let _ = self.commit(&handle, &mut game, &change);
        }
        let events = handle.events.subscribe();
        self.schedule_engine_move(&handle, &mut game);
        self.arm_flag_timer(&handle, &game);
        let view = game.view();
        drop(game);
        let guard = SubscriberGuard { app: self.clone(), handle, side };
        Ok(Subscription { view, events, guard })
    }
}

/// A subscription to a game's changes, until it is dropped.
pub(crate) struct Subscription {
    pub(crate) view: GameView,
    pub(crate) events: Receiver<GameEvent>,
    guard: SubscriberGuard,
}

impl Subscription {
    /// The whole game as it is now.
    pub(crate) fn snapshot(&self) -> GameView {
        self.guard.handle.lock().view()
    }
}

/// Counts a subscriber while it lives.
struct SubscriberGuard {
    app: App,
    handle: Arc<Handle>,
    /// The player's side in a remote game.
    side: Option<Side>,
}

impl Drop for SubscriberGuard {
    fn drop(&mut self) {
        let mut game = self.handle.lock();
        let subscribers = game.subscribers().saturating_sub(1);
        game.set_subscribers(subscribers);
        if let Some(side) = self.side {
            let change = game.leave(side);
            // Nothing is saved, so that it cannot fail.
            let _ = self.app.commit(&self.handle, &mut game, &change);
        }
    }
}

/// The engine that moves for the side to move on request: its own, else the opponent's, else the default.
fn default_engine(game: &Game) -> String {
    let seats = [game.seat(game.turn()), &game.players()[0], &game.players()[1]];
    let engine = seats.into_iter().find(|seat: &&Seat| !seat.is_human());
    engine.map_or_else(|| DEFAULT_ENGINE.into(), |seat| seat.player.clone())
}

impl Game {
    /// Checks that the game is not one between remote players that is going on.
    pub(crate) fn check_local(&self) -> ApiResult<()> {
        if self.is_remote_running() { Err(Problem::RemoteGameRunning.into()) } else { Ok(()) }
    }

    /// Whether an engine is searching, or about to, for the move at the current node.
    fn is_engine_turn(&self) -> bool {
        let is_searching = self.pending.is_some();
        let side: Side = self.turn();
        !self.seat(side).is_human() && (is_searching || self.engine_to_move().is_some())
    }
}
