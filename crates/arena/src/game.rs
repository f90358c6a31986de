use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tablero_core::{
    AnyChoice, AnyMatch, AnyPlayer, AnyPly, AnyRecord, Choice, Clock, Control, Ending, ForMover,
    GameEnd, Limits, Outcome, PlayerError, Ply, Record, Side, Value,
};
use tablero_jobs::catch_panic;

use crate::Conditions;
use crate::adjudicate::Judge;

/// A game that was played to some end.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// The game; its end is always known. The players' names are left to others.
    pub record: AnyRecord,
    /// Positions that each side looked at.
    pub nodes: [u64; 2],
    /// How long each side thought.
    pub time: [Duration; 2],
    /// What the loser did wrong, if the game was forfeited.
    pub fault: Option<String>,
}

/// Lets two players (the first and the second side) play on from where `game` stands, to an end by
/// the rules, on time, by forfeit or by adjudication. Whatever a player does, panics included, this
/// comes back with a finished game; a player who forfeited should not be used again.
pub fn play_game(game: AnyMatch, players: [&mut AnyPlayer; 2], conditions: &Conditions) -> Played {
    let mut table = Table::new(game, conditions);
    let mut judge = Judge::new(conditions);
    let mut verdict = None;
    loop {
        if let Some(end) = table.end_by_rules().or(verdict) {
            return table.finish(end, None);
        }
        let side = table.game.position().side();
        match table.turn(&mut *players[side.index()]) {
            Ok(value) => verdict = judge.judge(side, value, table.game.plies()),
            Err(Loss { ending, fault }) => {
                let end = GameEnd { outcome: Outcome::win(!side), ending };
                return table.finish(end, fault);
            }
        }
    }
}

/// Why the player to move has lost.
struct Loss {
    ending: Ending,
    fault: Option<String>,
}

impl Loss {
    fn forfeit(fault: impl Into<String>) -> Self {
        Self { ending: Ending::Forfeit, fault: Some(fault.into()) }
    }
}

/// A game under way, with clocks.
struct Table<'a> {
    conditions: &'a Conditions,
    game: AnyMatch,
    plies: Vec<AnyPly>,
    clocks: Option<[Clock; 2]>,
    nodes: [u64; 2],
    time: [Duration; 2],
}

impl<'a> Table<'a> {
    fn new(game: AnyMatch, conditions: &'a Conditions) -> Self {
        let clock = conditions.clock.map(|rules| Clock {
            left: Duration::from_millis(rules.main_ms),
            increment: Duration::from_millis(rules.increment_ms),
            moves_to_go: None,
        });
        Self {
            conditions,
            plies: game.played().map(Ply::new).collect(),
            game,
            clocks: clock.map(|clock| [clock; 2]),
            nodes: [0; 2],
            time: [Duration::ZERO; 2],
        }
    }

    /// The end by the rules, draws that only need to be claimed included if the arbiter does so.
    fn end_by_rules(&self) -> Option<GameEnd> {
        let claimed = || {
            let draw = self.game.draw().filter(|_| self.conditions.claim_draws)?;
            Some(GameEnd { outcome: Outcome::DRAW, ending: Ending::Drawn(draw.reason) })
        };
        self.game.end().or_else(claimed)
    }

    /// The player to move makes a move; gives what the player thinks of it.
    fn turn(&mut self, player: &mut AnyPlayer) -> Result<Option<ForMover<Value>>, Loss> {
        let side = self.game.position().side();
        let limits = Limits {
            clock: self.clocks.map(|clocks| clocks[side.index()]),
            ..self.conditions.limits()
        };
        let start = Instant::now();
        let choice = choose(player, &self.game, &limits, self.conditions.margin());
        let spent = start.elapsed();
        self.time[side.index()] += spent;
        let Choice { m, info } = choice?;
        self.nodes[side.index()] += info.nodes;
        self.press_clock(side, spent)?;
        if self.game.play(m).is_err() {
            return Err(Loss::forfeit("chose an illegal move"));
        }
        let value = info.lines.first().map(|line| line.value);
        self.plies.push(Ply {
            // To the millisecond, as files keep it.
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
        let margin = self.conditions.margin();
        let move_time = self.conditions.limits().time;
        let mut in_time = move_time.is_none_or(|time| spent <= time + margin);
        if let Some(clocks) = &mut self.clocks {
            let clock = &mut clocks[side.index()];
            in_time &= spent <= clock.left + margin;
            clock.left = clock.left.saturating_sub(spent) + clock.increment;
        }
        if in_time { Ok(()) } else { Err(Loss { ending: Ending::Time, fault: None }) }
    }

    fn finish(self, end: GameEnd, fault: Option<String>) -> Played {
        let mut record = Record::new(self.game.start().clone());
        record.plies = self.plies;
        record.end = Some(end);
        Played { record, nodes: self.nodes, time: self.time, fault }
    }
}

/// Asks a player for a move; one who does not answer in time is told to stop.
fn choose(
    player: &mut AnyPlayer,
    game: &AnyMatch,
    limits: &Limits,
    margin: Duration,
) -> Result<AnyChoice, Loss> {
    let stop = AtomicBool::new(false);
    let ask = || {
        let mut ignore = |_: &_| {};
        player.choose(game, limits, &mut Control::new(&stop, &mut ignore))
    };
    let time = limits.time.into_iter().chain(limits.clock.map(|clock| clock.left)).min();
    let answer = match time {
        None => catch_panic(ask),
        Some(time) => catch_panic(|| with_alarm(time + margin, &stop, ask)),
    };
    match answer {
        Ok(Ok(choice)) => Ok(choice),
        Ok(Err(PlayerError::Resigned)) => Err(Loss { ending: Ending::Resigned, fault: None }),
        Ok(Err(error)) => Err(Loss::forfeit(error.to_string())),
        Err(panic) => Err(Loss::forfeit(panic)),
    }
}

/// Runs `work`; sets `stop` if that takes longer than `time`.
fn with_alarm<T>(time: Duration, stop: &AtomicBool, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        scope.spawn(move || {
            if waiting.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let result = work();
        drop(done);
        result
    })
}
