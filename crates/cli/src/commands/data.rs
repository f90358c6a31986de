use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use tablero_catalog::{Catalogued, GameName, for_game};
use tablero_jobs::write_beside;
use tablero_learn::{GameData, read_games};

use super::selfplay::{Layout, table};
use super::train::logs;
use crate::args::GameArg;
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero data othello learn-othello positions.csv
  tablero data othello games.jsonl otelo.csv --layout otelo
  tablero data chess games.jsonl --json";

/// Checks a record of games or a learning run's games, and exports them as a table.
///
/// Every line's check sum is compared and every game replayed by the rules.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Data {
    #[command(flatten)]
    game: GameArg,
    /// A record of games (.jsonl) or the folder of a learning run.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The table to write, .csv; without it, only check.
    #[arg(value_name = "OUT")]
    output: Option<PathBuf>,
    /// How the table looks.
    #[arg(long, value_name = "LAYOUT", default_value = "rows")]
    layout: Layout,
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
        if self.layout == Layout::Otelo && self.game.game != GameName::Othello {
            return Err(usage("the layout of Otelo is for othello only"));
        }
        if self.output.as_ref().is_some_and(|path| path.extension().is_none_or(|e| e != "csv")) {
            return Err(usage("the table is a .csv file"));
        }
        for_game!(self.game.game, G => self.check::<G>())
    }

    fn check<G: Catalogued>(&self) -> anyhow::Result<()> {
        let mut games: Vec<GameData> = Vec::new();
        for path in logs(&self.input)? {
            read_games(&path, |game| {
                games.push(game);
                Ok(())
            })?;
        }
        for (number, game) in games.iter().enumerate() {
            let replayed = game.replay::<G>();
            replayed.map_err(|problem| anyhow::anyhow!("game {}: {problem}", number + 1))?;
        }
        if let Some(output) = &self.output {
            write_beside(output, table::<G>(&games, self.layout)?.as_bytes())?;
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
            out::line(format_args!(
                "{} games ({} won by {}, {} drawn, {} won by {}), {} plies, {} positions to learn from",
                answer.games,
                answer.first_wins,
                G::SIDES[0],
                answer.draws,
                answer.second_wins,
                G::SIDES[1],
                answer.plies,
                answer.positions_to_learn
            ));
        }
        Ok(())
    }
}
