use clap::Args;
use tablero_arena::stats::Sprt;
use tablero_arena::{Factory, MatchConfig, MatchEnd, MatchResult, run_match_job};
use tablero_jobs::Job;

use crate::args::{Entry, GameArg};
use crate::out;
use crate::series::{RunningArgs, SeriesArgs, Spectator, player_maker, stop_on_interrupt};

const EXAMPLES: &str = "Examples:
  tablero match othello \"alphabeta depth=4 eval=jma\" \"level hard\" --games 200
  tablero match chess \"alphabeta time=100ms\" \"uci /usr/games/stockfish elo=1700 time=100ms\"
  tablero match shobu \"mcts iterations=1000\" \"alphabeta depth=3\" --sprt 0,20 --games 2000
  tablero match othello random greedy --games 10 --out games.ggf --json";

/// Plays two players against each other, from openings that each of them gets with both colours.
///
/// Prints wins, draws and losses of the first named player, and the difference in Elo with its
/// error (95 %). Ctrl-C finishes the games under way; the match can then be resumed.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Match {
    #[command(flatten)]
    game: GameArg,
    /// The player whose wins are counted.
    #[arg(value_name = "PLAYER")]
    first: String,
    /// The other player.
    #[arg(value_name = "PLAYER")]
    second: String,
    /// Stop as soon as a difference of E0 or of E1 Elo is proven (5 % errors).
    #[arg(long, value_name = "E0,E1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    #[command(flatten)]
    series: SeriesArgs,
}

impl Match {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let entry = self.game.game;
        let players = [self.first, self.second];
        let series = self.series.series(entry)?;
        let make_player = player_maker(entry, series.conditions.bound_every_move());
        for line in &players {
            make_player(line).map_err(out::usage)?;
        }
        let config = MatchConfig { players, series, sprt: self.sprt };
        let spectator = self.series.spectator(entry.game())?;
        let job = config.create_job(&self.series.running.store()?)?;
        run(job, entry, &self.series.running, spectator)
    }
}

/// Plays the match of a job, or goes on with it.
pub(crate) fn run(
    job: Job,
    entry: Entry,
    running: &RunningArgs,
    mut spectator: Spectator,
) -> anyhow::Result<()> {
    let (id, config): (String, MatchConfig) = (job.id().into(), job.config()?);
    let make = player_maker(entry, config.series.conditions.bound_every_move());
    let factory = Factory { game: entry.game(), make: &make };
    let stop = stop_on_interrupt()?;
    let executor = running.executor(&job)?;
    let result = run_match_job(job, factory, &*executor, &stop, &mut spectator)?;
    spectator.finish();
    if running.json {
        out::json(&result.summary);
    } else {
        print(entry.game().info().sides, &config, &result);
    }
    match result.end == MatchEnd::Stopped {
        true => Err(running.stopped(&id, spectator.games_file())),
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
    match (summary.elo, summary.elo_error) {
        (Some(elo), Some(error)) => {
            out::line(format_args!(
                "Elo {elo:+.1} ± {error:.1}, superior with {:.1} %",
                summary.los * 100.0
            ));
        }
        (Some(elo), None) => {
            out::line(format_args!("Elo {elo:+.1}; its error cannot be told from these games"));
        }
        _ => out::line("Elo cannot be told: one player won every game"),
    }
    let [ll, ld, dd, wd, ww] = summary.pentanomial.0;
    out::line(format_args!("pairs by points 0 ½ 1 1½ 2: {ll} {ld} {dd} {wd} {ww}"));
    if let Some(margin) = summary.first_margin_mean {
        out::line(format_args!("mean margin {margin:+.2}"));
    }
    out::line(format_args!("nodes/s {:.0} and {:.0}", summary.nps[0], summary.nps[1]));
    if let (Some(llr), Some(sprt)) = (summary.llr, &config.sprt) {
        let [low, high] = sprt.bounds();
        out::line(format_args!(
            "test of {:+} against {:+} Elo: llr {llr:+.2} in [{low:.2}, {high:.2}]",
            sprt.elo0, sprt.elo1
        ));
    }
    for fault in &result.faults {
        out::line(format_args!(
            "{}: {} ({} games)",
            config.players[fault.player], fault.what, fault.games
        ));
    }
    out::line(result.end.describe());
}
