use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tablero_jobs::write_beside;
use tablero_learn::{GameData, GamesTask, read_games};

use super::selfplay::Layout;
use super::train::{is_packed, is_table, logs, name};
use crate::args::GameArg;
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero data othello learn-othello positions.csv
  tablero data othello games.jsonl otelo.csv --layout otelo
  tablero data chess games.jsonl games.positions
  tablero data chess games.jsonl --json";

/// Checks a record of games or a learning run's games, and exports them as a table or packed for training.
///
/// Every line's check sum is compared and every game replayed by the rules. A `.csv` file is a table for other
/// programs; a `.positions` file holds all that can be learned from the games in compressed blocks of records of one
/// size, for `tablero train --data`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Data {
    #[command(flatten)]
    game: GameArg,
    /// A record of games (.jsonl) or the folder of a learning run.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write, .csv or .positions; without it, only check.
    #[arg(value_name = "OUT")]
    output: Option<PathBuf>,
    /// How the table looks [default: rows].
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<Layout>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    games: usize,
    plies: u64,
    positions_to_learn: u64,
    first_wins: usize,
    draws: usize,
    second_wins: usize,
}

impl Data {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if let Some(layout) = self.layout {
            layout.check(self.game.game.game())?;
        }
        if let Some(path) = self.output.as_ref().filter(|path| !is_table(path) && !is_packed(path))
        {
            let problem = "a .csv or .positions file is expected";
            return Err(usage(format!("{}: {problem}", path.display())));
        }
        if self.layout.is_some() && self.output.as_ref().is_some_and(|path| is_packed(path)) {
            return Err(usage("--layout is for .csv files"));
        }
        self.check()
    }

    fn check(&self) -> anyhow::Result<()> {
        let game = self.game.game.game();
        let (mut games, mut past) = (Vec::<GameData>::new(), Vec::new());
        for path in logs(&self.input)? {
            let plans = read_games(&path, |game| {
                games.push(game);
                Ok(())
            })?;
            past.extend(plans.iter().map(GamesTask::past));
        }
        for (number, data) in games.iter().enumerate() {
            let replayed = data.replay(game);
            replayed.map_err(|problem| anyhow::anyhow!("game {}: {problem}", number + 1))?;
        }
        if past.is_empty() {
            past.push(format!("games of {}", name(&self.input)));
        }
        match &self.output {
            Some(path) if is_packed(path) => write_beside(path, &self.pack(&games, past)?)?,
            Some(path) => {
                let layout = self.layout.unwrap_or(Layout::Rows);
                write_beside(path, layout.table(game, &games)?.as_bytes())?;
            }
            None => {}
        }
        let count =
            |wanted: i16| games.iter().filter(|game| game.margin.signum() == wanted).count();
        let answer = Answer {
            games: games.len(),
            plies: games.iter().map(|game| game.moves.len() as u64).sum(),
            positions_to_learn: games.iter().map(|game| game.notes.len() as u64).sum(),
            first_wins: count(1),
            draws: count(0),
            second_wins: count(-1),
        };
        if self.json {
            out::json(&answer);
        } else {
            let [first, second] = game.info().sides;
            out::line(format_args!(
                "{} games ({} won by {}, {} drawn, {} won by {}), {} plies, {} positions to learn from",
                answer.games,
                answer.first_wins,
                first,
                answer.draws,
                answer.second_wins,
                second,
                answer.plies,
                answer.positions_to_learn
            ));
        }
        Ok(())
    }

    /// The games as a file of packed positions.
    fn pack(&self, games: &[GameData], past: Vec<String>) -> anyhow::Result<Vec<u8>> {
        let file = self.game.game.learning().pack(games, past).map_err(anyhow::Error::msg);
        file.with_context(|| self.input.display().to_string())
    }
}
