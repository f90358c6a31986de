//! Games with machines: every change of a game goes through here.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tablero_core::{Clock, Limits, Rng, checksum};
use tokio::sync::broadcast::Receiver;

use crate::api::{ClockSetting, GameChange, GameView, Problem, Seat, Side};
use crate::app::App;
use crate::error::ApiResult;
use crate::file::GameFile;
use crate::games::{Change, Game, GameEvent, Handle, Made, Thinking};
use crate::players::{self, Decision, ThinkError};
use crate::pool::{Stopper, Task};

/// Who moves for a person if nobody else is named.
const HELPER: &str = "level intermediate";
/// Kept back from a machine's time for the way there and back.
const MARGIN: Duration = Duration::from_millis(50);
/// A machine that was asked to stop and does not is left alone after this.
const GRACE: Duration = Duration::from_secs(5);

impl App {
    /// A new game in the library; a machine that begins does so.
    pub(crate) fn create_game(&self, file: GameFile) -> ApiResult<GameView> {
        let handle = self.library.create(file)?;
        let mut game = handle.lock();
        self.wake_machine(&handle, &mut game);
        Ok(game.view())
    }

    /// Changes a game, keeps it, tells whoever watches, and lets machines go on.
    pub(crate) fn act(
        &self,
        id: &str,
        operation: impl FnOnce(&mut Game) -> ApiResult<Change>,
    ) -> ApiResult<GameView> {
        let handle = self.library.get(id)?;
        let mut game = handle.lock();
        let change = operation(&mut game)?;
        self.finish(&handle, &mut game, &change)
    }

    fn finish(
        &self,
        handle: &Arc<Handle>,
        game: &mut Game,
        change: &Change,
    ) -> ApiResult<GameView> {
        self.wake_machine(handle, game);
        let view = game.commit(change);
        if !change.passing {
            self.library.save(game)?;
        }
        // Nobody may be listening.
        let _ = handle.events.send(GameEvent::Changed(Arc::new(view.clone())));
        self.arm_flag(handle, game);
        Ok(view)
    }

    /// Changes players, pause and speed.
    pub(crate) fn change_game(&self, id: &str, change: GameChange) -> ApiResult<GameView> {
        let mut seats_change = false;
        let view = self.act(id, |game| {
            for seat in change.players.iter().flatten() {
                self.check_player(game.entry, &seat.player)?;
            }
            let lines = |seats: &[Seat; 2]| seats.each_ref().map(|seat| seat.player.clone());
            seats_change =
                change.players.as_ref().is_some_and(|seats| lines(seats) != lines(game.players()));
            Ok(game.change(change))
        })?;
        if seats_change {
            self.players.forget_game(id);
        }
        Ok(view)
    }

    /// Deletes a game.
    pub(crate) fn delete_game(&self, id: &str) -> ApiResult<()> {
        self.library.delete(id)?;
        self.players.forget_game(id);
        Ok(())
    }

    /// A person plays.
    pub(crate) fn play_move(&self, id: &str, at: Option<u32>, name: &str) -> ApiResult<GameView> {
        self.act(id, |game| {
            let at = at.unwrap_or_else(|| game.current());
            if at == game.current() && game.machine_moves_here() {
                return Err(Problem::MachinesTurn.into());
            }
            game.play(at, name, Made::default())
        })
    }

    /// Lets a machine make the next move now.
    pub(crate) fn step(&self, id: &str, player: Option<&str>) -> ApiResult<GameView> {
        let handle = self.library.get(id)?;
        let mut game = handle.lock();
        if game.is_over_here() {
            return Err(Problem::GameOver.into());
        }
        if game.thinking.is_none() {
            let line = player.map_or_else(|| helper(&game), str::to_owned);
            self.config.check_machine(game.entry, &line)?;
            game.clear_fault();
            self.start_thinking(&handle, &mut game, &line);
        }
        self.finish(&handle, &mut game, &Change::passing())
    }

    /// Lets the machine whose turn it is think.
    fn wake_machine(&self, handle: &Arc<Handle>, game: &mut Game) {
        if let Some(side) = game.machine_to_move() {
            let line = game.seat(side).player.clone();
            self.start_thinking(handle, game, &line);
        }
    }

    fn start_thinking(&self, handle: &Arc<Handle>, game: &mut Game, player: &str) {
        let bounded = game.clock() != ClockSetting::None;
        let factory = self.player_factory().with(|setup| setup.bounded_by_caller = bounded);
        let search = players::Thinking {
            entry: game.entry,
            game: game.history().clone(),
            player: player.into(),
            factory,
            pool: Arc::clone(&self.players),
            seat: Some(players::Seat { game: game.id.clone(), side: game.turn() }),
        };
        let (ticket, stopper) = (self.ticket(), Stopper::default());
        game.thinking = Some(Thinking { side: game.turn(), ticket, stop: stopper.clone() });
        let limits = self.move_limits(game);
        let seed = Rng::for_part(checksum(game.id.as_bytes()), ticket).bits();
        let (app, handle, stop) = (self.clone(), Arc::clone(handle), stopper.clone());
        let run = move || {
            let begin = Instant::now();
            let result =
                tablero_jobs::catch_panic(|| search.run(&limits, stop.flag(), seed, &mut |_| {}));
            let result = result.unwrap_or_else(|panic| Err(ThinkError::panicked(panic)));
            app.machine_decided(handle, ticket, begin.elapsed(), result);
        };
        self.moves.submit(Task {
            owner: game.id.clone(),
            stopper,
            longest: Duration::from_millis(self.config.limits.move_ms) + GRACE,
            patience: None,
            run: Box::new(run),
        });
    }

