use clap::Args;
use tablero_arena::{Factory, Table, TournamentConfig, TournamentResult, run_tournament_job};
use tablero_core::AnyGame;
use tablero_jobs::Job;

use crate::args::{Entry, GameArg};
use crate::out::{self, usage};
use crate::series::{RunningArgs, SeriesArgs, Spectator, player_maker, stop_on_interrupt};

const EXAMPLES: &str = "Examples:
  tablero tournament othello random greedy \"level easy\" \"level hard\" --games 20
  tablero tournament chess \"level 1\" \"level 2\" \"level 3\" --games 100 --out games.pgn";

/// Everyone plays everyone: a crosstable and ratings with errors (95 %), their mean being 0.
///
/// Beside them runs a rating that starts at 400 and moves by at most 20 with every game (`run`).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tournament {
    #[command(flatten)]
    game: GameArg,
    /// Player lines, at least two.
    #[arg(value_name = "PLAYER", required = true, num_args = 2..)]
    players: Vec<String>,
    #[command(flatten)]
    series: SeriesArgs,
}

impl Tournament {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let entry = self.game.game;
        let series = self.series.series(entry)?;
        let make_player = player_maker(entry, series.conditions.bound_every_move());
        for line in &self.players {
            make_player(line).map_err(usage)?;
        }
        let config = TournamentConfig { players: self.players, series };
        let spectator = self.series.spectator(entry.game())?;
        let job = config.create_job(&self.series.running.store()?)?;
        run(job, entry, &self.series.running, spectator)
    }
}

/// Plays the tournament of a job, or goes on with it.
pub(crate) fn run(
    job: Job,
    entry: Entry,
    running: &RunningArgs,
    mut spectator: Spectator,
) -> anyhow::Result<()> {
    let (id, config): (String, TournamentConfig) = (job.id().into(), job.config()?);
    let make = player_maker(entry, config.series.conditions.bound_every_move());
    let factory = Factory { game: entry.game(), make: &make };
    let stop = stop_on_interrupt()?;
    let executor = running.executor(&job)?;
    let result = run_tournament_job(job, factory, &*executor, &stop, &mut spectator)?;
    spectator.finish();
    if running.json {
        out::json(&result.summary());
    } else {
        print(entry.game(), &result);
    }
    match result.is_stopped {
        true => Err(running.stopped(&id, spectator.games_file())),
        false => Ok(()),
    }
}

fn print(game: AnyGame, result: &TournamentResult) {
    print_table(&result.crosstable());
    if let (Some(unit), Some(total)) = (game.info().margin, game.margin_total()) {
        out::line(format_args!("\n{unit}, the row's player first:"));
        print_table(&result.score_table(total));
    }
    for fault in &result.faults {
        let player = &result.players[fault.player];
        out::line(format_args!("{player}: {} ({} games)", fault.what, fault.games));
    }
}

fn print_table(table: &Table) {
    out::raw(table);
}
