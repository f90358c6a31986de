use clap::Args;
use tablero_arena::stats::Sprt;
use tablero_arena::{Factory, MatchConfig, MatchEnd, MatchResult, run_match_job};
use tablero_jobs::Job;

use crate::args::{Entry, GameArg};
use crate::job_args::{JobArgs, cancel_on_interrupt};
use crate::match_args::{MatchArgs, MatchReporter, player_maker};
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero match othello \"alphabeta depth=4 eval=jma\" \"level hard\" --games 200
  tablero match chess \"alphabeta time=100ms\" \"uci /usr/games/stockfish elo=1700 time=100ms\"
  tablero match shobu \"mcts iterations=1000\" \"alphabeta depth=3\" --sprt 0,20 --games 2000
  tablero match othello random greedy --games 10 --out games.ggf --json";

/// Play a match between two players.
///
/// Every opening is played twice, with colours swapped. Reports wins, draws and losses of the first
/// player and the Elo difference with its 95 % error margin. Ctrl-C abandons the running games; `tablero
/// jobs resume` continues the match.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Match {
    #[command(flatten)]
    game: GameArg,
    /// First player; the result is from its point of view (see `tablero players`).
    #[arg(value_name = "PLAYER")]
    first: String,
    /// Second player.
    #[arg(value_name = "PLAYER")]
    second: String,
    /// Stop early by a sequential probability ratio test of E1 against E0 Elo (error rates 5 %).
    #[arg(long, value_name = "E0,E1", allow_hyphen_values = true, help_heading = "Games")]
    sprt: Option<Sprt>,
    #[command(flatten)]
    args: MatchArgs,
}

impl Match {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let entry = self.game.game;
        let players = [self.first, self.second];
        let settings = self.args.settings(entry)?;
        let make_player = player_maker(entry, settings.conditions.limit_every_move());
        for line in &players {
            make_player(line).map_err(out::usage)?;
        }
        let config = MatchConfig { players, settings, sprt: self.sprt };
        let reporter = self.args.reporter(entry.game())?;
        let job = config.create_job(&self.args.job.store()?)?;
        run(job, entry, &self.args.job, reporter)
    }
}

/// Starts or resumes the match of a job.
pub(crate) fn run(
    job: Job,
    entry: Entry,
    args: &JobArgs,
    mut reporter: MatchReporter,
) -> anyhow::Result<()> {
    let (id, config): (String, MatchConfig) = (job.id().into(), job.config()?);
    let make = player_maker(entry, config.settings.conditions.limit_every_move());
    let factory = Factory { game: entry.game(), make: &make };
    reporter.record_file(&job)?;
    let cancel = cancel_on_interrupt()?;
    let executor = args.executor(&job)?;
    let result = run_match_job(job, factory, &*executor, &cancel, &mut reporter)?;
    reporter.finish();
    if args.json {
        out::json(&result.summary);
    } else {
        print(entry.game().info().sides, &config, &result);
    }
    match result.end == MatchEnd::Cancelled {
        true => Err(args.interrupted(&id, reporter.games_file())),
        false => Ok(()),
    }
}

fn print(sides: [&str; 2], config: &MatchConfig, result: &MatchResult) {
    let bold = anstyle::Style::new().bold();
    let (summary, [first, second]) = (&result.summary, &config.players);
    out::line(format_args!("{bold}{first}{bold:#} against {bold}{second}{bold:#}"));
    let percent = summary.score.unwrap_or(0.5) * 100.0;
    out::line(format_args!(
        "{} games: {} won, {} drawn, {} lost, {percent:.1} %",
        summary.games, summary.wins, summary.draws, summary.losses
    ));
    for (side, [won, drawn, lost]) in sides.into_iter().zip([summary.as_first, summary.as_second]) {
        out::line(format_args!("as {side}: {won} won, {drawn} drawn, {lost} lost"));
    }
    let ([first_side, second_side], [first_won, drawn, second_won]) = (sides, summary.by_side);
    out::line(format_args!(
        "by side: {first_side} won {first_won}, {second_side} won {second_won}, {drawn} drawn"
    ));
    match (summary.elo, summary.elo_error) {
        (Some(elo), Some(error)) => {
            out::line(format_args!("Elo {elo:+.1} ± {error:.1}, LOS {:.1} %", summary.los * 100.0));
        }
        (Some(elo), None) => {
            out::line(format_args!("Elo {elo:+.1}, error unknown: too few games"));
        }
        _ => out::line("Elo unknown: one player won every game"),
    }
    let [ll, ld, dd, wd, ww] = summary.pentanomial.0;
    out::line(format_args!(
        "pentanomial (pairs with 0, ½, 1, 1½, 2 points): {ll} {ld} {dd} {wd} {ww}"
    ));
    if let Some(margin) = summary.first_margin_mean {
        out::line(format_args!("mean margin {margin:+.2}"));
    }
    out::line(format_args!("nodes/s {:.0} and {:.0}", summary.nps[0], summary.nps[1]));
    if let (Some(llr), Some(sprt)) = (summary.llr, &config.sprt) {
        let [low, high] = sprt.bounds();
        out::line(format_args!(
            "SPRT [{}, {}]: LLR {llr:+.2}, bounds [{low:.2}, {high:.2}]",
            sprt.elo0, sprt.elo1
        ));
    }
    for fault in &result.faults {
        out::line(format_args!(
            "{}: {} ({} games)",
            config.players[fault.player], fault.reason, fault.games
        ));
    }
    out::line(result.end);
}
