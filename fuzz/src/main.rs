//! Fuzzes the readers for a given time and prints one JSON object per target.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use serde_json::json;
use tablero_fuzz::{Failure, Target, targets};

/// Fuzz the readers of Tablero.
#[derive(Parser)]
struct Args {
    /// Only targets whose name begins like this; `--list` prints the names.
    prefix: Vec<String>,
    /// List the targets.
    #[arg(long)]
    list: bool,
    /// Time for all targets together.
    #[arg(long, value_name = "N", default_value_t = 60.0)]
    seconds: f64,
    /// Seed of the mutations.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Folder for inputs that make a reader panic.
    #[arg(long, value_name = "DIR", default_value = "fuzz-failures")]
    failures: PathBuf,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let is_chosen = |target: &Target| {
        args.prefix.is_empty() || args.prefix.iter().any(|prefix| target.name.starts_with(prefix))
    };
    let chosen: Vec<Target> = targets().into_iter().filter(is_chosen).collect();
    if args.list {
        chosen.iter().for_each(|target| println!("{}", target.name));
        return ExitCode::SUCCESS;
    }
    let share = Duration::from_secs_f64(args.seconds.max(0.0) / chosen.len().max(1) as f64);
    let mut has_failed = chosen.is_empty();
    for target in &chosen {
        eprintln!("{}", target.name);
        let start = Instant::now();
        let run = target.run(args.seed, |_| start.elapsed() < share);
        run.failures.iter().for_each(|failure| keep(&args.failures, &target.name, failure));
        has_failed |= !run.failures.is_empty();
        println!(
            "{}",
            json!({
                "target": target.name,
                "inputs": run.inputs,
                "failures": run.failures.len(),
                "slowest_ms": run.slowest.as_millis() as u64,
            })
        );
    }
    if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Writes the input to a file named after the target and its content.
fn keep(folder: &std::path::Path, target: &str, failure: &Failure) {
    let sum = tablero_core::checksum(&failure.input);
    let path = folder.join(format!("{}-{sum:016x}", target.replace('/', "-")));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &failure.input));
    match written {
        Ok(()) => eprintln!("{target}: {}; input in {}", failure.message, path.display()),
        Err(error) => eprintln!("{target}: {}; input not kept: {error}", failure.message),
    }
}
