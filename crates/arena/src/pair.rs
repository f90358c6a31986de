//! A pair of games from one opening with colours swapped: the task of matches and tournaments.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tablero_core::{
    AnyGame, AnyPlayer, AnyRecord, BuildResult, Ending, ForFirst, GameEnd, Outcome,
    PlayerLineError, ReadError, Rng, Side, pgn,
};
use tablero_jobs::{CancellationToken, Work, catch_panic};

use crate::{ArenaError, Conditions, PlayerPool, play_game};

/// Builds players of one game from player lines.
#[derive(Clone, Copy)]
pub struct Factory<'a> {
    /// The game.
    pub game: AnyGame,
    /// Builds a player from its line.
    pub make: &'a MakePlayer<'a>,
}

/// Builds a player from its line.
pub type MakePlayer<'a> = dyn Fn(&str) -> BuildResult + Sync + 'a;

/// Two games from one opening, with colours swapped in the second.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PairTask {
    /// The game.
    pub game: String,
    /// The two player lines; the first has the first side in the first game.
    pub players: [String; 2],
    /// The players' names in the records, if not their lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<[String; 2]>,
    /// Indices of the players in the match or tournament.
    pub indices: [usize; 2],
    /// Round, from 1.
    pub round: usize,
    /// The opening as PGN.
    pub opening: String,
    /// Random seed of each game.
    pub seeds: [u64; 2],
    /// The conditions of the games.
    pub conditions: Conditions,
}

/// The two games of a [`PairTask`].
pub type PairOutput = [GameOutput; 2];

/// A finished game as plain data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameOutput {
    /// The game.
    pub text: GameText,
    /// Margin of the first side.
    pub margin: i16,
    /// How the game ended.
    pub ending: String,
    /// Nodes searched by each side.
    pub nodes: [u64; 2],
    /// Thinking time of each side.
    pub seconds: [f64; 2],
    /// Pieces of each side on the final board.
    #[serde(default)]
    pub pieces: [u16; 2],
    /// Why the loser forfeited, if it did.
    pub fault: Option<String>,
}

impl GameOutput {
    /// The outcome.
    pub const fn outcome(&self) -> Outcome {
        Outcome::by_margin(ForFirst(self.margin))
    }

    /// How the game ended.
    pub fn ending(&self) -> Ending {
        Ending::from_text(&self.ending).unwrap_or(Ending::Unknown)
    }

    /// The game.
    pub(crate) fn record(&self, game: AnyGame) -> Result<AnyRecord, ArenaError> {
        let mut record = self.text.record(game).map_err(ArenaError::Record)?;
        // PGN has neither the margin of every game nor every ending.
        record.end = Some(GameEnd { outcome: self.outcome(), ending: self.ending() });
        Ok(record)
    }
}

/// A game: a record in the process that played it, PGN in files and messages. Local matches thus skip
/// writing and parsing.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct GameText(Repr);

#[derive(Clone, Debug)]
enum Repr {
    Record(Box<AnyRecord>),
    Text(String),
}

impl GameText {
    fn new(record: AnyRecord) -> Self {
        Self(Repr::Record(Box::new(record)))
    }

    /// The game; an error if its text is invalid.
    pub fn record(&self, game: AnyGame) -> Result<AnyRecord, ReadError> {
        match &self.0 {
            Repr::Record(record) => Ok((**record).clone()),
            Repr::Text(text) => pgn::read_one(game, text),
        }
    }
}

impl From<String> for GameText {
    fn from(text: String) -> Self {
        Self(Repr::Text(text))
    }
}

impl From<GameText> for String {
    fn from(game: GameText) -> Self {
        match game.0 {
            Repr::Record(record) => pgn::write(&record),
            Repr::Text(text) => text,
        }
    }
}

/// Compares as text.
impl PartialEq for GameText {
    fn eq(&self, other: &Self) -> bool {
        String::from(self.clone()) == String::from(other.clone())
    }
}

/// The work of playing pairs; players are reused from game to game.
pub struct PairWork<'a> {
    factory: Factory<'a>,
    /// Idle players; several threads may play with the same line.
    pool: Arc<PlayerPool>,
    /// Owns its players in the pool.
    user: u64,
}

