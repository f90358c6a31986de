use std::path::PathBuf;

use clap::Args;
use tablero_jobs::Progress;
use tablero_learn::LearnError;
use tablero_registry::{TuneOptions, Tuned, tune};

use crate::args::{GameArg, fraction, integer};
use crate::job_args::cancel_on_interrupt;
use crate::out::{self, usage};
use crate::output_file::ForceArg;

const EXAMPLES: &str = "Examples:
  tablero selfplay chess --player \"alphabeta nodes=2000\" --random-plies 8 --games 2000 --out games.jsonl
  tablero tune chess --eval classic --data games.jsonl --out tuned.genes
  tablero match chess \"alphabeta nodes=5000 eval=tuned.genes\" \"alphabeta nodes=5000 eval=classic\"";

/// Tune the weights of a hand-written evaluation by gradient (Texel's method).
///
/// Starts from the hand-tuned weights and minimizes the squared error with which the evaluation predicts search values
/// and results of recorded games. Every tenth game is held out. The result is a file for `eval=FILE`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tune {
    #[command(flatten)]
    game: GameArg,
    /// Evaluation (see `tablero players`).
    #[arg(long, value_name = "NAME")]
    eval: String,
    /// Games: a record of self-play (.jsonl), the directory of a training run, or any game file; may be repeated.
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// Output file, .genes.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArg,
    /// Share of the search value in the target, the rest being the game result.
    #[arg(long, value_name = "P", default_value_t = 0.7, value_parser = fraction)]
    q_ratio: f64,
    /// Rounds; in each the evaluation is made linear anew.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = integer::<u64>(1, 1000))]
    rounds: u64,
    /// Read at most N games.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = integer::<usize>(1, 10_000_000))]
    games: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Tune {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        self.force.check(&self.out)?;
        let options = TuneOptions {
            eval: self.eval,
            data: self.data,
            out: self.out,
            q_ratio: self.q_ratio,
            rounds: self.rounds,
            games: self.games,
        };
        let cancel = cancel_on_interrupt()?;
        let mut report = |progress: &Progress| out::note(&progress.message);
        let tuned = tune(self.game.game, &options, &cancel, &mut report);
        let tuned = tuned.map_err(|error| match error {
            LearnError::Config(error) => usage(error),
            error => error.into(),
        })?;
        if self.json {
            out::json(&tuned);
        } else {
            print(&tuned);
        }
        Ok(())
    }
}

fn print(answer: &Tuned) {
    let Tuned { file, games, positions, held_out_positions, errors, seconds } = answer;
    out::line(format_args!(
        "{games} games, {positions} quiet positions, {held_out_positions} held out, {seconds:.1} s"
    ));
    for (round, [training, held_out]) in errors.iter().enumerate() {
        let when = if round == 0 { "before".into() } else { format!("round {round}") };
        out::line(format_args!("{when}: error {training:.5} (held out {held_out:.5})"));
    }
    out::line(file);
}
