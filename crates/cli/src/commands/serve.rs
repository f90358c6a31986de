use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use clap::Args;
use tablero_server::{Config, DEFAULT_PORT, PublicUrl, Server, StartError, TlsFiles, Workers};

use crate::job_args::{data_dir, exit_on_interrupt};
use crate::nats::NatsArgs;
use crate::out::{self, usage};
use crate::workers::NatsWorkers;

const EXAMPLES: &str = "Examples:
  tablero                                   same as tablero serve --open
  tablero serve --port 8000
  tablero serve --host 0.0.0.0              accept other machines; prints a URL with an access token
  tablero serve --public-url https://play.example.org
                                            behind a reverse proxy; invite friends by link
  tablero serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  tablero serve --nats nats://server:4222   run jobs on a cluster";

/// Serve the web interface and its HTTP API.
///
/// Listens on this machine only, unless --host says otherwise. Games and jobs are stored in the data
/// directory. The API is described at /api/openapi.json. With --nats, jobs run on the workers of a cluster and
/// the Lab shows its state.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// TCP port; 0 for any free one.
    #[arg(long, value_name = "PORT", default_value_t = DEFAULT_PORT)]
    port: u16,
    /// Address to listen on; other than on the loopback address, clients need a random access token.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    host: IpAddr,
    /// The URL that browsers open, where a reverse proxy or a host name is in between; clients then need the
    /// access token, or an invitation to a game.
    #[arg(long, value_name = "URL")]
    public_url: Option<PublicUrl>,
    /// Certificate chain (PEM), to speak TLS; read again when it changes.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Open the web interface in the browser.
    #[arg(long)]
    open: bool,
    /// Directory of jobs and games [default: the user's data directory].
    #[arg(long, value_name = "DIR", env = "TABLERO_DATA")]
    data: Option<PathBuf>,
    /// Allow players that start external engines (uci, nboard, gtp). Anyone with access to the web
    /// interface can then run any program as you.
    #[arg(long)]
    allow_engines: bool,
    /// Memory for the tables and trees of all players. Searches for which there is no room wait, and jobs play
    /// fewer games at a time [default: a quarter of the machine's memory, at most 1024].
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(16..))]
    memory: Option<u64>,
    /// Longest time for a move of a player; after that it plays the best move found [default: 30].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86400))]
    move_time: Option<u64>,
    /// Most connections at a time [default: 1000].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    connections: Option<u64>,
    /// Most connections at a time from one address; behind a reverse proxy, whose address all clients have,
    /// the same as --connections [default: 250].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    connections_per_address: Option<u64>,
    #[command(flatten)]
    nats: NatsArgs,
}

/// Parses a listen address.
fn address(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let wrong =
        "expected an IP address: 127.0.0.1 for this machine only, 0.0.0.0 for all interfaces";
    text.parse().map_err(|_| wrong.into())
}

impl Serve {
    /// `serve --open`, with the other options from the environment.
    pub(crate) fn open_browser() -> Self {
        Self {
            port: DEFAULT_PORT,
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            public_url: None,
            tls_cert: None,
            tls_key: None,
            open: true,
            data: std::env::var_os("TABLERO_DATA").map(PathBuf::from),
            allow_engines: false,
            memory: None,
            move_time: None,
            connections: None,
            connections_per_address: None,
            nats: NatsArgs::from_env(),
        }
    }

    fn config(&self) -> anyhow::Result<Config> {
        let mut config = Config::new(data_dir(self.data.as_deref())?);
        (config.host, config.port) = (self.host, self.port);
        config.public_url = self.public_url.clone();
        let tls = self.tls_cert.clone().zip(self.tls_key.clone());
        config.tls = tls.map(|(certificate, key)| TlsFiles { certificate, key });
        config.allow_engines = self.allow_engines;
        let set = |value: &mut usize, given: Option<u64>| {
            *value = given.map_or(*value, |given| given as usize);
        };
        set(&mut config.memory_mb, self.memory);
        set(&mut config.connections.total, self.connections);
        set(&mut config.connections.per_address, self.connections_per_address);
        if let Some(seconds) = self.move_time {
            config.limits.move_ms = 1000 * seconds;
        }
        Ok(config)
    }

    pub(crate) fn run(self) -> anyhow::Result<()> {
        let config = self.config()?;
        let access = self.nats.access()?;
        let workers = access.map(|access| Arc::new(NatsWorkers::new(access)) as Arc<dyn Workers>);
        let server = Server::start_with(config, workers).map_err(|error| match error {
            StartError::PortInUse { .. } | StartError::Listen { .. } => usage(error),
            StartError::Other(_) => error.into(),
        })?;
        let url = server.url();
        out::line(&url);
        out::note("Tablero is running; press Ctrl-C to stop it.");
        if self.host.is_unspecified() && self.public_url.is_none() {
            out::note("On other machines, replace 127.0.0.1 by the address of this one.");
        }
        if self.open {
            open_browser(&url);
        }
        server.wait();
        exit_on_interrupt()?;
        out::note("stopping: jobs finish their running games; press Ctrl-C again to exit now");
        drop(server);
        Ok(())
    }
}

/// Opens a URL in the user's browser.
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
        out::note("cannot open a browser; open the URL above");
    }
}
