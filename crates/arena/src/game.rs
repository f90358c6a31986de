//! One game between two players: limits, clocks, forfeits, adjudication.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tablero_core::{
    AnyGameHistory, AnyPlayer, AnyPly, AnyRecord, AnySearchResult, Clock, Control, Ending,
    ForMover, GameEnd, Limits, Outcome, PlayerError, Ply, Record, SearchResult, Side, Value,
    spawn_helper,
};
use tablero_jobs::{CancellationToken, catch_panic};

use crate::Conditions;
use crate::adjudicate::Adjudicator;

/// A finished game.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedGame {
    /// The game with its end, without the players' names.
    pub record: AnyRecord,
    /// Nodes searched by each side.
    pub nodes: [u64; 2],
    /// Thinking time of each side.
    pub time: [Duration; 2],
    /// Pieces of each side on the final board.
    pub pieces: [u16; 2],
    /// Why the loser forfeited, if it did.
    pub fault: Option<String>,
}

/// Plays `game` to its end: by the rules, on time, by forfeit or by adjudication. `players` are the
/// first and the second side. A player that errors, panics or makes an illegal move forfeits, unless its
/// time was over; it should not be used again.
///
/// `None` if the game was abandoned after cancellation; neither player should be used again.
pub fn play_game(
    game: AnyGameHistory,
    players: [&mut AnyPlayer; 2],
    conditions: &Conditions,
    cancel: &CancellationToken,
) -> Option<PlayedGame> {
    let mut runner = GameRunner::new(game, conditions, cancel);
    let mut adjudicator = Adjudicator::new(conditions);
    let mut adjudicated = None;
    loop {
        if let Some(end) = runner.end_by_rules().or(adjudicated) {
            return Some(runner.finish(end, None));
        }
        let side = runner.game.position().side();
        let turn = runner.play_turn(&mut *players[side.index()]);
        // Whatever a stopped search returned is not the player's choice.
        if cancel.is_cancelled() {
            return None;
        }
        match turn {
            Ok(value) => adjudicated = adjudicator.adjudicate(side, value, runner.game.plies()),
            Err(Loss { ending, fault }) => {
                let end = GameEnd { outcome: Outcome::win(!side), ending };
                return Some(runner.finish(end, fault));
            }
        }
    }
}

/// The player to move resigned, forfeited or lost on time.
struct Loss {
    ending: Ending,
    fault: Option<String>,
}

impl Loss {
    const ON_TIME: Self = Self { ending: Ending::Time, fault: None };

    fn forfeit(fault: impl Into<String>) -> Self {
        Self { ending: Ending::Forfeit, fault: Some(fault.into()) }
    }
}

/// A game in progress, with clocks.
struct GameRunner<'a> {
    conditions: &'a Conditions,
    cancel: &'a CancellationToken,
    game: AnyGameHistory,
    plies: Vec<AnyPly>,
    clocks: Option<[Clock; 2]>,
    nodes: [u64; 2],
    time: [Duration; 2],
}

impl<'a> GameRunner<'a> {
    fn new(
        game: AnyGameHistory,
        conditions: &'a Conditions,
        cancel: &'a CancellationToken,
    ) -> Self {
        let clock = conditions.clock.map(|rules| Clock {
            left: Duration::from_millis(rules.base_ms),
            increment: Duration::from_millis(rules.increment_ms),
            moves_to_go: None,
        });
        Self {
            conditions,
            cancel,
            plies: game.played().map(Ply::new).collect(),
            game,
            clocks: clock.map(|clock| [clock; 2]),
            nodes: [0; 2],
            time: [Duration::ZERO; 2],
        }
    }

    /// The end by the rules, with claimable draws if the conditions claim them.
    fn end_by_rules(&self) -> Option<GameEnd> {
        let claimed = || {
            let draw = self.game.draw().filter(|_| self.conditions.claim_draws)?;
            Some(GameEnd { outcome: Outcome::DRAW, ending: Ending::Drawn(draw.reason) })
        };
        self.game.end().or_else(claimed)
    }

