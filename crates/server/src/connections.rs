//! Connections, within bounds. A connection is *busy* while a request is answered or a WebSocket is open, and
//! *waits* otherwise: for the rest of a request, or for the next one. At a bound the connection that has waited
//! longest is closed for a new one, so that clients that stall lock nobody out.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tower_service::Service as _;

use crate::api::{ErrorBody, Problem};
use crate::config::ConnectionLimits;
use crate::tls::Tls;

/// File descriptors that are not for connections: games, jobs, engines.
const RESERVED_FILES: usize = 100;
/// A pause after an error of the listener that may persist, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves HTTP, over TLS if there is a certificate, on a listener, for ever.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    mut limits: ConnectionLimits,
    tls: Option<Arc<Tls>>,
) {
    if let Some(tls) = &tls {
        tokio::spawn(Arc::clone(tls).follow());
    }
    if let Some(files) = raise_file_limit() {
        limits.total = limits.total.min(files.saturating_sub(RESERVED_FILES).max(1));
    }
    let connections = Connections::new(limits);
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => match connections.admit(peer.ip()) {
                Some(connection) => {
                    let acceptor = tls.as_ref().map(|tls| tls.acceptor());
                    tokio::spawn(serve_connection(stream, acceptor, connection, router.clone()));
                }
                // There is no time for a handshake.
                None if tls.is_some() => drop(stream),
                None => refuse(stream),
            },
            // The client gave up in the meantime.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(_) => {
                connections.close_longest_waiting();
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve_connection(
    stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    connection: Connection,
    router: Router,
) {
    // Only latency depends on it.
    let _ = stream.set_nodelay(true);
    let Some(acceptor) = acceptor else {
        return serve_http(stream, connection, router).await;
    };
    let timeout = connection.0.connections.limits.header_timeout;
    let place = Arc::clone(&connection.0);
    tokio::select! {
        // Errors are the client's: no TLS, an unknown certificate, a timeout.
        accepted = tokio::time::timeout(timeout, acceptor.accept(stream)) => {
            if let Ok(Ok(stream)) = accepted {
                serve_http(stream, connection, router).await;
            }
        }
        () = place.close.notified() => {}
    }
}

async fn serve_http(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    connection: Connection,
    router: Router,
) {
    let place = Arc::clone(&connection.0);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(connection.clone());
        let response = router.clone().call(request);
        async { Ok::<Response, Infallible>(response.await.unwrap_or_else(|never| match never {})) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(place.connections.limits.header_timeout)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        // Errors are the client's: invalid HTTP, a timeout, a reset.
        _ = serving => {}
        () = place.close.notified() => {}
    }
}

/// Answers a connection for which there is no room.
fn refuse(stream: TcpStream) {
    let body = ErrorBody::from(Problem::TooManyConnections);
    let body = serde_json::to_string(&body).unwrap_or_default();
    let response = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    // Fits in the buffer of a new connection; a client that has gone does not matter.
    let _ = stream.into_std().and_then(|mut stream| stream.write_all(response.as_bytes()));
}

/// Raises this process's limit of open files to what the system permits; returns it.
#[cfg(unix)]
fn raise_file_limit() -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let now = if setrlimit(Resource::Nofile, raised).is_ok() { raised } else { limit };
    now.current.map(|files| usize::try_from(files).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn raise_file_limit() -> Option<usize> {
    None
}

/// All open connections.
struct Connections {
    limits: ConnectionLimits,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    last_id: u64,
    places: BTreeMap<u64, Entry>,
}

struct Entry {
    place: std::sync::Weak<Place>,
    network: IpAddr,
    /// The number of [`Busy`] guards.
    busy: usize,
    waiting_since: Instant,
}

/// An open connection; clones are the same one. Every request has it as an extension.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Place>);

/// The place of a connection among the open ones, free again when it is dropped.
struct Place {
    id: u64,
    connections: Arc<Connections>,
    close: Notify,
}

/// Keeps a connection busy.
pub(crate) struct Busy(Connection);

impl Connections {
    fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    /// A place for a connection from `address`; `None` if all are busy.
    fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Connection> {
        let network = network_of(address);
        let mut open = self.lock();
        let of_network = open.places.values().filter(|entry| entry.network == network).count();
        if of_network >= self.limits.per_address {
            open.close_longest_waiting(|entry| entry.network == network)?;
        } else if open.places.len() >= self.limits.total {
            open.close_longest_waiting(|_| true)?;
        }
        open.last_id += 1;
        let id = open.last_id;
        let place = Arc::new(Place { id, connections: Arc::clone(self), close: Notify::new() });
        let entry = Entry {
            place: Arc::downgrade(&place),
            network,
            busy: 0,
            waiting_since: Instant::now(),
        };
        open.places.insert(id, entry);
        Some(Connection(place))
    }

    /// Closes the connection that has waited longest, if any waits.
    fn close_longest_waiting(&self) {
        let _ = self.lock().close_longest_waiting(|_| true);
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Closes the connection that has waited longest of those selected; `None` if all are busy.
    fn close_longest_waiting(&mut self, is_selected: impl Fn(&Entry) -> bool) -> Option<()> {
        let waiting = self.places.iter().filter(|(_, entry)| entry.busy == 0 && is_selected(entry));
        let (&id, _) = waiting.min_by_key(|(_, entry)| entry.waiting_since)?;
        // Its place is free at once, although the connection takes a moment to close.
        let entry = self.places.remove(&id)?;
        if let Some(place) = entry.place.upgrade() {
            place.close.notify_one();
        }
        Some(())
    }
}

impl Connection {
    /// Keeps the connection busy until the guard is dropped.
    pub(crate) fn busy(&self) -> Busy {
        self.0.update(|entry| entry.busy += 1);
        Busy(self.clone())
    }

    /// How long a WebSocket may be silent.
    pub(crate) fn socket_timeout(&self) -> Duration {
        self.0.connections.limits.socket_timeout
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.0.update(|entry| {
            entry.busy -= 1;
            entry.waiting_since = Instant::now();
        });
    }
}

impl Place {
    fn update(&self, change: impl FnOnce(&mut Entry)) {
        // A connection that is being closed has no entry any more.
        if let Some(entry) = self.connections.lock().places.get_mut(&self.id) {
            change(entry);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.lock().places.remove(&self.id);
    }
}

/// What the bound per address counts: an IPv4 address, or a /64 network of IPv6, of which one client has
/// all addresses.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(total: usize, per_address: usize) -> Arc<Connections> {
        Connections::new(ConnectionLimits { total, per_address, ..ConnectionLimits::default() })
    }

    fn is_closed(connection: &Connection) -> bool {
        !connection.0.connections.lock().places.contains_key(&connection.0.id)
    }

    const HOSTS: [IpAddr; 3] = [
        IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1)),
        IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2)),
        IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 3)),
    ];

    #[test]
    fn the_longest_waiting_makes_room() {
        let connections = connections(3, 2);
        let first = connections.admit(HOSTS[0]).unwrap();
        let second = connections.admit(HOSTS[0]).unwrap();
        // The first becomes the one that has waited for a shorter time.
        drop(first.busy());
        let third = connections.admit(HOSTS[0]).unwrap();
        assert_eq!([&first, &second, &third].map(is_closed), [false, true, false]);
        let other = connections.admit(HOSTS[1]).unwrap();
        let last = connections.admit(HOSTS[2]).unwrap();
        let all = [&first, &third, &other, &last];
        assert_eq!(all.map(is_closed), [true, false, false, false], "three in total");
    }

    #[test]
    fn busy_connections_stay() {
        let connections = connections(2, 1);
        let connection = connections.admit(HOSTS[0]).unwrap();
        let busy = connection.busy();
        assert!(connections.admit(HOSTS[0]).is_none());
        let other = connections.admit(HOSTS[1]).unwrap();
        let _busy = other.busy();
        assert!(connections.admit(HOSTS[2]).is_none(), "two in total");
        drop((busy, connection));
        assert!(connections.admit(HOSTS[2]).is_some(), "a place is free again");
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let network = |text: &str| network_of(text.parse().unwrap());
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("::ffff:10.0.0.1"), network("10.0.0.1"));
    }
}