impl<'a> PairWork<'a> {
    /// Plays with players built by `factory`, idle ones in the [shared pool](PlayerPool::shared).
    pub fn new(factory: Factory<'a>) -> Self {
        Self::with_pool(factory, PlayerPool::shared())
    }

    /// Plays with players built by `factory`, idle ones in `pool`.
    pub fn with_pool(factory: Factory<'a>, pool: Arc<PlayerPool>) -> Self {
        Self { factory, pool, user: PlayerPool::new_user() }
    }

    /// Checks that a player can be built.
    pub(crate) fn check(&self, line: &str) -> Result<(), ArenaError> {
        let player = self.take(line);
        let player = player.map_err(|error| ArenaError::Player { line: line.into(), error })?;
        self.give_back(line, player);
        Ok(())
    }

    fn take(&self, line: &str) -> BuildResult {
        let idle = self.pool.take(self.user, line);
        idle.map_or_else(
            || {
                let built = catch_panic(|| (self.factory.make)(line));
                built.unwrap_or_else(|panic| Err(PlayerLineError::Other(panic)))
            },
            Ok,
        )
    }

    fn give_back(&self, line: &str, player: Box<AnyPlayer>) {
        self.pool.put(self.user, line, player);
    }

    /// Plays game 0 or 1 of a pair; colours are swapped in game 1. `None` after cancellation.
    fn play(
        &self,
        task: &PairTask,
        opening: &AnyRecord,
        game: usize,
        cancel: &CancellationToken,
    ) -> Result<Option<GameOutput>, String> {
        let lines = [0, 1].map(|side| &task.players[side ^ game]);
        let start =
            opening.replay().map_err(|(ply, error)| format!("opening, ply {ply}: {error}"))?;
        let take = |side: usize| {
            let mut player = self.take(lines[side]).map_err(|error| error.to_string())?;
            let seed = Rng::for_stream(task.seeds[game], side as u64).bits();
            catch_panic(|| player.new_game(seed))?;
            Ok::<_, String>(player)
        };
        let (mut first, mut second) = (take(0)?, take(1)?);
        let players = [&mut *first, &mut *second];
        let Some(played) = play_game(start, players, &task.conditions, cancel) else {
            return Ok(None);
        };
        let end = played.record.end.ok_or("a game without an end")?;
        for (player, side) in [first, second].into_iter().zip(Side::BOTH) {
            // A player that forfeited may be broken: the next game gets a new one.
            if end.ending != Ending::Forfeit || end.outcome.winner() == Some(side) {
                self.give_back(lines[side.index()], player);
            }
        }
        let mut record = played.record;
        let names = task.names.as_ref().unwrap_or(&task.players);
        record.players = [0, 1].map(|side| names[side ^ game].clone());
        record.tags.clone_from(&opening.tags);
        record.set_tag("Round", format!("{}.{}", task.round, game + 1));
        if let (Some(fault), Some(last)) = (&played.fault, record.plies.last_mut()) {
            last.comment = format!("the opponent forfeits: {fault}");
        }
        Ok(Some(GameOutput {
            text: GameText::new(record),
            margin: end.outcome.margin().0,
            ending: end.ending.to_string(),
            nodes: played.nodes,
            seconds: played.time.map(|time| time.as_secs_f64()),
            pieces: played.pieces,
            fault: played.fault,
        }))
    }
}

impl Drop for PairWork<'_> {
    fn drop(&mut self) {
        self.pool.remove_user(self.user);
    }
}

