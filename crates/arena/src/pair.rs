use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tablero_core::{
    AnyGame, AnyPlayer, AnyRecord, Ending, ForFirst, GameEnd, Outcome, ReadError, Rng, Side, pgn,
};
use tablero_jobs::{Work, catch_panic};

use crate::{ArenaError, Conditions, play_game};

/// A game, and the way from a line of text to a player of it.
#[derive(Clone, Copy)]
pub struct Factory<'a> {
    /// The game.
    pub game: AnyGame,
    /// Makes a player, or says what is wrong with its line.
    pub make: &'a MakePlayer<'a>,
}

/// Makes a player from its line, or says what is wrong with it.
pub type MakePlayer<'a> = dyn Fn(&str) -> Result<Box<AnyPlayer>, String> + Sync + 'a;

/// The task of playing two games from one opening, the colours swapped in the second.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PairTask {
    /// Which game.
    pub game: String,
    /// The two players; the first one begins the first game.
    pub players: [String; 2],
    /// What they are called in the games' records, if not by their lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<[String; 2]>,
    /// Their places in the match or tournament.
    pub seats: [usize; 2],
    /// From which round, counted from 1.
    pub round: usize,
    /// The opening: a game as text.
    pub opening: String,
    /// Where the randomness of each game comes from.
    pub seeds: [u64; 2],
    /// How to play.
    pub conditions: Conditions,
}

/// What comes out of a [`PairTask`]: its two games.
pub type PairOutput = [GameOutput; 2];

/// A game as data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameOutput {
    /// The game.
    pub text: GameText,
    /// By how much the first side won.
    pub margin: i16,
    /// What ended it.
    pub ending: String,
    /// Positions that each side looked at.
    pub nodes: [u64; 2],
    /// How long each side thought.
    pub seconds: [f64; 2],
    /// What the loser did wrong, if the game was forfeited.
    pub fault: Option<String>,
}

impl GameOutput {
    /// How it came out.
    pub const fn outcome(&self) -> Outcome {
        Outcome::by_margin(ForFirst(self.margin))
    }

    /// What ended it.
    pub fn ending(&self) -> Ending {
        Ending::from_text(&self.ending).unwrap_or(Ending::Unknown)
    }

    /// The game.
    pub(crate) fn record(&self, game: AnyGame) -> Result<AnyRecord, ArenaError> {
        let mut record = self
            .text
            .record(game)
            .map_err(|error| ArenaError::Config(format!("a game that was played: {error}")))?;
        // Text does not tell the margin of every game, nor every ending.
        record.end = Some(GameEnd { outcome: self.outcome(), ending: self.ending() });
        Ok(record)
    }
}

/// A game that is text in files and on its way between machines, and a record in the process that
/// played it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct GameText(Kept);

#[derive(Clone, Debug)]
enum Kept {
    Record(Box<AnyRecord>),
    Text(String),
}

impl GameText {
    fn of(record: AnyRecord) -> Self {
        Self(Kept::Record(Box::new(record)))
    }

    /// The game; an error if it is a text that cannot be read.
    pub fn record(&self, game: AnyGame) -> Result<AnyRecord, ReadError> {
        match &self.0 {
            Kept::Record(record) => Ok((**record).clone()),
            Kept::Text(text) => pgn::read_one(game, text),
        }
    }
}

impl From<String> for GameText {
    fn from(text: String) -> Self {
        Self(Kept::Text(text))
    }
}

impl From<GameText> for String {
    fn from(game: GameText) -> Self {
        match game.0 {
            Kept::Record(record) => pgn::write(&record),
            Kept::Text(text) => text,
        }
    }
}

/// Equal as text: what a file would hold.
impl PartialEq for GameText {
    fn eq(&self, other: &Self) -> bool {
        String::from(self.clone()) == String::from(other.clone())
    }
}

/// Plays pairs of games.
pub struct PairWork<'a> {
    factory: Factory<'a>,
    idle: Mutex<Vec<Idle>>,
}

/// A player and the line it was made from.
type Idle = (String, Box<AnyPlayer>);

/// Players kept for the next game: some are other programs, which are slow to start, but all of a
/// large tournament would need too much memory.
const IDLE: usize = 16;

impl<'a> PairWork<'a> {
    /// Plays with players from `factory`.
    pub const fn new(factory: Factory<'a>) -> Self {
        Self { factory, idle: Mutex::new(Vec::new()) }
    }

    /// Makes sure that a player can be made.
    pub(crate) fn check(&self, line: &str) -> Result<(), ArenaError> {
        let player = self.take(line);
        let player = player.map_err(|problem| ArenaError::Player { line: line.into(), problem })?;
        self.give_back(line, player);
        Ok(())
    }

