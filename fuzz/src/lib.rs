//! Fuzz targets: one for every reader of the program, with samples of what it reads.
//!
//! Inputs are mutations of the samples ([`conformance::mutated`]), reproducible from a seed. The tests of this
//! crate run a fixed number of them; the program runs as many as fit into a time:
//!
//! ```text
//! cargo run -p tablero-fuzz -- --seconds 600 --seed 7 formats/
//! ```

mod files;
mod lines;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use tablero_core::conformance;

/// A reader and samples of its input.
pub struct Target {
    /// `GROUP/READER`.
    pub name: String,
    /// Valid inputs.
    pub samples: Vec<Vec<u8>>,
    /// Number of inputs in the tests: fewer for large files.
    pub rounds: u64,
    /// The reader.
    pub read: Reader,
}

/// Reads an input. It may fail, but must not panic.
pub type Reader = Box<dyn Fn(&[u8]) + Send + Sync>;

/// An input that made a reader panic.
pub struct Failure {
    /// The input.
    pub input: Vec<u8>,
    /// The message of the panic.
    pub message: String,
}

/// The result of [`Target::run`].
#[derive(Default)]
pub struct Run {
    /// Number of inputs.
    pub inputs: u64,
    /// The longest time for an input.
    pub slowest: Duration,
    /// The first failures.
    pub failures: Vec<Failure>,
}

/// Failures kept by a run.
const MAX_FAILURES: usize = 10;

impl Target {
    fn new(
        name: impl Into<String>,
        samples: Vec<Vec<u8>>,
        rounds: u64,
        read: impl Fn(&[u8]) + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), samples, rounds, read: Box::new(read) }
    }

    /// Reads the samples, then mutations of them while `proceed` of their number.
    pub fn run(&self, seed: u64, proceed: impl Fn(u64) -> bool) -> Run {
        let samples: Vec<&[u8]> = self.samples.iter().map(Vec::as_slice).collect();
        let mut run = Run::default();
        samples.iter().for_each(|sample| self.read(sample, &mut run));
        let mut round = 0;
        while proceed(round) && run.failures.len() < MAX_FAILURES {
            self.read(&conformance::mutated(&samples, seed, round), &mut run);
            round += 1;
        }
        run
    }

    fn read(&self, input: &[u8], run: &mut Run) {
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| (self.read)(input)));
        run.slowest = run.slowest.max(start.elapsed());
        run.inputs += 1;
        if let Err(panic) = result {
            run.failures.push(Failure { input: input.to_vec(), message: message(&*panic) });
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

/// All targets.
pub fn targets() -> Vec<Target> {
    let games = tablero_catalog::games();
    // A second call keeps the first list, which is the same.
    tablero_registry::install(games);
    [
        files::game_files(),
        files::weights(),
        files::archive(),
        files::records(),
        lines::lines(),
        lines::protocols(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