    /// What bounds a machine's move.
    fn move_limits(&self, game: &Game) -> Limits {
        let most = Duration::from_millis(self.config.limits.move_ms);
        let (mut time, mut clock) = (most, None);
        match game.clock() {
            ClockSetting::None => {}
            ClockSetting::PerMove { ms } => {
                let ms = Duration::from_millis(ms);
                time = most.min(ms.saturating_sub(MARGIN).max(ms / 2));
            }
            ClockSetting::Fischer { increment_ms, .. } => {
                let left = game.clocks().map_or(0, |left| left[game.turn().index()]);
                clock = Some(Clock {
                    left: Duration::from_millis(left).saturating_sub(MARGIN),
                    increment: Duration::from_millis(increment_ms),
                    moves_to_go: None,
                });
            }
        }
        Limits { time: Some(time), clock, ..Limits::default() }
    }

    /// On the machine's thread, which is then free for others: its move, when the game's pace allows it.
    fn machine_decided(
        &self,
        handle: Arc<Handle>,
        ticket: u64,
        took: Duration,
        result: Result<Decision, ThinkError>,
    ) {
        let pace = Duration::from_millis(handle.lock().delay_ms());
        let (app, runtime) = (self.clone(), self.runtime.clone());
        self.runtime.spawn(async move {
            tokio::time::sleep(pace.saturating_sub(took)).await;
            runtime.spawn_blocking(move || app.make_machine_move(&handle, ticket, took, result));
        });
    }

    fn make_machine_move(
        &self,
        handle: &Arc<Handle>,
        ticket: u64,
        took: Duration,
        result: Result<Decision, ThinkError>,
    ) {
        let mut game = handle.lock();
        // The game may have gone on otherwise: the move was taken back, the game deleted, ...
        let Some(thinking) = game.thinking.take_if(|thinking| thinking.ticket == ticket) else {
            return;
        };
        let change = match result {
            Ok(Decision { name, value }) => {
                let at = game.current();
                let made = Made { value, time: Some(took) };
                game.play(at, &name, made)
                    .unwrap_or_else(|error| game.set_fault(error.into_problem()))
            }
            Err(ThinkError::Resigned) => game.resign(thinking.side),
            Err(ThinkError::Failed(fault)) => game.set_fault(fault),
        };
        if let Err(error) = self.finish(handle, &mut game, &change) {
            let change = game.set_fault(error.into_problem());
            // The disk may be full; whoever watches learns it.
            let _ = self.finish(handle, &mut game, &change);
        }
    }

    /// Looks again when the time of the person to move is up.
    fn arm_flag(&self, handle: &Arc<Handle>, game: &Game) {
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
                    // Who watches sees the end even if it cannot be kept now.
                    let _ = app.finish(&handle, &mut game, &change);
                }
            });
        });
    }

    /// Somebody watches a game: the game as it is, and what will happen to it.
    pub(crate) fn watch(&self, id: &str) -> ApiResult<Watched> {
        let handle = self.library.get(id)?;
        let mut game = handle.lock();
        let watchers = game.watchers() + 1;
        game.set_watchers(watchers);
        let events = handle.events.subscribe();
        self.wake_machine(&handle, &mut game);
        self.arm_flag(&handle, &game);
        let view = game.view();
        drop(game);
        Ok(Watched { view, events, guard: Guard { handle } })
    }
}

/// A game that somebody watches, until this is dropped.
pub(crate) struct Watched {
    pub(crate) view: GameView,
    pub(crate) events: Receiver<GameEvent>,
    guard: Guard,
}

impl Watched {
    /// The whole game as it is now.
    pub(crate) fn whole(&self) -> GameView {
        self.guard.handle.lock().view()
    }
}

struct Guard {
    handle: Arc<Handle>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut game = self.handle.lock();
        let watchers = game.watchers().saturating_sub(1);
        game.set_watchers(watchers);
    }
}

/// The line of whoever moves for the side to move: its machine, the other side's, or the usual one.
fn helper(game: &Game) -> String {
    let seats = [game.seat(game.turn()), &game.players()[0], &game.players()[1]];
    let machine = seats.into_iter().find(|seat: &&Seat| !seat.is_human());
    machine.map_or_else(|| HELPER.into(), |seat| seat.player.clone())
}

impl Game {
    /// Whether a machine is to move at the current node, by itself.
    fn machine_moves_here(&self) -> bool {
        let thinks = self.thinking.is_some();
        let side: Side = self.turn();
        !self.seat(side).is_human() && (thinks || self.machine_to_move().is_some())
    }
}
