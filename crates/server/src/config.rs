use std::net::IpAddr;
use std::path::PathBuf;
use std::thread;

use crate::api::SearchLimits;

/// How a server is to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The address to listen on. Beyond loopback, a random token is needed to get in.
    pub host: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// Where games and jobs are kept.
    pub data: PathBuf,
    /// Whether player lines from the page may start other programs. That gives everyone who can reach
    /// the server a way to run whatever they like as you.
    pub allow_engines: bool,
    /// Bounds of a single search.
    pub limits: SearchLimits,
    /// Megabytes that the tables and trees of all games' machines may take together; those of machines
    /// that have waited longest go first.
    pub memory_mb: usize,
}

/// The port if nothing else is asked for.
pub const DEFAULT_PORT: u16 = 7117;

/// The budget where nobody knows how much memory the machine has.
const DEFAULT_MEMORY_MB: usize = 1024;

impl Config {
    /// On loopback, with the usual port and limits that fit this machine.
    pub fn new(data: PathBuf) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            host: IpAddr::from([127, 0, 0, 1]),
            port: DEFAULT_PORT,
            data,
            allow_engines: false,
            limits: SearchLimits {
                threads: cores,
                hash_mb: 512,
                move_ms: 60_000,
                analysis_ms: 600_000,
                lines: 64,
                searches: cores,
            },
            memory_mb: tablero_core::machine_memory().map_or(DEFAULT_MEMORY_MB, |bytes| {
                // A quarter: others live here too.
                ((bytes / 4) >> 20) as usize
            }),
        }
    }
}
