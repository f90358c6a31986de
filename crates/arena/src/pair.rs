use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tablero_core::{Ending, ForFirst, GameEnd, Notation, Outcome, Player, Record, Rng, Side, pgn};
use tablero_jobs::{Work, catch_panic};

use crate::{ArenaError, Conditions, play_game};

/// Makes a player from its line of text, or says what is wrong with it.
pub type Factory<'a, G> = dyn Fn(&str) -> Result<Box<dyn Player<G>>, String> + Sync + 'a;

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
    /// The game as text.
    pub text: String,
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
    pub(crate) fn record<G: Notation>(&self) -> Result<Record<G>, ArenaError> {
        let mut record = pgn::read_one::<G>(&self.text)
            .map_err(|error| ArenaError::Config(format!("a game that was played: {error}")))?;
        // Text does not tell the margin of every game, nor every ending.
        record.end = Some(GameEnd { outcome: self.outcome(), ending: self.ending() });
        Ok(record)
    }
}

/// Plays pairs of games.
pub struct PairWork<'a, G: Notation> {
    factory: &'a Factory<'a, G>,
    idle: Mutex<Vec<Idle<G>>>,
}

/// A player and the line it was made from.
type Idle<G> = (String, Box<dyn Player<G>>);

/// Players kept for the next game: some are other programs, which are slow to start, but all of a
/// large tournament would need too much memory.
const IDLE: usize = 16;

impl<'a, G: Notation> PairWork<'a, G> {
    /// Plays with players from `factory`.
    pub const fn new(factory: &'a Factory<'a, G>) -> Self {
        Self { factory, idle: Mutex::new(Vec::new()) }
    }

    /// Makes sure that a player can be made.
    pub(crate) fn check(&self, line: &str) -> Result<(), ArenaError> {
        let player = self.take(line);
        let player = player.map_err(|problem| ArenaError::Player { line: line.into(), problem })?;
        self.give_back(line, player);
        Ok(())
    }

    fn take(&self, line: &str) -> Result<Box<dyn Player<G>>, String> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        match idle.iter().rposition(|(known, _)| known == line) {
            Some(index) => Ok(idle.remove(index).1),
            None => {
                // Another program may take long to start: let others take theirs meanwhile.
                drop(idle);
                catch_panic(|| (self.factory)(line)).unwrap_or_else(Err)
            }
        }
    }

    fn give_back(&self, line: &str, player: Box<dyn Player<G>>) {
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
        opening: &Record<G>,
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
            text: pgn::write(&record),
            margin: end.outcome.margin().0,
            ending: end.ending.to_string(),
            nodes: played.nodes,
            seconds: played.time.map(|time| time.as_secs_f64()),
            fault: played.fault,
        })
    }
}

impl<G: Notation> Work for PairWork<'_, G> {
    const KIND: &'static str = "pair";
    type Task = PairTask;
    type Output = PairOutput;

    fn run(&self, task: &PairTask) -> Result<PairOutput, String> {
        if task.game != G::NAME {
            return Err(format!("a pair of {} games cannot be played as {}", task.game, G::NAME));
        }
        let opening = pgn::read_one::<G>(&task.opening).map_err(|error| error.to_string())?;
        Ok([self.play(task, &opening, 0)?, self.play(task, &opening, 1)?])
    }
}
