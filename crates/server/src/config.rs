use std::net::IpAddr;
use std::path::PathBuf;
use std::thread;

use crate::api::SearchLimits;

/// A server's configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The address to listen on. Beyond loopback, requests need a random token.
    pub host: IpAddr,
    /// The port; 0 picks a free one.
    pub port: u16,
    /// The data folder: games and jobs.
    pub data: PathBuf,
    /// Whether player lines from the page may start external engines. Anyone who can reach the server
    /// can then run any program as you.
    pub allow_engines: bool,
    /// Limits of a single search.
    pub limits: SearchLimits,
    /// Memory budget in megabytes for the hash tables and trees of the engines of all games; the least
    /// recently used are evicted first.
    pub memory_mb: usize,
}

/// The default port.
pub const DEFAULT_PORT: u16 = 7117;

/// The budget where the machine's memory is unknown.
const DEFAULT_MEMORY_MB: usize = 1024;

impl Config {
    /// The default configuration: loopback, [`DEFAULT_PORT`], limits by this machine's cores and memory.
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
                multipv: 64,
                searches: cores,
            },
            memory_mb: tablero_core::machine_memory().map_or(DEFAULT_MEMORY_MB, |bytes| {
                // A quarter leaves room for other programs.
                ((bytes / 4) >> 20) as usize
            }),
        }
    }
}