    /// Plays one move; returns the player's score of it.
    fn play_turn(&mut self, player: &mut AnyPlayer) -> Result<Option<ForMover<Value>>, Loss> {
        let side = self.game.position().side();
        let limits = Limits {
            clock: self.clocks.map(|clocks| clocks[side.index()]),
            ..self.conditions.limits()
        };
        let start = Instant::now();
        let margin = self.conditions.time_margin();
        let choice = choose_move(player, &self.game, &limits, margin, self.cancel);
        let spent = start.elapsed();
        self.time[side.index()] += spent;
        let SearchResult { m, info } = choice?;
        self.nodes[side.index()] += info.nodes;
        self.press_clock(side, spent)?;
        if self.game.play(m).is_err() {
            return Err(Loss::forfeit("chose an illegal move"));
        }
        let value = info.lines.first().map(|line| line.value);
        self.plies.push(Ply {
            // Files store milliseconds.
            time: self
                .conditions
                .keep_times
                .then(|| Duration::from_millis(spent.as_millis() as u64)),
            value: value.map(|value| value.for_first(side)),
            ..Ply::new(m)
        });
        Ok(value)
    }

    fn press_clock(&mut self, side: Side, spent: Duration) -> Result<(), Loss> {
        let margin = self.conditions.time_margin();
        let move_time = self.conditions.limits().time;
        let mut in_time = move_time.is_none_or(|time| spent <= time + margin);
        if let Some(clocks) = &mut self.clocks {
            let clock = &mut clocks[side.index()];
            in_time &= spent <= clock.left + margin;
            clock.left = clock.left.saturating_sub(spent) + clock.increment;
        }
        if in_time { Ok(()) } else { Err(Loss::ON_TIME) }
    }

    fn finish(self, end: GameEnd, fault: Option<String>) -> PlayedGame {
        let mut pieces = [0; 2];
        for piece in self.game.position().diagram().cells.iter().filter_map(|cell| cell.piece) {
            pieces[piece.side.index()] += 1;
        }
        let mut record = Record::new(self.game.start().clone());
        record.plies = self.plies;
        record.end = Some(end);
        PlayedGame { record, nodes: self.nodes, time: self.time, pieces, fault }
    }
}

/// The player's move. Its search is stopped when the time is over, or on cancellation.
fn choose_move(
    player: &mut AnyPlayer,
    game: &AnyGameHistory,
    limits: &Limits,
    margin: Duration,
    cancel: &CancellationToken,
) -> Result<AnySearchResult, Loss> {
    let mut search = |stop: &AtomicBool| {
        let mut ignore = |_: &_| {};
        player.choose(game, limits, &mut Control::new(stop, &mut ignore))
    };
    let time = limits.time.into_iter().chain(limits.clock.map(|clock| clock.left)).min();
    let stop = AtomicBool::new(false);
    let result = match time {
        None => catch_panic(|| search(cancel.flag())),
        Some(time) => catch_panic(|| with_timeout(time + margin, &stop, cancel, || search(&stop))),
    };
    match result {
        Ok(Ok(choice)) => Ok(choice),
        Ok(Err(PlayerError::Resigned)) => Err(Loss { ending: Ending::Resigned, fault: None }),
        // The time of the conditions was over before the player failed.
        Ok(Err(_)) if stop.load(Ordering::Relaxed) => Err(Loss::ON_TIME),
        // An external engine exceeded the limit of its own line, which only its player knows.
        Ok(Err(PlayerError::Timeout { .. })) => Err(Loss::ON_TIME),
        Ok(Err(error)) => Err(Loss::forfeit(error.to_string())),
        Err(panic) => Err(Loss::forfeit(panic)),
    }
}

/// How often a timed search looks for cancellation.
const CANCEL_POLL: Duration = Duration::from_millis(100);

