use clap::Args;
use tablero_arena::{Factory, TextTable, TournamentConfig, TournamentResult, run_tournament_job};
use tablero_core::AnyGame;
use tablero_jobs::Job;

use crate::args::{Entry, GameArg};
use crate::job_args::{JobArgs, cancel_on_interrupt};
use crate::match_args::{MatchArgs, MatchReporter, player_maker};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero tournament othello random greedy \"level easy\" \"level hard\" --games 20
  tablero tournament chess \"level 1\" \"level 2\" \"level 3\" --games 100 --out games.pgn";

/// Play a round-robin tournament.
///
/// Prints a crosstable and Elo ratings with 95 % error margins, centred on 0. The column `run` is an
/// incremental Elo rating (K = 20, starting at 400).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tournament {
    #[command(flatten)]
    game: GameArg,
    /// Players, at least two (see `tablero players`).
    #[arg(value_name = "PLAYER", required = true, num_args = 2..)]
    players: Vec<String>,
    /// Count empty squares for the winner in the table of discs, instead of the discs on the board.
    #[arg(long)]
    full_board: bool,
    #[command(flatten)]
    args: MatchArgs,
}

impl Tournament {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let entry = self.game.game;
        let settings = self.args.settings(entry)?;
        let make_player = player_maker(entry, settings.conditions.limit_every_move());
        for line in &self.players {
            make_player(line).map_err(usage)?;
        }
        let config = TournamentConfig { players: self.players, settings };
        let reporter = self.args.reporter(entry.game())?;
        let job = config.create_job(&self.args.job.store()?)?;
        run(job, entry, &self.args.job, reporter, self.full_board)
    }
}

/// Starts or resumes the tournament of a job.
pub(crate) fn run(
    job: Job,
    entry: Entry,
    args: &JobArgs,
    mut reporter: MatchReporter,
    full_board: bool,
) -> anyhow::Result<()> {
    let (id, config): (String, TournamentConfig) = (job.id().into(), job.config()?);
    let make = player_maker(entry, config.settings.conditions.limit_every_move());
    let factory = Factory { game: entry.game(), make: &make };
    reporter.record_file(&job)?;
    let cancel = cancel_on_interrupt()?;
    let executor = args.executor(&job)?;
    let result = run_tournament_job(job, factory, &*executor, &cancel, &mut reporter)?;
    reporter.finish();
    if args.json {
        out::json(&result.summary());
    } else {
        print(entry.game(), &result, full_board);
    }
    match result.is_cancelled {
        true => Err(args.interrupted(&id, reporter.games_file())),
        false => Ok(()),
    }
}

fn print(game: AnyGame, result: &TournamentResult, full_board: bool) {
    print_table(&result.crosstable());
    if let (Some(unit), Some(total)) = (game.info().margin, game.margin_total()) {
        out::line(format_args!("\n{unit} of the row's player first:"));
        print_table(&result.score_table(full_board.then_some(total)));
    }
    for fault in &result.faults {
        let player = &result.players[fault.player];
        out::line(format_args!("{player}: {} ({} games)", fault.reason, fault.games));
    }
}

fn print_table(table: &TextTable) {
    out::raw(table);
}
