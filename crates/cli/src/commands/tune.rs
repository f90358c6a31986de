use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use tablero_core::{AnyRecord, Input};
use tablero_genomes::{Genomes, Individual, Provenance};
use tablero_jobs::{BuildInfo, atomic_write};
use tablero_learn::read_games;

use super::train::logs;
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

#[derive(Serialize)]
struct Answer {
    file: String,
    games: usize,
    positions: usize,
    held_out_positions: usize,
    /// Mean squared errors on training and held-out positions, before and after each round.
    errors: Vec<[f64; 2]>,
    seconds: f64,
}

impl Tune {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        self.force.check(&self.out)?;
        let (records, start) = (self.records()?, Instant::now());
        let evolution = self.game.game.evolution();
        let tuner = evolution.tuner(&self.eval, &records, self.q_ratio).map_err(usage);
        let (mut tuner, cancel) = (tuner?, cancel_on_interrupt()?);
        let mut errors = vec![tuner.errors()];
        for round in 1..=self.rounds {
            if cancel.is_cancelled() {
                break;
            }
            tuner.round();
            errors.push(tuner.errors());
            let [training, held_out] = errors[errors.len() - 1];
            out::note(format_args!("round {round}: error {training:.5} (held out {held_out:.5})"));
        }
        let seconds = start.elapsed().as_secs_f64();
        self.write(tuner.genome(), &errors, seconds)?;
        let [positions, held_out_positions] = tuner.positions();
        let file = self.out.display().to_string();
        let games = records.len();
        let answer = Answer { file, games, positions, held_out_positions, errors, seconds };
        if self.json {
            out::json(&answer);
        } else {
            print(&answer);
        }
        Ok(())
    }

    fn records(&self) -> anyhow::Result<Vec<AnyRecord>> {
        let (game, mut records) = (self.game.game.game(), Vec::new());
        for path in &self.data {
            if path.is_dir() || path.extension().is_some_and(|extension| extension == "jsonl") {
                for log in logs(path)? {
                    self.read_log(&log, &mut records)?;
                }
                continue;
            }
            let bytes = std::fs::read(path)
                .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
            let input = Input { bytes: &bytes, path: Some(path) };
            let (read, _) = tablero_registry::open(&input, Some(game), None).map_err(usage)?;
            records.extend(read.into_vec());
        }
        records.truncate(self.games);
        Ok(records)
    }

    fn read_log(&self, path: &Path, records: &mut Vec<AnyRecord>) -> anyhow::Result<()> {
        let game = self.game.game.game();
        read_games(path, |data| {
            if records.len() < self.games {
                let record = data.record(game);
                records.push(record.map_err(|problem| tablero_learn::LearnError::File {
                    path: path.to_owned(),
                    problem,
                })?);
            }
            Ok(())
        })?;
        Ok(())
    }

    fn write(&self, genome: &[f64], errors: &[[f64; 2]], seconds: f64) -> anyhow::Result<()> {
        let game = self.game.game.game();
        let kind = self.game.game.evolution().genome_kind(&self.eval).map_err(usage)?;
        let files: Vec<_> = self.data.iter().map(|path| super::train::file_name(path)).collect();
        let provenance = Provenance {
            command: format!(
                "tablero tune {game} --eval {} --data {} --q-ratio {} --rounds {}",
                self.eval,
                files.join(" --data "),
                self.q_ratio,
                self.rounds
            ),
            seed: None,
            version: BuildInfo::current().id(),
            generations: errors.len() as u64 - 1,
            seconds,
            parents: vec![self.eval.clone()],
        };
        let fitness = -errors.last().map_or(0.0, |[_, held_out]| *held_out);
        let best = Individual { fitness, genome: genome.to_vec() };
        let genomes = Genomes::new(game.name(), &*kind, provenance, best, Vec::new());
        Ok(atomic_write(&self.out, genomes.text().as_bytes())?)
    }
}

fn print(answer: &Answer) {
    let Answer { file, games, positions, held_out_positions, errors, seconds } = answer;
    out::line(format_args!(
        "{games} games, {positions} quiet positions, {held_out_positions} held out, {seconds:.1} s"
    ));
    for (round, [training, held_out]) in errors.iter().enumerate() {
        let when = if round == 0 { "before".into() } else { format!("round {round}") };
        out::line(format_args!("{when}: error {training:.5} (held out {held_out:.5})"));
    }
    out::line(file);
}
