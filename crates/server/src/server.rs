//! Starting and stopping.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::get;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::app::App;
use crate::cluster::Workers;
use crate::config::Config;
use crate::security::{Gate, guard};
use crate::{assets, http};

/// Why a server did not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// Somebody else listens there.
    #[error("port {port} is taken, perhaps by another Tablero: open http://{host}:{port}/, or choose another with --port (0 takes any)", host = show(*.host))]
    PortTaken {
        /// The address.
        host: IpAddr,
        /// The port.
        port: u16,
    },
    /// One cannot listen there.
    #[error("cannot listen on {address}: {problem}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        problem: io::Error,
    },
    /// The data folder cannot be used, or there are no threads.
    #[error("{0}")]
    Other(String),
}

/// An address as it stands in a URL.
fn show(host: IpAddr) -> String {
    match host {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// A running server. Stops when it is dropped.
pub struct Server {
    app: App,
    runtime: Option<Runtime>,
    address: SocketAddr,
    token: Option<String>,
    stop: watch::Sender<bool>,
}

/// Bodies of requests are small, but for imported files.
const LARGEST_BODY: usize = 256 << 10;
/// How long jobs get to finish the games under way when the server stops.
const FAREWELL: Duration = Duration::from_secs(5);

impl Server {
    /// Starts a server; it serves the games of the [registry](tablero_registry::install) until it is
    /// stopped.
    pub fn start(config: Config) -> Result<Self, StartError> {
        Self::start_with(config, None)
    }

    /// Starts a server whose jobs run on the workers of a cluster when there are any.
    pub fn start_with(
        config: Config,
        workers: Option<Arc<dyn Workers>>,
    ) -> Result<Self, StartError> {
        // The budget for tables is one for what the process takes.
        tablero_core::return_large_tables();
        let other = |error: io::Error| StartError::Other(format!("no threads: {error}"));
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(other)?;
        let address = SocketAddr::new(config.host, config.port);
        let listener = runtime.block_on(TcpListener::bind(address));
        let listener = listener.map_err(|problem| match problem.kind() {
            io::ErrorKind::AddrInUse => {
                StartError::PortTaken { host: address.ip(), port: address.port() }
            }
            _ => StartError::Listen { address, problem },
        })?;
        let address = listener.local_addr().map_err(other)?;
        let app = App::new(config, workers, runtime.handle().clone()).map_err(StartError::Other)?;
        app.keep_house();
        let gate = Gate::new(address.ip(), address.port());
        let token = gate.token().map(str::to_owned);
        let (stop, mut stopped) = watch::channel(false);
        let router = router(app.clone(), gate);
        runtime.spawn(async move {
            let serving = axum::serve(listener, router);
            tokio::select! {
                // Only a listener that fails for good ends this; there is nobody to tell.
                _ = serving => {}
                _ = stopped.wait_for(|stopped| *stopped) => {}
            }
        });
        Ok(Self { app, runtime: Some(runtime), address, token, stop })
    }

    /// Where the page is, with the token if one is needed.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            // "All addresses" is none that one can open.
            ip if ip.is_unspecified() => "127.0.0.1".into(),
            ip => show(ip),
        };
        let port = self.address.port();
        match &self.token {
            None => format!("http://{host}:{port}/"),
            Some(token) => format!("http://{host}:{port}/?token={token}"),
        }
    }

    /// The port that it listens on.
    pub const fn port(&self) -> u16 {
        self.address.port()
    }

    /// Waits until the process is asked to end (Ctrl-C, or the system's request).
    pub fn wait(&self) {
        if let Some(runtime) = &self.runtime {
            runtime.block_on(asked_to_end());
        }
    }
}

impl Drop for Server {
    /// Games are kept whenever they change; jobs get a moment to finish the games under way.
    fn drop(&mut self) {
        self.stop.send_replace(true);
        let begin = Instant::now();
        while self.app.jobs.stop_all() && begin.elapsed() < FAREWELL {
            thread::sleep(Duration::from_millis(20));
        }
        self.app.close();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

async fn asked_to_end() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => terminate.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        _ = interrupt => {}
        _ = terminate => {}
    }
}

fn router(app: App, gate: Gate) -> Router {
    let (api, _) = http::api();
    api.route("/api/openapi.json", get(async || crate::openapi()))
        .fallback(assets::serve)
        .method_not_allowed_fallback(assets::serve)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(gate, guard))
        .with_state(app)
}
