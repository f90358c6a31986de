use std::path::Path;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tablero_core::{AnyPosition, AnyRecord, Limits, PlayerLine, PlayerSetup};
use tablero_review::{ChoiceSummary, ComparedSummary, Comparer, Comparison, ComparisonSummary};

use crate::args::{self, GameArg, StrictArg, ThreadsArg, duration};
use crate::files::{open_input, select_game};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero compare othello game.pgn \"alphabeta depth=4 eval=jma\" \"alphabeta depth=4 eval=iago\"
  tablero compare chess \"start moves e4 e5 Nf3\" alphabeta \"mcts sims=2000\" --judge \"alphabeta nodes=2000000\"
  tablero compare othello \"start moves f5 d6 c3 d3 c4\" \"level 3\" \"level 8\" --along --json
  tablero compare shobu game.txt \"alphabeta eval=stones\" \"alphabeta eval=pressure\" --no-judge";

/// Compare two players on a position or along a game: where they disagree, and who is right.
///
/// Both choose a move in every position. Where they differ, the judge searches the position after each of the two
/// moves: the player with the better one is right, the other one loses the difference.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compare {
    #[command(flatten)]
    game: GameArg,
    /// File of a game, which is compared move by move, or a position, optionally followed by `moves` and a list
    /// of moves.
    #[arg(value_name = "FILE|POSITION", allow_hyphen_values = true, value_parser = args::position)]
    input: String,
    /// First player (see `tablero players`).
    #[arg(value_name = "PLAYER A")]
    first: String,
    /// Second player.
    #[arg(value_name = "PLAYER B")]
    second: String,
    /// Player that judges [default: champion for Othello, otherwise alphabeta].
    #[arg(long, value_name = "PLAYER", conflicts_with = "no_judge")]
    judge: Option<String>,
    /// Only compare, without a judge.
    #[arg(long)]
    no_judge: bool,
    /// Compare all positions of a move list, not only the last.
    #[arg(long)]
    along: bool,
    /// Time of the players per position, unless they have a limit.
    #[arg(long, value_name = "TIME", default_value = "300ms", value_parser = duration)]
    time: Duration,
    /// Time of the judge per move, unless it has a limit.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    judge_time: Duration,
    /// Number of the game in the file [default: the first].
    #[arg(long, value_name = "N")]
    number: Option<usize>,
    /// Rules variant of a position (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    #[command(flatten)]
    strict: StrictArg,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Compare {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (record, from) = self.record()?;
        if from == record.plies.len() && last_position(&record)?.outcome().is_some() {
            return Err(usage("the game is over: there is nothing to choose".to_owned()));
        }
        let lines = [self.first.as_str(), self.second.as_str()];
        let judge = (!self.no_judge)
            .then(|| self.judge.as_deref().unwrap_or(self.game.game.game().analyst()));
        let comparison = self.compare(&record, from, lines, judge)?;
        let answer = comparison.summary(&record, lines, judge);
        if self.json {
            out::json(&answer);
        } else {
            print(&answer);
        }
        Ok(())
    }

    /// The game, and the first ply that is compared.
    fn record(&self) -> anyhow::Result<(AnyRecord, usize)> {
        let game = self.game.game.game();
        if self.input == "-" || Path::new(&self.input).is_file() {
            let (records, _) = open_input(&self.input, Some(game), None, self.strict.strict)?;
            return Ok((select_game(&records, self.number)?.1.clone(), 0));
        }
        let history = args::parse_history(game, &self.input, self.rules.as_deref())?;
        let record = AnyRecord::from_history(&history);
        let from = if self.along { 0 } else { record.plies.len() };
        Ok((record, from))
    }

    fn compare(
        &self,
        record: &AnyRecord,
        from: usize,
        lines: [&str; 2],
        judge: Option<&str>,
    ) -> anyhow::Result<Comparison> {
        let entry = self.game.game;
        let build = |line: &str, time: Duration| {
            let limited_by_caller = !line.parse::<PlayerLine>().map_err(usage)?.has_limit();
            let setup = PlayerSetup {
                threads: self.threads.count(),
                limited_by_caller,
                ..PlayerSetup::LOCAL
            };
            let limits = Limits { time: limited_by_caller.then_some(time), ..Limits::default() };
            entry.build(line, &setup).map(|player| (player, limits)).map_err(usage)
        };
        let [(mut first, first_limits), (mut second, second_limits)] =
            [build(lines[0], self.time)?, build(lines[1], self.time)?];
        let limits = [first_limits, second_limits];
        let mut judge = judge.map(|line| build(line, self.judge_time)).transpose()?;
        let mut comparer = Comparer::new([&mut *first, &mut *second], limits);
        if let Some((judge, limits)) = &mut judge {
            comparer = comparer.with_judge(&mut **judge, *limits);
        }
        let bar = ProgressBar::new(1);
        let style = "comparing  {bar:30} {pos}/{len}  {elapsed}";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        let progress = |progress: tablero_review::Progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
            true
        };
        let comparison = comparer.compare(record, from, progress);
        bar.finish_and_clear();
        Ok(comparison?.expect("never cancelled"))
    }
}

fn last_position(record: &AnyRecord) -> anyhow::Result<AnyPosition> {
    let game =
        record.replay().map_err(|(ply, error)| usage(format!("move {}: {error}", ply + 1)))?;
    Ok(game.position().clone())
}

fn print(answer: &ComparisonSummary) {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    out::line(format_args!("A: {}\nB: {}", answer.players[0], answer.players[1]));
    if let Some(judge) = &answer.judge {
        out::line(format_args!("judge: {judge}"));
    }
    out::line(format_args!(
        "\n{dim}{:>4}  {:<7} {:<9} {:<9} {:>8}   {:<9} {:>8}   {:<6} loss{dim:#}",
        "ply", "side", "played", "A", "", "B", "", "right"
    ));
    for position in &answer.positions {
        let [first, second] = &position.choices;
        let value = |choice: &ChoiceSummary| choice.value.clone().unwrap_or_default();
        let style = if position.agree { dim } else { bold };
        let (right, loss) = verdict(position);
        out::line(format_args!(
            "{style}{:>4}  {:<7} {:<9} {:<9} {:>8}   {:<9} {:>8}   {right:<6} {loss}{style:#}",
            position.ply + 1,
            position.side,
            position.played.as_deref().unwrap_or(""),
            first.m,
            value(first),
            second.m,
            value(second),
        ));
    }
    out::line(format_args!(
        "\nthe same move in {} of {} positions",
        answer.agreements, answer.compared
    ));
    if answer.judge.is_some() {
        let different = answer.compared - answer.agreements;
        let [first, second] = answer.right;
        out::line(format_args!(
            "of {different} disagreements A is right in {first}, B in {second}, {} are equal",
            different - first - second
        ));
        out::line(format_args!(
            "mean loss per position, in expected score: A {:.2} %, B {:.2} %",
            100.0 * answer.mean_loss[0],
            100.0 * answer.mean_loss[1]
        ));
    }
}

/// Who is right, and what the other move loses.
fn verdict(position: &ComparedSummary) -> (&'static str, String) {
    let Some(judged) = &position.judged else { return ("", String::new()) };
    let right = match judged.right {
        Some(0) => "A",
        Some(_) => "B",
        None => return ("equal", String::new()),
    };
    let loss = match judged.loss {
        Some(units) => format!("{units:.2} ({:.0} %)", 100.0 * judged.chance_loss),
        None => format!("{:.0} %", 100.0 * judged.chance_loss),
    };
    (right, loss)
}