impl Work for PairWork<'_> {
    const KIND: &'static str = "pair";
    type Task = PairTask;
    type Output = PairOutput;

    fn run(&self, task: &PairTask) -> Result<PairOutput, String> {
        let output = self.run_until_cancelled(task, &CancellationToken::default())?;
        output.ok_or_else(|| "the game was abandoned".into())
    }

    fn run_until_cancelled(
        &self,
        task: &PairTask,
        cancel: &CancellationToken,
    ) -> Result<Option<PairOutput>, String> {
        let game = self.factory.game;
        if task.game != game.name() {
            return Err(format!("a pair of {} games cannot be played as {game}", task.game));
        }
        let opening = pgn::read_one(game, &task.opening).map_err(|error| error.to_string())?;
        let Some(first) = self.play(task, &opening, 0, cancel)? else { return Ok(None) };
        let second = self.play(task, &opening, 1, cancel)?;
        Ok(second.map(|second| [first, second]))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tablero_core::{
        AnyControl, AnyGameHistory, AnyInfo, AnyPosition, AnySearchResult, ForMover, Limits,
        Player, PlayerError, Pv, Value,
    };
    use tablero_jobs::{
        Batch, CancellationToken, Executor, JobError, Log, OnOutput, Output, Runner, Threads,
        run_json,
    };
    use tablero_othello::Othello;

    use super::*;

    /// Plays and scores at random.
    struct Random(Rng);

    impl Player<AnyPosition> for Random {
        fn choose(
            &mut self,
            game: &AnyGameHistory,
            _: &Limits,
            _: &mut AnyControl<'_>,
        ) -> Result<AnySearchResult, PlayerError> {
            let moves = game.moves();
            let m = moves[self.0.below(moves.len() as u64) as usize];
            let value = ForMover(Value::Centi(self.0.below(2000) as i32 - 1000));
            let lines = vec![Pv { value, moves: vec![m] }];
            Ok(AnySearchResult { m, info: AnyInfo { lines, ..AnyInfo::default() } })
        }

        fn new_game(&mut self, seed: u64) {
            self.0 = Rng::seeded(seed);
        }
    }

    fn work() -> PairWork<'static> {
        let game = AnyGame::of::<Othello>();
        PairWork::new(Factory { game, make: &|_| Ok(Box::new(Random(Rng::seeded(0)))) })
    }

    fn task() -> PairTask {
        PairTask {
            game: "othello".into(),
            players: ["a".into(), "b".into()],
            names: None,
            indices: [0, 1],
            round: 1,
            opening: "1. f5 d6 *".into(),
            seeds: [1, 2],
            conditions: Conditions::default(),
        }
    }

    fn played(runner: &mut Runner<'_>) -> PairOutput {
        let mut outputs = Vec::new();
        let end = runner.run(&work(), &[task()], |_, output| {
            outputs.push(output);
            ControlFlow::Continue(())
        });
        end.unwrap();
        outputs.remove(0)
    }

    fn is_text(game: &GameOutput) -> bool {
        matches!(game.text.0, Repr::Text(_))
    }

    /// Serializes tasks and outputs, like another machine.
    struct Remote;

    impl Executor for Remote {
        fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
            let output = run_json(&work(), &batch.task_json(0)?);
            let _ = done(0, output.map(Output::Json));
            Ok(())
        }
    }

    #[test]
    fn idle_players_are_reused() {
        let builds = AtomicUsize::new(0);
        let make = |_: &str| -> BuildResult {
            builds.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Random(Rng::seeded(0))))
        };
        let pool = Arc::new(PlayerPool::new(4 << 20));
        let factory = Factory { game: AnyGame::of::<Othello>(), make: &make };
        let work = PairWork::with_pool(factory, pool.clone());
        for _ in 0..3 {
            work.run(&task()).unwrap();
        }
        assert_eq!(builds.load(Ordering::Relaxed), 2, "one per line");
        for line in 0..10 {
            work.check(&line.to_string()).unwrap();
        }
        assert_eq!(pool.len(), 4, "those that fit into the pool");
        drop(work);
        assert_eq!(pool.len(), 0);
    }

    #[test]
    fn games_are_serialized_only_outside_the_process() {
        let (threads, stop) = (Threads::all_cores(), CancellationToken::default());
        let local = played(&mut Runner::new(&threads, &stop));
        assert!(!local.iter().any(is_text));
        let remote = played(&mut Runner::new(&Remote, &stop));
        assert!(remote.iter().all(is_text));

        let name = format!("tablero-arena-pair-{}.jsonl", std::process::id());
        let path = std::env::temp_dir().join(name);
        let logged = || {
            let log = Log::open(&path).unwrap();
            played(&mut Runner::new(&threads, &stop).with_log(log))
        };
        assert!(!logged().iter().any(is_text), "only the log has text");
        let read = logged();
        assert!(read.iter().all(is_text));
        std::fs::remove_file(&path).unwrap();

        // Times differ from run to run.
        let record = |game: &GameOutput| {
            let mut record = game.record(AnyGame::of::<Othello>()).unwrap();
            record.plies.iter_mut().for_each(|ply| ply.time = None);
            record
        };
        for other in [remote, read] {
            assert_eq!(other.each_ref().map(record), local.each_ref().map(record));
        }
    }
}
