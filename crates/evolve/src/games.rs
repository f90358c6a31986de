//! The tasks of fitness evaluation: games between genomes and fixed opponents.

use serde::{Deserialize, Serialize};
use tablero_arena::{Conditions, play_game};
use tablero_core::{AnyGameHistory, AnyPlayer, Rng, pgn};
use tablero_jobs::{CancellationToken, Work};

use crate::EvolutionGame;

/// A player of a fitness game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contestant {
    /// A genome of the task's kind.
    Genome(Vec<f64>),
    /// A fixed opponent, by its player line.
    Line(String),
}

/// One or two games from an opening.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FitnessTask {
    /// The game.
    pub game: String,
    /// The rules; the game's default if none.
    pub rules: Option<String>,
    /// The genome kind.
    pub kind: String,
    /// The search that uses a genome as its evaluation.
    pub player: String,
    /// The contestants; the first has the first side in the first game.
    pub contestants: [Contestant; 2],
    /// The opening as PGN; empty for the start position.
    pub opening: String,
    /// Play a second game with colours swapped.
    pub both_colours: bool,
    /// A game of this many plies is drawn.
    pub max_plies: Option<usize>,
    /// The random seed.
    pub seed: u64,
}

/// The results of a [`FitnessTask`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FitnessOutput {
    /// Margin of the first contestant in each game.
    pub margins: Vec<i16>,
    /// Pieces of the first and of the second contestant at the end of each game.
    #[serde(default)]
    pub pieces: Vec<[u16; 2]>,
    /// Nodes searched.
    pub nodes: u64,
}

/// Plays fitness games.
#[derive(Clone, Copy)]
pub struct FitnessWork<'a> {
    /// Builds the players.
    pub game: &'a dyn EvolutionGame,
}

impl FitnessOutput {
    /// The points of the first contestant: 1 for a win, 1/2 for a draw.
    pub fn points(&self) -> f64 {
        self.margins.iter().map(|margin| f64::from(1 + margin.signum()) / 2.0).sum()
    }
}

impl Work for FitnessWork<'_> {
    const KIND: &'static str = "fitness";
    type Task = FitnessTask;
    type Output = FitnessOutput;

    fn run(&self, task: &FitnessTask) -> Result<FitnessOutput, String> {
        let output = self.run_until_cancelled(task, &CancellationToken::default())?;
        output.ok_or_else(|| "the game was abandoned".into())
    }

    fn run_until_cancelled(
        &self,
        task: &FitnessTask,
        cancel: &CancellationToken,
    ) -> Result<Option<FitnessOutput>, String> {
        let start = self.opening(task)?;
        let (mut first, mut second) = (self.make_player(task, 0)?, self.make_player(task, 1)?);
        let conditions =
            Conditions { max_plies: task.max_plies, keep_times: false, ..Conditions::default() };
        let mut output = FitnessOutput { margins: Vec::new(), pieces: Vec::new(), nodes: 0 };
        for game in 0..1 + u64::from(task.both_colours) {
            first.new_game(Rng::for_stream(task.seed, 2 * game).bits());
            second.new_game(Rng::for_stream(task.seed, 2 * game + 1).bits());
            let swapped = game == 1;
            let players: [&mut AnyPlayer; 2] =
                if swapped { [&mut *second, &mut *first] } else { [&mut *first, &mut *second] };
            let Some(played) = play_game(start.clone(), players, &conditions, cancel) else {
                return Ok(None);
            };
            if let Some(fault) = played.fault {
                return Err(format!("a player failed: {fault}"));
            }
            let end = played.record.end.ok_or("a game without an end")?;
            let margin = end.outcome.margin().0;
            output.margins.push(if swapped { -margin } else { margin });
            let [first, second] = played.pieces;
            output.pieces.push(if swapped { [second, first] } else { [first, second] });
            output.nodes += played.nodes.iter().sum::<u64>();
        }
        Ok(Some(output))
    }
}

impl FitnessWork<'_> {
    fn opening(&self, task: &FitnessTask) -> Result<AnyGameHistory, String> {
        let game = self.game.game();
        if task.game != game.name() {
            return Err(format!("a game of {} cannot be played as {game}", task.game));
        }
        if task.opening.is_empty() {
            let rules = game.rules_or_default(task.rules.as_deref());
            return Ok(AnyGameHistory::new(rules.map_err(|error| error.to_string())?.start()));
        }
        let record = pgn::read_one(game, &task.opening).map_err(|error| error.to_string())?;
        record.replay().map_err(|(ply, error)| format!("opening, ply {ply}: {error}"))
    }

    fn make_player(&self, task: &FitnessTask, index: usize) -> Result<Box<AnyPlayer>, String> {
        let player = match &task.contestants[index] {
            Contestant::Line(line) => self.game.player(line),
            Contestant::Genome(genome) => self.game.genome_player(&task.kind, genome, &task.player),
        };
        player.map_err(|error| error.to_string())
    }
}
