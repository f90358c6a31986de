use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use tablero_core::{AnyControl, AnyInfo, AnyMatch, AnyPosition, Limits, Line, PlayerSetup, Value};

use crate::args::{self, GameArg, ThreadsArg};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero best othello \"start moves f5 d6 c3\"
  tablero best chess \"r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -\" --multipv 3
  tablero best shobu start --player \"alphabeta depth=4 eval=stones\" --json";

/// The best moves of one position.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Best {
    #[command(flatten)]
    game: GameArg,
    /// `start` or a position, with `moves ...` after it if you like.
    #[arg(value_name = "POSITION")]
    position: String,
    /// Who is asked (`tablero players` lists them) [default: champion in Othello, else alphabeta].
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Best lines to show.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=500))]
    multipv: u16,
    /// Time to think [default: what the player line says, or the player's own bound].
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Rules to play by.
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Names whatever the player does at random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    moves: Vec<BestMove>,
    depth: u32,
    /// Whether the values are those of perfect play.
    exact: bool,
    nodes: u64,
    nps: u64,
    time: f64,
}

#[derive(Serialize)]
struct BestMove {
    #[serde(rename = "move")]
    m: String,
    /// In units of the game (pawns, discs, stones), for the side to move; a sure win or loss is
    /// beyond any other value.
    score: f64,
    /// The same for people: `+0.35`, `#3`.
    value: String,
    line: Vec<String>,
}

impl Best {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let entry = self.game.game;
        let game = args::parse_match(entry.game(), &self.position, self.rules.as_deref())?;
        let setup = PlayerSetup {
            threads: self.threads.count(),
            lines: self.multipv.into(),
            bounded_by_caller: self.time.is_some(),
            ..PlayerSetup::LOCAL
        };
        let line = self.player.as_deref().unwrap_or(entry.game().analyst());
        let mut player = entry.build(line, &setup).map_err(usage)?;
        player.new_game(self.seed);
        let stop = AtomicBool::new(false);
        let mut show = |info: &AnyInfo| {
            if !self.json {
                print_progress(&game, info);
            }
        };
        let limits = Limits { time: self.time()?, ..Limits::default() };
        let choice = player.choose(&game, &limits, &mut AnyControl::new(&stop, &mut show))?;
        let mut answer = answer(&game, &choice.info);
        if answer.moves.is_empty() {
            let m = game.position().move_text(choice.m);
            answer.moves.push(BestMove {
                line: vec![m.clone()],
                m,
                score: 0.0,
                value: String::new(),
            });
        }
        if self.json {
            out::json(&answer);
        } else {
            print(&answer, entry.game().info().sides[game.position().side().index()]);
        }
        Ok(())
    }

    fn time(&self) -> anyhow::Result<Option<Duration>> {
        let Some(seconds) = self.time else { return Ok(None) };
        if !(0.001..=86_400.0).contains(&seconds) {
            return Err(usage("--time is 0.001 to 86400 seconds"));
        }
        Ok(Some(Duration::from_secs_f64(seconds)))
    }
}

fn answer(game: &AnyMatch, info: &AnyInfo) -> Answer {
    let best = |line: &Line<AnyPosition>| {
        let names = game.position().line_text(&line.moves);
        BestMove {
            m: names.first().cloned().unwrap_or_default(),
            score: score(line.value.0),
            value: line.value.0.to_string(),
            line: names,
        }
    };
    Answer {
        moves: info.lines.iter().map(best).collect(),
        depth: info.depth,
        exact: info.exact,
        nodes: info.nodes,
        nps: info.nodes_per_second() as u64,
        time: info.time.as_secs_f64(),
    }
}

/// A number that can be compared: units of the game, a win in n as 10000 - n.
fn score(value: Value) -> f64 {
    const WIN: f64 = 10_000.0;
    match value {
        Value::Hundredths(n) => f64::from(n) / 100.0,
        Value::WinIn(moves) => WIN - f64::from(moves),
        Value::LossIn(moves) => f64::from(moves) - WIN,
    }
}

fn print_progress(game: &AnyMatch, info: &AnyInfo) {
    let Some(line) = info.lines.first() else { return };
    let dim = anstyle::Style::new().dimmed();
    let names = game.position().line_text(&line.moves);
    let names = names.iter().take(10).map(String::as_str).collect::<Vec<_>>().join(" ");
    out::note(format_args!(
        "{dim}depth {:>2}  {:>8}  {:>12} nodes  {:>6.2} s  {names}{dim:#}",
        info.depth,
        line.value.0.to_string(),
        info.nodes,
        info.time.as_secs_f64(),
    ));
}

fn print(answer: &Answer, mover: &str) {
    let bold = anstyle::Style::new().bold();
    for (number, best) in (1..).zip(&answer.moves) {
        out::line(format_args!(
            "{number:>2}. {bold}{:<8}{bold:#} {:>9}  {}",
            best.m,
            best.value,
            best.line.join(" ")
        ));
    }
    out::line(format_args!(
        "for {mover}; depth {}{}, {} nodes, {} nodes/s, {:.2} s",
        answer.depth,
        if answer.exact { " (exact)" } else { "" },
        answer.nodes,
        answer.nps,
        answer.time
    ));
}
