//! Starts and stops a server.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
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

use crate::app::{App, Urls};
use crate::cluster::Workers;
use crate::config::Config;
use crate::security::{AuthGuard, authenticate};
use crate::tls::Tls;
use crate::{assets, body, connections, http};

/// Why a server did not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The port is in use.
    #[error("port {port} is in use, perhaps by another Tablero: open http://{host}:{port}/, or choose another with --port (0 picks a free one)", host = url_host(*.host))]
    PortInUse {
        /// The address.
        host: IpAddr,
        /// The port.
        port: u16,
    },
    /// Cannot listen on the address.
    #[error("cannot listen on {address}: {problem}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        problem: io::Error,
    },
    /// The data folder is not usable, or threads cannot be spawned.
    #[error("{0}")]
    Other(String),
}

/// An address as the host of a URL.
fn url_host(host: IpAddr) -> String {
    match host {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// The page's URL.
fn page_url(address: SocketAddr, config: &Config) -> String {
    if let Some(url) = &config.public_url {
        return format!("{}/", url.origin());
    }
    let host = match address.ip() {
        // The unspecified address cannot be opened.
        ip if ip.is_unspecified() => "127.0.0.1".into(),
        ip => url_host(ip),
    };
    format!("{}://{host}:{}/", scheme(config), address.port())
}

const fn scheme(config: &Config) -> &'static str {
    if config.tls.is_some() { "https" } else { "http" }
}

/// The URL of the page for other machines; `None` if they cannot reach it.
fn shared_url(address: SocketAddr, config: &Config) -> Option<String> {
    if config.public_url.is_some() {
        return Some(page_url(address, config));
    }
    let ip = match address.ip() {
        ip if ip.is_loopback() => return None,
        ip if ip.is_unspecified() => outgoing_address()?,
        ip => ip,
    };
    Some(page_url(SocketAddr::new(ip, address.port()), config))
}

/// This machine's address on the network. Nothing is sent: connecting a UDP socket only chooses a route.
fn outgoing_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address for documentation (RFC 5737); any outside one will do.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_loopback() && !ip.is_unspecified()).then_some(ip)
}

/// A running server. Stops when it is dropped.
pub struct Server {
    app: App,
    runtime: Option<Runtime>,
    page_url: String,
    address: SocketAddr,
    token: Option<String>,
    stop: watch::Sender<bool>,
}

/// How long running jobs may take to stop at shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

impl Server {
    /// Starts a server for the games of the [registry](tablero_registry::install).
    pub fn start(config: Config) -> Result<Self, StartError> {
        Self::start_with(config, None)
    }

    /// Starts a server whose jobs run on a cluster while it has workers.
    pub fn start_with(
        mut config: Config,
        workers: Option<Arc<dyn Workers>>,
    ) -> Result<Self, StartError> {
        config.limits.hash_mb = config.limits.hash_mb.min(config.memory_mb);
        // The memory budget is about resident memory, so freed tables must go back to the system.
        tablero_core::return_large_tables();
        let other = |error: io::Error| StartError::Other(format!("no threads: {error}"));
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(other)?;
        let address = SocketAddr::new(config.host, config.port);
        let listener = runtime.block_on(TcpListener::bind(address));
        let listener = listener.map_err(|problem| match problem.kind() {
            io::ErrorKind::AddrInUse => {
                StartError::PortInUse { host: address.ip(), port: address.port() }
            }
            _ => StartError::Listen { address, problem },
        })?;
        let address = listener.local_addr().map_err(other)?;
        let tls = config.tls.as_ref().map(Tls::open).transpose().map_err(StartError::Other)?;
        let (page_url, shared_url) = (page_url(address, &config), shared_url(address, &config));
        let guard = AuthGuard::new(address.ip(), address.port(), &config);
        let urls = Urls { page: page_url.clone(), shared: shared_url };
        let app = App::new(config, urls, workers, runtime.handle().clone());
        let app = app.map_err(StartError::Other)?;
        app.spawn_housekeeping();
        let token = guard.token().map(str::to_owned);
        let (stop, mut stopped) = watch::channel(false);
        let (limits, router) = (app.config.connections, router(app.clone(), guard));
        runtime.spawn(async move {
            tokio::select! {
                () = connections::serve(listener, router, limits, tls) => {}
                _ = stopped.wait_for(|stopped| *stopped) => {}
            }
        });
        Ok(Self { app, runtime: Some(runtime), page_url, address, token, stop })
    }

    /// The page's URL, with the token if one is required.
    pub fn url(&self) -> String {
        let page = &self.page_url;
        match &self.token {
            None => page.clone(),
            Some(token) => format!("{page}?token={token}"),
        }
    }

    /// The port it listens on.
    pub const fn port(&self) -> u16 {
        self.address.port()
    }

    /// Blocks until the process is asked to terminate (SIGINT, SIGTERM).
    pub fn wait(&self) {
        if let Some(runtime) = &self.runtime {
            runtime.block_on(shutdown_signal());
        }
    }
}

impl Drop for Server {
    /// Games are saved on every change; jobs get a grace period for their running games.
    fn drop(&mut self) {
        self.stop.send_replace(true);
        let begin = Instant::now();
        while self.app.jobs.stop_all() && begin.elapsed() < SHUTDOWN_GRACE {
            thread::sleep(Duration::from_millis(20));
        }
        self.app.close();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

async fn shutdown_signal() {
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

fn router(app: App, guard: AuthGuard) -> Router {
    let (api, _) = http::api();
    let body_timeout = app.config.connections.body_timeout;
    api.route("/api/openapi.json", get(async || crate::openapi()))
        .fallback(assets::serve)
        .method_not_allowed_fallback(assets::serve)
        // `receive` limits bodies.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(body_timeout, body::receive))
        .layer(middleware::from_fn_with_state((guard, app.clone()), authenticate))
        .with_state(app)
}
