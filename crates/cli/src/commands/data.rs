use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tablero_learn::supervised::{file_name, game_logs, is_board_table, is_packed};
use tablero_learn::{GameData, SelfPlayTask, read_games};

use super::selfplay::Layout;
use crate::args::GameArg;
use crate::out::{self, usage};
use crate::output_file::ForceArg;

const EXAMPLES: &str = "Examples:
  tablero data othello learn-othello positions.csv
  tablero data othello games.jsonl otelo.csv --layout otelo
  tablero data chess games.jsonl games.positions
  tablero data chess games.jsonl --json";

/// Validate recorded games and export them for training.
///
/// Verifies the checksum of every line and replays every game. A .csv file is a table for other programs; a
/// .positions file holds all training targets as compressed fixed-size records, for `tablero train --data`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Data {
    #[command(flatten)]
    game: GameArg,
    /// Recorded games (.jsonl) or the directory of a training run.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Output file, .csv or .positions [default: only validate].
    #[arg(value_name = "OUT")]
    output: Option<PathBuf>,
    /// Layout of a .csv file [default: rows].
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<Layout>,
    #[command(flatten)]
    force: ForceArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    games: usize,
    plies: u64,
    training_positions: u64,
    first_wins: usize,
    draws: usize,
    second_wins: usize,
}

impl Data {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if let Some(layout) = self.layout {
            layout.check(self.game.game.game())?;
        }
        if let Some(path) =
            self.output.as_ref().filter(|path| !is_board_table(path) && !is_packed(path))
        {
            let problem = "expected a .csv or .positions file";
            return Err(usage(format!("{}: {problem}", path.display())));
        }
        if self.layout.is_some() && self.output.as_ref().is_some_and(|path| is_packed(path)) {
            return Err(usage("--layout is for .csv files"));
        }
        self.output.iter().try_for_each(|path| self.force.check(path))?;
        self.check()
    }

    fn check(&self) -> anyhow::Result<()> {
        let game = self.game.game.game();
        let (mut games, mut provenance) = (Vec::<GameData>::new(), Vec::new());
        for path in game_logs(&self.input)? {
            let plans = read_games(&path, |game| {
                games.push(game);
                Ok(())
            })?;
            provenance.extend(plans.iter().map(SelfPlayTask::provenance));
        }
        for (number, data) in games.iter().enumerate() {
            let replayed = data.replay(game);
            replayed.map_err(|problem| anyhow::anyhow!("game {}: {problem}", number + 1))?;
        }
        if provenance.is_empty() {
            provenance.push(format!("games of {}", file_name(&self.input)));
        }
        match &self.output {
            Some(path) if is_packed(path) => {
                self.force.write(path, &self.pack(&games, provenance)?)?;
            }
            Some(path) => {
                let layout = self.layout.unwrap_or(Layout::Rows);
                self.force.write(path, layout.table(game, &games)?.as_bytes())?;
            }
            None => {}
        }
        let count =
            |wanted: i16| games.iter().filter(|game| game.margin.signum() == wanted).count();
        let answer = Answer {
            games: games.len(),
            plies: games.iter().map(|game| game.moves.len() as u64).sum(),
            training_positions: games.iter().map(|game| game.targets.len() as u64).sum(),
            first_wins: count(1),
            draws: count(0),
            second_wins: count(-1),
        };
        if self.json {
            out::json(&answer);
        } else {
            let [first, second] = game.info().sides;
            out::line(format_args!(
                "{} games ({} won by {}, {} drawn, {} won by {}), {} plies, {} training positions",
                answer.games,
                answer.first_wins,
                first,
                answer.draws,
                answer.second_wins,
                second,
                answer.plies,
                answer.training_positions
            ));
        }
        Ok(())
    }

    fn pack(&self, games: &[GameData], provenance: Vec<String>) -> anyhow::Result<Vec<u8>> {
        let file = self.game.game.learning().pack(games, provenance).map_err(anyhow::Error::msg);
        file.with_context(|| self.input.display().to_string())
    }
}