    fn take(&self, line: &str) -> Result<Box<AnyPlayer>, String> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        match idle.iter().rposition(|(known, _)| known == line) {
            Some(index) => Ok(idle.remove(index).1),
            None => {
                // Another program may take long to start: let others take theirs meanwhile.
                drop(idle);
                catch_panic(|| (self.factory.make)(line)).unwrap_or_else(Err)
            }
        }
    }

    fn give_back(&self, line: &str, player: Box<AnyPlayer>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((line.into(), player));
        let oldest = (idle.len() > IDLE).then(|| idle.remove(0));
        drop(idle);
        // Ending another program may take long, too.
        drop(oldest);
    }

    /// Plays one game of a pair: game 0, or game 1 with colours swapped.
    fn play(
        &self,
        task: &PairTask,
        opening: &AnyRecord,
        game: usize,
    ) -> Result<GameOutput, String> {
        let lines = [0, 1].map(|side| &task.players[side ^ game]);
        let start =
            opening.replay().map_err(|(ply, error)| format!("opening, ply {ply}: {error}"))?;
        let sit = |side: usize| {
            let mut player = self.take(lines[side])?;
            let seed = Rng::for_part(task.seeds[game], side as u64).bits();
            catch_panic(|| player.new_game(seed))?;
            Ok::<_, String>(player)
        };
        let (mut first, mut second) = (sit(0)?, sit(1)?);
        let played = play_game(start, [&mut *first, &mut *second], &task.conditions);
        let end = played.record.end.ok_or("a game without an end")?;
        for (player, side) in [first, second].into_iter().zip(Side::BOTH) {
            // Who forfeited may be broken; the next game starts with a new one.
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
            last.comment = format!("then the other side forfeited: {fault}");
        }
        Ok(GameOutput {
            text: GameText::of(record),
            margin: end.outcome.margin().0,
            ending: end.ending.to_string(),
            nodes: played.nodes,
            seconds: played.time.map(|time| time.as_secs_f64()),
            fault: played.fault,
        })
    }
}

impl Work for PairWork<'_> {
    const KIND: &'static str = "pair";
    type Task = PairTask;
    type Output = PairOutput;

    fn run(&self, task: &PairTask) -> Result<PairOutput, String> {
        let game = self.factory.game;
        if task.game != game.name() {
            return Err(format!("a pair of {} games cannot be played as {game}", task.game));
        }
        let opening = pgn::read_one(game, &task.opening).map_err(|error| error.to_string())?;
        Ok([self.play(task, &opening, 0)?, self.play(task, &opening, 1)?])
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use tablero_core::{
        AnyChoice, AnyControl, AnyInfo, AnyMatch, AnyPosition, ForMover, Limits, Line, Player,
        PlayerError, Value,
    };
    use tablero_jobs::{
        Batch, Executor, JobError, Log, OnOutput, Output, Runner, Stop, Threads, run_text,
    };
    use tablero_othello::Othello;

    use super::*;

    /// Plays at random, and thinks something of it.
    struct Random(Rng);

    impl Player<AnyPosition> for Random {
        fn choose(
            &mut self,
            game: &AnyMatch,
            _: &Limits,
            _: &mut AnyControl<'_>,
        ) -> Result<AnyChoice, PlayerError> {
            let moves = game.moves();
            let m = moves[self.0.below(moves.len() as u64) as usize];
            let value = ForMover(Value::Hundredths(self.0.below(2000) as i32 - 1000));
            let lines = vec![Line { value, moves: vec![m] }];
            Ok(AnyChoice { m, info: AnyInfo { lines, ..AnyInfo::default() } })
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
            seats: [0, 1],
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
        matches!(game.text.0, Kept::Text(_))
    }

    /// Like another machine: takes text and gives text.
    struct Elsewhere;

    impl Executor for Elsewhere {
        fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
            let output = run_text(&work(), &batch.text(0)?);
            let _ = done(0, output.map(Output::Text));
            Ok(())
        }
    }

    #[test]
    fn a_game_is_text_only_where_it_leaves_the_process() {
        let (threads, stop) = (Threads::all_cores(), Stop::default());
        let here = played(&mut Runner::new(&threads, &stop));
        assert!(!here.iter().any(is_text));
        let elsewhere = played(&mut Runner::new(&Elsewhere, &stop));
        assert!(elsewhere.iter().all(is_text));

        let name = format!("tablero-arena-pair-{}.jsonl", std::process::id());
        let path = std::env::temp_dir().join(name);
        let logged = || {
            let log = Log::open(&path).unwrap();
            played(&mut Runner::new(&threads, &stop).with_log(log))
        };
        assert!(!logged().iter().any(is_text), "the log gets the text");
        let read = logged();
        assert!(read.iter().all(is_text));
        std::fs::remove_file(&path).unwrap();

        // Times differ from run to run.
        let record = |game: &GameOutput| {
            let mut record = game.record(AnyGame::of::<Othello>()).unwrap();
            record.plies.iter_mut().for_each(|ply| ply.time = None);
            record
        };
        for other in [elsewhere, read] {
            assert_eq!(other.each_ref().map(record), here.each_ref().map(record));
        }
    }
}