/// Runs `work`; sets `stop` if that takes longer than `time`, or on cancellation.
fn with_timeout<T>(
    time: Duration,
    stop: &AtomicBool,
    cancel: &CancellationToken,
    work: impl FnOnce() -> T,
) -> T {
    thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        // Without a thread for it the player still has its limits, and the clock is checked afterwards.
        let _is_started = spawn_helper(scope, move || {
            let start = Instant::now();
            loop {
                let left = time.saturating_sub(start.elapsed());
                if left.is_zero() || cancel.is_cancelled() {
                    return stop.store(true, Ordering::Relaxed);
                }
                if waiting.recv_timeout(left.min(CANCEL_POLL)) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        });
        let result = work();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use tablero_core::{AnyControl, AnyGame, AnyPosition, Player};
    use tablero_othello::Othello;

    use super::*;
    use crate::TimeControl;

    /// Fails at once, or when it is stopped.
    struct Fails {
        error: PlayerError,
        when_stopped: bool,
    }

    impl Player<AnyPosition> for Fails {
        fn choose(
            &mut self,
            _: &AnyGameHistory,
            _: &Limits,
            control: &mut AnyControl<'_>,
        ) -> Result<AnySearchResult, PlayerError> {
            while self.when_stopped && !control.is_stopped() {
                thread::sleep(Duration::from_millis(1));
            }
            Err(self.error.clone())
        }

        fn new_game(&mut self, _: u64) {}
    }

    fn failed(what: &str) -> PlayerError {
        PlayerError::Failed { player: "engine".into(), what: what.into() }
    }

    fn play(
        error: &PlayerError,
        when_stopped: bool,
        conditions: &Conditions,
        cancel: &CancellationToken,
    ) -> Option<PlayedGame> {
        let [mut first, mut second] =
            [(); 2].map(|()| Fails { error: error.clone(), when_stopped });
        let start = AnyGameHistory::new(AnyGame::of::<Othello>().start());
        play_game(start, [&mut first, &mut second], conditions, cancel)
    }

    fn end(error: &PlayerError, when_stopped: bool, conditions: &Conditions) -> (Ending, bool) {
        let never = CancellationToken::default();
        let played = play(error, when_stopped, conditions, &never).expect("not cancelled");
        let end = played.record.end.expect("an end");
        assert_eq!(end.outcome.winner(), Some(Side::Second));
        (end.ending, played.fault.is_some())
    }

    #[test]
    fn a_hanging_engine_loses_on_time() {
        let clock = TimeControl { base_ms: 50, increment_ms: 0 };
        for (move_time_ms, clock) in [(Some(50), None), (None, Some(clock))] {
            let conditions =
                Conditions { move_time_ms, clock, time_margin_ms: 10, ..Conditions::default() };
            let (hangs, ended) = (failed("did not stop within 1.0 s"), failed("ended"));
            assert_eq!(end(&hangs, true, &conditions), (Ending::Time, false));
            assert_eq!(end(&ended, false, &conditions), (Ending::Forfeit, true));
        }
    }

    /// Both with and without a clock, a search that would last for hours is stopped.
    #[test]
    fn a_cancelled_game_is_abandoned() {
        let hours = Conditions { move_time_ms: Some(1 << 24), ..Conditions::default() };
        for conditions in [hours, Conditions::default()] {
            let cancel = CancellationToken::default();
            let (error, token) = (failed("was stopped"), cancel.clone());
            let running = thread::spawn(move || play(&error, true, &conditions, &token));
            thread::sleep(Duration::from_millis(20));
            cancel.cancel();
            assert_eq!(running.join().expect("no panic"), None);
        }
    }

    #[test]
    fn an_engine_that_exceeds_its_own_limit_loses_on_time() {
        let conditions = Conditions::default();
        let exceeded =
            PlayerError::Timeout { player: "engine".into(), what: "no move within 1.2 s".into() };
        assert_eq!(end(&exceeded, false, &conditions), (Ending::Time, false));
        assert_eq!(end(&failed("ended"), false, &conditions), (Ending::Forfeit, true));
    }
}
