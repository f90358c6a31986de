use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use clap::Args;
use tablero_server::{Config, DEFAULT_PORT, Server, StartError, Workers};

use crate::nats::NatsArgs;
use crate::out::{self, usage};
use crate::series::data_folder;
use crate::workers::NatsWorkers;

const EXAMPLES: &str = "Examples:
  tablero                       the page in your browser
  tablero serve --port 8000     only for programs of this machine, on another port
  tablero serve --host 0.0.0.0  for other machines too: the address with the token is printed
  tablero serve --nats nats://server:4222  jobs run on the workers of a cluster";

/// Serves the page and its API, for this machine only unless --host says otherwise.
///
/// Games and jobs are kept in the data folder. The API is described at /api/openapi.json. With --nats
/// the Lab shows how the cluster is, and jobs run on its workers while there are any.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// The port; 0 takes any that is free.
    #[arg(long, value_name = "PORT", default_value_t = DEFAULT_PORT)]
    port: u16,
    /// The address to listen on; beyond this machine a random token is needed to get in.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    host: IpAddr,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// Where games and jobs are kept [default: the user's data folder].
    #[arg(long, value_name = "DIR", env = "TABLERO_DATA")]
    data: Option<PathBuf>,
    /// Let players of the page start other programs (uci, nboard, gtp). Whoever can open the page
    /// can then run anything as you.
    #[arg(long)]
    allow_engines: bool,
    /// Megabytes for the tables and trees of all players of the page [default: a quarter of the
    /// machine's memory].
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(16..))]
    memory: Option<u64>,
    #[command(flatten)]
    nats: NatsArgs,
}

/// An address of this machine.
fn address(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let wrong = "an address is expected: 127.0.0.1 for this machine only, 0.0.0.0 for all networks";
    text.parse().map_err(|_| wrong.into())
}

impl Serve {
    /// As without any argument: on the usual port, with the page open.
    pub(crate) fn usual() -> Self {
        Self {
            port: DEFAULT_PORT,
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            open: true,
            data: std::env::var_os("TABLERO_DATA").map(PathBuf::from),
            allow_engines: false,
            memory: None,
            nats: NatsArgs::of_environment(),
        }
    }

    pub(crate) fn run(self) -> anyhow::Result<()> {
        let usual = Config::new(data_folder(self.data.as_deref())?);
        let config = Config {
            host: self.host,
            port: self.port,
            allow_engines: self.allow_engines,
            memory_mb: self.memory.map_or(usual.memory_mb, |megabytes| megabytes as usize),
            ..usual
        };
        let access = self.nats.access()?;
        let workers = access.map(|access| Arc::new(NatsWorkers::new(access)) as Arc<dyn Workers>);
        let server = Server::start_with(config, workers).map_err(|error| match error {
            StartError::PortTaken { .. } | StartError::Listen { .. } => usage(error),
            StartError::Other(_) => error.into(),
        })?;
        let url = server.url();
        out::line(&url);
        out::note("Tablero is there; Ctrl-C ends it.");
        if self.host.is_unspecified() {
            out::note("From other machines: this one's address in place of 127.0.0.1, same token.");
        }
        if self.open {
            open_browser(&url);
        }
        server.wait();
        out::note("ending: games are kept, jobs finish the games under way");
        drop(server);
        Ok(())
    }
}

/// Shows a page in the user's browser; if that fails the address is on the screen.
fn open_browser(url: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let quiet = Stdio::null;
    let started =
        Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    if started.is_err() {
        out::note("no browser could be opened; open the address above yourself");
    }
}
