//! Games between genomes, as tasks.

use serde::{Deserialize, Serialize};
use tablero_arena::{Conditions, play_game};
use tablero_core::{AnyMatch, AnyPlayer, Rng, pgn};
use tablero_jobs::Work;

use crate::EvolutionGame;

/// Who plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contestant {
    /// A genome of the task's kind.
    Genome(Vec<f64>),
    /// Anybody, by a player line.
    Line(String),
}

/// The task of playing one or two games from an opening.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MeetingTask {
    /// Which game.
    pub game: String,
    /// By which rules.
    pub rules: Option<String>,
    /// The kind of the genomes.
    pub kind: String,
    /// How genomes play.
    pub player: String,
    /// The two; the first begins the first game.
    pub contestants: [Contestant; 2],
    /// The opening, a game as text; empty for the start.
    pub opening: String,
    /// Play a second game with colours swapped.
    pub both_colours: bool,
    /// A game is drawn after so many plies.
    pub max_plies: Option<usize>,
    /// Where whatever is random comes from.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MeetingOutput {
    /// By how much the first contestant won each game.
    pub margins: Vec<i16>,
    /// Positions looked at.
    pub nodes: u64,
}

/// Plays meetings.
#[derive(Clone, Copy)]
pub struct MeetingWork<'a> {
    /// Which game, and its players.
    pub game: &'a dyn EvolutionGame,
}

impl MeetingOutput {
    /// The points of the first contestant: 1 for a win, 1/2 for a draw.
    pub fn points(&self) -> f64 {
        self.margins.iter().map(|margin| f64::from(1 + margin.signum()) / 2.0).sum()
    }
}

impl Work for MeetingWork<'_> {
    const KIND: &'static str = "meeting";
    type Task = MeetingTask;
    type Output = MeetingOutput;

    fn run(&self, task: &MeetingTask) -> Result<MeetingOutput, String> {
        let start = self.opening(task)?;
        let (mut first, mut second) = (self.make_player(task, 0)?, self.make_player(task, 1)?);
        let conditions =
            Conditions { max_plies: task.max_plies, keep_times: false, ..Conditions::default() };
        let mut output = MeetingOutput { margins: Vec::new(), nodes: 0 };
        for game in 0..1 + u64::from(task.both_colours) {
            first.new_game(Rng::for_part(task.seed, 2 * game).bits());
            second.new_game(Rng::for_part(task.seed, 2 * game + 1).bits());
            let swapped = game == 1;
            let seats: [&mut AnyPlayer; 2] =
                if swapped { [&mut *second, &mut *first] } else { [&mut *first, &mut *second] };
            let played = play_game(start.clone(), seats, &conditions);
            if let Some(fault) = played.fault {
                return Err(format!("a player failed: {fault}"));
            }
            let end = played.record.end.ok_or("a game without an end")?;
            let margin = end.outcome.margin().0;
            output.margins.push(if swapped { -margin } else { margin });
            output.nodes += played.nodes.iter().sum::<u64>();
        }
        Ok(output)
    }
}

impl MeetingWork<'_> {
    fn opening(&self, task: &MeetingTask) -> Result<AnyMatch, String> {
        let game = self.game.game();
        if task.game != game.name() {
            return Err(format!("a meeting of {} cannot be played as {game}", task.game));
        }
        if task.opening.is_empty() {
            let rules = game.rules_or_default(task.rules.as_deref());
            return Ok(AnyMatch::new(rules.map_err(|error| error.to_string())?.start()));
        }
        let record = pgn::read_one(game, &task.opening).map_err(|error| error.to_string())?;
        record.replay().map_err(|(ply, error)| format!("opening, ply {ply}: {error}"))
    }

    fn make_player(&self, task: &MeetingTask, seat: usize) -> Result<Box<AnyPlayer>, String> {
        match &task.contestants[seat] {
            Contestant::Line(line) => self.game.player(line),
            Contestant::Genome(genome) => self.game.genome_player(&task.kind, genome, &task.player),
        }
    }
}
