//! Weights of hand-written evaluations, tuned on games.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tablero_core::{AnyRecord, Input, MAX_GAME_FILE_BYTES, read_bounded};
use tablero_genomes::{Genomes, Individual, Provenance};
use tablero_jobs::{BuildInfo, CancellationToken, Progress, atomic_write};
use tablero_learn::supervised::{file_name, game_logs};
use tablero_learn::{ConfigError, LearnError, read_games};

use crate::{GameEntry, open};

/// Options of [`tune`]. Their names are those of `tablero tune`, with underscores.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TuneOptions {
    /// The evaluation.
    pub eval: String,
    /// Records of self-play (.jsonl), folders of learning runs, or any game files.
    pub data: Vec<PathBuf>,
    /// The file of the result, .genes.
    pub out: PathBuf,
    /// The share of the search value in the target, the rest being the result.
    pub q_ratio: f64,
    /// Rounds; in each the evaluation is made linear anew.
    pub rounds: u64,
    /// Games that are read at most.
    pub games: usize,
}

impl Default for TuneOptions {
    fn default() -> Self {
        let (eval, data, out) = (String::new(), Vec::new(), PathBuf::new());
        Self { eval, data, out, q_ratio: 0.7, rounds: 3, games: 5000 }
    }
}

/// A tuned evaluation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tuned {
    /// The file of the weights.
    pub file: String,
    /// Games.
    pub games: usize,
    /// Quiet positions trained on.
    pub positions: usize,
    /// Quiet positions held out.
    pub held_out_positions: usize,
    /// Mean squared errors on training and held-out positions, before and after each round.
    pub errors: Vec<[f64; 2]>,
    /// Seconds.
    pub seconds: f64,
}

impl TuneOptions {
    /// Checks what needs no file.
    pub fn check(&self) -> Result<(), ConfigError> {
        let missing = [(self.eval.is_empty(), "eval"), (self.data.is_empty(), "data")];
        if let Some((_, name)) = missing.into_iter().find(|(is_missing, _)| *is_missing) {
            return Err(ConfigError::Invalid(format!("{name} is missing")));
        }
        if self.out.as_os_str().is_empty() {
            return Err(ConfigError::Invalid("out: expected a .genes file".into()));
        }
        ConfigError::check_range("q_ratio", self.q_ratio, 0.0..=1.0)?;
        ConfigError::check_range("rounds", self.rounds as f64, 1.0..=1000.0)?;
        ConfigError::check_range("games", self.games as f64, 1.0..=1e7)
    }
}

/// Tunes the weights of an evaluation by gradient (Texel's method) and writes them. Once `cancel` is set, the rounds
/// done so far are written.
pub fn tune(
    entry: &dyn GameEntry,
    options: &TuneOptions,
    cancel: &CancellationToken,
    report: &mut dyn FnMut(&Progress),
) -> Result<Tuned, LearnError> {
    options.check()?;
    let evolution = entry.evolution();
    evolution.genome_kind(&options.eval).map_err(invalid)?;
    let (records, start) = (records(entry, options)?, Instant::now());
    let tuner = evolution.tuner(&options.eval, &records, options.q_ratio);
    let mut tuner = tuner.map_err(invalid)?;
    let mut errors = vec![tuner.errors()];
    for round in 1..=options.rounds {
        if cancel.is_cancelled() {
            break;
        }
        tuner.round();
        let [training, held_out] = tuner.errors();
        errors.push([training, held_out]);
        let message = format!("round {round}: error {training:.5} (held out {held_out:.5})");
        report(&Progress::new(round, Some(options.rounds)).with_message(message));
    }
    let seconds = start.elapsed().as_secs_f64();
    write(entry, options, tuner.genome(), &errors, seconds)?;
    let [positions, held_out_positions] = tuner.positions();
    let (file, games) = (options.out.display().to_string(), records.len());
    Ok(Tuned { file, games, positions, held_out_positions, errors, seconds })
}

fn invalid(problem: impl ToString) -> LearnError {
    ConfigError::Invalid(problem.to_string()).into()
}

fn records(entry: &dyn GameEntry, options: &TuneOptions) -> Result<Vec<AnyRecord>, LearnError> {
    let mut records = Vec::new();
    for path in &options.data {
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "jsonl") {
            for log in game_logs(path)? {
                read_log(entry, &log, options.games, &mut records)?;
            }
            continue;
        }
        let wrong = |problem: String| LearnError::File { path: path.clone(), problem };
        let bytes = read_bounded(path, MAX_GAME_FILE_BYTES);
        let bytes = bytes.map_err(|error| wrong(error.to_string()))?;
        let opened = open(&Input { bytes: &bytes, path: Some(path) }, Some(entry.game()), None);
        let (read, _) = opened.map_err(|error| wrong(error.to_string()))?;
        records.extend(read.into_vec());
    }
    records.truncate(options.games);
    Ok(records)
}

fn read_log(
    entry: &dyn GameEntry,
    path: &Path,
    games: usize,
    records: &mut Vec<AnyRecord>,
) -> Result<(), LearnError> {
    read_games(path, |data| {
        if records.len() < games {
            let wrong = |problem| LearnError::File { path: path.to_owned(), problem };
            records.push(data.record(entry.game()).map_err(wrong)?);
        }
        Ok(())
    })
    .map(drop)
}

fn write(
    entry: &dyn GameEntry,
    options: &TuneOptions,
    genome: &[f64],
    errors: &[[f64; 2]],
    seconds: f64,
) -> Result<(), LearnError> {
    let (game, TuneOptions { eval, data, q_ratio, rounds, .. }) = (entry.game(), options);
    let kind = entry.evolution().genome_kind(eval).map_err(invalid)?;
    let files: Vec<_> = data.iter().map(|path| file_name(path)).collect();
    let provenance = Provenance {
        command: format!(
            "tablero tune {game} --eval {eval} --data {} --q-ratio {q_ratio} --rounds {rounds}",
            files.join(" --data ")
        ),
        seed: None,
        version: BuildInfo::current().id(),
        generations: errors.len() as u64 - 1,
        seconds,
        parents: vec![eval.clone()],
    };
    let fitness = -errors.last().map_or(0.0, |[_, held_out]| *held_out);
    let best = Individual { fitness, genome: genome.to_vec() };
    let genomes = Genomes::new(game.name(), &*kind, provenance, best, Vec::new());
    Ok(atomic_write(&options.out, genomes.text().as_bytes())?)
}
